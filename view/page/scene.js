// scene.js: what is to be drawn at one moment, in plain numbers, for either renderer.
"use strict";

const PALETTES = {
  light: {
    sky: "#f6f6f3", ground: "#efeeea", grid: "#c9c8c2", terrain: "#dcd9d0", trunk: "#a3acba", left: "#3f7fdc", right: "#e27d45",
    things: ["#8ea4c4", "#d9ab77", "#95b58c", "#bb9ac6", "#d0c07a", "#86b5b8"],
    force: "#12a26f", push: "#d4365f", support: "#12a26f", path: "#8a6d1f", water: "#9cc4dd", com: "#1d2126", comBack: "#ffffff", target: "#b8860b",
    pull: ["#2f8fd0", "#e0a800", "#d4365f"],
  },
  dark: {
    sky: "#15181c", ground: "#1f2328", grid: "#3a4048", terrain: "#363b43", trunk: "#98a2b3", left: "#4d8df0", right: "#ee8a52",
    things: ["#7f97ba", "#c99b68", "#85a67c", "#ab8ab6", "#bfb06b", "#76a5a8"],
    force: "#2fd194", push: "#ff5d85", support: "#2fd194", path: "#d9b44a", water: "#2c4f66", com: "#f2f3f5", comBack: "#15181c", target: "#f0c24b",
    pull: ["#53b2f0", "#f0c24b", "#ff5d85"],
  },
};

// Left and right limbs are told apart by their names, other characters by a colour of their own.
function colourOf(trace, body, palette) {
  if (body < 0) return palette.trunk;
  const b = trace.bodies[body], parts = trace.bodies.filter(o => o.character === b.character).length;
  if (parts === 1) return palette.things[b.character % palette.things.length];
  if (b.name.endsWith("_l")) return palette.left;
  if (b.name.endsWith("_r")) return palette.right;
  return palette.trunk;
}

// A hull's faces: their corners in the shape's axes, and normals by Newell's sum.
function facesOf(shape) {
  return shape.faces.map(face => {
    const corners = face.map(i => shape.vertices.slice(3 * i, 3 * i + 3));
    return { corners, normal: unit(corners.reduce((n, p, i) => add(n, cross(p, corners[(i + 1) % corners.length])), [0, 0, 0])) };
  });
}

// A grasp's colour: from the first of three colours, nothing pulls, to the last, the hardest pull of the run.
function pullColour(share, palette) {
  const at = 2 * clamp(share, 0, 1), k = Math.min(1, Math.floor(at)), a = srgb(palette.pull[k]), b = srgb(palette.pull[k + 1]);
  return css(a.map((x, i) => mix(x, b[i], at - k)));
}

// z of the topmost terrain at (x, y); -Infinity when there is none.
function groundHeight(terrain, x, y) {
  let top = -Infinity;
  for (const p of terrain.planes)
    if (p.normal[2] > 1e-6) top = Math.max(top, (p.offset - p.normal[0] * x - p.normal[1] * y) / p.normal[2]);
  for (const b of terrain.boxes) {
    // Down through the box: the entry of the vertical line into its three slabs.
    const back = [b.quaternion[0], -b.quaternion[1], -b.quaternion[2], -b.quaternion[3]];
    const o = rotate(back, sub([x, y, 0], b.position)), d = rotate(back, [0, 0, 1]);
    let lo = -Infinity, hi = Infinity;
    for (let k = 0; k < 3; k++) {
      if (Math.abs(d[k]) < 1e-9) { if (Math.abs(o[k]) > b.half[k]) hi = -Infinity; continue; }
      const s = (-b.half[k] - o[k]) / d[k], e = (b.half[k] - o[k]) / d[k];
      lo = Math.max(lo, Math.min(s, e));
      hi = Math.min(hi, Math.max(s, e));
    }
    if (hi >= lo) top = Math.max(top, hi);
  }
  const f = terrain.field;
  if (f) {
    const u = (x - f.x0) / f.dx, v = (y - f.y0) / f.dy, i = Math.floor(u), j = Math.floor(v);
    if (i >= 0 && j >= 0 && i < f.nx - 1 && j < f.ny - 1) {
      const z = (a, b) => f.z[(j + b) * f.nx + i + a], a = u - i, b = v - j;
      const h = a > b ? z(0, 0) + a * (z(1, 0) - z(0, 0)) + b * (z(1, 1) - z(1, 0)) : z(0, 0) + b * (z(0, 1) - z(0, 0)) + a * (z(1, 1) - z(0, 1));
      top = Math.max(top, h);
    }
  }
  return top;
}

