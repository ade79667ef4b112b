/* page.js: everything else: whole steps, a chart for each case, the table. */
const report = JSON.parse(byId("report").textContent), R = report.results;

const phases = ["kinematics", "dynamics", "problem", "solve", "contact", "integrate"];
const phaseColour = p => `var(--c${[3, 1, 5, 0, 7, 9][phases.indexOf(p)]})`;

function stepSection(main) {
  const rows = R.filter(r => r.room === "step");
  if (!rows.length) return;
  const section = node(main, "section", { id: "step" });
  node(section, "h2", {}, "Whole steps");
  node(section, "p", { class: "muted" }, "Medians of a control tick and a step of the world, by phase. A step stands for 1 ms of simulated time.");
  const grid = node(section, "div", { class: "grid", style: "grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr))" });
  for (const c of unique(rows.map(r => r.case))) {
    const of = rows.filter(r => r.case === c);
    figure(grid, c, undefined, (body, width) => {
      const row = 38, most = Math.max(...of.map(r => r.median_ns / 1e3)), right = width - 165, svg = canvas(body, width, row * of.length);
      of.forEach((r, i) => {
        const y = row * i;
        let x = 0;
        node(svg, "text", { x: 0, y: y + 11, class: good(r.status) ? "value" : "bad" }, r.variant + (good(r.status) ? "" : ": " + r.status));
        for (const p of phases) {
          const v = r[p + "_us"] || 0, w = right * v / most;
          tip(node(svg, "rect", { x, y: y + 15, width: Math.max(0, w - 0.5), height: 14, fill: phaseColour(p) }), `${r.variant}\n${p}: ${us(v)}`);
          x += w;
        }
        node(svg, "text", { x: Math.min(x, right) + 6, y: y + 26, class: "value" }, `${ns(r.median_ns)}, ${(r.realtime_factor || 0).toPrecision(2)}\u00d7 real time`);
      });
      legend(body, svg, phases.filter(p => of.some(r => r[p + "_us"] > 0)).map(p => ({ name: p, colour: phaseColour(p), box: true })));
    });
  }
}

const nameOf = r => [r.variant, r.start].filter(Boolean).join(" ");

function linesOverSize(body, width, rows, value, label) {
  const height = 210, left = 56, right = width - 12, top = 8, bottom = height - 22;
  const sizes = unique(rows.map(r => r.size)).sort((a, b) => a - b), v = rows.map(value), lo = Math.min(...v) * 0.85, hi = Math.max(...v) * 1.15;
  const svg = canvas(body, width, height), X = logScale(sizes[0], sizes[sizes.length - 1], left + 6, right - 6), Y = logScale(lo, hi, bottom, top);
  yAxis(svg, Y, logTicks(lo, hi, 6), label, left, right);
  let last = -99;
  for (const s of sizes) if (X(s) - last > 26) { node(svg, "text", { x: X(s), y: bottom + 15, "text-anchor": "middle" }, s); last = X(s); }
  legend(body, svg, unique(rows.map(nameOf)).map((n, i) => {
    const of = rows.filter(r => nameOf(r) === n).sort((a, b) => a.size - b.size), g = node(svg, "g"), colour = `var(--c${[0, 5, 1, 7, 3, 6, 2, 8, 4][i % 9]})`;
    node(g, "polyline", { points: of.map(r => X(r.size) + "," + Y(value(r))).join(" "), fill: "none", stroke: colour, "stroke-width": 1.8 });
    for (const r of of) tip(node(g, "circle", { cx: X(r.size), cy: Y(value(r)), r: 3, fill: colour }), `${n}, size ${r.size}\n${ns(r.median_ns)}${r.flops ? `, ${(r.flops / r.median_ns).toPrecision(3)} GFlop/s, ${percent(r.share_of_peak)} of peak` : ""}`);
    return { name: n, colour, group: g };
  }));
}

