// check.js: what a reader does with a replay page, done by the page itself. tests/pages/run puts this behind the page's own script, with
// `expected` in front: {renderer, report, dark, phone, runs, characters, grasps}; characters and grasps 0: not asked. Results go to the console, a line each.
"use strict";
(async () => {
  const page = window.poise, lines = [], wait = ms => new Promise(done => setTimeout(done, ms));
  const frames = async n => { for (let i = 0; i < n; i++) await new Promise(done => requestAnimationFrame(done)); };
  const need = (condition, why) => { if (!condition) throw new Error(why); };
  const near = (a, b, bound, why) => need(Math.abs(a - b) <= bound, `${why}: ${a} against ${b}, bound ${bound}`);
  async function check(name, body) {
    try { await body(); lines.push(`${name}:PASS`); } catch (e) { lines.push(`${name}:FAIL: ${e.message}`); }
  }
  const press = (key, more = {}) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const point = (target, type, x, y, more = {}) => target.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, pointerId: 1, bubbles: true, cancelable: true, isPrimary: true, ...more }));
  const synthetic = el => { el.setPointerCapture = () => {}; return el; };

  // Pixels of the 3-D picture without the symbols over it, through a copy so that either renderer can be read.
  function pixels(view) {
    const copy = document.createElement("canvas");
    copy.width = view.canvas.width;
    copy.height = view.canvas.height;
    const ctx = copy.getContext("2d", { willReadFrequently: true });
    ctx.drawImage(view.canvas, 0, 0);
    return ctx.getImageData(0, 0, copy.width, copy.height);
  }
  const at = (image, x, y) => { const k = 4 * (Math.round(y) * image.width + Math.round(x)); return [image.data[k], image.data[k + 1], image.data[k + 2]]; };
  const apart = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));
  function changed(a, b) {
    let n = 0;
    for (let i = 0; i < a.data.length; i += 4) if (apart([a.data[i], a.data[i + 1], a.data[i + 2]], [b.data[i], b.data[i + 1], b.data[i + 2]]) > 12) n++;
    return n;
  }
  const shot = time => { page.player.pause(); page.player.seek(time); page.draw(); return pixels(page.views[0]); };

  // The raw numbers of a recording, decoded here and not by the page.
  function raw(i) {
    const json = JSON.parse(document.querySelectorAll("script.trace")[i].textContent);
    const view = key => { const s = atob(json[key]); return new DataView(Uint8Array.from(s, c => c.charCodeAt(0)).buffer); };
    const p = view("position"), q = view("quaternion"), n = json.bodies.length;
    return {
      json,
      position: (frame, body) => [0, 1, 2].map(k => p.getFloat32(4 * ((frame * n + body) * 3 + k), true)),
      quaternion: (frame, body) => [0, 1, 2, 3].map(k => q.getInt16(2 * ((frame * n + body) * 4 + k), true) / 32767),
    };
  }

  await frames(2);
  const t = page.traces[0], duration = page.player.duration, view = page.views[0];

  const range = s => Math.max(...s) - Math.min(...s), still = range(t.series("com_x")) + range(t.series("com_z")) < 1e-3;
  await check("renderer", () => page.views.forEach(v => need(v.renderer.kind === expected.renderer, `is ${v.renderer.kind}, expected ${expected.renderer}`)));
  await check("plays_by_itself", async () => {
    const time = page.player.time, drawn = page.drawn;
    await wait(600);
    await frames(3);
    need(page.player.playing && page.player.time > time, `time stands at ${page.player.time}`);
    need(page.drawn > drawn + 2, `${page.drawn - drawn} frames drawn`);
  });
  await check("pictures_differ_over_time", () => {
    if (t.radius < 0.9 || still) return; // small things, and things that lie still
    need(changed(shot(0.02 * duration), shot(0.9 * duration)) > 300, "the picture at the end is the picture at the start");
  });

  await check("links_are_where_the_recording_says", () => page.traces.forEach((trace, i) => {
    const r = raw(i);
    for (let k = 0; k < 6; k++) {
      const frame = Math.floor(k / 5 * (trace.frames - 1));
      page.player.pause();
      page.player.seek(trace.times[frame]);
      page.draw();
      page.views[i].moment.poses.forEach((pose, body) => {
        pose.p.forEach((x, a) => near(x, r.position(frame, body)[a], 1e-5, `${trace.bodies[body].name}, frame ${frame}`));
        pose.q.forEach((x, a) => near(x, r.quaternion(frame, body)[a], 1e-4, `${trace.bodies[body].name} turned, frame ${frame}`));
      });
    }
  }));
  await check("feet_and_com_are_where_the_report_says", () => {
    if (!expected.report) return;
    page.player.seek(duration);
    page.draw();
    for (const foot of expected.report.feet) {
      const body = t.bodies.findIndex(b => b.name === foot.name && b.character === 0);
      view.moment.poses[body].p.forEach((x, a) => near(x, foot.position[a], 1e-5, foot.name));
    }
    if (view.moment.com) view.moment.com.forEach((x, a) => near(x, expected.report.com[a], 1e-5, "com"));
    need(t.hash === expected.report.state_hash, "another hash than the report's");
    need(t.outcome === expected.report.outcome, "another outcome than the report's");
  });
  // Symbols over the picture, at a point of the world.
  const marked = (v, p) => {
    const [x, y] = v.screen(p), o = v.overlay;
    return x < 1 || y < 1 || x >= o.width - 1 || y >= o.height - 1 ? null : o.getContext("2d").getImageData(Math.round(x), Math.round(y), 1, 1).data[3] > 0;
  };
  const turned = (q, v) => { // v + 2 w (u x v) + 2 u x (u x v)
    const cross3 = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], u = q.slice(1), c = cross3(u, v), e = cross3(u, c);
    return v.map((x, k) => x + 2 * q[0] * c[k] + 2 * e[k]);
  };
  await check("every_character_has_its_com", () => {
    const r = raw(0), frame = Math.floor(0.7 * (t.frames - 1)), mass = {}, sum = {}, parts = {};
    page.player.pause();
    page.player.seek(t.times[frame]);
    page.draw();
    r.json.bodies.forEach((b, i) => {
      const c = turned(r.quaternion(frame, i), b.com), p = r.position(frame, i);
      parts[b.character] = (parts[b.character] || 0) + 1;
      mass[b.character] = (mass[b.character] || 0) + b.mass;
      sum[b.character] = (sum[b.character] || [0, 0, 0]).map((x, k) => x + b.mass * (p[k] + c[k]));
    });
    const walkers = Object.keys(parts).filter(c => parts[c] > 1), drawn = (view.moment.com ? [view.moment.com] : []).concat(view.moment.others);
    if (expected.characters) need(walkers.length === expected.characters, `${walkers.length} characters`);
    for (const c of walkers) {
      const com = sum[c].map(x => x / mass[c]), found = drawn.find(d => Math.hypot(...d.map((x, k) => x - com[k])) < 2e-3);
      need(found, `no COM of character ${c} at ${com}`);
      need(marked(view, found) !== false, `nothing drawn at the COM of character ${c}`);
    }
  });
  await check("grasps_are_drawn_by_their_pull", () => {
    if (!expected.grasps) return;
    const closed = [...Array(t.frames).keys()].filter(i => t.springs(i).length), colours = new Map();
    need(closed.length > 10, `hands hold in ${closed.length} frames`);
    for (const frame of closed.filter((_, i) => i % Math.ceil(closed.length / 20) === 0)) {
      page.player.seek(t.times[frame]);
      page.draw();
      need(view.moment.springs.length === t.springs(frame).length, `${view.moment.springs.length} springs`);
      for (const s of view.moment.springs) {
        need(Math.hypot(...s.hand.map((x, k) => x - s.held[k])) < 0.05, "a spring is longer than a hand may be off");
        need(marked(view, s.hand) !== false, "nothing drawn at a hand that holds");
        colours.set(s.colour, s.force);
      }
    }
    need(t.springs(closed[closed.length - 1]).length === 2 * expected.grasps, "not all hands hold at the end");
    need(colours.size > 3, `all pulls have ${colours.size} colours`);
  });
  // Where a solid's middle is projected, the picture with the solids differs from the one without.
  await check("solids_are_drawn_where_they_are", () => {
    const was = view.scene.show;
    view.scene.show = { forces: false, com: false, support: false, path: false };
    const full = shot(0.6 * duration), solids = view.moment.solids.slice(), camera = view.eye;
    view.renderer.draw({ ...view.moment, solids: [], arrows: [] }, camera);
    const empty = pixels(view);
    let seen = 0;
    for (const s of solids) {
      const [x, y] = view.screen(s.p);
      if (x < 1 || y < 1 || x >= full.width - 1 || y >= full.height - 1) continue;
      seen++;
      need(apart(at(full, x, y), at(empty, x, y)) > 12, `nothing at the middle of ${t.bodies[s.body].name}`);
    }
    view.scene.show = was;
    need(seen >= 0.9 * solids.length, `${seen} of ${solids.length} solids in the picture`);
  });
  await check("the_figure_fills_the_picture", () => {
    page.player.seek(0);
    page.draw();
    const ys = view.moment.solids.map(s => view.screen(s.p)[1] / view.overlay.height);
    need(Math.max(...ys) - Math.min(...ys) > (ys.length > 1 ? 0.2 : -1), "the figure is too small");
    need(Math.max(...ys) < 0.99 && Math.min(...ys) > 0.01, "the figure is cut off");
  });

  await check("scrubbing", () => {
    const slider = document.getElementById("scrub");
    page.player.play();
    slider.value = 0.5 * duration;
    slider.dispatchEvent(new Event("input"));
    need(!page.player.playing, "still playing");
    near(page.player.time, 0.5 * duration, 1e-3 * duration + 1e-6, "time");
    need(document.getElementById("clock").textContent.startsWith(page.player.time.toFixed(2)), "the clock shows another time");
  });
  await check("keyboard", () => {
    page.player.pause();
    page.player.seek(0.5 * duration);
    press(" ");
    need(page.player.playing, "space does not play");
    press(" ");
    need(!page.player.playing, "space does not pause");
    const before = page.player.time;
    press("ArrowRight");
    near(page.player.time - before, duration / (t.frames - 1), 0.6 * duration / (t.frames - 1), "one frame");
    press("End");
    near(page.player.time, duration, 1e-9, "end");
    press("Home");
    near(page.player.time, 0, 1e-9, "home");
    press("]");
    need(page.player.speed === 2, "] does not speed up");
    press("[");
    press("f");
    need(!page.orbit.follow, "f does not stop following");
    press("f");
    press("1");
    near(page.orbit.elevation, 0.05, 1e-9, "side view");
    press("0");
  });
  await check("orbit_zoom_and_touch", () => {
    const el = synthetic(view.overlay), box = el.getBoundingClientRect(), x = box.left + 50, y = box.top + 50;
    const a = shot(0.3 * duration), azimuth = page.orbit.azimuth, zoom = page.orbit.zoom;
    point(el, "pointerdown", x, y);
    point(el, "pointermove", x + 60, y + 10);
    point(el, "pointerup", x + 60, y + 10);
    need(page.orbit.azimuth !== azimuth, "dragging does not turn");
    page.draw();
    need(changed(a, pixels(view)) > 300, "turning does not change the picture");
    el.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, bubbles: true, cancelable: true }));
    need(page.orbit.zoom < zoom, "the wheel does not zoom");
    const closer = page.orbit.zoom;
    point(el, "pointerdown", x, y, { pointerType: "touch", pointerId: 2 });
    point(el, "pointerdown", x + 100, y, { pointerType: "touch", pointerId: 3 });
    point(el, "pointermove", x + 200, y, { pointerType: "touch", pointerId: 3 });
    need(page.orbit.zoom < closer, "pinching does not zoom");
    point(el, "pointerup", x, y, { pointerId: 2 });
    point(el, "pointerup", x, y, { pointerId: 3 });
    el.dispatchEvent(new MouseEvent("dblclick"));
    near(page.orbit.zoom, 1, 1e-12, "a double click resets");
  });

  await check("plots_are_drawn", () => {
    need(page.plots.length >= (still ? 3 : 4), `${page.plots.length} plots`); // what lies still has no speed and no momentum to plot
    for (const p of page.plots) {
      const c = p.canvas, d = p.back.getContext("2d").getImageData(0, 0, c.width, c.height).data, columns = new Set();
      for (let i = 0; i < d.length; i += 4)
        if (d[i + 3] > 100 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) columns.add((i / 4) % c.width);
      need(columns.size > 0.5 * c.width * Math.min(1, t.duration / duration), `${p.spec.title}: a curve over ${columns.size} of ${c.width} columns`);
    }
  });
  await check("plots_follow_and_lead", () => {
    const p = page.plots[0], c = synthetic(p.canvas), cursor = () => c.getContext("2d").getImageData(0, 0, c.width, c.height);
    page.player.seek(0.2 * duration);
    page.draw();
    const a = cursor();
    page.player.seek(0.7 * duration);
    page.draw();
    need(changed(a, cursor()) > 20, "the cursor stands still");
    const box = c.getBoundingClientRect();
    point(c, "pointerdown", box.left + p.x(0.4 * duration), box.top + 20);
    point(c, "pointerup", box.left, box.top);
    near(page.player.time, 0.4 * duration, 0.01 * duration, "a click on a plot");
    const i = t.nearest(page.player.time);
    page.draw();
    need(p.lines[0].value.textContent === p.lines[0].values[i].toFixed(p.spec.digits).replace("-", "\u2212"), "the reading is another value");
  });

  await check("says_what_it_is", () => {
    const text = document.body.innerText;
    need(page.traces.length === expected.runs, `${page.traces.length} runs`);
    for (const trace of page.traces) for (const word of [trace.scenario, trace.hash, trace.command, trace.outcome]) need(text.includes(word), `'${word}' is nowhere`);
    for (const n of t.notes.filter(n => n.kind === "result")) need(text.includes(n.name.replaceAll("_", " ")), `no result ${n.name}`);
  });
  await check("fits_the_screen", () => {
    need(document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`);
    if (expected.phone) need(innerWidth === 390 && document.getElementById("play").getBoundingClientRect().width >= 40, "no phone");
    for (const c of document.querySelectorAll("canvas")) need(c.clientWidth > 100 && c.clientHeight > 100, "a canvas is too small");
  });
  await check("light_or_dark", () => {
    const back = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number), image = shot(0), sky = at(image, 2, 2);
    need((back[0] < 80) === expected.dark, `background ${back}`);
    need((sky[0] < 80) === expected.dark, `sky ${sky}`);
  });
  await check("nothing_is_fetched", () => {
    const fetched = performance.getEntriesByType("resource").filter(e => !e.name.startsWith("data:"));
    need(!fetched.length, fetched.map(e => e.name).join(" "));
  });
  await check("no_errors", () => need(!window.pageErrors.length, window.pageErrors.join("; ")));

  for (const line of lines) console.log("RESULT " + line);
  console.log("RESULTS END");
})();
