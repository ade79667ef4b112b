// view.js: one run's picture: the camera, the renderer, and the symbols drawn over it.
"use strict";

const FOV = 30 * Math.PI / 180;

// Shared by all views of the page, so that runs side by side are seen alike.
class Orbit {
  constructor() {
    this.follow = true;
    this.reset();
  }
  reset() {
    this.azimuth = -60 * Math.PI / 180;
    this.elevation = 14 * Math.PI / 180;
    this.zoom = 1;
    this.pan = [0, 0, 0];
  }
  turn(dx, dy) {
    this.azimuth -= dx * 0.008;
    this.elevation = clamp(this.elevation + dy * 0.008, -0.1, Math.PI / 2 - 0.01);
  }
  dolly(factor) { this.zoom = clamp(this.zoom * factor, 0.15, 12); }
  // Along the screen, by parts of its height.
  shift(dx, dy, reach) {
    const right = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    this.pan = add(this.pan, add(scale(-2 * dx * reach, right), [0, 0, 2 * dy * reach]));
  }
}

class View {
  constructor(trace, orbit, holder, plain) {
    this.trace = trace;
    this.orbit = orbit;
    this.scene = new Scene(trace);
    this.holder = holder;
    this.overlay = document.createElement("canvas");
    this.overlay.className = "overlay";
    this.makeRenderer(plain);
    holder.append(this.overlay);
    this.listen();
  }

  makeRenderer(plain) {
    const fresh = () => {
      if (this.canvas) this.canvas.remove();
      this.canvas = document.createElement("canvas");
      this.canvas.className = "picture";
      this.holder.prepend(this.canvas);
    };
    fresh();
    try {
      if (plain) throw new Error("asked for");
      this.renderer = new GLView(this.canvas);
      this.canvas.addEventListener("webglcontextlost", () => { this.makeRenderer(true); this.dirty = true; });
    } catch (_) {
      fresh();
      this.renderer = new CanvasView(this.canvas);
    }
  }

  // Backing store in device pixels, at most twice the CSS size.
  fit() {
    const density = Math.min(window.devicePixelRatio || 1, 2), w = Math.round(this.holder.clientWidth * density), h = Math.round(this.holder.clientHeight * density);
    for (const c of [this.canvas, this.overlay])
      if (c.width !== w || c.height !== h) { c.width = w; c.height = h; }
    this.density = density;
  }

  camera(time) {
    const [frame, f] = this.trace.locate(time), o = this.orbit, aspect = this.canvas.width / Math.max(1, this.canvas.height);
    const size = this.trace.figure, reach = (o.follow ? this.trace.radius : this.trace.wholeRadius) * o.zoom;
    const target = add(o.follow ? this.trace.target(frame, f) : this.trace.centre, o.pan);
    const distance = reach / Math.sin(FOV / 2) * Math.max(1, 0.92 / aspect);
    const ce = Math.cos(o.elevation), eye = add(target, scale(distance, [ce * Math.cos(o.azimuth), ce * Math.sin(o.azimuth), Math.sin(o.elevation)]));
    // On a slope the eye rises with the ground below it.
    const here = groundHeight(this.trace.terrain, eye[0], eye[1]), there = groundHeight(this.trace.terrain, target[0], target[1]);
    if (here > -Infinity && there > -Infinity) eye[2] = Math.max(eye[2] + Math.max(0, here - there), here + 0.05 * reach);
    const view = matMul(perspective(FOV, aspect, distance / 50, distance * 12), lookAt(eye, target, [0, 0, 1]));
    return { view, eye, target, reach, size, fov: FOV };
  }

  draw(time, palette) {
    this.fit();
    if (!this.canvas.width || !this.canvas.height) return;
    this.eye = this.camera(time);
    this.moment = this.scene.at(time, palette);
    this.renderer.draw(this.moment, this.eye);
    this.symbols(this.moment, palette);
  }

  // Where a point of the world is on the overlay, in its pixels.
  screen(p) {
    const c = transform(this.eye.view, p);
    return c[3] < 0.01 ? null : [(0.5 + 0.5 * c[0] / c[3]) * this.overlay.width, (0.5 - 0.5 * c[1] / c[3]) * this.overlay.height];
  }

