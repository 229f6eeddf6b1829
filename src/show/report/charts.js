// Bars and curves.

function roleOfPicture(svg, text) {
  return svg.attr("role", "img").attr("aria-label", text);
}

// What was drawn before, in the colours of the page.
function pictureView(data) {
  const drawn = new DOMParser().parseFromString(data.svg, "image/svg+xml").documentElement;
  for (const own of drawn.querySelectorAll("style, .page")) own.remove();
  const svg = document.importNode(drawn, true);
  roleOfPicture(d3.select(svg), data.title);
  const scrolled = { class: "drawing drawn", role: "region", "aria-label": data.title, tabindex: "0" };
  return make("figure", {}, make("h3", {}, data.title), make("div", scrolled, svg));
}

// Ticks of a linear scale, so few that their labels do not meet.
function ticksThatFit(scale, text) {
  const length = scale.range()[1] - scale.range()[0];
  for (let most = Math.max(2, Math.floor(length / 90)); most > 1; --most) {
    const ticks = scale.ticks(most);
    const widest = 6.6 * Math.max(...ticks.map(value => text(value).length)) + 8;
    if (ticks.length * widest <= length) return ticks;
  }
  return scale.domain();
}

// Bars one below the other, each with the range that it was measured in, and a line at the bound.
function barsView(data) {
  const holder = make("div", { class: "drawing" });
  const text = value => quantityText(value, data.unit);
  function draw() {
    const theme = colours();
    const width = widthOf(holder);
    const longest = Math.max(...data.bars.map(bar => bar.name.length), 4);
    const left = Math.min(7.2 * longest + 12, width * 0.4);
    const right = 76;
    const row = 26;
    const top = data.bound > 0 ? 26 : 8;
    const bottom = top + row * data.bars.length;
    const most = Math.max(data.bound, ...data.bars.map(bar => bar.high)) || 1;
    const unit = data.unit === "s" ? axisUnit("s", most) : { factor: 1, name: data.unit };
    const x = d3.scaleLinear().domain([0, most * unit.factor]).range([left, width - right]).nice();
    const at = value => x(value * unit.factor);
    const svg = roleOfPicture(d3.create("svg").attr("width", width).attr("height", bottom + 28).attr("viewBox", `0 0 ${width} ${bottom + 28}`),
      `${data.title}. ` + data.bars.map(bar => `${bar.name} ${text(bar.value)}`).join(", ") +
      (data.bound > 0 ? `; ${data.boundName} ${text(data.bound)}` : ""));
    const textOfTick = data.unit === "B" ? bytesText : x.tickFormat();
    const ticks = ticksThatFit(x, textOfTick);
    svg.append("g").attr("class", "grid").attr("transform", `translate(0, ${bottom})`)
      .call(d3.axisBottom(x).tickValues(ticks).tickSize(top - bottom).tickFormat(""));
    svg.append("g").attr("transform", `translate(0, ${bottom})`).call(d3.axisBottom(x).tickValues(ticks).tickFormat(textOfTick));
    if (unit.name && data.unit === "s") svg.append("text").attr("x", width - 4).attr("y", bottom + 18).attr("text-anchor", "end").text(unit.name);
    const bars = svg.selectAll("g.bar").data(data.bars).join("g").attr("class", "bar")
      .attr("transform", (_, i) => `translate(0, ${top + row * i})`);
    bars.append("text").attr("x", left - 8).attr("y", row / 2 + 4).attr("text-anchor", "end")
      .text(bar => 7.2 * bar.name.length + 12 > left ? bar.name.slice(0, Math.floor((left - 12) / 7.2) - 1) + "…" : bar.name);
    bars.append("rect").attr("x", left).attr("y", 5).attr("height", row - 10)
      .attr("width", bar => Math.max(at(bar.value) - left, 0.5)).attr("fill", theme.series[0]);
    const ranged = bars.filter(bar => bar.high > bar.low);
    ranged.append("path").attr("fill", "none").attr("stroke", theme.ink).attr("stroke-width", 1.5)
      .attr("d", bar => `M${at(bar.low)} ${row / 2 - 4}v8m0 -4H${at(bar.high)}m0 -4v8`);
    bars.append("text").attr("x", bar => at(Math.max(bar.value, bar.high)) + 6).attr("y", row / 2 + 4).text(bar => text(bar.value));
    bars.append("title").text(bar => `${bar.name}: ${text(bar.value)}` +
      (bar.high > bar.low ? `, from ${text(bar.low)} to ${text(bar.high)}` : ""));
    if (data.bound > 0) {
      svg.append("path").attr("stroke", theme.mark).attr("stroke-width", 2).attr("d", `M${at(data.bound)} ${top - 6}V${bottom}`);
      const label = `${data.boundName} ${text(data.bound)}`;
      const room = width - 6.6 * label.length;
      svg.append("text").attr("x", Math.max(0, Math.min(at(data.bound), room))).attr("y", 14).text(label);
    }
    holder.replaceChildren(svg.node());
  }
  keepDrawn(holder, draw);
  return make("figure", {}, make("h3", {}, data.title), holder);
}

