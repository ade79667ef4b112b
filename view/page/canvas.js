// canvas.js: the same picture without WebGL: outlines filled from far to near on a 2-D canvas.
"use strict";

class CanvasView {
  constructor(canvas) {
    this.kind = "canvas";
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d", { alpha: false });
  }

  // Pixels, and how many of them a metre takes there; null behind the eye.
  project(p) {
    const c = transform(this.camera.view, p);
    if (c[3] < 0.05) return null;
    return [(0.5 + 0.5 * c[0] / c[3]) * this.canvas.width, (0.5 - 0.5 * c[1] / c[3]) * this.canvas.height, this.focal / c[3], c[3]];
  }

  // A polygon or line whose part behind the eye is cut off.
  trace(points, closed) {
    const clip = points.map(p => transform(this.camera.view, p)), near = 0.05, kept = [];
    const last = closed ? clip.length : clip.length - 1;
    if (!closed && clip.length && clip[0][3] >= near) kept.push(clip[0]);
    for (let i = 0; i < last; i++) {
      const a = clip[i], b = clip[(i + 1) % clip.length];
      if (closed && a[3] >= near) kept.push(a);
      if ((a[3] < near) !== (b[3] < near)) {
        const f = (near - a[3]) / (b[3] - a[3]);
        kept.push(a.map((x, k) => mix(x, b[k], f)));
      }
      if (!closed && b[3] >= near) kept.push(b);
    }
    this.ctx.beginPath();
    kept.forEach((c, i) => {
      const x = (0.5 + 0.5 * c[0] / c[3]) * this.canvas.width, y = (0.5 - 0.5 * c[1] / c[3]) * this.canvas.height;
      if (i) this.ctx.lineTo(x, y); else this.ctx.moveTo(x, y);
    });
    if (closed) this.ctx.closePath();
    return kept.length > 1;
  }

  shade(colour, normal, gloss = 1) {
    const light = 0.62 + 0.38 * Math.max(dot(normal, SUN), 0) + 0.06 * normal[2] * gloss;
    return css(srgb(colour).map(c => c * light));
  }

