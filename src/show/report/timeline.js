// When transfers run: what is known of each, which of them are shown, and a row for each node over time.

// The transfers of a timeline, with those that pass the filter.
function transferModel(data) {
  const scale = 10 ** data.decimals;
  const listeners = [];
  return {
    data,
    count: data.from.length,
    free: data.free || data.end,
    taken: data.taken || data.start,
    shown: null,  // null: all
    names: data.same ? [data.node, data.node] : ["sender", "receiver"],
    size: i => data.size[i] / scale,
    // Where it begins in its message; null if the file does not say.
    offset: i => data.offset[i] < 0 ? null : data.offset[i] / scale,
    facts(i) {
      const parts = [`${data.from[i]} to ${data.to[i]}`];
      if (data.size) parts.push("size " + quantityText(this.size(i), data.sizeUnit));
      if (data.offset && data.offset[i] >= 0) parts.push("offset " + quantityText(this.offset(i), data.sizeUnit));
      if (data.step) parts.push("step " + data.step[i]);
      parts.push(`from ${quantityText(data.start[i], data.unit)} to ${quantityText(data.end[i], data.unit)}`,
        "takes " + quantityText(data.end[i] - data.start[i], data.unit));
      return parts.join(", ");
    },
    onFilter(listener) {
      listeners.push(listener);
    },
    // test(rank), or null for all; role: "any", "from" or "to".
    filter(test, role) {
      if (test === null) {
        this.shown = null;
      } else {
        const passing = [];
        for (let i = 0; i < this.count; ++i)
          if ((role !== "to" && test(data.from[i])) || (role !== "from" && test(data.to[i]))) passing.push(i);
        this.shown = Uint32Array.from(passing);
      }
      for (const listener of listeners) listener();
    }
  };
}

// What picks transfers by their ranks.
function filterControls(model) {
  const id = newId();
  const [one, other] = model.names;
  const status = make("span", { role: "status", id });
  const input = make("input", { type: "text", size: "14", placeholder: "such as 0, 4-7", "aria-describedby": id, oninput: apply });
  const role = make("select", { onchange: apply },
    make("option", { value: "any" }, model.data.same ? "sends or receives" : "sender or receiver"),
    make("option", { value: "from" }, model.data.same ? "sends" : one),
    make("option", { value: "to" }, model.data.same ? "receives" : other));
  function apply() {
    try {
      const test = parseRanks(input.value);
      input.removeAttribute("aria-invalid");
      status.className = "";
      model.filter(test, role.value);
      status.textContent = model.shown === null ? "" : `${model.shown.length} of ${countText(model.count, "transfer")}`;
    } catch (error) {
      input.setAttribute("aria-invalid", "true");
      status.className = "problem";
      status.textContent = error.message;
    }
  }
  return make("div", { class: "controls", role: "group", "aria-label": "Filter of all that follows in this section" },
    labelled("Only ranks", input), labelled("that are", role),
    make("button", { type: "button", onclick: () => { input.value = ""; apply(); } }, "All ranks"), status);
}

// The unit that reads best on an axis of seconds up to `most`.
function axisUnit(unit, most) {
  if (unit !== "s") return { factor: 1, name: "" };
  if (most >= 1) return { factor: 1, name: "s" };
  if (most >= 1e-3) return { factor: 1e3, name: "ms" };
  return most >= 1e-6 ? { factor: 1e6, name: "us" } : { factor: 1e9, name: "ns" };
}

// The text colour that can be read on a fill.
function readableOn(fill) {
  return d3.lab(fill).l > 52 ? "#1a1a1a" : "#ffffff";
}

