// SPDX-License-Identifier: Apache-2.0
// The table of files: sorted by any column, filtered by words and verdicts.

import { FileRow, PageData, severity, Verdict } from "./data";
import { byId, html } from "./dom";
import * as format from "./format";

// Rows beyond these wait for a button; a page of all takes seconds to open.
const rowsAtFirst = 300;

interface Column {
  name: string;
  sortKey(row: FileRow): number | string | undefined;
  text(row: FileRow): string;
  isText?: boolean;
}

function orDash(value: number | undefined, write: (value: number) => string): string {
  return value === undefined ? "–" : write(value);
}

const usualColumns: Column[] = [
  { name: "file", sortKey: (row) => row.file, text: (row) => format.visible(row.file), isText: true },
  { name: "level or table", sortKey: (row) => row.group, text: (row) => format.visible(row.group), isText: true },
  { name: "filter", sortKey: (row) => row.kind, text: (row) => format.visible(row.kind), isText: true },
  { name: "k", sortKey: (row) => row.probes, text: (row) => orDash(row.probes, format.grouped) },
  {
    name: "keys",
    sortKey: (row) => row.keys,
    text: (row) => (row.keys_are_estimated ? "~" : "") + orDash(row.keys, format.grouped),
  },
  { name: "bits per key", sortKey: (row) => row.bits_per_key, text: (row) => orDash(row.bits_per_key, (bits) => bits.toFixed(2)) },
  { name: "fill", sortKey: (row) => row.fill, text: (row) => orDash(row.fill, format.percent) },
  { name: "rate", sortKey: (row) => row.rate, text: (row) => orDash(row.rate, format.percent) },
  { name: "target", sortKey: (row) => row.target, text: (row) => orDash(row.target, format.percent) },
  { name: "filter size", sortKey: (row) => row.filter_bytes, text: (row) => format.bytes(row.filter_bytes) },
  { name: "file size", sortKey: (row) => row.bytes, text: (row) => format.bytes(row.bytes) },
  { name: "verdict", sortKey: (row) => severity.indexOf(row.verdict), text: (row) => row.verdict, isText: true },
  { name: "wasted", sortKey: (row) => row.wasted, text: (row) => (row.wasted > 0 ? format.bytes(row.wasted) : "–") },
];

/** The part of the directories that differs, if there are several. */
function directoryColumn(data: PageData): Column[] {
  const all = [...new Set(data.files.map((row) => row.directory))];
  if (all.length < 2) return [];
  let common = all[0]!;
  for (const directory of all) {
    while (!`${directory}/`.startsWith(`${common}/`)) {
      const slash = common.lastIndexOf("/");
      if (slash < 0) {
        common = "";
        break;
      }
      common = common.slice(0, slash);
    }
    if (common === "") break;
  }
  const start = common === "" ? 0 : common.length + 1;
  return [
    {
      name: "directory",
      sortKey: (row) => row.directory,
      text: (row) => format.visible(row.directory.slice(start) || "."),
      isText: true,
    },
  ];
}

/** What is not known comes last, whichever way. */
function compare(a: FileRow, b: FileRow, column: Column, sign: number): number {
  const left = column.sortKey(a);
  const right = column.sortKey(b);
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined);
  }
  if (typeof left === "string" && typeof right === "string") {
    return sign * left.localeCompare(right, "en", { numeric: true });
  }
  return sign * (Number(left) - Number(right));
}

export class FileTable {
  private readonly columns: Column[];
  private column = -1; // -1: as they came
  private sign = 1;
  private limit = rowsAtFirst;
  private chosen = -1;
  private readonly body = html("tbody");
  private readonly headings: HTMLTableCellElement[] = [];
  private readonly search = byId("search") as HTMLInputElement;
  private readonly verdict = byId("verdict") as HTMLSelectElement;
  private readonly all: number[];

