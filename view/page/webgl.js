// webgl.js: the 3-D picture by WebGL2: one mesh for all solids, a shadow map, a ground that fades into the distance.
"use strict";

// Spheres, capsules and boxes are all the same thing: the points at distance `radius` from a core box. The mesh is a ball cut into its
// eight octants; the vertex shader pulls the octants apart by the core's half extents.
function roundedMesh(n) {
  const vertices = [], indices = [];
  const axis = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
  for (const [a, b, c] of axis)
    for (const side of [1, -1]) {
      const first = vertices.length / 6, row = 2 * n + 2;
      for (let i = 0; i < row; i++)
        for (let j = 0; j < row; j++) {
          // The middle line of every face is there twice, once for each octant.
          const line = k => k <= n ? k / n - 1 : (k - 1 - n) / n, u = line(i), v = line(j);
          const p = [0, 0, 0], s = [0, 0, 0];
          p[a] = side;
          p[b] = Math.tan(u * Math.PI / 4);
          p[c] = Math.tan(v * Math.PI / 4);
          s[a] = side;
          s[b] = i <= n ? -1 : 1;
          s[c] = j <= n ? -1 : 1;
          vertices.push(...unit(p), ...s);
        }
      for (let i = 0; i + 1 < row; i++)
        for (let j = 0; j + 1 < row; j++) {
          const k = first + i * row + j;
          if (side > 0) indices.push(k, k + row, k + 1, k + 1, k + row, k + row + 1);
          else indices.push(k, k + 1, k + row, k + 1, k + row + 1, k + row);
        }
    }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices), size: 6 };
}

// Shaft and head around z, as (radius, height along the shaft 0…1, height along the head 0…1, slope of the normal).
function arrowMesh(n) {
  const vertices = [], indices = [];
  const rings = [[1, 0, 0, 0], [1, 1, 0, 0], [2.6, 1, 0, -1], [2.6, 1, 0, 0.4], [0, 1, 1, 0.4]];
  for (const [radius, shaft, head, slope] of rings)
    for (let i = 0; i <= n; i++) {
      const t = 2 * Math.PI * i / n;
      vertices.push(Math.cos(t), Math.sin(t), radius, shaft, head, slope);
    }
  for (let r = 0; r + 1 < rings.length; r++)
    for (let i = 0; i < n; i++) {
      const k = r * (n + 1) + i;
      indices.push(k, k + 1, k + n + 1, k + 1, k + n + 2, k + n + 1);
    }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices), size: 6 };
}

