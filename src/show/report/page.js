// The page: a section for each file.

function figuresOf(section) {
  const long = 60;
  return make("dl", { class: "figures" }, ...section.figures.map(([name, value]) =>
    make("div", { class: value.length > long ? "wide" : undefined }, make("dt", {}, name), make("dd", {}, value))));
}

function timelineParts(data) {
  if (data.start.length === 0) return [make("p", { class: "note" }, "Nothing is sent.")];
  const model = transferModel(data);
  const gantt = ganttView(model);
  const parts = [filterControls(model), gantt.element];
  if (data.step && data.size) parts.push(stepsView(model, gantt.setBand));
  parts.push(transferTable(model));
  return parts;
}

function sectionOf(section, number) {
  const id = "file-" + number;
  const parts = [
    make("h2", { id }, section.file),
    make("p", { class: "kind" }, section.kind),
    ...(section.verdict ? [make("p", { class: "verdict" }, section.verdict)] : []),
    figuresOf(section),
    ...section.notes.map(note => make("p", { class: "note" }, note))
  ];
  for (const bars of section.bars) if (bars.bars.length > 0) parts.push(barsView(bars));
  for (const lines of section.lines) parts.push(linesView(lines));
  for (const picture of section.pictures) parts.push(pictureView(picture));
  for (const matrix of section.matrices) parts.push(matrixView(matrix).element);
  if (section.timeline) parts.push(...timelineParts(section.timeline));
  const pictured = section.timeline || section.pictures.length + section.bars.length + section.lines.length + section.matrices.length > 0;
  if (!pictured && section.tables.length > 0) parts.push(studyView(section.tables[0]) || "");
  for (const table of section.tables) if (table.rows.length > 0) parts.push(make("div", {}, plainTable(table)));
  return make("section", { "aria-labelledby": id }, ...parts);
}

for (const [number, section] of JSON.parse(document.getElementById("data").textContent).entries()) {
  document.getElementById("main").append(sectionOf(section, number));
  document.getElementById("contents").append(
    make("li", {}, ...(section.verdict ? [make("p", { class: "verdict" }, section.verdict)] : []),
      make("a", { href: "#file-" + number }, section.file), ", " + section.kind));
}
