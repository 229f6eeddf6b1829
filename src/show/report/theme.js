// Elements, colours, and when to draw anew.

// An element with attributes and children (elements or texts). Text never becomes markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

let idsUsed = 0;
function newId() {
  return "e" + ++idsUsed;
}

// The colours of the page as it is shown now.
function colours() {
  const style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue(name).trim();
  const all = prefix => {
    const list = [];
    while (value(`--${prefix}-${list.length}`)) list.push(value(`--${prefix}-${list.length}`));
    return list;
  };
  const stops = all("heat");
  return {
    ink: value("--ink"), page: value("--page"), faint: value("--faint"), line: value("--line"), mark: value("--mark"),
    merged: "#8c8c8c",
    series: all("series"),
    heat: d3.scaleLinear().domain(stops.map((_, i) => i / (stops.length - 1))).range(stops).clamp(true)
  };
}

const pictures = [];

// Calls draw(printing) once, and again whenever the element's width, the colours or the medium change.
function keepDrawn(element, draw) {
  const picture = { draw, width: 0 };
  pictures.push(picture);
  new ResizeObserver(() => {
    if (element.clientWidth === picture.width || printing) return;
    picture.width = element.clientWidth;
    draw(false);
  }).observe(element);
}

let printing = false;
function setPrinting(now) {
  if (printing === now) return;
  printing = now;
  document.documentElement.toggleAttribute("data-printing", now);
  for (const picture of pictures) picture.draw(now);
}
addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
matchMedia("print").addEventListener("change", event => setPrinting(event.matches));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const picture of pictures) picture.draw(printing);
});

// Width of a picture on a page of paper, in pixels of the page.
const paperWidth = 680;

function widthOf(element) {
  return printing ? paperWidth : Math.max(element.clientWidth, 200);
}

// Makes a canvas `width` by `height` pixels of the page, sharp on any screen; returns what draws on it.
function prepare(canvas, width, height) {
  const ratio = printing ? 2 : Math.min(window.devicePixelRatio || 1, 3);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// At most one drawing a frame, however often it is asked for.
function oncePerFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

// A box of facts beside the pointer, in the coordinates of `drawing`.
function tipOf(drawing) {
  const tip = make("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  drawing.append(tip);
  return {
    show(event, text) {
      tip.textContent = text;
      tip.hidden = false;
      const box = drawing.getBoundingClientRect();
      const x = event.clientX - box.left;
      tip.style.left = Math.max(0, Math.min(x + 12, box.width - tip.offsetWidth)) + "px";
      tip.style.top = event.clientY - box.top + 16 + "px";
    },
    hide() {
      tip.hidden = true;
    }
  };
}

function labelled(text, control) {
  return make("label", {}, text, control);
}

function choice(text, options, onChange) {
  const select = make("select", { onchange: () => onChange(select.value) },
    ...options.map(([value, name]) => make("option", { value }, name)));
  return labelled(text, select);
}

// Zooming by buttons, keys, Ctrl and the wheel, two fingers; moving by dragging. `moved(transform)` draws.
function zoomOn(canvas, most, moved) {
  const selection = d3.select(canvas);
  const zoom = d3.zoom().scaleExtent([1, most])
    .filter(() => d3.event.type === "wheel" ? d3.event.ctrlKey || d3.event.metaKey : !d3.event.button)
    .wheelDelta(() => -d3.event.deltaY * (d3.event.deltaMode ? 0.05 : 0.002))
    .on("zoom", () => moved(d3.event.transform));
  selection.call(zoom).on("dblclick.zoom", null);
  const by = factor => zoom.scaleBy(selection, factor);
  const reset = () => zoom.transform(selection, d3.zoomIdentity);
  return {
    // What of the canvas the picture fills.
    setArea(left, top, right, bottom) {
      zoom.extent([[left, top], [right, bottom]]).translateExtent([[left, top], [right, bottom]]);
    },
    by, reset,
    // Moves so that what is at `point` of the whole picture is in its middle.
    to(x, y) {
      zoom.translateTo(selection, x, y);
    },
    buttons: [
      make("button", { type: "button", onclick: () => by(2) }, "Zoom in"),
      make("button", { type: "button", onclick: () => by(0.5) }, "Zoom out"),
      make("button", { type: "button", onclick: reset }, "Show all")
    ],
    // Whether the key was one of zooming.
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === "+" || event.key === "=") by(2);
      else if (event.key === "-") by(0.5);
      else if (event.key === "0") reset();
      else return false;
      return true;
    }
  };
}
