"use strict";

// Numbers as people read them: as sluice/show/quantities.hpp writes them.

function threeDigits(value) {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function secondsText(seconds) {
  if (seconds >= 0.9995) return threeDigits(seconds) + " s";
  if (seconds >= 0.9995e-3) return threeDigits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return threeDigits(seconds * 1e6) + " us";
  if (seconds === 0) return "0 s";
  if (seconds > 0 && seconds < 0.9995e-9) return plainText(Number((seconds * 1e9).toPrecision(3))) + " ns";
  return (seconds * 1e9).toFixed(0) + " ns";
}

function bytesText(bytes) {
  if (bytes < 1000) return plainText(bytes) + " B";
  const units = ["kB", "MB", "GB", "TB", "PB", "EB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit + 1 < units.length) {
    value /= 1000;
    ++unit;
  }
  return threeDigits(value) + " " + units[unit];
}

function plainText(value) {
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  return String(Number(Math.abs(value) < 1 ? value.toPrecision(6) : value.toFixed(6)));
}

// A number without a unit; from five digits on, a comma after every third, as `grouped` of the command writes it.
function numberText(value) {
  const text = plainText(value);
  const whole = /^-?\d{5,}(?=\.|$)/.exec(text);
  return whole ? whole[0].replace(/\B(?=(\d{3})+$)/g, ",") + text.slice(whole[0].length) : text;
}

// A value of a column or an axis in its unit: "s", "B", "ratio" or none.
function quantityText(value, unit) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return value;
  switch (unit) {
    case "s": return secondsText(value);
    case "B": return bytesText(value);
    case "ratio": return value.toFixed(3);
    default: return numberText(value);
  }
}

// "0, 4-7" as a function that tells whether a number is among them; null for an empty text. Throws an Error that says
// what is wrong.
function parseRanks(text) {
  if (text.trim() === "") return null;
  const ranges = text.split(/[\s,;]+/).filter(part => part !== "").map(part => {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!match) throw new Error(`'${part}' is neither a rank nor a range such as 4-7`);
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (last < first) throw new Error(`'${part}' ends before it begins`);
    return [first, last];
  });
  return rank => ranges.some(([first, last]) => first <= rank && rank <= last);
}

function countText(count, one, many = one + "s") {
  return count === 1 ? "1 " + one : count + " " + many;
}
