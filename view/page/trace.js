// trace.js: one recorded run: decoding, and its state at any time between two frames.
"use strict";

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
const floatsOf = base64 => new Float32Array(bytesOf(base64).buffer);
const shortsOf = base64 => new Int16Array(bytesOf(base64).buffer);

class Trace {
  constructor(json) {
    Object.assign(this, json);
    this.count = json.bodies.length;
    // Hulls do not grow: their corners stand in the first set alone.
    for (const set of json.shape_sets.slice(1)) set.shapes.forEach((s, i) => { if (s.type === "hull") [s.vertices, s.faces] = [json.shape_sets[0].shapes[i].vertices, json.shape_sets[0].shapes[i].faces]; });
    this.position = floatsOf(json.position);
    this.quaternion = shortsOf(json.quaternion);
    this.signals = floatsOf(json.signals);
    this.width = json.channels.length;
    this.channel = Object.fromEntries(json.channels.map((name, i) => [name, i]));
    this.units = Object.fromEntries((json.units || []).map((unit, i) => [json.channels[i], unit]));
    this.contactCount = bytesOf(json.contact_count);
    this.contactBytes = new DataView(bytesOf(json.contact).buffer);
    this.contactStart = new Uint32Array(this.frames + 1);
    for (let i = 0; i < this.frames; i++) this.contactStart[i + 1] = this.contactStart[i] + this.contactCount[i];
    this.springCount = json.spring_count ? bytesOf(json.spring_count) : new Uint8Array(this.frames);
    this.springNumbers = json.spring ? floatsOf(json.spring) : new Float32Array(0);
    this.springStart = new Uint32Array(this.frames + 1);
    for (let i = 0; i < this.frames; i++) this.springStart[i + 1] = this.springStart[i] + this.springCount[i];
    this.strongest = 1;
    for (let i = 6; i < this.springNumbers.length; i += 7) this.strongest = Math.max(this.strongest, this.springNumbers[i]);
    // Who has limbs has a COM worth seeing; the first character's is recorded.
    this.walkers = [...new Set(json.bodies.map(b => b.character))].filter(c => c > 0)
      .map(c => json.bodies.map((b, i) => ({ ...b, index: i })).filter(b => b.character === c && b.mass > 0)).filter(parts => parts.length > 1);
    this.times = this.series("time");
    this.duration = this.frames ? this.times[this.frames - 1] : 0;
    this.hasTarget = this.differs("target_x", "com_x") || this.differs("target_y", "com_y") || this.differs("target_z", "com_z");
    this.hasFeet = json.bodies.some(b => b.character === 0 && b.name.startsWith("foot"));
    this.hasCom = json.mass > 0 && (this.count === 1 || json.bodies.filter(b => b.character === 0).length > 1);
    this.turns = this.has("theta");
    this.hasGoal = this.has("goal");
    this.follows = this.has("phase");
    this.plans = this.readPlans(json.mark ? floatsOf(json.mark) : []);
    this.stages = json.notes.filter(n => n.kind === "stage").map(n => ({ name: n.name, time: +n.value }));
    const water = json.scenario === "dive" && json.notes.find(n => n.name === "water");
    this.water = water ? +water.value : undefined;
    this.trunk = ["pelvis", "head"].map(name => json.bodies.findIndex(b => b.character === 0 && b.name === name));
    this.label = json.scenario + (json.model ? " · " + json.model : "");
    this.findSubject();
  }

  series(name) {
    const k = this.channel[name], out = new Float32Array(this.frames);
    for (let i = 0; i < this.frames; i++) out[i] = this.signals[i * this.width + k];
    return out;
  }
  // Whether a channel is there, and not all zero: recordings of earlier versions lack some.
  has(name) { return name in this.channel && this.series(name).some(x => x !== 0); }
  // What each plan looked at: footholds planned and tried, and the box of the actions (kinds 1, 2, 3).
  readPlans(rows) {
    const plans = [], kinds = ["", "planned", "tried", "box"];
    for (let i = 0; i + 10 < rows.length; i += 11) {
      const [time, kind, x, y, z, length, doubt, ...low] = rows.subarray(i, i + 11);
      if (!plans.length || plans[plans.length - 1].time !== time) plans.push({ time, planned: [], tried: [], box: [] });
      const list = plans[plans.length - 1][kinds[kind]];
      if (list) list.push({ x, y, z, length, doubt, low: low.slice(0, 2), high: low.slice(2) });
    }
    return plans;
  }
  planAt(time) { return this.plans.filter(p => p.time <= time + 1e-6).pop(); }
  stageAt(time) { return this.stages.filter(s => s.time <= time + 1e-6).pop(); }
  differs(a, b) {
    const x = this.series(a), y = this.series(b);
    return x.some((v, i) => Math.abs(v - y[i]) > 1e-6);
  }