// One arrow per pair of bodies that touch: the sum of its forces at their common centre, as the upper one feels it.
function contactArrows(contacts) {
  const pairs = new Map();
  for (const c of contacts) {
    const key = c.a + "," + c.b, weight = norm(c.force);
    const g = pairs.get(key) || { force: [0, 0, 0], at: [0, 0, 0], weight: 0, a: c.a, b: c.b };
    g.force = add(g.force, c.force);
    g.at = add(g.at, scale(weight, c.point));
    g.weight += weight;
    pairs.set(key, g);
  }
  return [...pairs.values()].filter(g => g.weight > 0)
    .map(g => ({ from: scale(1 / g.weight, g.at), force: g.b >= 0 && g.force[2] < 0 ? scale(-1, g.force) : g.force, a: g.a, b: g.b }));
}

// Newtons to metres, so that what is usual in this run is well seen and an impact stays in the picture.
function forceScale(trace) {
  const all = [];
  const step = Math.max(1, Math.floor(trace.frames / 300));
  for (let i = 0; i < trace.frames; i += step) for (const g of contactArrows(trace.contacts(i))) all.push(norm(g.force));
  all.sort((a, b) => a - b);
  const usual = all.length ? all[Math.floor(0.9 * (all.length - 1))] : 0;
  return 0.5 * trace.figure / (Math.max(usual, 0.5 * 9.81 * trace.mass) || 1);
}

class Scene {
  constructor(trace) {
    this.trace = trace;
    this.scale = forceScale(trace);
    this.show = { forces: true, com: true, support: true, path: false };
  }

  // The drawable shapes: centre, orientation, size, colour.
  solids(frame, f, palette) {
    const poses = this.trace.bodies.map((_, i) => this.trace.pose(i, frame, f));
    const out = this.trace.shapes(frame).concat(this.trace.necks(frame)).map(s => {
      const { p, q } = poses[s.body] || this.trace.pose(s.body, frame, f);
      return { type: s.type, hull: s.vertices && s, body: s.body, p: add(p, rotate(q, s.position)), q: quatMul(q, s.quaternion), size: s.size, colour: colourOf(this.trace, s.body, palette) };
    });
    this.poses = poses;
    if (this.trace.water !== undefined)
      out.push({ type: "box", body: 0, p: [this.trace.centre[0], this.trace.centre[1], this.trace.water - 0.02], q: [1, 0, 0, 0], size: [6, 3, 0.02], colour: palette.water });
    return out;
  }

  arrows(time, frame, palette) {
    const out = [], longest = 1.1 * this.trace.figure;
    if (this.show.forces)
      for (const g of contactArrows(this.trace.contacts(frame))) {
        const v = scale(this.scale, g.force), n = norm(v);
        out.push({ from: g.from, vector: n > longest ? scale(longest / n, v) : v, colour: palette.force });
      }
    if (this.show.forces && this.trace.follows) {
      const v = scale(this.scale, this.trace.vector("plan_force", frame, 0)), n = norm(v);
      if (n > 0) out.push({ from: this.trace.vector("plan_at", frame, 0), vector: n > longest ? scale(longest / n, v) : v, colour: palette.target });
    }
    for (const push of this.trace.pushes) {
      if (time < push.time || time >= push.time + Math.max(push.duration, 0.12)) continue;
      const shape = this.trace.shapes(frame).find(s => s.body === push.body), { p, q } = this.poses[push.body];
      const centre = shape ? add(p, rotate(q, shape.position)) : p, way = unit(push.force);
      const length = clamp(this.scale * norm(push.force), 0.3 * this.trace.figure, longest);
      out.push({ from: sub(centre, scale(length + 0.12 * this.trace.figure, way)), vector: scale(length, way), colour: palette.push });
    }
    return out;
  }

  // Hull of where the first character stands, a hair above the ground.
  support(frame) {
    if (!this.show.support || !this.trace.hasFeet) return [];
    const points = this.trace.contacts(frame).filter(c => c.b < 0 && this.trace.bodies[c.a].character === 0).map(c => [c.point[0], c.point[1], c.point[2] + 0.004]);
    return points.length < 3 ? [] : hull(points);
  }

  at(time, palette) {
    const trace = this.trace, [frame, f] = trace.locate(time), near = trace.nearest(time);
    const solids = this.solids(frame, f, palette);
    const com = trace.vector("com", frame, f);
    return {
      time, frame, solids, palette, terrain: trace.terrain, poses: this.poses,
      arrows: this.arrows(time, near, palette),
      support: this.support(near),
      com: this.show.com && trace.hasCom ? com : null,
      others: this.show.com ? trace.otherComs(this.poses) : [],
      springs: this.show.forces ? trace.springs(near).map(s => ({ ...s, colour: pullColour(s.force / trace.strongest, palette) })) : [],
      target: this.show.com && trace.hasTarget ? trace.vector("target", frame, f) : null,
      below: groundHeight(trace.terrain, com[0], com[1]),
      path: this.show.path ? this.path() : null,
    };
  }

  path() {
    if (!this.line) {
      this.line = [];
      const step = Math.max(1, Math.floor(this.trace.frames / 600));
      for (let i = 0; i < this.trace.frames; i += step) this.line.push(this.trace.vector("com", i, 0));
    }
    return this.line;
  }
}
