"use strict";
// A policy as a picture: which action for which state and goal, what that is worth, and how the states were found.
const data = JSON.parse(document.getElementById("data").textContent);
const el = id => document.getElementById(id);
const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
  node.append(...children);
  return node;
};
const colour = a => `hsl(${(a * 137.508) % 360} 62% ${48 + 10 * (a % 3)}%)`;
const fixed = (x, n = 2) => x.toFixed(n).replace("-", "\u2212");

class Task {
  constructor(task) {
    Object.assign(this, task);
    this.samples = this.axes.reduce((n, a) => n * a.at.length, 1);
    this.action = bytesOf(task.action);
    this.value = bytesOf(task.value);
    this.state = 0;
    this.slice = 0;
    this.policy = make("canvas", { width: 1040, height: Math.max(120, Math.min(520, 3 * data.shown)) });
    this.worth = make("canvas", { width: this.axes.length > 1 ? 460 : 1040, height: this.axes.length > 1 ? 460 : 260 });
    this.says = make("p");
    const slider = (max, change) => {
      const input = make("input", { type: "range", min: 0, max, value: 0 });
      input.addEventListener("input", () => { change(+input.value); this.draw(); });
      return input;
    };
    const controls = make("p", {}, make("label", {}, "state ", slider(data.shown - 1, v => { this.state = v; })));
    if (this.axes.length > 2) controls.append(make("label", {}, this.axes[2].name + " ", slider(this.axes[2].at.length - 1, v => { this.slice = v; })));
    const used = [...new Set(this.action)].sort((a, b) => a - b);
    el("tasks").append(make("h2", {}, `Task ${this.name}`),
      make("p", {}, `${data.shown} of ${data.states} states (rows) over ${this.samples} goals (columns: ${this.axes.map(a => `${a.name} ${fixed(a.at[0])} … ${fixed(a.at[a.at.length - 1])} ${a.unit}`).join(", ") || "none"}); colour: the action.`),
      make("div", { class: "legend" }, ...used.map(a => { const i = make("i"); i.style.background = colour(a); return make("span", {}, i, data.actions[a]); })),
      this.policy, controls, this.says, this.worth);
    this.drawPolicy();
    this.draw();
  }
  drawPolicy() {
    const ctx = this.policy.getContext("2d"), w = this.policy.width / this.samples, h = this.policy.height / data.shown;
    for (let s = 0; s < data.shown; s++)
      for (let g = 0; g < this.samples; g++) {
        ctx.fillStyle = colour(this.action[s * this.samples + g]);
        ctx.fillRect(g * w, s * h, w + 0.5, h + 0.5);
      }
  }
  at(g) { return this.low + (this.high - this.low) * this.value[this.state * this.samples + g] / 255; }
  draw() {
    const ctx = this.worth.getContext("2d"), W = this.worth.width, H = this.worth.height;
    ctx.clearRect(0, 0, W, H);
    this.says.textContent = `Value for state ${data.index[this.state]}, depth ${data.depth[this.state]}: ${fixed(this.low)} … ${fixed(this.high)} over all states.`;
    if (this.axes.length > 1) this.drawField(ctx, W, H);
    else if (this.axes.length === 1) this.drawCurve(ctx, W, H);
  }
  drawCurve(ctx, W, H) {
    const at = this.axes[0].at, lo = at[0], hi = at[at.length - 1], x = g => 40 + (W - 60) * (at[g] - lo) / (hi - lo), y = v => H - 24 - (H - 44) * (v - this.low) / ((this.high - this.low) || 1);
    ctx.strokeStyle = "#8a8f98";
    ctx.beginPath();
    at.forEach((_, g) => g ? ctx.lineTo(x(g), y(this.at(g))) : ctx.moveTo(x(g), y(this.at(g))));
    ctx.stroke();
    at.forEach((_, g) => {
      ctx.fillStyle = colour(this.action[this.state * this.samples + g]);
      ctx.beginPath();
      ctx.arc(x(g), y(this.at(g)), 4, 0, 7);
      ctx.fill();
    });
    ctx.fillStyle = "#8a8f98";
    ctx.fillText(`${fixed(lo)} ${this.axes[0].unit}`, 34, H - 6);
    ctx.fillText(`${fixed(hi)} ${this.axes[0].unit}`, W - 64, H - 6);
  }
  drawField(ctx, W, H) { // the first axis up, the second to the left: as seen from above, facing up
    const [a, b, c] = this.axes, n = a.at.length, m = b.at.length, k = c ? c.at.length : 1;
    const edges = at => at.map((_, i) => [i ? (at[i - 1] + at[i]) / 2 : at[0], i < at.length - 1 ? (at[i] + at[i + 1]) / 2 : at[i]]);
    const ea = edges(a.at), eb = edges(b.at), sa = H / (a.at[n - 1] - a.at[0]), sb = W / (b.at[m - 1] - b.at[0]);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) {
        const g = (i * m + j) * k + (c ? this.slice : 0), share = (this.at(g) - this.low) / ((this.high - this.low) || 1);
        ctx.fillStyle = `hsl(${220 - 180 * share} 70% ${25 + 45 * share}%)`;
        ctx.fillRect(W - (eb[j][1] - b.at[0]) * sb, H - (ea[i][1] - a.at[0]) * sa, (eb[j][1] - eb[j][0]) * sb + 1, (ea[i][1] - ea[i][0]) * sa + 1);
      }
    ctx.fillStyle = "#fff";
    ctx.fillText(`${a.name} up, ${b.name} to the left${c ? `, ${c.name} ${fixed(c.at[this.slice])} ${c.unit}` : ""}`, 8, 16);
  }
}

function tree() { // every state below the one from which it was first reached
  const canvas = el("tree"), ctx = canvas.getContext("2d"), n = data.parent.length, most = Math.max(1, ...data.all_depth), R = canvas.width / 2 - 12;
  const children = data.parent.map(() => []), angle = new Array(n).fill(0);
  data.parent.forEach((p, i) => { if (p >= 0) children[p].push(i); });
  let leaf = 0;
  const leaves = children.filter(c => !c.length).length || 1;
  const place = i => {
    if (!children[i].length) angle[i] = 2 * Math.PI * leaf++ / leaves;
    else angle[i] = children[i].map(place).reduce((a, b) => a + b) / children[i].length;
    return angle[i];
  };
  data.parent.forEach((p, i) => { if (p < 0) place(i); });
  const at = i => { const r = R * (data.all_depth[i] + 0.35) / (most + 0.35); return [canvas.width / 2 + r * Math.cos(angle[i]), canvas.height / 2 + r * Math.sin(angle[i])]; };
  ctx.strokeStyle = "#b9bcc2";
  ctx.lineWidth = 0.6;
  data.parent.forEach((p, i) => {
    if (p < 0) return;
    ctx.beginPath();
    ctx.moveTo(...at(p));
    ctx.lineTo(...at(i));
    ctx.stroke();
  });
  data.viable.forEach((v, i) => {
    ctx.fillStyle = v < 0 ? "#b9bcc2" : `hsl(${120 * v / data.actions.length} 65% 45%)`;
    ctx.beginPath();
    ctx.arc(...at(i), data.parent[i] < 0 ? 4 : 2.2, 0, 7);
    ctx.fill();
  });
}

document.title = el("title").textContent = `policy ${data.name}`;
el("summary").textContent = `${data.body}: ${data.states} states, ${data.actions.length} actions, ${fixed(data.viable_mean, 1)} of them lead on from a state.`;
data.tasks.forEach(t => new Task(t));
tree();