  plane(plane, palette) {
    const { target, reach } = this.camera, n = plane.normal, level = n[2] > 0.999;
    const [a, b] = level ? [[1, 0, 0], [0, 1, 0]] : [unit(cross([0, 1, 0], n)), cross(n, unit(cross([0, 1, 0], n)))];
    const foot = add(target, scale(plane.offset - dot(n, target), n)), far = Math.min(12 * reach, 40), ctx = this.ctx;
    const corner = (i, j) => add(foot, add(scale(i * far, a), scale(j * far, b)));
    ctx.fillStyle = level ? palette.ground : this.shade(palette.ground, n);
    if (this.trace([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], true)) ctx.fill();
    ctx.strokeStyle = palette.grid;
    const step = reach > 6 ? 5 : 1;
    for (const [along, acrossIt] of [[a, b], [b, a]]) {
      const middle = Math.round(dot(foot, acrossIt) / step) * step, offset = dot(foot, acrossIt);
      for (let k = middle - step * Math.floor(far / step); k <= middle + far; k += step) {
        const p = add(foot, scale(k - offset, acrossIt));
        ctx.globalAlpha = 0.8 * (1 - Math.min(1, Math.abs(k - offset) / far));
        ctx.lineWidth = Math.max(1, this.canvas.width / 1200);
        if (this.trace([add(p, scale(-far, along)), add(p, scale(far, along))], false)) ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
  }

  // Level ground fades into the sky below the horizon.
  haze(moment, palette) {
    const { eye, target } = this.camera, way = [target[0] - eye[0], target[1] - eye[1], 0];
    if (!moment.terrain.planes.some(p => p.normal[2] > 0.999) || norm(way) < 0.2 * norm(sub(target, eye))) return;
    const c = transform(this.camera.view, add(eye, scale(1e4 / norm(way), way))), h = this.canvas.height, y = (0.5 - 0.5 * c[1] / c[3]) * h;
    const g = this.ctx.createLinearGradient(0, y, 0, y + 0.28 * h), sky = srgb(palette.sky);
    g.addColorStop(0, css(sky, 1));
    g.addColorStop(0.25, css(sky, 0.9));
    g.addColorStop(1, css(sky, 0));
    this.ctx.fillStyle = g;
    this.ctx.fillRect(0, y - 0.1 * h, this.canvas.width, 0.38 * h);
  }

  // Faces of a box that are turned to the eye.
  box(p, q, half, colour, edge) {
    for (let k = 0; k < 3; k++)
      for (const side of [-1, 1]) {
        const n = [0, 0, 0], u = [0, 0, 0], v = [0, 0, 0];
        n[k] = side;
        u[(k + 1) % 3] = half[(k + 1) % 3];
        v[(k + 2) % 3] = half[(k + 2) % 3];
        const N = rotate(q, n), c = add(p, rotate(q, n.map(x => x * half[k])));
        if (dot(N, sub(this.camera.eye, c)) <= 0) continue;
        const U = rotate(q, u), V = rotate(q, v);
        if (!this.trace([sub(sub(c, U), V), sub(add(c, U), V), add(add(c, U), V), add(sub(c, U), V)], true)) continue;
        this.ctx.fillStyle = this.ctx.strokeStyle = this.shade(colour, N);
        this.ctx.lineWidth = 1;
        this.ctx.fill();
        this.ctx.strokeStyle = edge;
        this.ctx.globalAlpha = 0.25;
        this.ctx.stroke();
        this.ctx.globalAlpha = 1;
      }
  }

  // Faces of a hull that are turned to the eye.
  hull(s) {
    for (const face of facesOf(s.hull)) {
      const normal = rotate(s.q, face.normal), corners = face.corners.map(p => add(s.p, rotate(s.q, p)));
      if (dot(normal, sub(this.camera.eye, corners[0])) <= 0 || !this.trace(corners, true)) continue;
      this.ctx.fillStyle = this.ctx.strokeStyle = this.shade(s.colour, normal);
      this.ctx.lineWidth = 1;
      this.ctx.fill();
      this.ctx.stroke();
    }
  }

  // A sphere or capsule: the outline of two balls, shaded from one side to the other.
  capsule(p, q, radius, half, colour) {
    const e = rotate(q, [0, 0, half]), a = this.project(add(p, e)), b = this.project(sub(p, e)), ctx = this.ctx;
    if (!a || !b) return;
    const ra = radius * a[2], rb = radius * b[2], dx = b[0] - a[0], dy = b[1] - a[1], d = Math.hypot(dx, dy);
    const base = Math.atan2(dy, dx), open = d > Math.abs(ra - rb) ? Math.acos((ra - rb) / d) : null;
    ctx.beginPath();
    if (open === null || half === 0) ctx.arc(ra > rb ? a[0] : b[0], ra > rb ? a[1] : b[1], Math.max(ra, rb), 0, 7);
    else {
      ctx.arc(a[0], a[1], ra, base + open, base - open, false);
      ctx.arc(b[0], b[1], rb, base - open, base + open, false);
    }
    ctx.closePath();
    // The bright side is where the sun stands on the screen.
    const mid = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], r = Math.max(ra, rb);
    let side = d > 1 ? [-dy / d, dx / d] : [-0.6, -0.8];
    if (side[0] * -0.5 + side[1] * -0.86 < 0) side = side.map(x => -x);
    const g = ctx.createLinearGradient(mid[0] + side[0] * r, mid[1] + side[1] * r, mid[0] - side[0] * r, mid[1] - side[1] * r);
    const c = srgb(colour);
    g.addColorStop(0, css(c.map(x => x * 1.02 + 0.04)));
    g.addColorStop(0.45, css(c.map(x => x * 0.93)));
    g.addColorStop(1, css(c.map(x => x * 0.62)));
    ctx.fillStyle = g;
    ctx.fill();
  }

  // A dark spot below each solid stands in for a shadow.
  shadow(s, moment) {
    const h = groundHeight(moment.terrain, s.p[0], s.p[1]);
    if (h === -Infinity || s.p[2] - h > 2) return;
    const r = s.type === "box" || s.hull ? Math.hypot(s.size[0], s.size[1]) * 0.8 : s.size[0] * 1.3, centre = [s.p[0] - SUN[0] * (s.p[2] - h) * 0.4, s.p[1] - SUN[1] * (s.p[2] - h) * 0.4, h];
    const ring = [];
    for (let i = 0; i < 16; i++) ring.push(add(centre, [r * Math.cos(i * Math.PI / 8), r * Math.sin(i * Math.PI / 8), 0.002]));
    this.ctx.fillStyle = `rgba(0,0,0,${0.1 * Math.exp(-(s.p[2] - h) / 0.6)})`;
    if (this.trace(ring, true)) this.ctx.fill();
  }

  field(f, palette) {
    const cells = [];
    const point = (i, j) => [f.x0 + i * f.dx, f.y0 + j * f.dy, f.z[j * f.nx + i]];
    for (let j = 0; j + 1 < f.ny; j++)
      for (let i = 0; i + 1 < f.nx; i++) {
        const p = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
        const far = norm(sub(this.camera.eye, p[0]));
        if (norm(sub(this.camera.target, p[0])) < 12 * this.camera.reach) cells.push([far, p]);
      }
    cells.sort((a, b) => b[0] - a[0]);
    for (const [, p] of cells) {
      if (!this.trace(p, true)) continue;
      this.ctx.fillStyle = this.shade(palette.ground, unit(cross(sub(p[2], p[0]), sub(p[3], p[1]))));
      this.ctx.fill();
      this.ctx.strokeStyle = palette.grid;
      this.ctx.lineWidth = 0.5;
      this.ctx.stroke();
    }
  }

  arrow(a) {
    const from = this.project(a.from), to = this.project(add(a.from, a.vector)), ctx = this.ctx;
    if (!from || !to) return;
    const dx = to[0] - from[0], dy = to[1] - from[1], d = Math.hypot(dx, dy), w = 0.011 * this.camera.size * to[2];
    if (d < 1) return;
    const ux = dx / d, uy = dy / d, head = Math.min(d, 6.5 * w);
    ctx.strokeStyle = ctx.fillStyle = a.colour;
    ctx.lineWidth = 2 * w;
    ctx.beginPath();
    ctx.moveTo(from[0], from[1]);
    ctx.lineTo(to[0] - ux * head, to[1] - uy * head);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(to[0], to[1]);
    ctx.lineTo(to[0] - ux * head - uy * head * 0.4, to[1] - uy * head + ux * head * 0.4);
    ctx.lineTo(to[0] - ux * head + uy * head * 0.4, to[1] - uy * head - ux * head * 0.4);
    ctx.fill();
  }

  draw(moment, camera) {
    const ctx = this.ctx, palette = moment.palette;
    this.camera = camera;
    this.focal = 0.5 * this.canvas.height / Math.tan(camera.fov / 2);
    ctx.fillStyle = palette.sky;
    ctx.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (const p of moment.terrain.planes) this.plane(p, palette);
    this.haze(moment, palette);
    if (moment.terrain.field) this.field(moment.terrain.field, palette);
    const far = p => norm(sub(camera.eye, p));
    for (const b of moment.terrain.boxes.slice().sort((a, c) => far(c.position) - far(a.position)))
      this.box(b.position, b.quaternion, b.half, palette.terrain, palette.grid);
    for (const s of moment.solids) this.shadow(s, moment);
    if (moment.support.length && this.trace(moment.support, true)) {
      ctx.fillStyle = ctx.strokeStyle = palette.support;
      ctx.globalAlpha = 0.22;
      ctx.fill();
      ctx.globalAlpha = 0.9;
      ctx.lineWidth = 1.5;
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    for (const s of moment.solids.slice().sort((a, b) => far(b.p) - far(a.p)))
      if (s.hull) this.hull(s);
      else if (s.type === "box") this.box(s.p, s.q, s.size, s.colour, palette.sky);
      else this.capsule(s.p, s.q, s.size[0], s.type === "capsule" ? s.size[1] : 0, s.colour);
    if (moment.path && this.trace(moment.path, false)) {
      ctx.strokeStyle = palette.path;
      ctx.lineWidth = 1.5;
      ctx.stroke();
    }
    for (const a of moment.arrows) this.arrow(a);
  }
}
