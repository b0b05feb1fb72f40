// Weights over training. Everything drawn is a function of the time; see moving_weights.py for the data.

function drawBars(canvas, panel, s) {
  const [pen, width, height] = fitted(canvas, 0.45), theme = themed(), n = panel.inputs;
  const left = 30, top = 6, cell = (width - left) / n, middle = height / 2, reach = middle - top;
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = theme.soft;
  pen.textAlign = "right";
  pen.fillText(panel.scale.toFixed(2), left - 4, top + 8);
  pen.fillText("0", left - 4, middle + 4);
  pen.fillText((-panel.scale).toFixed(2), left - 4, height - top);
  pen.fillStyle = theme.line;
  pen.fillRect(left, middle, width - left, 1);
  for (let i = 0; i < n; i++) {
    const size = (reach * panel.values[s * n + i]) / 127;
    pen.fillStyle = panel.relevant.includes(i) ? COLOURS.after : theme.soft;
    pen.fillRect(left + i * cell + 0.5, middle - Math.max(size, 0), Math.max(cell - 1, 1), Math.abs(size) || 0.5);
  }
}

// Axes of a curve over the steps; returns the pen and the two scales.
function ruled(canvas, panel, unit, ratio, low, high, marks, last) {
  const [pen, width, height] = fitted(canvas, ratio), theme = themed(), end = panel.times[panel.times.length - 1] || 1;
  const left = 30, bottom = last ? 16 : 6;
  const x = (s) => left + ((width - left - 6) * panel.times[s]) / end;
  const y = (v) => 6 + (height - 6 - bottom) * (1 - (v - low) / (high - low));
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = theme.soft;
  for (const v of marks) {
    pen.fillStyle = theme.line;
    pen.fillRect(left, y(v), width - left, 1);
    pen.fillStyle = theme.soft;
    pen.textAlign = "right";
    pen.fillText(String(v), left - 4, y(v) + 4);
  }
  if (last) {
    pen.textAlign = "left";
    pen.fillText(`${unit} ${panel.times[0]}`, left, height - 2);
    pen.textAlign = "right";
    pen.fillText(end.toLocaleString("en"), width - 6, height - 2);
  }
  return [pen, x, y, theme, height - bottom];
}

function line(pen, count, x, y, value) {
  pen.beginPath();
  for (let s = 0; s < count; s++) pen.lineTo(x(s), y(value(s)));
  pen.stroke();
}

function cursor(pen, at, bottom, theme) {
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(at, 2);
  pen.lineTo(at, bottom);
  pen.stroke();
}

function drawAccuracy(canvas, panel, unit, s) {
  const [pen, x, y, theme, bottom] = ruled(canvas, panel, unit, 0.22, 0.4, 1, [0.5, 1], false);
  pen.strokeStyle = COLOURS.previous;
  pen.lineWidth = 2;
  line(pen, panel.times.length, x, y, (j) => panel.accuracy[j]);
  pen.fillStyle = theme.soft;
  pen.textAlign = "left";
  pen.fillText("accuracy", x(0) + 4, 14);
  cursor(pen, x(s), bottom, theme);
}

function drawLines(canvas, panel, unit, s) {
  const high = panel.scale, n = panel.inputs;
  const [pen, x, y, theme, bottom] = ruled(canvas, panel, unit, 0.4, -high, high, [0], true);
  const order = [...Array(n).keys()].sort((a, b) => panel.relevant.includes(a) - panel.relevant.includes(b));
  for (const i of order) {
    const matters = panel.relevant.includes(i);
    pen.strokeStyle = matters ? COLOURS.after : theme.soft;
    pen.globalAlpha = matters ? 1 : 0.3;
    pen.lineWidth = matters ? 2 : 0.7;
    line(pen, panel.times.length, x, y, (j) => (panel.values[j * n + i] * high) / 127);
  }
  pen.globalAlpha = 1;
  pen.fillStyle = theme.soft;
  pen.textAlign = "left";
  pen.fillText("weights", x(0) + 4, 14);
  cursor(pen, x(s), bottom, theme);
}

function weights(root) {
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  for (const panel of data.panels) panel.values = new Int8Array(bytes(panel.weights).buffer);
  const time = root.querySelector(".time");

  function draw() {
    const s = Number(time.value), find = (name, i) => root.querySelector(`.${name}[data-panel="${i}"]`);
    data.panels.forEach((panel, i) => {
      drawBars(find("bars", i), panel, s);
      drawAccuracy(find("curve", i), panel, data.unit, s);
      drawLines(find("lines", i), panel, data.unit, s);
      const percent = Math.round(100 * panel.accuracy[s]);
      find("said", i).textContent =
        `${data.unit} ${panel.times[s].toLocaleString("en")}: accuracy ${percent} %, relevant weights at least ` +
        `${panel.inside[s].toFixed(2)}, all others at most ${panel.outside[s].toFixed(2)}.`;
    });
    time.setAttribute("aria-valuetext", `${data.unit} ${data.panels[0].times[s].toLocaleString("en")}`);
  }

  player(root, data.panels[0].times.length, draw);
}

for (const root of document.querySelectorAll(".motion[data-kind='weights']")) weights(root);
