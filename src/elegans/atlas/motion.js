"use strict";
// Attention over training, and what all that moves has in common: colours, canvases, the player of times.
// Everything drawn is a function of (time, row, two checkboxes); see motion.py for the data.

const COLOURS = { previous: "#e69f00", after: "#009e73" };

function bytes(coded) {
  return Uint8Array.from(atob(coded), (c) => c.charCodeAt(0));
}

function themed() {
  const style = getComputedStyle(document.documentElement);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const value = (name) => style.getPropertyValue(name).trim();
  return { ink: value("--ink"), soft: value("--soft"), line: value("--line"), card: value("--card"),
    full: dark ? [124, 196, 240] : [0, 76, 122], none: dark ? [27, 33, 37] : [255, 255, 255] };
}

function shade(theme, q) {
  const mix = theme.none.map((a, c) => Math.round(a + ((theme.full[c] - a) * q) / 255));
  return `rgb(${mix.join(",")})`;
}

function fitted(canvas, ratio) {
  const width = canvas.clientWidth, height = Math.round(width * ratio), dense = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * dense);
  canvas.height = Math.round(height * dense);
  const pen = canvas.getContext("2d");
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  return [pen, width, height];
}

function drawMap(canvas, data, layer, state) {
  const t = data.tokens.length, theme = themed();
  const [pen, width] = fitted(canvas, (t + 3.2) / (t + 1));
  const cell = width / (t + 1), base = state.time * t * t;
  const q = (i, j) => layer.shades[base + i * t + j];
  pen.font = `${Math.min(13, cell * 0.85)}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let i = 0; i < t; i++) {
    pen.fillStyle = i === state.row ? theme.ink : theme.soft;
    pen.fillText(data.tokens[i], cell / 2, (i + 1.5) * cell);
    pen.fillStyle = theme.soft;
    pen.fillText(data.tokens[i], (i + 1.5) * cell, cell / 2);
    for (let j = 0; j <= i; j++) {
      pen.fillStyle = shade(theme, q(i, j));
      pen.fillRect((j + 1) * cell, (i + 1) * cell, cell - 0.5, cell - 0.5);
    }
  }
  outline(pen, data, layer, state, cell, (i) => (i + 1) * cell);
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 1.5;
  pen.strokeRect(cell, (state.row + 1) * cell, (state.row + 1) * cell, cell);
  const strip = (t + 1.9) * cell;
  for (let j = 0; j <= state.row; j++) {
    const level = q(state.row, j);
    pen.fillStyle = shade(theme, level);
    pen.fillRect((j + 1) * cell, strip, cell - 0.5, cell * 1.2);
    pen.fillStyle = level > 140 ? theme.card : theme.ink;
    pen.fillText(data.tokens[j], (j + 1.5) * cell, strip + cell * 0.62);
  }
  const one = { ...state, only: state.row };
  outline(pen, data, layer, one, cell, () => strip, cell * 1.2);
}

function outline(pen, data, layer, state, cell, y, height = cell) {
  const kind = layer.outline;
  if (!state[kind]) return;
  pen.strokeStyle = COLOURS[kind];
  for (let i = 0; i < data.tokens.length; i++) {
    if (state.only !== undefined && i !== state.only) continue;
    const strong = kind === "previous" || i === state.row;
    pen.lineWidth = strong ? 2 : 1;
    pen.globalAlpha = strong ? 1 : 0.45;
    for (let j = 0; j <= i; j++) {
      const marked = kind === "previous" ? j === i - 1 : data.after[i][j];
      if (marked) pen.strokeRect((j + 1) * cell + 1, y(i) + 1, cell - 2.5, height - 2.5);
    }
  }
  pen.globalAlpha = 1;
}

function drawCurve(canvas, data, layer, state) {
  const [pen, width, height] = fitted(canvas, 0.3), theme = themed(), last = Math.max(data.times.length - 1, 1);
  const left = 26, x = (s) => left + ((width - left - 6) * s) / last, y = (v) => 6 + (height - 22) * (1 - v);
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = theme.soft;
  pen.strokeStyle = theme.line;
  for (const v of [0, 0.5, 1]) {
    pen.beginPath();
    pen.moveTo(left, y(v));
    pen.lineTo(width, y(v));
    pen.stroke();
    pen.textAlign = "right";
    pen.fillText(String(v), left - 5, y(v) + 4);
  }
  for (const kind of ["previous", "after"]) {
    pen.strokeStyle = COLOURS[kind];
    pen.lineWidth = kind === layer.outline ? 2.5 : 1.2;
    pen.setLineDash(kind === "previous" ? [] : [6, 3]);
    pen.beginPath();
    layer[kind].forEach((v, s) => (s ? pen.lineTo(x(s), y(v)) : pen.moveTo(x(s), y(v))));
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.lineWidth = 1;
  pen.strokeStyle = theme.ink;
  pen.beginPath();
  pen.moveTo(x(state.time), 2);
  pen.lineTo(x(state.time), height - 14);
  pen.stroke();
  pen.textAlign = "left";
  pen.fillText(`${data.unit} ${data.times[0]}`, left, height - 2);
  pen.textAlign = "right";
  pen.fillText(data.times[data.times.length - 1].toLocaleString("en"), width - 6, height - 2);
}

// Play, pause and drag through the times; `draw` reads the controls and paints.
function player(root, times, draw) {
  const time = root.querySelector(".time"), play = root.querySelector(".play");
  let timer = 0;

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function toggle() {
    if (timer) return stop();
    if (Number(time.value) >= times - 1) time.value = 0;
    play.textContent = "Pause";
    timer = setInterval(() => {
      time.value = Number(time.value) + 1;
      draw();
      if (Number(time.value) >= times - 1) stop();
    }, Math.max(40, Math.min(400, 9000 / times)));
  }

  play.addEventListener("click", toggle);
  time.addEventListener("pointerdown", stop);
  for (const input of root.querySelectorAll("input")) input.addEventListener("input", draw);
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches && !location.hash.includes("still")) toggle();
}

function attention(root) {
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  for (const layer of data.layers) layer.shades = bytes(layer.maps);
  const find = (name) => root.querySelector(name), time = find(".time"), row = find(".row");

  function draw() {
    const state = { time: Number(time.value), row: Number(row.value),
      previous: find(".show-previous").checked, after: find(".show-after").checked };
    const when = `${data.unit} ${data.times[state.time].toLocaleString("en")}`;
    find(".now").textContent = when;
    time.setAttribute("aria-valuetext", when);
    find(".which").textContent = `Position ${state.row + 1}, token ${data.tokens[state.row]}, looks at`;
    row.setAttribute("aria-valuetext", `position ${state.row + 1}, token ${data.tokens[state.row]}`);
    data.layers.forEach((layer, i) => {
      drawMap(find(`.map[data-layer="${i}"]`), data, layer, state);
      drawCurve(find(`.curve[data-layer="${i}"]`), data, layer, state);
      const share = (kind) => `${Math.round(100 * layer[kind][state.time])} %`;
      find(`.said[data-layer="${i}"]`).textContent =
        `On average ${share("previous")} on the previous token, ${share("after")} on tokens after the same token.`;
    });
  }

  for (const map of root.querySelectorAll(".map")) {
    map.addEventListener("click", (event) => {
      const at = Math.floor((event.offsetY / map.clientWidth) * (data.tokens.length + 1)) - 1;
      if (at >= 0 && at < data.tokens.length) row.value = at;
      draw();
    });
  }
  player(root, data.times.length, draw);
}

for (const root of document.querySelectorAll(".motion[data-kind='attention']")) attention(root);