// Curves; both axes logarithmic where all values are above 0 and differ by a factor of 20 or more. `get` gives the data
// anew for every drawing. The pointer shows the nearest point.
function linesDrawing(get) {
  const holder = make("div", { class: "drawing" });
  const legend = make("ul", { class: "legend", "aria-label": "Curves" });
  const tip = tipOf(holder);
  let svgNode = null;
  function draw() {
    const data = get();
    const theme = colours();
    const width = widthOf(holder);
    const height = 320;
    const margin = { left: 76, right: 36, top: 22, bottom: 44 };
    const scaleOf = (index, range) => {
      const values = data.series.flatMap(series => series.points.map(point => point[index]));
      const [low, high] = values.length > 0 ? d3.extent(values) : [0, 1];
      const wide = 20;
      if (low > 0 && high / low >= wide) return d3.scaleLog().domain([low, high]).range(range);
      // Heights are compared from 0 on, places across are not.
      const from = index === 0 && high > low ? low : Math.min(low, 0);
      return d3.scaleLinear().domain([from, high > from ? high : from + 1]).range(range).nice();
    };
    const x = scaleOf(0, [margin.left, width - margin.right]);
    const y = scaleOf(1, [height - margin.bottom, margin.top]);
    const svg = roleOfPicture(d3.create("svg").attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`),
      `${data.yTitle} over ${data.xTitle}: ${data.series.map(series => series.name).join(", ")}. A table has the values.`);
    const ticksOf = (axis, scale, unit, count) => {
      const isLog = scale.base !== undefined;
      // A logarithmic axis shows the powers of ten.
      const powers = isLog ? scale.ticks().filter(value => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9) : [];
      const shown = isLog ? (powers.length >= 2 ? powers : scale.ticks(count).slice(0, 6)) : scale.ticks(count);
      const every = Math.ceil(shown.length / count);
      return axis(scale).tickValues(shown.filter((_, i) => i % every === 0)).tickFormat(value => quantityText(value, unit));
    };
    const xAxis = ticksOf(d3.axisBottom, x, data.xUnit, Math.max(2, Math.floor(width / 100)));
    const yAxis = ticksOf(d3.axisLeft, y, data.yUnit, 8);
    const grid = svg.append("g").attr("class", "grid").attr("transform", `translate(${margin.left}, 0)`);
    grid.call(d3.axisLeft(y).tickValues(yAxis.tickValues()).tickSize(margin.left + margin.right - width).tickFormat(""));
    svg.append("g").attr("transform", `translate(0, ${height - margin.bottom})`).call(xAxis);
    svg.append("g").attr("transform", `translate(${margin.left}, 0)`).call(yAxis);
    svg.append("text").attr("x", (margin.left + width) / 2).attr("y", height - 6).attr("text-anchor", "middle").text(data.xTitle);
    svg.append("text").attr("x", 2).attr("y", 12).text(data.yTitle);
    const colour = i => theme.series[i % theme.series.length];
    const dashes = ["", "6 3", "2 3", "8 3 2 3"];
    const dash = i => dashes[Math.floor(i / theme.series.length) % dashes.length];
    const point = p => [x(p[0]), y(p[1])];
    data.series.forEach((series, i) => {
      const places = series.points.map(point).filter(place => place.every(Number.isFinite));
      svg.append("path").attr("fill", "none").attr("stroke", colour(i)).attr("stroke-width", 2).attr("stroke-dasharray", dash(i))
        .attr("d", places.length > 0 ? "M" + places.map(place => place.join(" ")).join("L") : null);
      const dotted = 200;
      if (places.length <= dotted)
        svg.selectAll(null).data(places).join("circle").attr("cx", p => p[0]).attr("cy", p => p[1]).attr("r", 2.5).attr("fill", colour(i));
    });
    legend.replaceChildren(...data.series.map((series, i) => {
      const swatch = d3.create("svg").attr("width", 26).attr("height", 10).attr("aria-hidden", "true");
      swatch.append("path").attr("d", "M0 5H26").attr("stroke", colour(i)).attr("stroke-width", 3).attr("stroke-dasharray", dash(i));
      return make("li", {}, swatch.node(), series.name);
    }));
    svg.on("mousemove", () => {
      const [px, py] = d3.mouse(svg.node());
      let best = null;
      let distance = 30;
      for (const series of data.series)
        for (const p of series.points) {
          const away = Math.hypot(x(p[0]) - px, y(p[1]) - py);
          if (away < distance) {
            distance = away;
            best = [series, p];
          }
        }
      if (best) tip.show(d3.event, `${best[0].name}\n${data.xTitle} ${quantityText(best[1][0], data.xUnit)}\n${data.yTitle} ${quantityText(best[1][1], data.yUnit)}`);
      else tip.hide();
    }).on("mouseleave", () => tip.hide());
    if (svgNode) svgNode.replaceWith(svg.node());
    else holder.prepend(svg.node());
    svgNode = svg.node();
  }
  keepDrawn(holder, draw);
  return { draw, elements: [holder, legend] };
}

function linesView(data) {
  return make("figure", {}, make("h3", {}, data.title), ...linesDrawing(() => data).elements);
}

// A table of a study as curves, one for each combination of its texts. If its first column has texts and there is one
// number for each, as bars. Null if it holds no numbers.
function studyView(table) {
  const kinds = table.columns.map((_, c) => table.rows.every(row => row[c] === null || typeof row[c] === "number") &&
    table.rows.some(row => row[c] !== null));
  const numbers = kinds.map((isNumber, c) => isNumber ? c : -1).filter(c => c >= 0);
  const texts = kinds.map((isNumber, c) => isNumber ? -1 : c).filter(c => c >= 0);
  if (numbers.length === 0) return null;
  const title = c => table.columns[c].title;
  if (!kinds[0] && new Set(table.rows.map(row => row[0])).size === table.rows.length || numbers.length === 1) {
    const name = row => texts.length > 0 ? String(row[texts[0]]) : String(row[numbers[0]]);
    const most = 60;
    const column = numbers[0];
    const bars = table.rows.slice(0, most).filter(row => row[column] !== null && row[column] >= 0)
      .map(row => ({ name: name(row), value: row[column], low: row[column], high: row[column] }));
    return bars.length === 0 ? null : barsView({ title: title(column), unit: table.columns[column].unit, bars, bound: 0, boundName: "" });
  }
  const all = "all";
  let x = numbers[0];
  // Without texts every column is a curve of its own.
  let y = texts.length === 0 ? all : String(numbers[1]);
  const groupName = row => texts.map(c => row[c]).filter(text => text !== null).join(", ");
  const mostSeries = 32;
  function curves() {
    const chosen = y === all ? numbers.filter(c => c !== x) : [Number(y)];
    const groups = new Map();
    for (const c of chosen)
      for (const row of table.rows) {
        const name = chosen.length > 1 ? title(c) : groupName(row) || title(c);
        if (row[x] === null || row[c] === null) continue;
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push([row[x], row[c]]);
      }
    const series = [...groups].slice(0, mostSeries)
      .map(([name, points]) => ({ name, points: points.sort((a, b) => a[0] - b[0]) }));
    const units = new Set(chosen.map(c => table.columns[c].unit));
    return { series, xTitle: title(x), xUnit: table.columns[x].unit, yTitle: chosen.length > 1 ? "" : title(chosen[0]),
      yUnit: units.size === 1 ? [...units][0] : "" };
  }
  const drawing = linesDrawing(curves);
  const options = numbers.map(c => [String(c), title(c)]);
  const xChoice = choice("Across", options, value => { x = Number(value); drawing.draw(); });
  const yOptions = texts.length === 0 ? [[all, "all columns"], ...options] : options;
  const yChoice = choice("Up", yOptions, value => { y = value; drawing.draw(); });
  yChoice.querySelector("select").value = y;
  return make("figure", {}, make("h3", {}, "Curves"), make("div", { class: "controls", role: "group", "aria-label": "Axes" }, xChoice, yChoice),
    ...drawing.elements);
}
