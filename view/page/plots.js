// plots.js: signals over time, with a cursor that is the replay's.
"use strict";

const RUN_COLOURS = { light: ["#2f6fd0", "#d9652b", "#2b8a57", "#8a4fbf", "#b3892a", "#c2366b"], dark: ["#6aa5ff", "#ff9a62", "#5cc98f", "#bd8cf0", "#e0b955", "#f2719c"] };
const PART_COLOURS = { light: ["#c2413b", "#2b8a57", "#2f6fd0"], dark: ["#ff8078", "#5cc98f", "#6aa5ff"] };

// What is plotted: of a single run all parts, of several runs the one that tells most.
const PLOTS = [
  { title: "COM height", unit: "m", digits: 3, parts: [["height", t => t.series("com_z")]], dashed: ["target", t => t.hasTarget ? t.series("target_z") : null] },
  { title: "COM speed", unit: "m/s", digits: 2, parts: [["over ground", t => speedOf(t)]] },
  { title: "COM position", unit: "m", digits: 2, single: true, parts: [["x", t => t.series("com_x")], ["y", t => t.series("com_y")]] },
  { title: "Heading", unit: "°", digits: 1, parts: [["heading", t => headingOf(t)]] },
  { title: "Angular momentum", unit: "kg m²/s", digits: 2, parts: [["x", t => t.series("momentum_x")], ["y", t => t.series("momentum_y")], ["z", t => t.series("momentum_z")]],
    together: ["size", t => sizeOf(t, "momentum")] },
  { title: "Phase angle", unit: "°", digits: 0, parts: [["θ", t => t.turns ? t.series("theta").map(x => x * 180 / Math.PI) : null]] },
  { title: "Inertia about the axis", unit: "kg m²", digits: 2, parts: [["I", t => t.turns ? t.series("inertia") : null]], floor: 0 },
  { title: "Momentum about the axis", unit: "kg m²/s", digits: 1, parts: [["L", t => t.turns ? t.series("spin") : null]] },
  { title: "Contact force", unit: "N", digits: 0, parts: [["x", t => t.series("force_x")], ["y", t => t.series("force_y")], ["z", t => t.series("force_z")]],
    together: ["vertical", t => t.series("force_z")], level: t => 9.81 * t.mass },
  { title: "Planned force", unit: "N", digits: 0, parts: ["x", "y", "z"].map(a => [a, t => t.follows ? t.series("plan_force_" + a) : null]),
    together: ["vertical", t => t.follows ? t.series("plan_force_z") : null], level: t => 9.81 * t.mass },
  { title: "Phase", unit: "segments", digits: 2, parts: [["phase", t => t.follows ? t.series("phase") : null]], floor: 0 },
  { title: "Largest torque", unit: "% of limit", digits: 0, parts: [["torque", t => t.series("torque_share").map(x => 100 * x)]], floor: 0, level: () => 100 },
  { title: "Solve time", unit: "µs", digits: 0, parts: [["per tick", t => t.series("solve_us")]], floor: 0, spikes: true },
];

// Channels that the page shows by itself; all others are curves of whoever made the recording, and have plots by their names.
const KNOWN = /^(time|com|target|momentum|force|push|heading|torque_share|solve_us|theta|inertia|spin|goal|goal_heading|phase|plan_force|plan_at|plan_goal|foothold)(_[xyz])?$/;
function ownPlots(traces) {
  const plots = new Map();
  for (const t of traces)
    for (const name of t.channels.filter(n => !KNOWN.test(n))) {
      const [, stem, axis] = name.match(/^(.*?)(?:_([xyz]))?$/), unit = t.units[name] || "";
      if (!plots.has(stem)) plots.set(stem, { title: stem[0].toUpperCase() + stem.slice(1).replaceAll("_", " "), unit, parts: [] });
      const parts = plots.get(stem).parts;
      if (!parts.some(p => p[0] === (axis || stem))) parts.push([axis || stem, u => name in u.channel ? u.series(name) : null]);
    }
  for (const p of plots.values()) p.digits = digitsFor(traces, p);
  return [...plots.values()];
}
// As many as show a hundredth of the largest value.
function digitsFor(traces, plot) {
  const most = Math.max(1e-9, ...traces.flatMap(t => plot.parts.flatMap(p => { const v = p[1](t); return v ? [v.reduce((m, x) => Math.max(m, Math.abs(x)), 0)] : []; })));
  return clamp(2 - Math.floor(Math.log10(most)), 0, 6);
}

function speedOf(t) {
  const x = t.series("com_x"), y = t.series("com_y"), out = new Float32Array(t.frames);
  for (let i = 0; i < t.frames; i++) {
    const a = Math.max(0, i - 2), b = Math.min(t.frames - 1, i + 2), dt = t.times[b] - t.times[a];
    out[i] = dt > 0 ? Math.hypot(x[b] - x[a], y[b] - y[a]) / dt : 0;
  }
  return out;
}
function headingOf(t) {
  const h = t.series("heading");
  for (let i = 1; i < h.length; i++) h[i] += 2 * Math.PI * Math.round((h[i - 1] - h[i]) / (2 * Math.PI));
  return h.map(x => x * 180 / Math.PI);
}
function sizeOf(t, name) {
  const [x, y, z] = ["_x", "_y", "_z"].map(axis => t.series(name + axis));
  return x.map((v, i) => Math.hypot(v, y[i], z[i]));
}