// Rows of nodes, time to the right. setBand(start, end) marks a time, or none without arguments.
function ganttView(model) {
  const { data } = model;
  const gutter = 64;
  const most = 420;  // pixels of rows that are seen at once
  const both = data.same;
  let side = "from";
  let rowHeight = 0;
  let band = null;
  let transform = d3.zoomIdentity;
  let bars = null;
  let cursor = -1;

  const canvas = make("canvas", {
    tabindex: "0", role: "application", "aria-roledescription": "timeline",
    "aria-label": `Timeline of ${countText(model.count, "transfer")}. Arrow keys go from transfer to transfer, ` +
      "plus and minus zoom, 0 shows all. The table of transfers below has the same facts."
  });
  const svg = d3.create("svg").attr("aria-hidden", "true");
  const spacer = make("div", {}, canvas);
  const scroller = make("div", { class: "scroller" }, spacer);
  const drawing = make("div", { class: "drawing" }, svg.node(), scroller);
  const status = make("p", { class: "status", role: "status" });
  const tip = tipOf(drawing);
  const redraw = oncePerFrame(draw);
  const zoom = zoomOn(canvas, 1e6, to => {
    transform = to;
    redraw();
  });

  // Every transfer as a bar of its sender's row, its receiver's, or both; in order of row, half, lane and start.
  function build() {
    const list = model.shown || Uint32Array.from({ length: model.count }, (_, i) => i);
    const halves = both ? ["from", "to"] : [side];
    const count = list.length * halves.length;
    const nodes = side === "from" || both ? data.senders : data.receivers;
    const seen = new Map();
    const transfer = new Uint32Array(count);
    const node = new Uint32Array(count);
    const half = new Uint8Array(count);
    let at = 0;
    halves.forEach((name, h) => {
      for (const i of list) {
        transfer[at] = i;
        node[at] = data[name][i];
        half[at] = h;
        seen.set(node[at], 0);
        ++at;
      }
    });
    const mostIdle = 4096;  // beyond, rows of nodes that do nothing are left out
    const rows = model.shown === null && nodes <= mostIdle ? Array.from({ length: nodes }, (_, i) => i)
      : [...seen.keys()].sort((a, b) => a - b);
    const rowOf = new Map(rows.map((each, r) => [each, r]));
    const lanes = [data.sendLane, data.takeLane];
    const starts = [data.start, model.taken];
    const sideOf = b => halves[half[b]] === "from" ? 0 : 1;
    const laneOf = b => lanes[sideOf(b)] ? lanes[sideOf(b)][transfer[b]] : 0;
    const startOf = b => starts[sideOf(b)][transfer[b]];
    const order = Uint32Array.from({ length: count }, (_, b) => b).sort((a, b) =>
      node[a] - node[b] || half[a] - half[b] || laneOf(a) - laneOf(b) || startOf(a) - startOf(b));
    const result = {
      rows, count, transfer: new Uint32Array(count), row: new Uint32Array(count), half: new Uint8Array(count),
      lane: new Uint16Array(count), start: new Float64Array(count), end: new Float64Array(count),
      other: new Uint32Array(count), first: new Uint32Array(rows.length + 1),
      lanes: [new Uint16Array(rows.length).fill(1), new Uint16Array(rows.length).fill(1)]
    };
    order.forEach((b, at) => {
      const i = transfer[b];
      const receives = sideOf(b) === 1;
      const row = rowOf.get(node[b]);
      result.transfer[at] = i;
      result.row[at] = row;
      result.half[at] = half[b];
      result.lane[at] = laneOf(b);
      result.start[at] = startOf(b);
      result.end[at] = receives ? data.end[i] : model.free[i];
      result.other[at] = receives ? data.from[i] : data.to[i];
      ++result.first[row + 1];
      const lanesOfRow = result.lanes[half[b]];
      lanesOfRow[row] = Math.max(lanesOfRow[row], result.lane[at] + 1);
    });
    for (let r = 0; r < rows.length; ++r) result.first[r + 1] += result.first[r];
    bars = result;
    cursor = -1;
    status.textContent = "";
    rowHeight = Math.min(Math.max(most / Math.max(rows.length, 1), both ? 12 : 6), both ? 32 : 22);
  }

  function scales() {
    const width = widthOf(drawing);
    const x = d3.scaleLinear().domain([0, data.length || 1]).range([gutter, width - 12]);
    const height = printing ? Math.min(rowHeight, 640 / Math.max(bars.rows.length, 1)) : rowHeight;
    const all = Math.max(bars.rows.length * height, 1);
    return { width, height, all, view: printing ? all : Math.min(all, most), x: transform.rescaleX(x), top: printing ? 0 : scroller.scrollTop };
  }

  // Top and thickness of a bar in the whole of the rows.
  function placeOf(b, height) {
    const part = both ? height / 2 : height;
    const lane = part / bars.lanes[bars.half[b]][bars.row[b]];
    const gap = Math.min(1.5, lane / 6);
    return [bars.row[b] * height + bars.half[b] * part + bars.lane[b] * lane + gap, lane - 2 * gap];
  }

  function draw() {
    if (!bars) build();
    const theme = colours();
    const { width, height, all, view, x, top } = scales();
    if (!printing) zoom.setArea(gutter, 0, width - 12, view);
    spacer.style.height = all + "px";
    const context = prepare(canvas, width, view);
    context.fillStyle = theme.page;
    context.fillRect(0, 0, width, view);
    const firstRow = Math.floor(top / height);
    const lastRow = Math.min(bars.rows.length, Math.ceil((top + view) / height) + 1);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const every = Math.ceil(12 / height);
    for (let r = firstRow; r < lastRow; ++r) {
      const y = r * height - top;
      if (r % 2 === 0 && height >= 3) {
        context.fillStyle = theme.faint;
        context.fillRect(gutter, y, width - gutter, height);
      }
      if (r % every !== 0) continue;
      context.fillStyle = theme.ink;
      context.textAlign = "right";
      context.fillText(bars.rows[r], gutter - 8, y + height / 2);
    }
    context.save();
    context.beginPath();
    context.rect(gutter, 0, width - gutter, view);
    context.clip();
    if (band && !printing) {
      context.globalAlpha = 0.18;
      context.fillStyle = theme.mark;
      context.fillRect(x(band[0]), 0, Math.max(x(band[1]) - x(band[0]), 1), view);
      context.globalAlpha = 1;
    }
    drawBars(context, theme, x, height, top, firstRow, lastRow, width);
    if (cursor >= 0) {
      const [y, thick] = placeOf(cursor, height);
      context.strokeStyle = theme.ink;
      context.lineWidth = 2;
      context.strokeRect(x(bars.start[cursor]) - 1, y - top - 1, Math.max(x(bars.end[cursor]) - x(bars.start[cursor]), 1) + 2, thick + 2);
    }
    context.restore();
    drawAxis(x, width);
  }

  function drawBars(context, theme, x, height, top, firstRow, lastRow, width) {
    const colourCount = theme.series.length;
    const wide = Array.from({ length: colourCount }, () => []);
    const origin = x(0);
    const scale = x(1) - origin;
    // What is narrower than a pixel is drawn once a pixel, in grey.
    context.fillStyle = theme.merged;
    let until = -1;
    let group = -1;
    for (let b = bars.first[Math.min(firstRow, bars.rows.length)]; b < bars.first[lastRow]; ++b) {
      const from = origin + bars.start[b] * scale;
      const to = origin + bars.end[b] * scale;
      if (to < gutter || from > width) continue;
      if (to - from >= 1) {
        wide[bars.other[b] % colourCount].push(b);
        continue;
      }
      const key = bars.row[b] * 131072 + bars.half[b] * 65536 + bars.lane[b];
      const pixel = Math.floor(from);
      if (key === group && pixel <= until) continue;
      group = key;
      until = pixel;
      const [y, thick] = placeOf(b, height);
      context.fillRect(pixel, y - top, 1, thick);
    }
    for (let c = 0; c < colourCount; ++c) {
      context.fillStyle = theme.series[c];
      for (const b of wide[c]) {
        const [y, thick] = placeOf(b, height);
        const from = Math.max(origin + bars.start[b] * scale, gutter - 1);
        const to = Math.min(origin + bars.end[b] * scale, width + 1);
        const receives = both && bars.half[b] === 1;
        if (receives) context.globalAlpha = 0.55;
        context.fillRect(from, y - top, Math.max(to - from - 0.5, 0.75), thick);
        if (receives) context.globalAlpha = 1;
      }
      context.fillStyle = readableOn(theme.series[c]);
      context.textAlign = "center";
      context.font = "10px system-ui, sans-serif";
      for (const b of wide[c]) {
        const [y, thick] = placeOf(b, height);
        const from = Math.max(origin + bars.start[b] * scale, gutter);
        const to = Math.min(origin + bars.end[b] * scale, width);
        const label = String(bars.other[b]);
        if (thick < 9 || to - from < 7 * label.length + 3) continue;
        if (both && bars.half[b] === 1) context.fillStyle = theme.ink;
        context.fillText(label, (from + to) / 2, y - top + thick / 2 + 0.5);
        if (both && bars.half[b] === 1) context.fillStyle = readableOn(theme.series[c]);
      }
    }
  }

  function drawAxis(x, width) {
    const unit = axisUnit(data.unit, x.domain()[1]);
    const shown = d3.scaleLinear().domain(x.domain().map(value => value * unit.factor)).range(x.range());
    svg.attr("viewBox", `0 0 ${width} 38`).attr("width", width).attr("height", 38);
    svg.selectAll("g").data([0]).join("g").attr("transform", "translate(0, 36)")
      .call(d3.axisTop(shown).ticks(Math.max(2, Math.floor(width / 110))).tickSizeOuter(0));
    const title = `time (${data.unit === "s" ? unit.name : "unit of the file"})`;
    svg.selectAll("text.title").data([title, model.names[side === "from" ? 0 : 1]]).join("text")
      .attr("class", "title").attr("y", (_, i) => i === 0 ? 11 : 32).attr("x", (_, i) => i === 0 ? width - 12 : gutter - 8)
      .attr("text-anchor", "end").text(text => text);
  }

  // The bar at a point of the canvas, -1 where there is none.
  function barAt(px, py) {
    const { height, x, top } = scales();
    const row = Math.floor((py + top) / height);
    if (row < 0 || row >= bars.rows.length || px < gutter) return -1;
    let best = -1;
    let distance = 3;  // pixels
    for (let b = bars.first[row]; b < bars.first[row + 1]; ++b) {
      const [y, thick] = placeOf(b, height);
      if (py + top < y - 2 || py + top > y + thick + 2) continue;
      const away = Math.max(x(bars.start[b]) - px, px - x(bars.end[b]), 0);
      if (away < distance) {
        distance = away;
        best = b;
      }
    }
    return best;
  }

  canvas.addEventListener("mousemove", event => {
    const box = canvas.getBoundingClientRect();
    const b = barAt(event.clientX - box.left, event.clientY - box.top);
    if (b < 0) tip.hide();
    else tip.show(event, model.facts(bars.transfer[b]).replaceAll(", ", "\n"));
  });
  canvas.addEventListener("mouseleave", () => tip.hide());
  scroller.addEventListener("scroll", redraw);

  function select(b) {
    cursor = b;
    status.textContent = model.facts(bars.transfer[b]);
    const { height, view, x, top, width } = scales();
    const [y, thick] = placeOf(b, height);
    if (y < top) scroller.scrollTop = y - 2;
    else if (y + thick > top + view) scroller.scrollTop = y + thick - view + 2;
    if (x(bars.end[b]) < gutter || x(bars.start[b]) > width - 12) {
      const whole = d3.scaleLinear().domain([0, data.length || 1]).range([gutter, width - 12]);
      zoom.to(whole((bars.start[b] + bars.end[b]) / 2), view / 2);
    }
    redraw();
  }
  // From the bar at the cursor to the row above or below that has one, to the bar that starts nearest.
  function otherRow(step) {
    const time = bars.start[cursor];
    for (let r = bars.row[cursor] + step; r >= 0 && r < bars.rows.length; r += step) {
      let best = -1;
      for (let b = bars.first[r]; b < bars.first[r + 1]; ++b)
        if (best < 0 || Math.abs(bars.start[b] - time) < Math.abs(bars.start[best] - time)) best = b;
      if (best >= 0) return best;
    }
    return cursor;
  }
  canvas.addEventListener("keydown", event => {
    if (zoom.key(event)) {
      event.preventDefault();
      return;
    }
    if (bars.count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = cursor < 0 ? 0 : bars.row[cursor];
    const moves = {
      ArrowRight: () => Math.min(cursor + 1, bars.first[row + 1] - 1),
      ArrowLeft: () => Math.max(cursor - 1, bars.first[row]),
      ArrowDown: () => otherRow(1),
      ArrowUp: () => otherRow(-1),
      Home: () => bars.first[row],
      End: () => bars.first[row + 1] - 1
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    select(cursor < 0 ? 0 : moves[event.key]());
  });

  model.onFilter(() => {
    bars = null;
    scroller.scrollTop = 0;
    redraw();
  });
  keepDrawn(drawing, draw);

  const taller = factor => {
    rowHeight = Math.min(Math.max(rowHeight * factor, 3), 60);
    redraw();
  };
  const meaningOfBars = () => both
    ? `A row for each ${data.node}: above what it sends, below what it receives. Number and colour of a bar: the other ${data.node}.`
    : side === "from" ? "A row for each sender. Number and colour of a bar: its receiver."
      : "A row for each receiver. Number and colour of a bar: its sender.";
  const meaning = make("span", {}, meaningOfBars());
  const controls = make("div", { class: "controls", role: "group", "aria-label": "Timeline" }, ...zoom.buttons,
    make("button", { type: "button", onclick: () => taller(1.5) }, "Taller rows"),
    make("button", { type: "button", onclick: () => taller(1 / 1.5) }, "Lower rows"));
  if (!both)
    controls.prepend(choice("Rows", [["from", "senders"], ["to", "receivers"]], value => {
      side = value;
      meaning.textContent = meaningOfBars();
      bars = null;
      redraw();
    }));
  return {
    element: make("figure", {}, make("h3", {}, "When each transfer runs"), controls, drawing, status,
      make("figcaption", {}, meaning, " Grey: transfers narrower than a pixel.",
        make("span", { class: "hint" }, " Drag to move; Ctrl and the wheel zoom."))),
    setBand(range) {
      band = range;
      redraw();
    }
  };
}

// The transfers as a table.
function transferTable(model) {
  const { data } = model;
  const columns = [
    { title: data.same ? "from" : "sender", number: true, of: i => data.from[i] },
    { title: data.same ? "to" : "receiver", number: true, of: i => data.to[i] }
  ];
  if (data.size) columns.push({ title: "size", number: true, unit: data.sizeUnit, of: i => model.size(i) });
  if (data.offset) columns.push({ title: "offset", number: true, unit: data.sizeUnit, of: i => model.offset(i) });
  if (data.step) columns.push({ title: "step", number: true, of: i => data.step[i] });
  columns.push({ title: "start", number: true, unit: data.unit, of: i => data.start[i] },
    { title: "end", number: true, unit: data.unit, of: i => data.end[i] },
    { title: "takes", number: true, unit: data.unit, of: i => data.end[i] - data.start[i] });
  const table = tableView("Transfers", columns, model.count, (row, c) => columns[c].of(row));
  model.onFilter(() => table.setRows(model.shown));
  return table.element;
}
