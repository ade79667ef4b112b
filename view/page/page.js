// page.js: the header, the facts, and what ties views, plots and player together.
"use strict";

const el = id => document.getElementById(id);
function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) if (v !== undefined) e.setAttribute(k, v);
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}
const seconds = x => x >= 100 ? x.toFixed(0) + " s" : x.toFixed(2) + " s";

function header(traces) {
  const head = el("head"), t = traces[0];
  const badge = t => t.outcome ? make("span", { class: "badge " + t.outcome }, t.outcome) : "";
  if (traces.length > 1) {
    head.replaceChildren(make("h1", {}, [...new Set(traces.map(t => t.scenario))].join(", "), make("small", {}, `${traces.length} runs`)));
    document.title = `${traces.length} runs · Poise replay`;
    return;
  }
  const code = make("code", {}, t.command), copy = make("button", { title: "copy the command that repeats this run" }, "copy");
  copy.onclick = () => {
    const done = () => { copy.textContent = "copied"; setTimeout(() => { copy.textContent = "copy"; }, 1200); };
    if (navigator.clipboard) navigator.clipboard.writeText(t.command).then(done, () => getSelection().selectAllChildren(code));
    else getSelection().selectAllChildren(code);
  };
  head.replaceChildren(make("h1", {}, t.scenario, t.model ? make("small", {}, t.model) : null), badge(t),
    t.reason ? make("span", { class: "reason" }, t.reason) : "", t.command ? make("div", { class: "command" }, code, copy) : "");
  document.title = `${t.label}: ${t.outcome} · Poise replay`;
}

function row(name, values, unit, given) {
  return make("tr", given ? { class: "given" } : {}, make("th", {}, name),
    ...values.map(v => make("td", {}, v instanceof Node ? v : v === undefined ? "" : String(v).replace(/^-/, "\u2212"), unit ? make("small", {}, unit) : null)));
}
// A table with one column per run; a name that only some runs have leaves the others empty.
function table(traces, kind) {
  const names = [...new Set(traces.flatMap(t => t.notes.filter(n => n.kind === kind).map(n => n.name)))];
  const of = (t, name) => t.notes.filter(n => n.kind === kind && n.name === name);
  return names.map(name => {
    const found = traces.map(t => of(t, name)), some = found.flat()[0];
    const values = found.map(f => f.length ? f.map(n => n.value).join(", ") : undefined);
    const short = values.map(v => v !== undefined && /^-?[\d.]+(e[-+]?\d+)?$/.test(v) ? String(+(+v).toPrecision(4)) : v);
    return { name, given: found.flat().some(n => n.given) || new Set(values).size > 1, row: row(name.replaceAll("_", " "), short, some.unit, found.flat().some(n => n.given)) };
  });
}
// Which behaviour moves the body, and how often it is asked.
function controlled(t) {
  const by = t.notes.find(n => n.kind === "option" && n.name === "control");
  return by || t.notes.some(n => n.name === "hqp") ? (by ? by.value + ", " : "") + +t.control_hz.toPrecision(4) + " Hz" : "none";
}
function facts(traces) {
  const several = traces.length > 1, box = el("facts"), of = f => traces.map(f);
  const body = (...rows) => make("table", {}, several ? make("thead", {}, make("tr", {}, make("th"), ...traces.map((t, i) => make("th", {}, `${String.fromCharCode(65 + i)} ${t.label}`)))) : "", make("tbody", {}, ...rows));
  const section = (title, rows) => rows.length ? [make("h2", {}, title), body(...rows)] : [];
  const run = [
    several && row("outcome", of(t => make("span", { class: "badge " + t.outcome }, t.outcome))),
    several && traces.some(t => t.reason) && row("reason", of(t => t.reason)),
    row("simulated", of(t => seconds(t.sim_seconds))),
    traces.some(t => t.wall_seconds > 0) && row("real time", of(t => t.wall_seconds > 0 ? (t.sim_seconds / t.wall_seconds).toFixed(1) + "×" : "")),
    traces.some(t => t.dt > 0) && row("time step", of(t => +(1e3 * t.dt).toPrecision(4) + " ms")),
    row("control", of(controlled)),
    row("seed", of(t => t.seed)),
    traces.some(t => t.hash) && row("hash", of(t => make("code", {}, t.hash))),
    several && row("command", of(t => make("code", {}, t.command))),
  ].filter(Boolean);
  const parameters = table(traces, "parameter"), set = parameters.filter(p => p.given), rest = parameters.filter(p => !p.given);
  box.replaceChildren(
    ...section("Run", run),
    ...section("Result", table(traces, "result").map(r => r.row)),
    ...section("Set", set.map(p => p.row).concat(table(traces, "change").map(r => r.row))),
    ...section("Solver", table(traces, "option").filter(r => r.name !== "control").map(r => r.row)),
    rest.length ? make("details", {}, make("summary", {}, `${rest.length} parameters at their defaults`), body(...rest.map(p => p.row))) : "");
}