// Round steps, about `count` of them.
function ticks(lo, hi, count) {
  const raw = (hi - lo) / count, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find(m => m * power >= raw) * power, out = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) out.push(k * step);
  return { out, digits: clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 6) };
}

class Plot {
  constructor(spec, traces, holder, seek) {
    this.spec = spec;
    this.traces = traces;
    const several = traces.length > 1;
    this.lines = traces.flatMap((trace, run) => {
      const parts = several ? [spec.together || spec.parts[0]] : spec.parts;
      const lines = parts.map(([label, of], part) => ({ trace, run, part, label: several ? String.fromCharCode(65 + run) : label, values: of(trace) }));
      const dashed = spec.dashed && !several && spec.dashed[1](trace);
      return dashed ? lines.concat({ trace, run, part: 1, label: spec.dashed[0], values: dashed, dash: true }) : lines;
    }).filter(l => l.values);
    this.empty = this.lines.every(l => l.values.every(v => Math.abs(v) < 1e-9));
    if (this.empty) return;
    this.figure = document.createElement("figure");
    this.figure.className = "plot";
    const head = document.createElement("figcaption");
    head.innerHTML = `<b></b><i></i><span></span>`;
    head.querySelector("b").textContent = spec.title;
    head.querySelector("i").textContent = spec.unit;
    for (const l of this.lines) {
      l.readout = document.createElement("span");
      l.readout.className = "reading";
      l.readout.innerHTML = "<s></s><em></em><output></output>";
      l.readout.querySelector("em").textContent = this.lines.length > 1 ? l.label : "";
      l.value = l.readout.querySelector("output");
      l.key = l.readout.querySelector("s");
      if (l.dash) l.key.className = "dash";
      head.querySelector("span").append(l.readout);
    }
    this.canvas = document.createElement("canvas");
    this.back = document.createElement("canvas");
    this.figure.append(head, this.canvas);
    holder.append(this.figure);
    this.duration = Math.max(1e-6, ...traces.map(t => t.duration));
    this.range();
    this.listen(seek);
  }

  // From the least to the greatest value, but a few spikes are cut off rather than flattening all the rest.
  range() {
    const all = this.lines.flatMap(l => Array.from(l.values)).filter(Number.isFinite).sort((a, b) => a - b);
    const at = share => all[Math.round(share * (all.length - 1))];
    let lo = all[0], hi = all[all.length - 1];
    const low = at(0.005), high = at(0.995), spread = high - low;
    if (spread > 0 && hi - high > 1.5 * spread) hi = high + 0.25 * spread;
    if (spread > 0 && low - lo > 1.5 * spread) lo = low - 0.25 * spread;
    if (this.spec.spikes) hi = Math.min(hi, 1.5 * all[Math.floor(0.97 * (all.length - 1))]); // a neighbour's load is no news
    if (this.spec.floor !== undefined) lo = Math.min(lo, this.spec.floor);
    // A line that hardly moves must not look as if it did.
    const least = { "m": 0.02, "m/s": 0.05, "°": 1, "kg m²/s": 0.1, "N": 20 }[this.spec.unit] || 1e-3, middle = (lo + hi) / 2;
    if (hi - lo < least) { lo = middle - least / 2; hi = middle + least / 2; }
    const margin = 0.06 * (hi - lo);
    this.lo = this.spec.floor !== undefined && lo >= this.spec.floor ? lo : lo - margin;
    this.hi = hi + margin;
  }

  x(time) { return this.left + time / this.duration * (this.width - this.left - this.right); }
  y(value) { return this.top + (this.hi - clamp(value, this.lo, this.hi)) / (this.hi - this.lo) * (this.height - this.top - this.bottom); }
  timeAt(clientX) {
    const box = this.canvas.getBoundingClientRect(), x = clientX - box.left;
    return clamp((x - this.left) / (this.width - this.left - this.right), 0, 1) * this.duration;
  }

  colour(line, theme) { return (this.traces.length > 1 ? RUN_COLOURS[theme][line.run % 6] : line.dash ? null : this.lines.length > 1 && !this.spec.dashed ? PART_COLOURS[theme][line.part % 3] : RUN_COLOURS[theme][0]); }

  // Everything but the cursor.
  layout(theme) {
    const density = Math.min(window.devicePixelRatio || 1, 2);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.left = 44;
    this.right = 8;
    this.top = 6;
    this.bottom = 20;
    for (const c of [this.canvas, this.back]) {
      c.width = Math.round(this.width * density);
      c.height = Math.round(this.height * density);
    }
    this.density = density;
    const ctx = this.back.getContext("2d"), style = getComputedStyle(this.figure);
    const ink = style.getPropertyValue("--muted"), rule = style.getPropertyValue("--rule");
    this.ink = style.getPropertyValue("--text");
    ctx.setTransform(density, 0, 0, density, 0, 0);
    ctx.font = "11px " + style.fontFamily;
    this.axes(ctx, ink, rule, style.getPropertyValue("--push"));
    ctx.save();
    ctx.beginPath();
    ctx.rect(this.left, this.top - 2, this.width - this.left - this.right, this.height - this.top - this.bottom + 4);
    ctx.clip();
    for (const l of this.lines.slice().reverse()) {
      const c = this.colour(l, theme) || style.getPropertyValue("--target");
      l.key.style.color = c;
      this.curve(ctx, l, c);
    }
    ctx.restore();
  }