  // The frame before `time` and how far it is to the next.
  locate(time) {
    let lo = 0, hi = this.frames - 1;
    if (hi <= 0 || time <= this.times[0]) return [0, 0];
    if (time >= this.times[hi]) return [hi, 0];
    while (hi - lo > 1) {
      const mid = (lo + hi) >> 1;
      if (this.times[mid] <= time) lo = mid; else hi = mid;
    }
    return [lo, (time - this.times[lo]) / (this.times[hi] - this.times[lo])];
  }
  // The frame nearest to `time`.
  nearest(time) {
    const [i, f] = this.locate(time);
    return f > 0.5 ? i + 1 : i;
  }

  // Position and orientation of a link, blended between the two frames around a time.
  pose(body, frame, f) {
    if (body < 0) return { p: [0, 0, 0], q: [1, 0, 0, 0] }; // fixed in the world
    const next = Math.min(frame + 1, this.frames - 1), n = this.count;
    const p = this.position, q = this.quaternion, a = frame * n + body, b = next * n + body;
    let d = 0;
    for (let k = 0; k < 4; k++) d += q[4 * a + k] * q[4 * b + k];
    const sign = d < 0 ? -1 : 1, Q = [0, 0, 0, 0];
    let size = 0;
    for (let k = 0; k < 4; k++) {
      Q[k] = (1 - f) * q[4 * a + k] + f * sign * q[4 * b + k];
      size += Q[k] * Q[k];
    }
    size = Math.sqrt(size) || 1;
    return {
      p: [mix(p[3 * a], p[3 * b], f), mix(p[3 * a + 1], p[3 * b + 1], f), mix(p[3 * a + 2], p[3 * b + 2], f)],
      q: [Q[0] / size, Q[1] / size, Q[2] / size, Q[3] / size],
    };
  }

  signal(name, frame, f) {
    const k = this.channel[name], next = Math.min(frame + 1, this.frames - 1);
    return mix(this.signals[frame * this.width + k], this.signals[next * this.width + k], f);
  }
  vector(name, frame, f) { return ["_x", "_y", "_z"].map(axis => this.signal(name + axis, frame, f)); }

  contacts(frame) {
    const out = [];
    for (let i = this.contactStart[frame]; i < this.contactStart[frame + 1]; i++) {
      const at = 28 * i, v = this.contactBytes, f = k => v.getFloat32(at + 4 * k, true);
      out.push({ point: [f(0), f(1), f(2)], force: [f(3), f(4), f(5)], a: v.getInt16(at + 24, true), b: v.getInt16(at + 26, true) });
    }
    return out;
  }

  // Springs of closed grasps: both ends, and how hard each pulls.
  springs(frame) {
    const out = [], s = this.springNumbers;
    for (let i = this.springStart[frame]; i < this.springStart[frame + 1]; i++)
      out.push({ hand: [s[7 * i], s[7 * i + 1], s[7 * i + 2]], held: [s[7 * i + 3], s[7 * i + 4], s[7 * i + 5]], force: s[7 * i + 6] });
    return out;
  }

  // COMs of all other characters: masses at their links' centres.
  otherComs(poses) {
    return this.walkers.map(parts => {
      let sum = [0, 0, 0], mass = 0;
      for (const b of parts) {
        sum = add(sum, scale(b.mass, add(poses[b.index].p, rotate(poses[b.index].q, b.com))));
        mass += b.mass;
      }
      return scale(1 / mass, sum);
    });
  }

  // Shapes change when a body grows.
  shapes(frame) {
    let set = this.shape_sets[0];
    for (const s of this.shape_sets) if (s.frame <= frame) set = s;
    return set.shapes;
  }