function marks(traces, duration) {
  const box = el("marks"), share = t => 100 * t / (duration || 1) + "%";
  box.replaceChildren(...traces.flatMap(t => t.pushes.map(p => make("i", { style: `left:${share(p.time)};width:${share(p.duration)}`, title: `push ${p.force.map(x => x.toFixed(0)).join(", ")} N at ${p.time} s` })))
    .concat(traces.filter(t => t.outcome === "fell").map(t => make("i", { class: "fell", style: `left:${share(t.duration)}`, title: "fell" })))
    .concat(traces.length > 1 ? [] : traces.flatMap(t => t.stages.map((s, i) => make("b", {
      style: `left:${share(s.time)};width:${share((t.stages[i + 1] || { time: t.duration }).time - s.time)}`, title: `${s.name} from ${s.time} s` }, s.name)))));
}

class Page {
  constructor(traces) {
    const hash = new URLSearchParams(location.hash.slice(1));
    this.plain = hash.get("gl") === "0";
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.orbit = new Orbit();
    this.open(traces);
    if (hash.has("view")) this.look(hash.get("view"));
    if (hash.has("t")) this.player.seek(+hash.get("t"));
    else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.play();
    this.scheme.addEventListener("change", () => { this.dirty = true; });
    addEventListener("resize", () => { this.dirty = true; });
    addEventListener("keydown", e => this.key(e));
    for (const name of ["forces", "com", "support", "path", "follow"]) el(name).onchange = () => this.show();
    for (const b of document.querySelectorAll("[data-view]")) b.onclick = () => this.look(b.dataset.view);
    this.acceptDrops();
    this.drawn = 0;
    const loop = now => {
      if (this.player.tick(now) || this.dirty || this.views.some(v => v.dirty)) this.draw();
      requestAnimationFrame(loop);
    };
    this.draw();
    requestAnimationFrame(loop);
  }

  // Shows these runs, in place of whatever was shown.
  open(traces) {
    this.traces = traces;
    const several = traces.length > 1, columns = traces.length === 4 ? 2 : Math.min(3, traces.length);
    document.querySelector("main").classList.toggle("several", several);
    header(traces);
    facts(traces);
    const duration = Math.max(0, ...traces.map(t => t.duration)), time = this.player ? this.player.time : 0;
    this.player = new Player(duration, () => { this.dirty = true; });
    this.player.seek(time);
    marks(traces, duration);
    el("views").style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    el("views").replaceChildren();
    this.views = traces.map((t, i) => {
      const holder = make("div", { class: "view" });
      el("views").append(holder);
      const view = new View(t, this.orbit, holder, this.plain || i >= 8); // browsers keep few WebGL contexts alive
      if (several) holder.append(make("div", { class: "name" }, make("s"), make("span", {}, `${String.fromCharCode(65 + i)} ${t.label}`), make("span", { class: "badge " + t.outcome }, t.outcome)));
      if (view.renderer.kind === "canvas" && !this.plain) holder.append(make("div", { class: "plain" }, "without WebGL"));
      return view;
    });
    el("plots").replaceChildren();
    this.plots = PLOTS.concat(ownPlots(traces)).filter(p => !(several && p.single)).map(p => new Plot(p, traces, el("plots"), t => { this.player.pause(); this.player.seek(t); })).filter(p => !p.empty);
    this.show();
  }

  show() {
    this.orbit.follow = el("follow").checked;
    for (const v of this.views) v.scene.show = { forces: el("forces").checked, com: el("com").checked, support: el("support").checked, path: el("path").checked };
    this.dirty = true;
  }

  // Named views are relative to the first run's first heading.
  look(name) {
    const t = this.traces[0], heading = t.frames ? t.signal("heading", 0, 0) : 0, o = this.orbit;
    o.reset();
    if (name === "side") { o.azimuth = heading - Math.PI / 2; o.elevation = 0.05; }
    if (name === "front") { o.azimuth = heading; o.elevation = 0.05; }
    if (name === "top") { o.azimuth = heading - Math.PI / 2; o.elevation = Math.PI / 2 - 0.01; }
    this.dirty = true;
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const frame = this.traces[0].frames > 1 ? this.traces[0].duration / (this.traces[0].frames - 1) : 0.02;
    const views = { 0: "free", 1: "side", 2: "front", 3: "top" };
    if (this.player.key(e, frame)) e.preventDefault();
    else if (e.key in views) this.look(views[e.key]);
    else if (e.key === "f" || e.key === "F") { el("follow").checked = !el("follow").checked; this.show(); }
  }

  acceptDrops() {
    addEventListener("dragover", e => { e.preventDefault(); document.body.classList.add("drop"); });
    addEventListener("dragleave", e => { if (!e.relatedTarget) document.body.classList.remove("drop"); });
    addEventListener("drop", async e => {
      e.preventDefault();
      document.body.classList.remove("drop");
      const added = [];
      for (const file of e.dataTransfer.files)
        try { added.push(new Trace(JSON.parse(await file.text()))); } catch (_) { alert(`${file.name} is not a Poise trace`); }
      if (added.length) this.open(this.traces.concat(added));
    });
  }

  draw() {
    const theme = this.scheme.matches ? "dark" : "light";
    this.dirty = false;
    this.views.forEach((v, i) => {
      v.dirty = false;
      const name = v.holder.querySelector(".name");
      if (name) name.style.color = RUN_COLOURS[theme][i % 6];
      v.draw(this.player.time, PALETTES[theme]);
    });
    for (const p of this.plots) p.draw(this.player.time, theme);
    this.drawn++;
  }
}

window.poise = new Page([...document.querySelectorAll("script.trace")].map(s => new Trace(JSON.parse(s.textContent))));
