// A matrix as colours, and the steps of a schedule over it.

// data: rows, columns, row[], column[], value[], rowName, columnName, valueName, unit, names (may be empty).
// options.more(entry) adds to the facts of an entry.
function matrixView(data, options = {}) {
  const named = data.names !== undefined && data.names.length > 0;
  const left = named ? 80 : 48;  // for names of rows
  const above = 48;              // for names of columns
  const side = 440;
  const shades = 32;
  let entries = data;
  let byLoad = false;
  let transform = d3.zoomIdentity;
  let now = null;  // what is marked: a map from entry to value
  let cursor = null;  // [row, column] as placed
  let order = null;

  const nameOf = i => named ? data.names[i] : String(i);
  const canvas = make("canvas", {
    tabindex: "0", role: "application", "aria-roledescription": "matrix",
    "aria-label": `Matrix of ${countText(data.rows, data.rowName + " row")} and ${countText(data.columns, data.columnName + " column")}. ` +
      "Arrow keys go from cell to cell, plus and minus zoom, 0 shows all. A table has the same values."
  });
  const drawing = make("div", { class: "drawing" }, canvas);
  const legend = make("div", { class: "drawing" });
  const status = make("p", { class: "status", role: "status" });
  const tip = tipOf(drawing);
  const redraw = oncePerFrame(draw);
  const zoom = zoomOn(canvas, Math.max(1, Math.max(data.rows, data.columns) / 4), to => {
    transform = to;
    redraw();
  });

  // Where rows and columns stand, and which entry is where.
  function place() {
    const count = entries.row.length;
    const positions = (size, nodes) => {
      const list = Uint32Array.from({ length: size }, (_, i) => i);
      if (byLoad) {
        const load = new Float64Array(size);
        for (let e = 0; e < count; ++e) load[nodes[e]] += entries.value[e];
        list.sort((a, b) => load[b] - load[a] || a - b);
      }
      const position = new Uint32Array(size);
      list.forEach((node, at) => { position[node] = at; });
      return { list, position };
    };
    const cells = new Map();
    for (let e = 0; e < count; ++e) cells.set(entries.row[e] * data.columns + entries.column[e], e);
    let low = Infinity;
    let high = 0;
    for (let e = 0; e < count; ++e) {
      if (entries.value[e] <= 0) continue;
      low = Math.min(low, entries.value[e]);
      high = Math.max(high, entries.value[e]);
    }
    order = { rows: positions(data.rows, entries.row), columns: positions(data.columns, entries.column), cells, low, high };
    order.ofShade = Array.from({ length: shades + 1 }, () => []);
    for (let e = 0; e < count; ++e) order.ofShade[Math.round(shade(entries.value[e]) * shades)].push(e);
  }

  // 0 to 1, by the logarithm.
  function shade(value) {
    const { low, high } = order;
    if (!(value > low)) return high > low ? 0 : 0.6;
    return Math.log(value / low) / Math.log(high / low);
  }

  function geometry() {
    const width = Math.min(widthOf(drawing.parentElement), side + left);
    const longest = Math.max(data.rows, data.columns, 1);
    const cell = (width - left) / longest;
    const height = above + Math.max(cell * data.rows, 1);
    return { width, height, cell: cell * transform.k,
      x: column => transform.x + transform.k * (left + column * cell),
      y: row => transform.y + transform.k * (above + row * cell) };
  }

  function draw() {
    if (!order) place();
    const theme = colours();
    const g = geometry();
    // On paper nothing can be stepped through: there the matrix holds all steps.
    const marked = printing ? null : now;
    if (!printing) zoom.setArea(left, above, g.width, g.height);
    const context = prepare(canvas, g.width, g.height);
    context.fillStyle = theme.page;
    context.fillRect(0, 0, g.width, g.height);
    context.save();
    context.beginPath();
    context.rect(left, above, g.width - left, g.height - above);
    context.clip();
    context.fillStyle = theme.faint;
    context.fillRect(g.x(0), g.y(0), g.cell * data.columns, g.cell * data.rows);
    const gap = g.cell >= 6 ? 0.5 : 0;
    const size = Math.max(g.cell - 2 * gap, 0.75);
    const firstX = g.x(0) + gap;
    const firstY = g.y(0) + gap;
    const xOf = e => firstX + order.columns.position[entries.column[e]] * g.cell;
    const yOf = e => firstY + order.rows.position[entries.row[e]] * g.cell;
    if (marked) context.globalAlpha = 0.3;
    order.ofShade.forEach((list, s) => {
      context.fillStyle = theme.heat(s / shades);
      for (const e of list) {
        const x = xOf(e);
        const y = yOf(e);
        if (x > g.width || y > g.height || x + size < left || y + size < above) continue;
        context.fillRect(x, y, size, size);
      }
    });
    context.globalAlpha = 1;
    if (marked) {
      const least = 3;  // pixels, so that it is seen in any matrix
      for (const e of marked.keys()) {
        const grown = Math.max(size, least);
        context.fillStyle = theme.mark;
        context.fillRect(xOf(e) - (grown - size) / 2, yOf(e) - (grown - size) / 2, grown, grown);
      }
      context.fillStyle = readableOn(theme.mark);
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.font = "11px system-ui, sans-serif";
      for (const [e, value] of marked) {
        const label = quantityText(value, data.unit);
        if (size >= 7 * label.length + 4 && size >= 12) context.fillText(label, xOf(e) + size / 2, yOf(e) + size / 2);
      }
    }
    if (cursor) {
      context.strokeStyle = theme.ink;
      context.lineWidth = 2;
      context.strokeRect(g.x(cursor[1]) + 1, g.y(cursor[0]) + 1, Math.max(g.cell - 2, 2), Math.max(g.cell - 2, 2));
    }
    context.restore();
    drawNames(context, theme, g);
    drawLegend(theme);
  }

  function drawNames(context, theme, g) {
    context.fillStyle = theme.ink;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const fit = text => {
      const letters = [...text];
      const fits = count => context.measureText(letters.slice(0, count).join("") + "…").width <= left - 9;
      if (!named || context.measureText(text).width <= left - 9) return text;
      return letters.slice(0, d3.range(letters.length).findLast(fits) ?? 0).join("") + "…";
    };
    const widest = named ? d3.max(data.names, name => context.measureText(fit(name)).width) : 20;
    const every = Math.ceil((widest + 6) / g.cell);
    for (let r = 0; r < data.rows; r += Math.ceil(14 / g.cell)) {
      const y = g.y(r) + g.cell / 2;
      if (y < above || y > g.height) continue;
      context.textAlign = "right";
      context.fillText(fit(nameOf(order.rows.list[r])), left - 5, y);
    }
    for (let c = 0; c < data.columns; c += every) {
      const x = g.x(c) + g.cell / 2;
      const name = fit(nameOf(order.columns.list[c]));
      if (x < left || x + context.measureText(name).width / 2 > g.width) continue;
      context.textAlign = "center";
      context.fillText(name, x, above - 9);
    }
    context.textAlign = "left";
    context.fillText(`${data.rowName} ↓  ${data.columnName} →`, 2, 10);
  }

  function drawLegend(theme) {
    const { low, high } = order;
    if (!(high > 0)) {
      legend.replaceChildren("Nothing in it.");
      return;
    }
    const svg = d3.create("svg").attr("width", 190).attr("height", 44).attr("role", "img")
      .attr("aria-label", `Colours from ${quantityText(low, data.unit)} to ${quantityText(high, data.unit)}, logarithmic`);
    const steps = 30;
    svg.selectAll("rect").data(d3.range(high > low ? steps : 1)).join("rect").attr("x", i => 1 + i * 6).attr("y", 18)
      .attr("width", high > low ? 6.5 : 20).attr("height", 10)
      .attr("fill", i => theme.heat(high > low ? i / (steps - 1) : shade(high)));
    const labels = high > low ? [low, high] : [high];
    svg.selectAll("text").data(labels).join("text").attr("x", (_, i) => i === 0 ? 1 : 181).attr("y", 41)
      .attr("text-anchor", (_, i) => i === 0 ? "start" : "end").text(value => quantityText(value, data.unit));
    svg.append("text").attr("x", 1).attr("y", 12).text(data.valueName + (high > low ? ", logarithmic" : ""));
    legend.replaceChildren(svg.node());
  }

  function factsAt(row, column) {
    const r = order.rows.list[row];
    const c = order.columns.list[column];
    const e = order.cells.get(r * data.columns + c);
    const pair = `${data.rowName} ${nameOf(r)}, ${data.columnName} ${nameOf(c)}: `;
    if (e === undefined) return pair + "nothing";
    return pair + `${data.valueName} ${quantityText(entries.value[e], data.unit)}` +
      (now && now.has(e) ? `, ${quantityText(now.get(e), data.unit)} of it in this step` : "") +
      (options.more ? options.more(e) : "");
  }
  canvas.addEventListener("mousemove", event => {
    const box = canvas.getBoundingClientRect();
    const g = geometry();
    const column = Math.floor((event.clientX - box.left - g.x(0)) / g.cell);
    const row = Math.floor((event.clientY - box.top - g.y(0)) / g.cell);
    const inside = order && row >= 0 && column >= 0 && row < data.rows && column < data.columns &&
      event.clientX - box.left >= left && event.clientY - box.top >= above;
    if (inside) tip.show(event, factsAt(row, column));
    else tip.hide();
  });
  canvas.addEventListener("mouseleave", () => tip.hide());
  canvas.addEventListener("keydown", event => {
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    if (zoom.key(event)) {
      event.preventDefault();
      return;
    }
    const move = moves[event.key];
    if (!move || data.rows === 0 || data.columns === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    cursor = cursor === null ? [0, 0] : [Math.min(Math.max(cursor[0] + move[0], 0), data.rows - 1), Math.min(Math.max(cursor[1] + move[1], 0), data.columns - 1)];
    status.textContent = factsAt(...cursor);
    const g = geometry();
    if (g.x(cursor[1]) < left || g.x(cursor[1]) + g.cell > g.width || g.y(cursor[0]) < above || g.y(cursor[0]) + g.cell > g.height) {
      const cell = g.cell / transform.k;
      zoom.to(left + (cursor[1] + 0.5) * cell, above + (cursor[0] + 0.5) * cell);
    }
    redraw();
  });

  const controls = make("div", { class: "controls", role: "group", "aria-label": data.title }, ...zoom.buttons);
  // A load is a sum of sizes: of latencies there is none.
  if (!named)
    controls.prepend(choice("Order", [["number", "by number"], ["load", "by load"]], value => {
      byLoad = value === "load";
      order = null;
      cursor = null;
      redraw();
    }));
  const element = make("figure", {}, make("h3", {}, data.title), controls,
    make("div", { class: "beside" }, drawing, legend), status);
  keepDrawn(element, draw);
  return {
    element,
    controls,
    setMarked(map) {
      now = map;
      redraw();
    },
    setEntries(changed) {
      entries = changed;
      order = null;
      redraw();
    }
  };
}

// The sums of the transfers that are shown, by pair, and which of them each step has.
function entriesOf(model) {
  const { data } = model;
  const list = model.shown || Uint32Array.from({ length: model.count }, (_, i) => i);
  const entry = new Map();
  const result = { row: [], column: [], value: [], pieces: [], steps: new Map() };
  for (const i of list) {
    const key = data.from[i] * data.receivers + data.to[i];
    let e = entry.get(key);
    if (e === undefined) {
      e = result.row.length;
      entry.set(key, e);
      result.row.push(data.from[i]);
      result.column.push(data.to[i]);
      result.value.push(0);
      result.pieces.push(0);
    }
    result.value[e] += model.size(i);
    ++result.pieces[e];
    let step = result.steps.get(data.step[i]);
    if (!step) {
      step = { map: new Map(), count: 0, duration: 0, start: Infinity, end: 0 };
      result.steps.set(data.step[i], step);
    }
    step.map.set(e, (step.map.get(e) || 0) + model.size(i));
    ++step.count;
    step.duration = Math.max(step.duration, model.size(i));
    step.start = Math.min(step.start, data.start[i]);
    step.end = Math.max(step.end, data.end[i]);
  }
  return result;
}

// A slider over the steps of a schedule that shows each in the matrix, and calls setBand with its time.
function stepsView(model, setBand) {
  const { data } = model;
  let entries = entriesOf(model);
  let last = 0;
  for (const step of data.step) last = Math.max(last, step);
  const view = matrixView({
    title: "What each step sends: its matching over the matrix", rowName: "sender", columnName: "receiver", valueName: "sum of sizes",
    unit: data.sizeUnit, rows: data.senders, columns: data.receivers, ...entries
  }, { more: e => entries.pieces[e] > 1 ? `, in ${entries.pieces[e]} pieces` : "" });
  const text = make("span", { role: "status" });
  const slider = make("input", { type: "range", min: "0", max: String(last), value: "0", oninput: show });
  const button = (name, by) => make("button", { type: "button", onclick: () => {
    slider.value = String(Number(slider.value) + by);
    show();
  } }, name);
  const marks = make("input", { type: "checkbox", checked: true, onchange: show });
  function show() {
    const number = Number(slider.value);
    const step = entries.steps.get(number);
    const facts = !step ? "no transfers"
      : `${countText(step.count, "transfer")}, duration ${quantityText(step.duration, data.sizeUnit)}, from ` +
        `${quantityText(step.start, data.unit)} to ${quantityText(step.end, data.unit)}`;
    slider.setAttribute("aria-valuetext", `step ${number}: ${facts}`);
    slider.disabled = !marks.checked;
    text.textContent = marks.checked ? `Step ${number} of 0 to ${last}: ${facts}` : "All steps";
    view.setMarked(marks.checked ? (step ? step.map : new Map()) : null);
    setBand(marks.checked && step ? [step.start, step.end] : null);
  }
  view.controls.before(make("div", { class: "controls", role: "group", "aria-label": "Steps" },
    labelled("Step", slider), button("Previous step", -1), button("Next step", 1),
    make("label", {}, marks, "mark the step"), text));
  model.onFilter(() => {
    entries = entriesOf(model);
    view.setEntries(entries);
    show();
  });
  show();
  return view.element;
}