  // A ball that is all of its link and does not reach the link's joint hangs on a neck: as wide as a part of the ball, from the joint to a little inside it.
  necks(frame) {
    const shapes = this.shapes(frame), other = (i, s) => !shapes[i] || shapes[i].body !== s.body;
    return shapes.filter((s, i) => s.type === "sphere" && s.body >= 0 && norm(s.position) > 1.05 * s.size[0] && other(i - 1, s) && other(i + 1, s)).map(s => {
      const half = 0.5 * (norm(s.position) - 0.8 * s.size[0]), d = unit(s.position), w = 1 + d[2], q = w > 1e-6 ? [w, -d[1], d[0], 0] : [0, 1, 0, 0], n = Math.hypot(...q);
      return { body: s.body, type: "capsule", position: scale(half, d), quaternion: q.map(x => x / n), size: [0.38 * s.size[0], half] };
    });
  }

  // What to look at: the first character, or all when there are many of them or it is only one thing.
  findSubject() {
    const first = this.bodies.filter(b => b.character === 0).length;
    const looked = i => i < 0 || first <= 1 || this.walkers.length >= 2 || this.bodies[i].character === 0;
    const reach = s => s.type === "sphere" ? s.size[0] : s.type === "capsule" ? s.size[0] + s.size[1] : norm(s.size);
    const boxes = [];
    for (let i = 0; i < this.frames; i++) {
      const lo = [1e9, 1e9, 1e9], hi = [-1e9, -1e9, -1e9];
      for (const s of this.shapes(i)) {
        if (!looked(s.body)) continue;
        const { p, q } = this.pose(s.body, i, 0), c = add(p, rotate(q, s.position)), edged = s.type === "box" || s.type === "hull";
        // Of a long shape the ends count, not the ball around it.
        const r = s.type === "capsule" ? s.size[0] : edged ? 0 : reach(s);
        const ends = s.type === "capsule" ? [[0, 0, s.size[1]], [0, 0, -s.size[1]]]
          : edged ? [0, 1, 2, 3, 4, 5, 6, 7].map(k => [s.size[0] * (k & 1 ? 1 : -1), s.size[1] * (k & 2 ? 1 : -1), s.size[2] * (k & 4 ? 1 : -1)])
          : [[0, 0, 0]];
        for (const e of ends) {
          const w = add(c, rotate(q, rotate(s.quaternion, e)));
          for (let k = 0; k < 3; k++) {
            lo[k] = Math.min(lo[k], w[k] - r);
            hi[k] = Math.max(hi[k], w[k] + r);
          }
        }
      }
      boxes.push(lo[0] < 1e8 ? { lo, hi } : { lo: [-0.5, -0.5, 0], hi: [0.5, 0.5, 1] });
    }
    const dt = this.frames > 1 ? this.duration / (this.frames - 1) : 1;
    const middle = k => boxes.map(b => (b.lo[k] + b.hi[k]) / 2);
    this.targets = [0, 1, 2].map(k => smooth(middle(k), (k < 2 ? 0.35 : 1.2) / dt));
    this.radius = boxes.reduce((r, b, i) => {
      const c = this.targets.map(t => t[i]);
      return Math.max(r, norm([0, 1, 2].map(k => Math.max(b.hi[k] - c[k], c[k] - b.lo[k]))));
    }, 0.1) * 0.92;
    boxes.forEach((b, i) => { this.radius = Math.max(this.radius, 1.06 * Math.max(b.hi[2] - this.targets[2][i], this.targets[2][i] - b.lo[2])); });
    // How large what has arrows drawn at it is: one of the many.
    this.figure = this.walkers.length > 1 && boxes.length ? 0.5 * (boxes[0].hi[2] - boxes[0].lo[2]) : this.radius;
    const all = k => [Math.min(...boxes.map(b => b.lo[k])), Math.max(...boxes.map(b => b.hi[k]))];
    const span = this.frames ? [all(0), all(1), all(2)] : [[-1, 1], [-1, 1], [0, 2]];
    this.centre = span.map(s => (s[0] + s[1]) / 2);
    this.wholeRadius = Math.max(0.1, 0.5 * norm(span.map(s => s[1] - s[0])));
    this.low = span[2][0];
  }
  target(frame, f) {
    const next = Math.min(frame + 1, this.frames - 1);
    return this.targets.map(t => mix(t[frame], t[next], f));
  }
}

// Three box filters are nearly a Gaussian.
function smooth(values, width) {
  let x = values.map(Number);
  const half = Math.max(1, Math.round(width));
  for (let pass = 0; pass < 3; pass++) {
    const sum = [0];
    for (const v of x) sum.push(sum[sum.length - 1] + v);
    x = x.map((_, i) => {
      const r = Math.min(half, i, x.length - 1 - i);
      return (sum[i + r + 1] - sum[i - r]) / (2 * r + 1);
    });
  }
  return x;
}
