// A table that sorts by the column whose head is pressed, a page of rows at a time.

const rowsOfPage = 20;
const longText = 32;  // more letters than this make a line of their own

// columns: title, unit, number (whether its cells are numbers), below (whether they stand below the rest of their row,
// across all columns); cell(row, column) for rows 0 to count - 1. Returns the
// element, and setRows(list), which leaves only the rows in the list.
function tableView(title, columns, count, cell) {
  let all = Uint32Array.from({ length: count }, (_, i) => i);
  let rows = all;
  let sorted = { column: -1, up: true };
  let page = 0;
  const body = make("tbody");
  const placed = columns.map((column, c) => [column, c]);
  const inRow = placed.filter(([column]) => !column.below);
  const belowRow = placed.filter(([column]) => column.below);
  const heads = inRow.map(([column, c]) => {
    const order = make("span", { class: "order", "aria-hidden": "true" });
    const head = make("th", { scope: "col", class: column.number ? "number" : undefined },
      make("button", { type: "button", onclick: () => sortBy(c) }, column.title, order));
    return { head, order, c };
  });
  const where = make("span", { role: "status" });
  const previous = make("button", { type: "button", onclick: () => show(page - 1) }, "Previous rows");
  const next = make("button", { type: "button", onclick: () => show(page + 1) }, "Next rows");
  const pager = make("div", { class: "controls pager" }, previous, next, where);

  function sortBy(c) {
    sorted = { column: c, up: sorted.column === c ? !sorted.up : true };
    heads.forEach(({ head, order, c: i }) => {
      if (i === c) head.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
      order.textContent = i === c ? (sorted.up ? "▲" : "▼") : "";
    });
    sort();
    show(0);
  }
  function sort() {
    const c = sorted.column;
    if (c < 0) return;
    const direction = sorted.up ? 1 : -1;
    // Empty cells come last, numbers before texts; what is equal keeps its order.
    const rank = value => value === null || value === undefined ? 2 : typeof value === "number" ? 0 : 1;
    rows = rows.slice().sort((a, b) => {
      const x = cell(a, c);
      const y = cell(b, c);
      if (rank(x) !== rank(y)) return rank(x) - rank(y);
      const order = rank(x) === 0 ? x - y : rank(x) === 1 ? x.localeCompare(y, "en", { numeric: true }) : 0;
      return direction * order || a - b;
    });
  }
  function show(which) {
    const pages = Math.max(1, Math.ceil(rows.length / rowsOfPage));
    page = Math.min(Math.max(which, 0), pages - 1);
    const from = page * rowsOfPage;
    const shown = Array.from(rows.slice(from, from + rowsOfPage));
    body.replaceChildren(...shown.flatMap(row => [make("tr", {}, ...inRow.map(([column, c]) => {
      const text = String(quantityText(cell(row, c), column.unit));
      const kind = column.number ? "number" : text.length > longText ? "long" : undefined;
      return make("td", { class: kind, "data-column": column.title }, text);
    })), ...belowRow.filter(([, c]) => cell(row, c)).map(([column, c]) => make("tr", { class: "below" },
      make("td", { colspan: inRow.length }, column.title + ": " + cell(row, c))))]));
    where.textContent = rows.length === 0 ? "No rows"
      : `Rows ${from + 1} to ${from + shown.length} of ${rows.length}`;
    previous.disabled = page === 0;
    next.disabled = page === pages - 1;
    pager.hidden = rows.length <= rowsOfPage && rows.length === count;
  }

  show(0);
  const element = make("div", {},
    make("div", { class: "table", role: "region", "aria-label": title, tabindex: "0" },
      make("table", {}, make("caption", {}, title),
        make("thead", {}, make("tr", {}, ...heads.map(({ head }) => head))), body)),
    pager);
  return {
    element,
    setRows(list) {
      rows = list === null ? all : list;
      sort();
      show(0);
    }
  };
}

// A table as the file has it.
function plainTable(table) {
  const columns = table.columns.map((column, c) => ({
    title: column.title, unit: column.unit, below: column.title === "how", number: table.rows.some(row => typeof row[c] === "number")
  }));
  return tableView(table.title, columns, table.rows.length, (row, c) => table.rows[row][c]).element;
}
