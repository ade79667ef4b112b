// check_bench.js: what a reader does with a bench page, done by the page itself. tests/pages/run puts this behind the page's own script.
"use strict";
(async () => {
  const lines = [], need = (condition, why) => { if (!condition) throw new Error(why); };
  async function check(name, body) {
    try { await body(); lines.push(`${name}:PASS`); } catch (e) { lines.push(`${name}:FAIL: ${e.message}`); }
  }
  const choose = (id, value) => { const s = document.getElementById(id); s.value = value; s.dispatchEvent(new Event(s.tagName === "SELECT" ? "change" : "input")); };
  const titled = text => [...document.querySelectorAll("figure")].find(f => f.querySelector("h3").textContent.startsWith(text));
  const hqp = R.some(r => r.tick_us);

  await check("every_figure_is_drawn", () => {
    need(document.querySelectorAll("figure").length > 0, "no figures");
    for (const f of document.querySelectorAll("figure")) need(f.querySelector("svg *, table td"), `${f.querySelector("h3").textContent} is empty`);
  });
  await check("no_number_is_broken", () => {
    const bad = [...document.querySelectorAll("svg *")].find(e => [...e.attributes].some(a => /NaN|Infinity|undefined/.test(a.value)) || /NaN|undefined|Infinity/.test(e.textContent));
    need(!bad, bad && bad.outerHTML.slice(0, 200));
  });
  await check("table_has_every_row", () => need(document.querySelectorAll("#table tbody tr").length === R.length, "rows are missing"));
  await check("table_filters_and_sorts", () => {
    choose("filter", "avx2");
    const shown = document.querySelectorAll("#table tbody tr").length;
    need(shown === R.filter(r => `${r.case} ${r.variant}`.includes("avx2")).length, `${shown} rows with avx2`);
    const head = [...document.querySelectorAll("#table th")], at = head.findIndex(h => h.textContent === "size");
    head[at].click();
    const sizes = [...document.querySelectorAll("#table tbody tr")].map(r => +r.children[at].textContent);
    need(sizes.every((v, i) => !i || v >= sizes[i - 1]), "not sorted by size");
    choose("filter", "");
  });
  await check("fits_its_width", () => need(document.documentElement.scrollWidth <= innerWidth + 1, `${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`));
  await check("width_is_as_asked", () => need(narrow === innerWidth < 500, `window of ${innerWidth}`));
  if (hqp) {
    await check("profile_ends_where_ticks_are_solved", () => {
      const paths = titled("Performance profile").querySelectorAll("path[stroke^=var]");
      need(paths.length === new Set(R.filter(r => r.tick_us).map(methodOf)).size, `${paths.length} methods`);
    });
    await check("every_tick_is_a_point", () => {
      const rows = R.filter(r => r.tick_us && r.start === "warm" && r.simd === document.getElementById("hqp_simd").value);
      const want = rows.flatMap(r => r.tick_us).filter(v => v > 0).length, got = titled("Time along").querySelectorAll("circle").length;
      need(want === got, `${got} points, ${want} ticks`);
    });
    await check("deadline_moves", () => {
      const before = titled("Against").querySelector(".deadline").getAttribute("x1");
      choose("hqp_deadline", "0.2");
      need(before !== titled("Against").querySelector(".deadline").getAttribute("x1"), "it stands still");
    });
    await check("breakdown_adds_up", () => {
      const r = R.find(q => q.tick_us && q.hqp === "reparam" && q.start === "cold" && q.simd === document.getElementById("hqp_simd").value);
      choose("hqp_start", "cold");
      choose("hqp_method", methodOf(r));
      const boxes = [...titled("Where a solve").querySelectorAll("svg")[0].querySelectorAll("rect")], row = y => boxes.filter(b => +b.getAttribute("y") === y + 0.5);
      const width = y => row(y).reduce((s, b) => s + +b.getAttribute("width") + 1, 0);
      need(row(34).length === r.levels.length, `${row(34).length} levels`);
      need(Math.abs(width(34) - width(0)) < 0.02 * width(0) + 4, `levels ${width(34)} of ${width(0)}`);
      need(Math.abs(width(68) - width(0)) < 0.05 * width(0) + 10, `kernels ${width(68)} of ${width(0)}`);
    });
  }
  await check("nothing_is_fetched", () => need(!performance.getEntriesByType("resource").length, "something was"));
  await check("no_errors", () => need(!window.pageErrors.length, window.pageErrors.join("; ")));
  for (const line of lines) console.log("RESULT " + line);
  console.log("RESULTS END");
})();