function bars(body, width, rows, value, label) {
  const row = 34, right = width - 76, most = Math.max(...rows.map(value)), svg = canvas(body, width, row * rows.length);
  rows.forEach((r, i) => {
    const y = row * i;
    node(svg, "text", { x: 0, y: y + 11, class: good(r.status) ? "value" : "bad" }, nameOf(r) + (good(r.status) ? "" : ": " + r.status));
    tip(node(svg, "rect", { x: 0, y: y + 15, width: Math.max(1, right * value(r) / most), height: 11, rx: 2, fill: `var(--c${r.simd === "scalar" ? 9 : 0})` }), `${nameOf(r)}\nmedian ${ns(r.median_ns)}, p99 ${ns(r.p99_ns)}, max ${ns(r.max_ns)}, min ${ns(r.min_ns)}${r.iterations !== undefined ? `\n${(+r.iterations).toPrecision(3)} iterations` : ""}`);
    node(svg, "text", { x: right * value(r) / most + 6, y: y + 25, class: "value" }, label(value(r)));
  });
}

/* rbd: one chart for the whole room, since its cases share a model and a scale. */
function roomBars(body, width, rows) {
  const cases = unique(rows.map(r => r.case)), variants = unique(rows.map(r => r.variant)), h = 11, row = 16 + h * variants.length + 6;
  const right = width - 70, most = Math.max(...rows.map(r => r.median_ns)), svg = canvas(body, width, row * cases.length), left = 92;
  cases.forEach((c, i) => {
    node(svg, "text", { x: left - 6, y: row * i + 8 + row / 2 - 3, "text-anchor": "end", class: "value" }, c);
    variants.forEach((v, k) => {
      const r = rows.find(q => q.case === c && q.variant === v), y = row * i + 10 + h * k;
      if (!r) return;
      tip(node(svg, "rect", { x: left, y, width: Math.max(1, (right - left) * r.median_ns / most), height: h - 2, rx: 2, fill: `var(--c${[9, 0, 5, 1, 7, 3][variants.length === 1 ? 1 : k % 6]})` }), `${c} ${v}\n${ns(r.median_ns)}`);
      node(svg, "text", { x: left + (right - left) * r.median_ns / most + 5, y: y + 8 }, ns(r.median_ns));
    });
  });
  legend(body, svg, variants.map((v, k) => ({ name: v, colour: `var(--c${[9, 0, 5, 1, 7, 3][variants.length === 1 ? 1 : k % 6]})`, box: true })));
}

const roomTitles = { la: "Linear algebra", rbd: "Rigid bodies", contact: "Contact", qp: "Quadratic programs", hqp: "Prioritized solves, case by case", step: "Whole steps" };
function roomSection(main, room) {
  const rows = R.filter(r => r.room === room), own = [];
  const section = node(main, "section", { id: "room_" + room });
  node(section, "h2", {}, roomTitles[room] || room);
  if (rows.some(r => r.flops > 0)) {
    const controls = node(section, "div", { class: "controls" }), l = node(controls, "label", {}, "show"), s = node(l, "select");
    node(s, "option", { value: "time" }, "time");
    node(s, "option", { value: "speed" }, "GFlop/s");
    s.onchange = () => { section.dataset.speed = s.value === "speed" ? "1" : ""; for (const f of own) f.draw(); };
  }
  const grid = node(section, "div", { class: "grid" });
  const cases = unique(rows.map(r => r.case));
  if (room === "rbd" && unique(rows.map(r => r.size)).length === 1) {
    grid.classList.add("wide");
    figure(grid, `${rows[0].size} freedoms`, "Medians over 128 random states in turn.", (b, w) => roomBars(b, w, rows));
    return;
  }
  for (const c of cases) {
    const of = rows.filter(r => r.case === c), sizes = unique(of.map(r => r.size));
    own.push(figure(grid, c, sizes.length > 1 ? undefined : sizes[0] ? `size ${sizes[0]}` : undefined, (b, w) => {
      const speed = section.dataset.speed && of.some(r => r.flops > 0), value = r => speed ? r.flops / r.median_ns : r.median_ns;
      const label = speed ? v => (+v.toPrecision(3)) + "" : sizes.length > 1 ? nsTick : ns, usable = of.filter(r => value(r) > 0);
      if (!usable.length) return;
      if (sizes.length > 1) linesOverSize(b, w, usable, value, label);
      else bars(b, w, usable, value, label);
    }));
  }
}