const GLSL_HEAD = `#version 300 es
precision highp float;
`;
const GLSL_ROTATE = `
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;
// Light: a sun with a soft shadow, a sky that is brighter above than below.
const GLSL_LIGHT = `
uniform highp sampler2DShadow shadowMap;
uniform mat4 shadowView;
uniform vec3 sun, eye, sky, centre;
uniform float reach, texel, night;
float lit(vec3 p, vec3 n) {
  vec4 s = shadowView * vec4(p + n * reach * 0.006, 1.0);
  vec3 c = s.xyz * 0.5 + 0.5;
  if (max(abs(s.x), abs(s.y)) > 0.98) return 1.0;
  float sum = 0.0;
  for (int i = -2; i <= 2; i++)
    for (int j = -2; j <= 2; j++) sum += texture(shadowMap, vec3(c.xy + vec2(i, j) * texel * 1.4, c.z - 0.0012));
  return mix(sum / 25.0, 1.0, smoothstep(0.8, 0.98, max(abs(s.x), abs(s.y))));
}
vec3 shade(vec3 colour, vec3 p, vec3 n, float gloss) {
  vec3 to = normalize(eye - p), half_ = normalize(to + sun);
  float l = lit(p, n), d = max(dot(n, sun), 0.0) * l;
  float up = 0.5 + 0.5 * n.z;
  vec3 ambient = mix(vec3(0.34, 0.33, 0.33), vec3(0.62, 0.64, 0.68), up) * mix(1.0, 0.8, night);
  vec3 c = colour * (ambient + d * vec3(0.68, 0.66, 0.62));
  c += gloss * l * pow(max(dot(n, half_), 0.0), 42.0) * 0.22;
  c += gloss * pow(1.0 - max(dot(n, to), 0.0), 3.5) * mix(0.10, 0.16, night) * sky * up;
  return c;
}
// Level ground keeps its plain colour, so that it meets the background without a seam; slopes are darker or brighter.
vec3 earth(vec3 c, vec3 p, vec3 n) {
  return c * clamp(0.5 + 0.5 * dot(n, sun) / sun.z, 0.55, 1.03) * mix(mix(0.62, 0.42, night), 1.0, lit(p, n));
}
vec3 fade(vec3 c, vec3 p) { return mix(c, sky, smoothstep(4.0, 13.0, length(p.xy - centre.xy) / reach)); }
vec4 display(vec3 c) { return vec4(mix(c * 12.92, 1.055 * pow(max(c, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)), 1.0); }
float gridLine(vec2 g, float width) {
  vec2 w = fwidth(g), d = abs(fract(g - 0.5) - 0.5);
  vec2 a = (1.0 - smoothstep(w * width * 0.5, w * (width * 0.5 + 1.0), d)) * (1.0 - smoothstep(0.12, 0.6, w));
  return max(a.x, a.y);
}
`;
const SHADERS = {
  solid: [GLSL_HEAD + GLSL_ROTATE + `
layout(location=0) in vec3 normal; layout(location=1) in vec3 octant;
layout(location=2) in vec4 place; layout(location=3) in vec4 quat; layout(location=4) in vec4 core; layout(location=5) in vec4 tint;
uniform mat4 view; out vec3 p; out vec3 n; out vec4 colour;
void main() {
  p = place.xyz + turn(quat, octant * core.xyz + normal * place.w);
  n = turn(quat, normal); colour = tint;
  gl_Position = view * vec4(p, 1.0);
}`, GLSL_HEAD + GLSL_LIGHT + `
in vec3 p; in vec3 n; in vec4 colour; uniform vec3 grid; out vec4 o;
void main() {
  vec3 N = normalize(n), c = colour.rgb;
  float line = gridLine(p.xy, 1.2);
  if (colour.a < 0.5 && N.z > 0.7) c = mix(c, grid, 0.45 * line);
  o = display(fade(colour.a < 0.5 ? earth(c, p, N) : shade(c, p, N, colour.a), p));
}`],
  depth: [GLSL_HEAD + GLSL_ROTATE + `
layout(location=0) in vec3 normal; layout(location=1) in vec3 octant;
layout(location=2) in vec4 place; layout(location=3) in vec4 quat; layout(location=4) in vec4 core;
uniform mat4 view;
void main() { gl_Position = view * vec4(place.xyz + turn(quat, octant * core.xyz + normal * place.w), 1.0); }`, GLSL_HEAD + `
void main() {}`],
  ground: [GLSL_HEAD + `
layout(location=0) in vec3 at; layout(location=1) in vec3 normal; layout(location=2) in vec2 uv;
uniform mat4 view; out vec3 p; out vec3 n; out vec2 g;
void main() { p = at; n = normal; g = uv; gl_Position = view * vec4(at, 1.0); }`, GLSL_HEAD + GLSL_LIGHT + `
in vec3 p; in vec3 n; in vec2 g; uniform vec3 ground, grid; out vec4 o;
void main() {
  vec3 N = normalize(n), c = mix(ground, grid, 0.35 * gridLine(g * 4.0, 1.0));
  c = mix(c, grid, 0.75 * gridLine(g, 1.3));
  o = display(fade(earth(c, p, N), p));
}`],
  plain: [GLSL_HEAD + `
layout(location=0) in vec3 at; uniform mat4 view; void main() { gl_Position = view * vec4(at, 1.0); }`, GLSL_HEAD + `
uniform vec4 tint; out vec4 o; void main() { o = tint; }`],
  arrow: [GLSL_HEAD + `
layout(location=0) in vec4 ring; layout(location=1) in vec2 head; layout(location=2) in vec4 from; layout(location=3) in vec4 along; layout(location=4) in vec4 tint;
uniform mat4 view; out vec3 n; out vec3 p; out vec3 colour;
void main() {
  float size = length(along.xyz); vec3 z = along.xyz / max(size, 1e-6);
  vec3 x = normalize(abs(z.x) < 0.9 ? cross(z, vec3(1, 0, 0)) : cross(z, vec3(0, 1, 0))), y = cross(z, x);
  float r = from.w * min(1.0, size / (7.0 * from.w)), tip = 6.5 * r, shaft = max(size - tip, 0.0);
  vec3 out_ = x * ring.x + y * ring.y;
  p = from.xyz + out_ * r * ring.z + z * (ring.w * shaft + head.x * tip);
  n = normalize(out_ + z * head.y); colour = tint.rgb;
  gl_Position = view * vec4(p, 1.0);
}`, GLSL_HEAD + `
in vec3 n; in vec3 p; in vec3 colour; uniform vec3 sun; uniform float alpha; out vec4 o;
void main() { float d = 0.72 + 0.28 * dot(normalize(n), sun); o = vec4(pow(colour * d, vec3(1.0 / 2.2)) * alpha, alpha); }`],
};

const SUN = unit([-0.42, -0.5, 1]);
const SHADOW_SIZE = 1024;

class GLView {
  // Throws when there is no WebGL2.
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("no WebGL2");
    this.kind = "webgl2";
    this.gl = gl;
    this.canvas = canvas;
    this.program = Object.fromEntries(Object.entries(SHADERS).map(([name, source]) => [name, this.build(...source)]));
    this.solid = this.mesh(roundedMesh(7), [3, 3], [4, 4, 4, 4]);
    this.arrow = this.mesh(arrowMesh(18), [4, 2], [4, 4, 4]);
    this.loose = this.mesh({ vertices: new Float32Array(0), indices: new Uint16Array(0), size: 3 }, [3], []);
    this.makeShadow();
    this.grounds = null;
  }

  build(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const u = gl.getActiveUniform(program, i);
      uniforms[u.name] = { at: gl.getUniformLocation(program, u.name), type: u.type };
    }
    return { program, uniforms };
  }

  // Vertex attributes of the given sizes, then instance attributes.
  mesh(data, vertexSizes, instanceSizes) {
    const gl = this.gl, array = gl.createVertexArray(), buffers = [gl.createBuffer(), gl.createBuffer()], index = gl.createBuffer();
    gl.bindVertexArray(array);
    let location = 0;
    [vertexSizes, instanceSizes].forEach((sizes, which) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[which]);
      const stride = 4 * sizes.reduce((a, b) => a + b, 0);
      let offset = 0;
      for (const size of sizes) {
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride, offset);
        gl.vertexAttribDivisor(location++, which);
        offset += 4 * size;
      }
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[0]);
    gl.bufferData(gl.ARRAY_BUFFER, data.vertices, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, index);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, data.indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, vertices: buffers[0], instances: buffers[1], index, count: data.indices.length };
  }

  makeShadow() {
    const gl = this.gl;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]])
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    gl.readBuffer(gl.NONE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  use(name, values) {
    const gl = this.gl, { program, uniforms } = this.program[name];
    gl.useProgram(program);
    for (const [key, value] of Object.entries(values)) {
      const u = uniforms[key];
      if (!u) continue;
      if (u.type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(u.at, false, value);
      else if (u.type === gl.FLOAT_VEC4) gl.uniform4fv(u.at, value);
      else if (u.type === gl.FLOAT_VEC3) gl.uniform3fv(u.at, value);
      else if (u.type === gl.FLOAT) gl.uniform1f(u.at, value);
      else gl.uniform1i(u.at, value);
    }
  }

  // A solid as 16 numbers: centre, radius; quaternion xyzw; core half extents, -; colour, gloss.
  static instance(s, gloss) {
    if (s.hull) return [...s.p, 0, s.q[1], s.q[2], s.q[3], s.q[0], 1, 1, 1, 0, ...linear(s.colour), gloss];
    const small = Math.min(...s.size), bevel = s.type === "box" ? Math.min(0.012, 0.22 * small) : s.size[0];
    const core = s.type === "sphere" ? [0, 0, 0] : s.type === "capsule" ? [0, 0, s.size[1]] : s.size.map(x => x - bevel);
    return [...s.p, bevel, s.q[1], s.q[2], s.q[3], s.q[0], ...core, 0, ...linear(s.colour), gloss];
  }

  // A hull's faces as triangles, each with its own normal; its corners stand where the ball's octants do, so that the same shader draws it.
  hull(shape) {
    this.hulls = this.hulls || new WeakMap();
    if (this.hulls.has(shape)) return this.hulls.get(shape);
    const vertices = [], indices = [];
    for (const face of facesOf(shape)) {
      const first = vertices.length / 6;
      for (const p of face.corners) vertices.push(...face.normal, ...p);
      for (let k = 2; k < face.corners.length; k++) indices.push(first, first + k - 1, first + k);
    }
    const mesh = this.mesh({ vertices: new Float32Array(vertices), indices: new Uint16Array(indices), size: 6 }, [3, 3], [4, 4, 4, 4]);
    this.hulls.set(shape, mesh);
    return mesh;
  }

  instances(mesh, list) {
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.instances);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list.flat()), gl.DYNAMIC_DRAW);
    gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0, list.length);
  }

  // Planes as large squares around the point looked at, height fields as triangles.
  ground(moment, camera, values) {
    const gl = this.gl;
    this.groundMesh = this.groundMesh || this.mesh({ vertices: new Float32Array(0), indices: new Uint16Array(0), size: 8 }, [3, 3, 2], []);
    gl.bindVertexArray(this.groundMesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.groundMesh.vertices);
    const draw = vertices => {
      gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.DYNAMIC_DRAW);
      this.use("ground", { ...values, ground: linear(moment.palette.ground), grid: linear(moment.palette.grid) });
      gl.drawArrays(gl.TRIANGLES, 0, vertices.length / 8);
    };
    for (const plane of moment.terrain.planes) {
      const n = plane.normal, [a, b] = Math.abs(n[2]) > 0.999 ? [[1, 0, 0], [0, 1, 0]] : [unit(cross([0, 1, 0], n)), cross(n, unit(cross([0, 1, 0], n)))];
      const foot = add(camera.target, scale(plane.offset - dot(n, camera.target), n)), far = 16 * camera.reach, v = [];
      for (const [i, j] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) {
        const p = add(foot, add(scale(i * far, a), scale(j * far, b)));
        v.push(...p, ...n, dot(p, a), dot(p, b));
      }
      draw(new Float32Array(v));
    }
    if (moment.terrain.field) draw(this.fieldMesh(moment.terrain.field));
  }
  fieldMesh(f) {
    if (this.field) return this.field;
    const v = [];
    const point = (i, j) => [f.x0 + i * f.dx, f.y0 + j * f.dy, f.z[j * f.nx + i]];
    for (let j = 0; j + 1 < f.ny; j++)
      for (let i = 0; i + 1 < f.nx; i++)
        for (const t of [[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]]) {
          const p = t.map(([a, b]) => point(i + a, j + b)), n = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
          for (const x of p) v.push(...x, ...n, x[0], x[1]);
        }
    return this.field = new Float32Array(v);
  }

  // Flat things: the support polygon and the path of the COM.
  loosely(points, mode, colour, alpha, view) {
    const gl = this.gl;
    gl.bindVertexArray(this.loose.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.loose.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points.flat()), gl.DYNAMIC_DRAW);
    this.use("plain", { view, tint: [...srgb(colour).map(c => c * alpha), alpha] });
    gl.drawArrays(mode, 0, points.length);
  }

  draw(moment, camera) {
    const gl = this.gl, palette = moment.palette;
    const boxes = moment.terrain.boxes.map(b => GLView.instance({ type: "box", p: b.position, q: b.quaternion, size: b.half, colour: palette.terrain }, 0));
    const hulls = moment.solids.filter(s => s.hull), all = moment.solids.filter(s => !s.hull).map(s => GLView.instance(s, 1)).concat(boxes);
    const solids = () => {
      this.instances(this.solid, all);
      for (const s of hulls) this.instances(this.hull(s.hull), [GLView.instance(s, 1)]);
    };
    const shadowView = matMul(orthographic(2.2 * camera.reach, 0.1, 9 * camera.reach), lookAt(add(camera.target, scale(4.5 * camera.reach, SUN)), camera.target, [0, 0, 1]));
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.use("depth", { view: shadowView });
    solids();

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...srgb(palette.sky), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    const values = {
      view: camera.view, shadowView, shadowMap: 0, sun: SUN, eye: camera.eye, sky: linear(palette.sky), centre: camera.target,
      reach: camera.reach, texel: 1 / SHADOW_SIZE, night: palette === PALETTES.dark ? 1 : 0, grid: linear(palette.grid),
    };
    this.use("solid", values);
    solids();
    gl.disable(gl.CULL_FACE);
    this.ground(moment, camera, values);

    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    if (moment.support.length) {
      this.loosely(moment.support, gl.TRIANGLE_FAN, palette.support, 0.22, camera.view);
      this.loosely(moment.support, gl.LINE_LOOP, palette.support, 0.9, camera.view);
    }
    if (moment.path) this.loosely(moment.path, gl.LINE_STRIP, palette.path, 0.8, camera.view);
    gl.depthMask(true);
    if (moment.arrows.length) {
      // What a body hides of an arrow shines through it.
      const arrows = moment.arrows.map(a => [...a.from, 0.011 * camera.size, ...a.vector, 0, ...linear(a.colour), 1]);
      this.use("arrow", { ...values, alpha: 1 });
      this.instances(this.arrow, arrows);
      gl.depthFunc(gl.GREATER);
      gl.depthMask(false);
      this.use("arrow", { ...values, alpha: 0.3 });
      this.instances(this.arrow, arrows);
      gl.depthMask(true);
      gl.depthFunc(gl.LESS);
    }
    gl.disable(gl.BLEND);
    gl.bindVertexArray(null);
  }
}
