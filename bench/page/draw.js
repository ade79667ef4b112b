/* draw.js: SVG by hand: nodes, scales, axes, legends, the tip that follows the pointer. */
const byId = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
function node(parent, tag, attributes = {}, text) {
  const e = document.createElementNS(parent.namespaceURI === SVG || tag === "svg" ? SVG : parent.namespaceURI, tag);
  for (const k in attributes) if (attributes[k] !== undefined) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  return parent.appendChild(e);
}
const three = x => (x >= 999.5 ? Math.round(x) : x.toPrecision(3)) + "";
const unit = t => t < 1e3 ? [1, " ns"] : t < 999.5e3 ? [1e3, " \u00b5s"] : t < 999.5e6 ? [1e6, " ms"] : [1e9, " s"];
const ns = t => t == null || !isFinite(t) ? "" : t < 1e3 ? t.toFixed(0) + " ns" : three(t / unit(t)[0]) + unit(t)[1];
const nsTick = t => +(t / unit(t)[0]).toPrecision(3) + unit(t)[1]; // 10 ms, not 10.0 ms
const us = t => ns(1e3 * t);
const percent = x => (x > 0.9995 || x === 0 ? (100 * x).toFixed(0) : (100 * x).toFixed(x < 0.1 || x > 0.99 ? 1 : 0)) + " %";
const unique = a => [...new Set(a)];
const good = s => /^(ok|optimal|success)$/.test(s);

function tip(target, text) {
  target.addEventListener("pointermove", e => {
    const t = byId("tip");
    t.hidden = false;
    t.textContent = text;
    const x = Math.min(e.clientX + 14, innerWidth - t.offsetWidth - 8), y = e.clientY + 16 + t.offsetHeight > innerHeight ? e.clientY - t.offsetHeight - 10 : e.clientY + 16;
    t.style.left = Math.max(4, x) + "px";
    t.style.top = y + "px";
  });
  target.addEventListener("pointerleave", () => byId("tip").hidden = true);
}

/* A figure that draws itself anew when its width changes, so that text keeps its size on a phone. */
const figures = [];
function figure(parent, title, note, draw) {
  const box = node(parent, "figure");
  node(box, "h3", {}, title);
  if (note) node(box, "p", {}, note);
  const body = node(box, "div");
  const f = {
    box, body, draw() {
      body.textContent = "";
      draw(body, Math.max(240, body.clientWidth));
    }
  };
  figures.push(f);
  return f;
}
let lastWidth = 0;
addEventListener("resize", () => { if (innerWidth !== lastWidth) { lastWidth = innerWidth; for (const f of figures) f.draw(); } });

function canvas(body, width, height) { return node(body, "svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img" }); }

/* Ticks of a logarithmic axis: 1, 2, 5 when there is room, else powers of ten. */
function logTicks(lo, hi, most) {
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const out = [];
    for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++) for (const s of steps) {
      const v = s * 10 ** e;
      if (v >= lo * 0.999 && v <= hi * 1.001) out.push(v);
    }
    if (out.length <= most) return out.length > 1 ? out : [lo, hi];
  }
  return [lo, hi];
}
const logScale = (lo, hi, from, to) => v => from + (to - from) * (Math.log(v) - Math.log(lo)) / (Math.log(hi) - Math.log(lo) || 1);

function xAxis(svg, X, ticks, label, from, to, y0, y1) {
  node(svg, "line", { class: "axis", x1: from, x2: to, y1: y1, y2: y1 });
  for (const v of ticks) {
    node(svg, "line", { class: "gridline", x1: X(v), x2: X(v), y1: y0, y2: y1 });
    node(svg, "text", { x: X(v), y: y1 + 14, "text-anchor": "middle" }, label(v));
  }
}
function yAxis(svg, Y, ticks, label, from, to) {
  for (const v of ticks) {
    node(svg, "line", { class: "gridline", x1: from, x2: to, y1: Y(v), y2: Y(v) });
    node(svg, "text", { x: from - 5, y: Y(v) + 4, "text-anchor": "end" }, label(v));
  }
}

/* Lines and legend know each other: pointing at one lets the others fade. */
function legend(body, svg, entries) { // entries: {name, colour, dash, group, box}
  const box = node(body, "div", { class: "legend" });
  const fade = (who, on) => { for (const e of entries) if (e.group && e !== who) e.group.classList.toggle("faded", on); };
  for (const e of entries) {
    const s = node(box, "span");
    node(s, "i", { class: e.box ? "box" : undefined, style: e.box ? `background:${e.colour}` : `border-color:${e.colour};border-top-style:${e.dash ? "dashed" : "solid"}` });
    node(s, "span", {}, e.name);
    s.addEventListener("pointerenter", () => fade(e, true));
    s.addEventListener("pointerleave", () => fade(e, false));
    if (e.group) {
      e.group.addEventListener("pointerenter", () => fade(e, true));
      e.group.addEventListener("pointerleave", () => fade(e, false));
    }
  }
}