const columns = [["room", r => r.room, 1], ["case", r => r.case, 1], ["variant", r => r.variant, 1], ["start", r => r.start, 1], ["size", r => r.size], ["median", r => r.median_ns, 0, ns], ["p99", r => r.p99_ns, 0, ns],
  ["max", r => r.max_ns, 0, ns], ["min", r => r.min_ns, 0, ns], ["GFlop/s", r => r.flops ? r.flops / r.median_ns : -1, 0, v => v < 0 ? "" : v.toFixed(2)], ["of peak", r => r.flops ? r.share_of_peak : -1, 0, v => v < 0 ? "" : percent(v)],
  ["iterations", r => r.iterations ?? -1, 0, v => v < 0 ? "" : (+v.toPrecision(3)) + ""], ["kkt", r => r.kkt ?? -1, 0, v => v < 0 ? "" : v.toExponential(1)], ["agreement", r => r.agreement ?? -1, 0, v => v < 0 ? "" : percent(v)], ["status", r => r.status, 1]];
function tableSection(main) {
  const section = node(main, "section", { id: "table" });
  node(section, "h2", {}, "All numbers");
  const controls = node(section, "div", { class: "controls" }), l = node(controls, "label", {}, "show rows with"), input = node(l, "input", { type: "search", placeholder: "walk avx2 warm", id: "filter" });
  const box = node(section, "div", { class: "tablebox" }), t = node(box, "table"), head = node(node(t, "thead"), "tr"), body = node(t, "tbody");
  const shown = columns.filter(c => R.some(r => { const v = c[1](r); return v !== "" && v !== -1; }));
  let by = null, down = false;
  const fill = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let rows = R.filter(r => words.every(w => `${r.room} ${r.case} ${r.variant} ${r.start} ${r.status}`.toLowerCase().includes(w)));
    if (by) rows = [...rows].sort((a, b) => (by[1](a) < by[1](b) ? -1 : by[1](a) > by[1](b) ? 1 : 0) * (down ? -1 : 1));
    body.textContent = "";
    for (const r of rows) {
      const tr = node(body, "tr", good(r.status) ? {} : { class: "bad" });
      for (const c of shown) node(tr, "td", { class: c[2] ? "left" : undefined }, c[3] ? c[3](c[1](r)) : c[1](r));
    }
  };
  for (const c of shown) {
    const th = node(head, "th", { class: c[2] ? "left" : undefined, title: "sort" }, c[0]);
    th.onclick = () => {
      down = by === c ? !down : false;
      by = c;
      for (const other of head.children) delete other.dataset.sort;
      th.dataset.sort = down ? "\u2193" : "\u2191";
      fill();
    };
  }
  input.oninput = fill;
  fill();
}

function start() {
  const m = report.machine, main = byId("main");
  byId("machine").textContent = `${m.cpu}, ${m.compiler}, commit ${m.commit}, peak ${m.peak_gflops.toFixed(1)} GFlop/s, counters: ${m.counters || "none"}${report.interrupted ? "; interrupted, what was measured until then" : ""}`;
  hqpSection(main, R);
  stepSection(main);
  for (const room of unique(R.map(r => r.room))) if (room !== "step" && !(room === "hqp" && R.some(r => r.tick_us))) roomSection(main, room);
  tableSection(main);
  for (const s of main.children) node(byId("nav"), "a", { href: "#" + s.id }, s.querySelector("h2").textContent);
  for (const f of figures) f.draw();
  lastWidth = innerWidth;
}
start();