  // The COM as engineers draw it, a plumb line down to the ground, the target as a ring.
  symbols(moment, palette) {
    const ctx = this.overlay.getContext("2d"), d = this.density;
    ctx.clearRect(0, 0, this.overlay.width, this.overlay.height);
    if (this.trace.turns) this.turning(moment, palette);
    if (this.trace.hasGoal) this.goal(moment, palette);
    if (this.trace.follows) this.follow(moment, palette);
    if (this.trace.plans.length) this.plan(moment, palette);
    this.grasps(moment, palette);
    for (const com of moment.others) {
      const at = this.screen(com);
      if (at) this.disc(at, 4 * d, palette);
    }
    if (!moment.com) return;
    const at = this.screen(moment.com), r = 5.5 * d;
    if (!at) return;
    if (moment.below > -Infinity) {
      const foot = this.screen([moment.com[0], moment.com[1], moment.below]);
      if (foot) {
        ctx.strokeStyle = palette.com;
        ctx.globalAlpha = 0.45;
        ctx.lineWidth = d;
        ctx.setLineDash([3 * d, 3 * d]);
        ctx.beginPath();
        ctx.moveTo(...at);
        ctx.lineTo(...foot);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.globalAlpha = 0.9;
        ctx.lineWidth = 1.5 * d;
        ctx.beginPath();
        ctx.moveTo(foot[0] - 4 * d, foot[1]);
        ctx.lineTo(foot[0] + 4 * d, foot[1]);
        ctx.moveTo(foot[0], foot[1] - 3 * d);
        ctx.lineTo(foot[0], foot[1] + 3 * d);
        ctx.stroke();
        ctx.globalAlpha = 1;
      }
    }
    if (moment.target) {
      const to = this.screen(moment.target);
      if (to) {
        ctx.strokeStyle = palette.target;
        ctx.lineWidth = 2 * d;
        ctx.beginPath();
        ctx.arc(to[0], to[1], r + 4 * d, 0, 7);
        ctx.stroke();
      }
    }
    this.disc(at, r, palette);
  }

  disc(at, r, palette) {
    const ctx = this.overlay.getContext("2d"), d = this.density;
    ctx.fillStyle = palette.comBack;
    ctx.beginPath();
    ctx.arc(at[0], at[1], r, 0, 7);
    ctx.fill();
    ctx.fillStyle = palette.com;
    for (const quarter of [0, Math.PI]) {
      ctx.beginPath();
      ctx.moveTo(...at);
      ctx.arc(at[0], at[1], r, quarter, quarter + Math.PI / 2);
      ctx.fill();
    }
    ctx.strokeStyle = palette.com;
    ctx.lineWidth = 1.2 * d;
    ctx.beginPath();
    ctx.arc(at[0], at[1], r, 0, 7);
    ctx.stroke();
  }

  // Grasps: each spring from the hand to what it holds, coloured by its pull; the harder pull of the two is written beside the hand.
  grasps(moment, palette) {
    const ctx = this.overlay.getContext("2d"), d = this.density;
    moment.springs.forEach((s, i) => {
      const a = this.screen(s.hand), b = this.screen(s.held);
      if (!a || !b) return;
      ctx.strokeStyle = ctx.fillStyle = s.colour;
      ctx.lineWidth = 4 * d;
      ctx.lineCap = "round";
      ctx.beginPath();
      ctx.moveTo(...a);
      ctx.lineTo(...b);
      ctx.stroke();
      ctx.lineCap = "butt";
      ctx.beginPath();
      ctx.arc(a[0], a[1], 3.5 * d, 0, 7);
      ctx.fill();
      ctx.lineWidth = d;
      ctx.strokeStyle = palette.com;
      ctx.beginPath();
      ctx.arc(b[0], b[1], 3.5 * d, 0, 7);
      ctx.stroke();
      if (i % 2 || moment.springs.length > 8) return;
      ctx.font = `${11 * d}px system-ui, sans-serif`;
      ctx.textAlign = "left";
      ctx.fillText(`${Math.max(s.force, (moment.springs[i + 1] || s).force).toFixed(0)} N`, a[0] + 8 * d, a[1] - 6 * d);
    });
  }