  axes(ctx, ink, rule, push) {
    const vertical = ticks(this.lo, this.hi, Math.max(2, Math.floor(this.height / 40))), horizontal = ticks(0, this.duration, Math.max(2, Math.floor(this.width / 75)));
    const bottom = this.height - this.bottom;
    ctx.fillStyle = push;
    ctx.globalAlpha = 0.16;
    for (const p of this.traces.flatMap(t => t.pushes)) ctx.fillRect(this.x(p.time), this.top, Math.max(1.5, this.x(p.time + p.duration) - this.x(p.time)), bottom - this.top);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = rule;
    ctx.fillStyle = ink;
    ctx.lineWidth = 1;
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    for (const v of vertical.out) {
      const y = Math.round(this.y(v)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(this.left, y);
      ctx.lineTo(this.width - this.right, y);
      ctx.stroke();
      ctx.fillText(v.toFixed(vertical.digits).replace("-", "\u2212"), this.left - 6, y);
    }
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    horizontal.out.forEach((v, i) => {
      const x = Math.round(this.x(v)) + 0.5, last = i === horizontal.out.length - 1;
      ctx.beginPath();
      ctx.moveTo(x, bottom);
      ctx.lineTo(x, bottom + 3);
      ctx.stroke();
      ctx.textAlign = x > this.width - 22 ? "right" : "center";
      ctx.fillText(v.toFixed(horizontal.digits) + (last ? " s" : ""), Math.min(x, this.width - 2), bottom + 5);
    });
    const level = this.spec.level && this.spec.level(this.traces[0]);
    if (level > this.lo && level < this.hi) {
      ctx.strokeStyle = ink;
      ctx.setLineDash([2, 3]);
      ctx.beginPath();
      ctx.moveTo(this.left, this.y(level));
      ctx.lineTo(this.width - this.right, this.y(level));
      ctx.stroke();
      ctx.setLineDash([]);
    }
  }

  // Where several samples share a pixel, its least and greatest are drawn.
  curve(ctx, line, colour) {
    const { times } = line.trace, { values } = line, n = values.length;
    ctx.strokeStyle = colour;
    ctx.lineWidth = line.dash ? 1.2 : 1.5;
    ctx.lineJoin = "round";
    ctx.setLineDash(line.dash ? [4, 3] : []);
    ctx.beginPath();
    const step = (this.width - this.left) * this.density / Math.max(1, n * this.duration / (line.trace.duration || 1));
    const group = Math.max(1, Math.floor(1 / Math.max(step, 1e-6)));
    for (let i = 0; i < n; i += group) {
      let lo = i, hi = i;
      for (let k = i; k < Math.min(n, i + group); k++) {
        if (values[k] < values[lo]) lo = k;
        if (values[k] > values[hi]) hi = k;
      }
      for (const k of lo < hi ? [lo, hi] : lo > hi ? [hi, lo] : [lo]) ctx.lineTo(this.x(times[k]), this.y(values[k]));
    }
    ctx.stroke();
    ctx.setLineDash([]);
  }

  draw(time, theme) {
    if (this.canvas.clientWidth !== this.width || this.canvas.clientHeight !== this.height || theme !== this.theme) {
      this.theme = theme;
      this.layout(theme);
    }
    const ctx = this.canvas.getContext("2d"), d = this.density;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.drawImage(this.back, 0, 0);
    ctx.setTransform(d, 0, 0, d, 0, 0);
    ctx.strokeStyle = this.ink;
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(this.x(time), this.top);
    ctx.lineTo(this.x(time), this.height - this.bottom);
    ctx.stroke();
    ctx.globalAlpha = 1;
    for (const l of this.lines) {
      const i = l.trace.nearest(time), text = l.values[i].toFixed(this.spec.digits).replace("-", "\u2212");
      if (l.text !== text) l.value.textContent = l.text = text;
      if (l.dash) continue;
      ctx.fillStyle = this.colour(l, theme);
      ctx.beginPath();
      ctx.arc(this.x(l.trace.times[i]), this.y(l.values[i]), 2.6, 0, 7);
      ctx.fill();
    }
  }

  listen(seek) {
    let held = false;
    this.canvas.addEventListener("pointerdown", e => { held = true; this.canvas.setPointerCapture(e.pointerId); seek(this.timeAt(e.clientX)); });
    this.canvas.addEventListener("pointermove", e => { if (held) seek(this.timeAt(e.clientX)); });
    for (const type of ["pointerup", "pointercancel"]) this.canvas.addEventListener(type, () => { held = false; });
  }
}
