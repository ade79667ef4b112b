/* hqp.js: the prioritized solves: performance profile, time along the motion, p99 against a deadline, where the time goes by level and kernel. */
const methodNames = ["lexicographic", "reparam as orthogonal", "reparam as svd", "reparam ip orthogonal", "reparam ip svd", "linear as", "linear ip", "weighted as", "weighted ip"];
const methodOf = r => r.variant.replace(/ (scalar|avx2)$/, "");
const methodColour = m => `var(--c${methodNames.includes(m) ? methodNames.indexOf(m) : 9})`;
const methodDash = m => / ip/.test(m) ? "5 3" : undefined;
const kernels = ["factor", "update", "multipliers", "solve", "null_space", "qp", "other"];
const kernelColour = k => `var(--c${[0, 3, 7, 5, 1, 8, 9][kernels.indexOf(k)]})`;

function chosen(rows, state) { return rows.filter(r => (state.set === "all" || r.case === state.set) && r.start === state.start && r.simd === state.simd); }

/* A problem is one tick; a method solves it when it ends with an optimum. Share of problems within a factor of the best. */
function performanceProfile(body, width, rows) {
  const height = 280, left = 44, right = width - 10, top = 8, bottom = height - 34;
  const sets = unique(rows.map(r => r.case)), methods = unique(rows.map(methodOf));
  const problems = [];
  for (const s of sets) {
    const of = rows.filter(r => r.case === s), n = Math.max(...of.map(r => r.tick_us.length));
    for (let i = 0; i < n; i++) problems.push(Object.fromEntries(of.map(r => [methodOf(r), r.tick_us[i] > 0 && r.tick_optimal[i] ? r.tick_us[i] : Infinity])));
  }
  const ratios = Object.fromEntries(methods.map(m => [m, problems.map(p => (p[m] ?? Infinity) / Math.min(...Object.values(p)))]));
  const most = Math.min(1000, Math.max(4, ...Object.values(ratios).flat().filter(isFinite)));
  const svg = canvas(body, width, height), X = logScale(1, most, left, right), Y = v => bottom - (bottom - top) * v;
  yAxis(svg, Y, [0, 0.25, 0.5, 0.75, 1], v => (100 * v).toFixed(0) + " %", left, right);
  xAxis(svg, X, logTicks(1, most, width / 60), v => (+v.toPrecision(2)) + "\u00d7", left, right, top, bottom);
  node(svg, "text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, width < 480 ? "multiple of the fastest time on the tick" : "time, as a multiple of the fastest method's on the same tick");
  const entries = methods.map(m => {
    const sorted = ratios[m].filter(v => v <= most).sort((a, b) => a - b), n = ratios[m].length;
    let d = `M${left} ${Y(0)}`;
    sorted.forEach((v, i) => d += `H${X(v).toFixed(1)}V${Y((i + 1) / n).toFixed(1)}`);
    d += `H${right}`;
    const g = node(svg, "g");
    node(g, "path", { d, fill: "none", stroke: methodColour(m), "stroke-width": 2, "stroke-dasharray": methodDash(m) });
    const hit = node(g, "path", { d, fill: "none", stroke: "transparent", "stroke-width": 12 });
    tip(hit, `${m}\nfastest on ${percent(sorted.filter(v => v <= 1.0001).length / n)} of the ticks\nwithin 2\u00d7 on ${percent(sorted.filter(v => v <= 2).length / n)}\nsolves ${percent(sorted.length / n)}`);
    return { name: m, colour: methodColour(m), dash: methodDash(m), group: g };
  });
  legend(body, svg, entries);
}

/* All ticks of the chosen sets, one set after the other. */
function alongMotion(body, width, rows) {
  const height = 280, left = 58, right = width - 10, top = 20, bottom = height - 18;
  const sets = unique(rows.map(r => r.case)), offset = {};
  let total = 0;
  for (const s of sets) { offset[s] = total; total += Math.max(...rows.filter(r => r.case === s).map(r => r.tick_us.length)) + 1; }
  const all = rows.flatMap(r => r.tick_us).filter(v => v > 0), lo = Math.min(...all) * 0.9, hi = Math.max(...all) * 1.1;
  const svg = canvas(body, width, height), X = i => left + (right - left) * (i + 0.5) / total, Y = logScale(lo, hi, bottom, top);
  yAxis(svg, Y, logTicks(lo, hi, 8), v => nsTick(1e3 * v), left, right);
  sets.forEach((s, k) => {
    if (k) node(svg, "line", { class: "axis", x1: X(offset[s] - 1), x2: X(offset[s] - 1), y1: top, y2: bottom });
    const end = k + 1 < sets.length ? offset[sets[k + 1]] - 1 : total - 1, room = X(end) - X(offset[s]);
    node(svg, "text", { x: (X(offset[s]) + X(end - 1)) / 2, y: top - 7, "text-anchor": "middle" }, room > 6.2 * s.length ? s : room > 60 ? s.replace(/_(.).*/, " $1.") : s.replace(/^(...)[^_]*(_(.))?.*/, "$1 $3"));
  });
  node(svg, "text", { x: (left + right) / 2, y: height - 3, "text-anchor": "middle" }, "ticks of the motion \u2192");
  const entries = unique(rows.map(methodOf)).map(m => {
    const g = node(svg, "g");
    for (const r of rows.filter(q => methodOf(q) === m)) {
      const points = r.tick_us.map((v, i) => v > 0 ? [X(offset[r.case] + i), Y(v), v, i] : null).filter(Boolean);
      node(g, "polyline", { points: points.map(p => p[0].toFixed(1) + "," + p[1].toFixed(1)).join(" "), fill: "none", stroke: methodColour(m), "stroke-width": 1.8, "stroke-dasharray": methodDash(m) });
      for (const p of points) tip(node(g, "circle", { cx: p[0], cy: p[1], r: 3, fill: methodColour(m) }), `${m}\n${r.case}, tick ${p[3] + 1}: ${us(p[2])}\n${r.tick_iterations[p[3]]} changes of the working set`);
    }
    return { name: m, colour: methodColour(m), dash: methodDash(m), group: g };
  });
  legend(body, svg, entries);
}

function deadline(body, width, rows, limit) {
  const several = unique(rows.map(r => r.case)).length > 1;
  const methods = unique(rows.map(methodOf)).map(m => {
    const of = rows.filter(r => methodOf(r) === m);
    return { m, median: Math.max(...of.map(r => r.median_ns)), p99: Math.max(...of.map(r => r.p99_ns)), max: Math.max(...of.map(r => r.max_ns)), solved: Math.min(...of.map(r => r.solved)), agreement: Math.min(...of.map(r => r.agreement)) };
  });
  const narrow = width < 520, row = narrow ? 38 : 26, left = narrow ? 8 : 172, right = width - (narrow ? 14 : 128), top = 20, bottom = top + row * methods.length;
  const lo = Math.min(...methods.map(d => d.median), 1e6 * limit) * 0.7, hi = Math.max(...methods.map(d => d.max), 1e6 * limit) * 1.3;
  const svg = canvas(body, width, bottom + 20), X = logScale(lo, hi, left, right);
  xAxis(svg, X, logTicks(lo, hi, (right - left) / 62), nsTick, left, right, top, bottom);
  methods.forEach((d, i) => {
    const y = top + row * i + (narrow ? 26 : row / 2), fits = d.p99 <= 1e6 * limit && d.solved === 1, g = node(svg, "g");
    node(g, "text", { x: narrow ? left : left - 8, y: narrow ? y - 11 : y + 4, "text-anchor": narrow ? "start" : "end", class: "value" }, d.m);
    node(g, "line", { x1: X(d.median), x2: X(d.max), y1: y, y2: y, stroke: methodColour(d.m), "stroke-width": 2, opacity: 0.5 });
    node(g, "circle", { cx: X(d.median), cy: y, r: 4, fill: methodColour(d.m) });
    node(g, "rect", { x: X(d.p99) - 3.5, y: y - 6, width: 7, height: 12, rx: 2, fill: methodColour(d.m) });
    node(g, "line", { x1: X(d.max), x2: X(d.max), y1: y - 4, y2: y + 4, stroke: methodColour(d.m), "stroke-width": 2 });
    node(g, "text", { x: narrow ? width : right + 10, y: narrow ? y - 11 : y + 4, "text-anchor": narrow ? "end" : "start", class: fits ? "value" : "bad" }, `${ns(d.p99)}` + (d.solved < 1 ? `, ${percent(d.solved)} solved` : ""));
    tip(node(g, "rect", { class: "hit", x: 0, y: y - row / 2, width, height: row }), `${d.m}\nmedian ${ns(d.median)}, p99 ${ns(d.p99)}, max ${ns(d.max)}${several ? " (the worst set)" : ""}\nsolved ${percent(d.solved)} of the ticks, agrees with the lexicographic optimum on ${percent(d.agreement)}`);
  });
  node(svg, "line", { class: "deadline", x1: X(1e6 * limit), x2: X(1e6 * limit), y1: top - 6, y2: bottom });
  node(svg, "text", { class: "deadlineText", x: X(1e6 * limit), y: top - 9, "text-anchor": "middle" }, `deadline ${nsTick(1e6 * limit)}`);
  node(body, "p", { class: "muted" }, "\u25cf median   \u25ae 99th percentile   | maximum; on the right the 99th percentile.");
}

/* What the times are worth: who solves, who finds the same optimum, how exactly. For one set, also what each level is left with. */
function answers(body, rows) {
  const one = unique(rows.map(r => r.case)).length === 1, worst = (of, f) => of.reduce((m, r) => Math.max(m, f(r)), 0), small = v => v === 0 ? "0" : v < 0.01 ? v.toExponential(1) : three(v);
  const t = node(node(body, "div", { class: "tablebox" }), "table"), head = node(node(t, "thead"), "tr"), tb = node(t, "tbody");
  const levels = one ? rows[0].levels.map(l => l.name) : [];
  for (const h of ["method", "solved", "agrees", "iterations", "KKT", ...(one ? levels.map(l => l + " \u2016\u00b7\u2016") : ["hard violation"])]) node(head, "th", { class: h === "method" ? "left" : undefined }, h);
  for (const m of unique(rows.map(methodOf))) {
    const of = rows.filter(r => methodOf(r) === m), solved = Math.min(...of.map(r => r.solved)), tr = node(tb, "tr", solved < 1 ? { class: "bad" } : {});
    const cells = [m, percent(solved), percent(Math.min(...of.map(r => r.agreement))), three(worst(of, r => r.iterations)), small(worst(of, r => r.kkt))];
    if (one) for (const l of levels) cells.push(small((of[0].levels.find(k => k.name === l) || { violation: NaN }).violation));
    else cells.push(small(worst(of, r => r.violation)));
    cells.forEach((c, i) => node(tr, "td", { class: i ? undefined : "left" }, c));
  }
}

/* One row of boxes for the solve, one for its levels, one for the kernels within them; widths are microseconds. */
function flame(body, width, r) {
  const levels = r.levels.map(l => ({ name: l.name, level: l, parts: kernels.map(k => [k, l[k + "_us"] || 0]).filter(p => p[1] > 0) }));
  for (const l of levels) l.sum = l.parts.reduce((s, p) => s + p[1], 0);
  const total = levels.reduce((s, l) => s + l.sum, 0), h = 34, svg = canvas(body, width, 3 * h + 4), scale = width / (total || 1);
  const box = (x, w, y, colour, text, dark, told, opacity) => {
    const g = node(svg, "g");
    node(g, "rect", { x: x + 0.5, y: y + 0.5, width: Math.max(0.5, w - 1), height: h - 2, rx: 3, fill: colour, opacity });
    if (w > 6.4 * text.length + 8) node(g, "text", { x: x + w / 2, y: y + h / 2 + 4, "text-anchor": "middle", class: dark ? "inside" : "value" }, text);
    tip(g, told);
  };
  box(0, width, 0, "var(--line)", `${r.case} ${methodOf(r)}, ${r.start}: ${us(total)} a solve`, false, `one solve, mean over ${r.ticks} ticks: ${us(total)}`);
  let x = 0;
  for (const l of levels) {
    const w = l.sum * scale;
    box(x, w, h, "var(--rule)", w > 90 + 6.4 * l.name.length ? `${l.name} ${us(l.sum)}` : l.name, false, `level ${l.name}: ${us(l.sum)}, ${percent(l.sum / total)}\nrank ${l.level.rank}, violation ${l.level.violation.toPrecision(3)}, kkt ${l.level.kkt.toPrecision(2)}`);
    let at = x;
    for (const [k, v] of l.parts) {
      box(at, v * scale, 2 * h, kernelColour(k), k.replace("_", " "), true, `${l.name}: ${k.replace("_", " ")}\n${us(v)}, ${percent(v / total)} of the solve`);
      at += v * scale;
    }
    x += w;
  }
  const sums = kernels.map(k => [k, levels.reduce((s, l) => s + (l.parts.find(p => p[0] === k) || [0, 0])[1], 0)]).filter(p => p[1] > 0);
  legend(body, svg, sums.map(([k, v]) => ({ name: `${k.replace("_", " ")} ${us(v)} (${percent(v / total)})`, colour: kernelColour(k), box: true })));
}

function hqpSection(main, R) {
  const rows = R.filter(r => r.room === "hqp" && r.tick_us), state = {};
  if (!rows.length) return;
  const section = node(main, "section", { id: "hqp" });
  node(section, "h2", {}, "Prioritized solves");
  node(section, "p", { class: "muted" }, "Control problems recorded from motions, solved by every method: cold from nothing, warm from the answer to the tick before.");
  const controls = node(section, "div", { class: "controls" });
  const redraw = () => { for (const f of own) f.draw(); };
  const select = (label, key, values, names) => {
    const l = node(controls, "label", {}, label), s = node(l, "select", { id: "hqp_" + key });
    values.forEach((v, i) => node(s, "option", { value: v }, names ? names[i] : v));
    state[key] = values[0];
    s.onchange = () => { state[key] = s.value; redraw(); };
  };
  const sets = unique(rows.map(r => r.case)), simds = unique(rows.map(r => r.simd)).reverse();
  select("problems", "set", sets.length > 1 ? ["all", ...sets] : sets, sets.length > 1 ? ["all sets", ...sets] : sets);
  select("start", "start", unique(rows.map(r => r.start)).reverse());
  select("SIMD", "simd", simds);
  const l = node(controls, "label", {}, "deadline, ms"), limit = node(l, "input", { type: "number", min: "0.01", step: "0.1", value: "1", id: "hqp_deadline" });
  limit.oninput = redraw;
  select("breakdown of", "method", unique(rows.map(methodOf)));
  const grid = node(section, "div", { class: "grid", style: "grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr))" });
  const own = [
    figure(grid, "Performance profile", "Share of the ticks that a method solves within a factor of the fastest one. Up and left is good.", (b, w) => performanceProfile(b, w, chosen(rows, state))),
    figure(grid, "Time along the motion", "Median of each tick's solves.", (b, w) => alongMotion(b, w, chosen(rows, state))),
    figure(grid, "Against a deadline", "What a controller meets: the 99th percentile over the motion. With several sets, the worst of them.", (b, w) => deadline(b, w, chosen(rows, state), Math.max(1e-3, +limit.value || 1))),
    figure(grid, "How good the answers are", "Ticks that end with an optimum; ticks at which every level is left as the lexicographic optimum leaves it, to 1e-6; the largest KKT residual and violation. Choose one set to see each level.", b => answers(b, chosen(rows, state))),
    figure(node(section, "div", { class: "grid wide", style: "margin-top:14px" }), "Where a solve spends its time", "The whole solve, its levels in order of priority, and the kernels within each: means over the ticks of the motion.", (b, w) => {
      const of = chosen(rows, state).filter(r => methodOf(r) === state.method), two = w > 900 && of.length > 1, inner = node(b, "div", { style: "display:grid;gap:16px 20px" + (two ? ";grid-template-columns:1fr 1fr" : "") });
      for (const r of of) flame(node(inner, "div"), two ? (w - 20) / 2 : w, r);
    })];
}