  // Who turns over: the line from pelvis to neck, whose angle is the phase; that angle on a dial, with the stage's name.
  turning(moment, palette) {
    const ctx = this.overlay.getContext("2d"), d = this.density, [pelvis, head] = this.trace.trunk, r = 22 * d, x = this.overlay.width - r - 14 * d, y = r + 14 * d;
    const near = this.trace.nearest(moment.time), theta = this.trace.signals[near * this.trace.width + this.trace.channel.theta], stage = this.trace.stageAt(moment.time);
    ctx.strokeStyle = ctx.fillStyle = palette.target;
    ctx.lineWidth = 3 * d;
    if (pelvis >= 0 && head >= 0) {
      const a = this.screen(moment.poses[pelvis].p), b = this.screen(moment.poses[head].p);
      if (a && b) {
        ctx.beginPath();
        ctx.moveTo(...a);
        ctx.lineTo(...b);
        ctx.stroke();
      }
    }
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + r * Math.sin(theta), y - r * Math.cos(theta));
    ctx.stroke();
    ctx.lineWidth = d;
    ctx.strokeStyle = ctx.fillStyle = palette.com;
    ctx.beginPath();
    ctx.arc(x, y, r, 0, 7);
    ctx.stroke();
    ctx.font = `${11 * d}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.fillText(`θ ${(theta * 180 / Math.PI).toFixed(0).replace("-", "\u2212")}°`, x, y + r + 14 * d);
    if (stage) ctx.fillText(stage.name, x, y + r + 28 * d);
  }

  // A task's goal: a ring on the ground, a line across, or an arrow at the character's feet; the action's name in the corner.
  goal(moment, palette) {
    const ctx = this.overlay.getContext("2d"), d = this.density, t = this.trace, at = t.nearest(moment.time) * t.width + t.channel.goal;
    const [kind, x, y, heading] = [0, 1, 2, 3].map(k => t.signals[at + k]), stage = t.stageAt(moment.time), com = t.vector("com", ...t.locate(moment.time));
    const stroke = points => {
      const seen = points.map(p => this.screen(p));
      if (seen.some(p => !p)) return;
      ctx.beginPath();
      seen.forEach((p, i) => i ? ctx.lineTo(...p) : ctx.moveTo(...p));
      ctx.stroke();
    };
    const from = kind === 3 ? [com[0], com[1]] : [x, y], ground = 0.01;
    ctx.strokeStyle = ctx.fillStyle = palette.target;
    ctx.lineWidth = 3 * d;
    if (kind === 1) stroke([...Array(25).keys()].map(i => [x + 0.1 * Math.cos(i * Math.PI / 12), y + 0.1 * Math.sin(i * Math.PI / 12), ground]));
    if (kind === 2) stroke([[x, com[1] - 1, ground], [x, com[1] + 1, ground]]);
    if (kind && heading < 50) {
      const c = Math.cos(heading), s = Math.sin(heading), tip = [from[0] + 0.8 * c, from[1] + 0.8 * s, ground];
      stroke([[...from, ground], tip]);
      for (const side of [-1, 1]) stroke([tip, [tip[0] - 0.15 * c - side * 0.1 * s, tip[1] - 0.15 * s + side * 0.1 * c, ground]]);
    }
    ctx.font = `${13 * d}px system-ui, sans-serif`;
    ctx.textAlign = "right";
    if (stage) ctx.fillText(stage.name, this.overlay.width - 14 * d, 22 * d);
  }

  // The plan that is followed: a square where the foot will stand, a ring where the COM will be, and how far the segment is on a bar.
  follow(moment, palette) {
    const ctx = this.overlay.getContext("2d"), d = this.density, t = this.trace, near = t.nearest(moment.time);
    const goal = t.vector("plan_goal", near, 0), foot = t.vector("foothold", near, 0), phase = t.signals[near * t.width + t.channel.phase];
    const to = this.screen(goal), sole = [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([x, y]) => this.screen([foot[0] + 0.08 * x, foot[1] + 0.05 * y, foot[2] + 0.01]));
    ctx.strokeStyle = ctx.fillStyle = palette.target;
    ctx.lineWidth = 2.5 * d;
    if (sole.every(p => p)) {
      ctx.beginPath();
      sole.forEach((p, i) => i ? ctx.lineTo(...p) : ctx.moveTo(...p));
      ctx.stroke();
    }
    if (to) {
      ctx.setLineDash([3 * d, 2 * d]);
      ctx.beginPath();
      ctx.arc(to[0], to[1], 9 * d, 0, 7);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    const width = 90 * d, x = this.overlay.width - width - 14 * d, y = 16 * d, whole = Math.floor(phase);
    ctx.lineWidth = d;
    ctx.strokeRect(x, y, width, 8 * d);
    ctx.fillRect(x, y, width * (phase - whole), 8 * d);
    ctx.font = `${11 * d}px system-ui, sans-serif`;
    ctx.textAlign = "right";
    ctx.fillText(`segment ${whole + 1}`, x + width, y + 22 * d);
  }

  // The plan of the step under way: soles planned, and tried (faint), green when sure and red when not; in the corner the plane of its actions, with the box that samples
  // were drawn from and the one that was taken.
  plan(moment, palette) {
    const plan = this.trace.planAt(moment.time);
    if (!plan || moment.time - plan.time > 1) return;
    const ctx = this.overlay.getContext("2d"), d = this.density, colour = m => `hsl(${120 * (1 - Math.min(m.doubt, 1.5) / 1.5)} 85% 42%)`;
    const sole = (m, width, alpha) => {
      const a = this.screen([m.x, m.y, m.z + 0.01]), b = this.screen([m.x + m.length, m.y, m.z + 0.01]);
      if (!a || !b) return;
      ctx.strokeStyle = colour(m);
      ctx.globalAlpha = alpha;
      ctx.lineWidth = width * d;
      ctx.beginPath();
      ctx.moveTo(...a);
      ctx.lineTo(...b);
      ctx.stroke();
      ctx.globalAlpha = 1;
    };
    for (const m of plan.tried) sole(m, 3, 0.12);
    plan.planned.forEach((m, i) => sole(m, 7 - 2 * i, 0.95));
    const box = plan.box[0], size = 96 * d, left = 14 * d, top = this.overlay.height - size - 16 * d;
    if (!box) return;
    const place = low => [0, 1].map(k => Math.min(1.08, Math.max(-0.08, (low[k] - box.low[k]) / Math.max(1e-9, box.high[k] - box.low[k]))));
    const dot = (m, r, fill) => {
      const [u, v] = place(m.low);
      ctx.fillStyle = ctx.strokeStyle = colour(m);
      ctx.beginPath();
      ctx.arc(left + size * (0.1 + 0.8 * u), top + size * (0.9 - 0.8 * v), r * d, 0, 7);
      if (fill) ctx.fill(); else ctx.stroke();
    };
    ctx.strokeStyle = palette.com;
    ctx.lineWidth = d;
    ctx.strokeRect(left + 0.1 * size, top + 0.1 * size, 0.8 * size, 0.8 * size);
    for (const m of plan.tried) dot(m, 1.8, true);
    ctx.lineWidth = 2 * d;
    if (plan.planned[0]) dot(plan.planned[0], 5, false);
    ctx.fillStyle = palette.com;
    ctx.font = `${10 * d}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.fillText("actions", left + 0.1 * size, top + size + 2 * d);
  }

  // One finger or the left button turns; two fingers or another button (or shift) move; wheel and pinch come nearer.
  listen() {
    const held = new Map(), el = this.overlay, changed = () => { this.dirty = true; };
    el.addEventListener("pointerdown", e => {
      el.setPointerCapture(e.pointerId);
      held.set(e.pointerId, { x: e.clientX, y: e.clientY, move: e.button !== 0 || e.shiftKey });
      el.classList.add("held");
      e.preventDefault();
    });
    el.addEventListener("pointermove", e => {
      const was = held.get(e.pointerId);
      if (!was) return;
      const dx = e.clientX - was.x, dy = e.clientY - was.y, others = [...held.values()].filter(h => h !== was);
      const height = Math.max(1, el.clientHeight), reach = this.eye ? this.eye.reach : 1;
      if (others.length) {
        const o = others[0], before = Math.hypot(was.x - o.x, was.y - o.y), after = Math.hypot(e.clientX - o.x, e.clientY - o.y);
        if (before > 0 && after > 0) this.orbit.dolly(before / after);
        this.orbit.shift(0.5 * dx / height, 0.5 * dy / height, reach);
      } else if (was.move) this.orbit.shift(dx / height, dy / height, reach);
      else this.orbit.turn(dx, dy);
      was.x = e.clientX;
      was.y = e.clientY;
      changed();
    });
    for (const type of ["pointerup", "pointercancel"])
      el.addEventListener(type, e => { held.delete(e.pointerId); if (!held.size) el.classList.remove("held"); });
    el.addEventListener("wheel", e => { this.orbit.dolly(Math.exp(0.0012 * e.deltaY)); e.preventDefault(); changed(); }, { passive: false });
    el.addEventListener("dblclick", () => { this.orbit.reset(); changed(); });
    el.addEventListener("contextmenu", e => e.preventDefault());
  }
}