  constructor(
    private readonly data: PageData,
    private readonly onChoose: (file: number) => void,
    private readonly onVerdict: (only: ReadonlySet<Verdict> | undefined) => void,
  ) {
    this.all = data.files.map((_, i) => i);
    this.columns = [...usualColumns];
    this.columns.splice(1, 0, ...directoryColumn(data));
    byId("files").append(this.makeHead(), this.body);
    const present = severity.filter((verdict) => data.files.some((row) => row.verdict === verdict));
    this.verdict.append(
      html("option", { value: "" }, "all verdicts"),
      ...(present.length > 1 || present[0] !== "ok"
        ? [html("option", { value: "not ok" }, "all but ok")]
        : []),
      ...present.map((verdict) => html("option", { value: verdict }, verdict)),
    );
    this.search.addEventListener("input", () => this.restart());
    this.verdict.addEventListener("change", () => this.restart());
    byId("more").addEventListener("click", () => {
      this.limit = Infinity;
      this.draw();
    });
    this.draw();
  }

  /** Shows one verdict alone, or all of them again. */
  showVerdict(verdict: Verdict): void {
    this.verdict.value = this.verdict.value === verdict ? "" : verdict;
    this.restart();
  }

  choose(file: number): void {
    this.chosen = file;
    for (const row of this.body.rows) this.markChosen(row);
  }

  private only(): ReadonlySet<Verdict> | undefined {
    const { value } = this.verdict;
    if (value === "") return undefined;
    if (value === "not ok") return new Set(severity.filter((verdict) => verdict !== "ok"));
    return new Set([value as Verdict]);
  }

  private restart(): void {
    this.limit = rowsAtFirst;
    this.draw();
    this.onVerdict(this.only());
  }

  private makeHead(): HTMLElement {
    this.columns.forEach((column, i) => {
      const button = html("button", { type: "button" }, column.name, html("span", { class: "arrow", "aria-hidden": "true" }));
      button.addEventListener("click", () => this.sortBy(i));
      this.headings.push(html("th", { scope: "col", class: column.isText ? "text" : undefined, "aria-sort": "none" }, button));
    });
    return html("thead", {}, html("tr", {}, ...this.headings));
  }

  private sortBy(column: number): void {
    if (this.column === column) {
      this.sign = -this.sign;
    } else {
      this.column = column;
      this.sign = 1;
    }
    this.headings.forEach((heading, i) => {
      const order = i !== column ? "none" : this.sign > 0 ? "ascending" : "descending";
      heading.setAttribute("aria-sort", order);
    });
    this.draw();
  }

  private found(): number[] {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const only = this.only();
    const found = this.all.filter((i) => {
      const row = this.data.files[i]!;
      if (only && !only.has(row.verdict)) return false;
      const text = [row.directory, row.file, row.group, row.kind, row.engine, row.verdict, ...(row.remarks ?? [])]
        .join(" ")
        .toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const column = this.columns[this.column];
    if (column) {
      found.sort((a, b) => compare(this.data.files[a]!, this.data.files[b]!, column, this.sign));
    }
    return found;
  }

  private draw(): void {
    const found = this.found();
    this.body.replaceChildren(...found.slice(0, this.limit).map((i) => this.makeRow(i)));
    const shown = Math.min(found.length, this.limit);
    byId("count").textContent =
      shown < found.length
        ? `${format.grouped(shown)} of ${format.plural(found.length, "file", "files")}`
        : format.plural(found.length, "file", "files");
    const more = byId("more");
    more.hidden = shown === found.length;
    more.textContent = `Show all ${format.grouped(found.length)}`;
  }

  private makeRow(i: number): HTMLTableRowElement {
    const row = this.data.files[i]!;
    const cells = this.columns.map((column) => {
      if (column.name === "file") {
        const button = html("button", { type: "button", class: "name" }, html("bdi", {}, column.text(row)));
        return html("th", { scope: "row", title: format.visible(`${row.directory}/${row.file}`) }, button);
      }
      if (column.name === "verdict") {
        return html("td", { class: "text" }, html("span", { class: `swatch ${row.verdict}`, "aria-hidden": "true" }), row.verdict);
      }
      return html("td", { class: column.isText ? "text" : undefined }, column.text(row));
    });
    const element = html("tr", { "data-file": i }, ...cells);
    element.addEventListener("click", () => this.onChoose(i));
    this.markChosen(element);
    return element;
  }

  private markChosen(row: HTMLTableRowElement): void {
    const isChosen = Number(row.dataset["file"]) === this.chosen;
    row.classList.toggle("chosen", isChosen);
    if (isChosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}
