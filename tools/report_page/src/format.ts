// SPDX-License-Identifier: Apache-2.0
// Numbers and names for people, as `tamis scan` writes them.

export function grouped(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

export function bytes(count: number): string {
  if (count < 1024) return `${grouped(count)} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let value = count;
  let unit = -1;
  do {
    value /= 1024;
    ++unit;
  } while (value >= 1024 && unit + 1 < units.length);
  return `${value.toFixed(2)} ${units[unit]}`;
}

/** Three digits that count, without an exponent down to a millionth. */
export function digits(number: number): string {
  if (number === 0) return "0";
  if (Math.abs(number) < 1e-6) return number.toExponential(1);
  return Number(number.toPrecision(3)).toLocaleString("en-US", {
    maximumSignificantDigits: 3,
  });
}

export function percent(rate: number): string {
  return `${digits(rate * 100)} %`;
}

export function plural(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Control characters, and those that turn the direction of a text, shown. */
export function visible(name: string): string {
  return name.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** "1.5 times", or "as many". */
export function change(now: number, then: number): string {
  if (now === then) return "no change";
  if (now === 0) return "more than now";
  if (then === 0) return "none left";
  const factor = then / now;
  if (Math.abs(factor - 1) < 0.005) return "as now";
  if (factor > 1) return `${digits(factor)} × as many`;
  return `${digits(100 * (1 - factor))} % fewer`;
}
