'use strict';
// A robot to turn, with its joints as sliders: forward kinematics and a painter's algorithm over convex faces.
const model = JSON.parse(document.getElementById('model').textContent);
const byId = id => document.getElementById(id);

// ---- vectors, rotations as nine numbers by rows ----
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
const turn = (R, v) => [R[0] * v[0] + R[1] * v[1] + R[2] * v[2], R[3] * v[0] + R[4] * v[1] + R[5] * v[2], R[6] * v[0] + R[7] * v[1] + R[8] * v[2]];
const times = (A, B) => [0, 1, 2].flatMap(i => [0, 1, 2].map(j => A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j]));
const about = (u, t) => {
  const c = Math.cos(t), s = Math.sin(t), k = 1 - c, [x, y, z] = u;
  return [c + k * x * x, k * x * y - s * z, k * x * z + s * y, k * x * y + s * z, c + k * y * y, k * y * z - s * x, k * x * z - s * y, k * y * z + s * x, c + k * z * z];
};
const after = (P, Q) => ({ R: times(P.R, Q.R), p: add(P.p, turn(P.R, Q.p)) });
const IDENTITY = { R: [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [0, 0, 0] };

// ---- where everything is ----
const value = model.bodies.map(b => b.rest.slice());
function motion(b, x) {
  const j = b.joint;
  if (j.type === 'revolute') return { R: about(j.axis, x[0]), p: [0, 0, 0] };
  if (j.type === 'prismatic') return { R: IDENTITY.R, p: j.axis.map(a => a * x[0]) };
  if (j.type === 'universal') return { R: times(about(j.axis, x[0]), about(j.axis2, x[1])), p: [0, 0, 0] };
  if (j.type === 'spherical') { const t = Math.hypot(...x); return { R: t > 1e-9 ? about(x.map(c => c / t), t) : IDENTITY.R, p: [0, 0, 0] }; }
  return IDENTITY;
}
function places() {
  const at = [];
  model.bodies.forEach((b, i) => {
    const up = b.parent < 0 ? IDENTITY : at[b.parent];
    at.push(after(after(up, b.joint.type === 'floating' ? model.base : b.joint.placement), motion(b, value[i])));
  });
  return at;
}

// ---- shapes as convex faces, in their own axes ----
function boxFaces([x, y, z]) {
  const v = (a, b, c) => [a * x, b * y, c * z];
  return [[v(1, -1, -1), v(1, 1, -1), v(1, 1, 1), v(1, -1, 1)], [v(-1, 1, -1), v(-1, -1, -1), v(-1, -1, 1), v(-1, 1, 1)], [v(1, 1, -1), v(-1, 1, -1), v(-1, 1, 1), v(1, 1, 1)],
    [v(-1, -1, -1), v(1, -1, -1), v(1, -1, 1), v(-1, -1, 1)], [v(-1, -1, 1), v(1, -1, 1), v(1, 1, 1), v(-1, 1, 1)], [v(-1, 1, -1), v(1, 1, -1), v(1, -1, -1), v(-1, -1, -1)]];
}
function roundFaces(r, half) { // a ball, or one drawn out along z
  const rows = 8, sides = 14, faces = [];
  const p = (i, k) => {
    const a = -Math.PI / 2 + Math.PI * i / rows, b = 2 * Math.PI * k / sides;
    return [r * Math.cos(a) * Math.cos(b), r * Math.cos(a) * Math.sin(b), r * Math.sin(a) + (i > rows / 2 ? half : i < rows / 2 ? -half : 0)];
  };
  for (let i = 0; i < rows; i++) for (let k = 0; k < sides; k++) faces.push([p(i, k), p(i, k + 1), p(i + 1, k + 1), p(i + 1, k)]);
  return faces;
}
const shapes = model.shapes.map(s => ({ ...s, list: s.type === 'box' ? boxFaces(s.size) : s.type === 'hull' ? s.faces.map(f => f.map(i => s.vertices[i])) : roundFaces(s.size[0], s.type === 'capsule' ? s.size[1] : 0) }));

// ---- drawing ----
const show = { shapes: true, joints: true, frames: false, soles: true, com: true };
const eye = { yaw: 0.6, pitch: 0.25, far: 3, at: [0, 0, 0.5] };
let lit = -1; // the body whose joint the pointer is on
const canvas = byId('view'), ink = canvas.getContext('2d');
const palette = ['#8fb0d9', '#d9b38f', '#9ccfa4', '#cfa4c8', '#d9d08f', '#8fd0d4', '#d99a9a', '#a9a9d9'];
function camera() {
  const c = Math.cos(eye.pitch), back = [c * Math.cos(eye.yaw), c * Math.sin(eye.yaw), Math.sin(eye.pitch)], right = unit(cross([0, 0, 1], back));
  return { back, right, up: cross(back, right), from: add(eye.at, back.map(x => x * eye.far)) };
}
function draw() {
  const w = canvas.clientWidth, h = canvas.clientHeight, dpr = window.devicePixelRatio || 1;
  canvas.width = w * dpr;
  canvas.height = h * dpr;
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  ink.clearRect(0, 0, w, h);
  const cam = camera(), f = 1.3 * h, at = places();
  const see = p => { const d = sub(p, cam.from), z = -dot(d, cam.back); return [w / 2 + f * dot(d, cam.right) / Math.max(z, 1e-3), h / 2 - f * dot(d, cam.up) / Math.max(z, 1e-3), z]; };
  const path = (pts, close) => { ink.beginPath(); pts.forEach((p, i) => (i ? ink.lineTo(p[0], p[1]) : ink.moveTo(p[0], p[1]))); if (close) ink.closePath(); };
  grid(see, path);
  if (show.shapes) {
    const faces = [];
    for (const s of shapes) {
      const T = after(at[s.body], s.pose), solid = s.body === lit ? '#e8663c' : palette[s.body % palette.length];
      for (const face of s.list) {
        const pts = face.map(v => add(T.p, turn(T.R, v))), n = unit(cross(sub(pts[1], pts[0]), sub(pts[2], pts[1])));
        if (dot(n, sub(cam.from, pts[0])) <= 0) continue;
        const seen = pts.map(see);
        if (seen.some(p => p[2] < 0.02)) continue;
        faces.push({ seen, z: seen.reduce((a, p) => a + p[2], 0) / seen.length, light: 0.62 + 0.38 * Math.max(0, dot(n, unit([0.4, -0.3, 0.9]))), solid });
      }
    }
    faces.sort((a, b) => b.z - a.z);
    for (const face of faces) {
      path(face.seen, true);
      ink.fillStyle = shade(face.solid, face.light);
      ink.fill();
      ink.strokeStyle = ink.fillStyle;
      ink.lineWidth = 0.6;
      ink.stroke();
    }
  }
  if (show.joints) model.bodies.forEach((b, i) => bones(b, i, at, see, path));
  if (show.soles && model.soles) model.soles.forEach(s => { path(s.corners.map(c => see(add(at[s.body].p, turn(at[s.body].R, c)))), true); ink.fillStyle = 'rgba(232,102,60,.55)'; ink.fill(); ink.strokeStyle = '#c33'; ink.lineWidth = 2; ink.stroke(); });
  if (show.frames) model.frames.forEach(fr => { const T = fr.body < 0 ? fr.pose : after(at[fr.body], fr.pose); axes(T, 0.05, see, path); });
  if (show.com) {
    let m = 0, c = [0, 0, 0];
    model.bodies.forEach((b, i) => { m += b.mass; c = add(c, add(at[i].p, turn(at[i].R, b.com)).map(x => x * b.mass)); });
    const p = see(c.map(x => x / m));
    ink.beginPath(); ink.arc(p[0], p[1], 6, 0, 7); ink.fillStyle = '#c33'; ink.fill(); ink.strokeStyle = '#fff'; ink.lineWidth = 2; ink.stroke();
  }
}
function shade(hex, k) { return 'rgb(' + [1, 3, 5].map(i => Math.round(k * parseInt(hex.slice(i, i + 2), 16))).join(',') + ')'; }
function grid(see, path) {
  ink.strokeStyle = 'rgba(128,128,128,.35)';
  ink.lineWidth = 1;
  for (let i = -4; i <= 4; i++) for (const q of [[[i / 4, -1, model.ground], [i / 4, 1, model.ground]], [[-1, i / 4, model.ground], [1, i / 4, model.ground]]]) { path(q.map(see)); ink.stroke(); }
}
function bones(b, i, at, see, path) {
  const p = see(at[i].p);
  if (b.parent >= 0) { path([see(at[b.parent].p), p]); ink.strokeStyle = 'rgba(60,60,60,.7)'; ink.lineWidth = 1.5; ink.stroke(); }
  if (b.joint.axis && b.joint.type !== 'floating') {
    const a = turn(at[i].R, b.joint.axis).map(x => 0.06 * x);
    path([see(sub(at[i].p, a)), see(add(at[i].p, a))]);
    ink.strokeStyle = i === lit ? '#e8663c' : '#2b6cb0';
    ink.lineWidth = i === lit ? 5 : 3;
    ink.stroke();
  }
}
function axes(T, size, see, path) {
  ['#c33', '#393', '#33c'].forEach((colour, k) => { path([see(T.p), see(add(T.p, [0, 1, 2].map(r => size * T.R[3 * r + k])))]); ink.strokeStyle = colour; ink.lineWidth = 1.5; ink.stroke(); });
}

// ---- controls ----
const rows = [];
function readout(j, x) {
  if (Math.abs(x) < 5e-4) x = 0;
  return j.type === 'prismatic' ? x.toFixed(3) + ' m' : (x * 180 / Math.PI).toFixed(1) + '°';
}
model.bodies.forEach((b, i) => b.rest.forEach((unused, k) => {
  const row = document.createElement('div'), name = document.createElement('span'), slider = document.createElement('input'), out = document.createElement('output');
  row.className = 'joint';
  name.textContent = b.joint.name + (b.rest.length > 1 ? ' ' + 'xyz'[k] : '');
  name.title = b.joint.name + ' moves ' + b.name + '; ' + b.joint.words;
  slider.type = 'range';
  slider.setAttribute('aria-label', name.textContent);
  slider.min = b.joint.lower[k] === null ? -Math.PI : b.joint.lower[k];
  slider.max = b.joint.upper[k] === null ? Math.PI : b.joint.upper[k];
  slider.step = 'any';
  const update = () => { value[i][k] = +slider.value; out.textContent = readout(b.joint, value[i][k]); draw(); };
  slider.oninput = update;
  row.onmouseenter = () => { lit = i; draw(); };
  row.onmouseleave = () => { lit = -1; draw(); };
  row.append(name, slider, out);
  byId('joints').append(row);
  rows.push({ set: x => { slider.value = x; value[i][k] = x; out.textContent = readout(b.joint, x); }, rest: b.rest[k] });
}));
byId('zero').onclick = () => { rows.forEach(r => r.set(0)); draw(); };
byId('rest').onclick = () => { rows.forEach(r => r.set(r.rest)); draw(); };
Object.keys(show).forEach(key => {
  const label = document.createElement('label'), box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = show[key];
  box.onchange = () => { show[key] = box.checked; draw(); };
  label.append(box, ' ' + key);
  byId('switches').append(label);
});
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => {
  if (!e.buttons) return;
  if (e.shiftKey || e.buttons === 2) { const c = camera(), k = eye.far / canvas.clientHeight; eye.at = add(eye.at, add(c.right.map(x => -k * x * e.movementX), c.up.map(x => k * x * e.movementY))); }
  else { eye.yaw -= 0.008 * e.movementX; eye.pitch = Math.min(1.5, Math.max(-1.5, eye.pitch + 0.008 * e.movementY)); }
  draw();
};
canvas.oncontextmenu = e => e.preventDefault();
canvas.onwheel = e => { e.preventDefault(); eye.far *= Math.exp(0.001 * e.deltaY); draw(); };
canvas.onkeydown = e => { const d = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[e.key]; if (d) { eye.yaw += d[0]; eye.pitch += d[1]; draw(); e.preventDefault(); } };
byId('title').textContent = document.title = model.name;
byId('summary').textContent = model.summary;
byId('words').textContent = model.words;
(model.warnings.length ? model.warnings : ['nothing']).forEach(t => { const li = document.createElement('li'); li.textContent = t; byId('warnings').append(li); });
{ // the whole robot in view
  const at = places(), all = at.map(T => T.p).concat(shapes.flatMap(s => s.list.flat().map(v => { const T = after(at[s.body], s.pose); return add(T.p, turn(T.R, v)); })));
  const low = [0, 1, 2].map(k => Math.min(...all.map(p => p[k]))), high = [0, 1, 2].map(k => Math.max(...all.map(p => p[k])));
  eye.at = low.map((x, k) => 0.5 * (x + high[k]));
  eye.far = 1.5 * Math.max(Math.hypot(...sub(high, low)), 0.2);
}
rows.forEach(r => r.set(r.rest));
window.onresize = draw;
draw();
