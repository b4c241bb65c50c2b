// SPDX-License-Identifier: Apache-2.0
// The tree as a picture: levels as rows, files as cells, as wide as they are
// large, of the colour, the pattern and the letter of their verdict.
//
// For a keyboard it is a grid with one stop: arrows go from cell to cell, Home
// and End to the ends of a level, Page Up and Page Down to the next level, and
// Enter shows the file.

import { FileRow, letters, PageData, Scope, severity, Verdict } from "./data";
import { onWidth, svg } from "./dom";
import * as format from "./format";

const cellHeight = 22;
const gap = 2;
const minWidth = 7;
const meanWidth = 11; // of the largest level, if it takes several lines
const letterWidth = 13;
const labelWidth = 168;
const narrow = 620; // below it labels are above their rows
const levelGap = 14;
// More cells than these make a page slow: then neighbours share one.
const maxCells = 5000;

interface Cell {
  files: number[];
  verdict: Verdict; // the worst
  bytes: number;
}

interface Placed extends Cell {
  level: number;
  line: number;
  x: number;
  y: number;
  width: number;
  element: SVGGElement;
}

export interface TreeEvents {
  onLook(file: number): void; // the pointer or the focus is on it
  onChoose(file: number): void;
}

function cellsOf(data: PageData, files: number[], perCell: number): Cell[] {
  const cells: Cell[] = [];
  for (let i = 0; i < files.length; i += perCell) {
    const part = files.slice(i, i + perCell);
    let worst: Verdict = "ok";
    let bytes = 0;
    for (const file of part) {
      const row = data.files[file]!;
      bytes += row.bytes;
      if (severity.indexOf(row.verdict) > severity.indexOf(worst)) worst = row.verdict;
    }
    cells.push({ files: part, verdict: worst, bytes });
  }
  return cells;
}

/** What a screen reader says of a cell. */
function labelOf(data: PageData, cell: Cell): string {
  const row = data.files[cell.files[0]!]!;
  const name = format.visible(row.file);
  if (cell.files.length > 1) {
    const last = format.visible(data.files[cell.files[cell.files.length - 1]!]!.file);
    return `${cell.files.length} files, ${name} to ${last}, ${format.bytes(cell.bytes)}, the worst: ${cell.verdict}`;
  }
  return `${name}, ${row.verdict}, ${format.bytes(row.bytes)}, ${describeFilter(row)}`;
}

export function describeFilter(row: FileRow): string {
  if (row.kind === "none") return "no filter";
  const parts = [`filter ${row.kind}`];
  if (row.bits_per_key !== undefined) parts.push(`${format.digits(row.bits_per_key)} bits per key`);
  if (row.rate !== undefined) parts.push(`expected rate ${format.percent(row.rate)}`);
  return parts.join(", ");
}

/** The file that a cell shows: the first of its worst. */
function faceOf(data: PageData, cell: Cell): number {
  return cell.files.find((file) => data.files[file]!.verdict === cell.verdict) ?? cell.files[0]!;
}

export class Tree {
  private placed: Placed[] = [];
  private byFile = new Map<number, Placed>();
  private current: Placed | undefined;
  private chosen = -1;
  private width = 0;
  private shown: ReadonlySet<Verdict> | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly data: PageData,
    private scope: Scope,
    private readonly events: TreeEvents,
  ) {
    onWidth(host, (width) => {
      this.width = width;
      this.draw();
    });
    host.addEventListener("keydown", (event) => this.onKey(event));
  }

  show(scope: Scope): void {
    this.scope = scope;
    this.current = undefined;
    this.draw();
  }

  /** Dims the cells of other verdicts; undefined: none. */
  highlight(only: ReadonlySet<Verdict> | undefined): void {
    this.shown = only;
    for (const cell of this.placed) {
      cell.element.classList.toggle("dim", only !== undefined && !only.has(cell.verdict));
    }
  }

  choose(file: number, focus: boolean): void {
    this.chosen = file;
    for (const cell of this.placed) this.markChosen(cell);
    const cell = this.byFile.get(file);
    if (cell) this.moveTo(cell, focus);
  }

  private draw(): void {
    const hadFocus = this.host.contains(document.activeElement);
    const file = this.current?.files[0];
    this.placed = [];
    this.byFile.clear();
    const isNarrow = this.width < narrow;
    const left = isNarrow ? 0 : labelWidth;
    const picture = svg("svg", {
      class: "tree",
      role: "grid",
      "aria-label": `The tables of ${format.visible(this.scope.name)}: ${this.scope.levels.length} levels`,
      "aria-describedby": "tree-keys",
      width: this.width,
    });
    const count = this.scope.levels.reduce((sum, level) => sum + level.files.length, 0);
    const perCell = Math.ceil(count / maxCells);
    const rows = this.scope.levels.map((level) => cellsOf(this.data, level.files, perCell));
    const scale = this.scaleOf(rows, this.width - left);
    let y = 0;
    rows.forEach((cells, level) => {
      y = this.drawLevel(picture, level, cells, { left, scale, y, isNarrow });
    });
    y = Math.max(y - levelGap, 1);
    picture.setAttribute("height", String(y));
    picture.setAttribute("viewBox", `0 0 ${this.width} ${y}`);
    this.host.replaceChildren(picture);
    const again = file === undefined ? undefined : this.byFile.get(file);
    this.moveTo(again ?? this.placed[0], hadFocus);
    this.highlight(this.shown);
  }

  /** Pixels per byte: one line for the largest level, or as many as it needs. */
  private scaleOf(rows: Cell[][], width: number): number {
    let scale = Infinity;
    for (const cells of rows) {
      const bytes = cells.reduce((sum, cell) => sum + cell.bytes, 0);
      if (bytes === 0) continue;
      const room = width - gap * cells.length;
      const enough = room / cells.length >= meanWidth ? room : cells.length * meanWidth;
      scale = Math.min(scale, enough / bytes);
    }
    return scale;
  }

  private drawLevel(
    picture: SVGSVGElement,
    level: number,
    cells: Cell[],
    at: { left: number; scale: number; y: number; isNarrow: boolean },
  ): number {
    const { name, files, bytes, needless_reads } = this.scope.levels[level]!;
    const what = `${format.plural(files.length, "file", "files")}, ${format.bytes(bytes)}`;
    const row = svg("g", { role: "row", "aria-label": `${format.visible(name)}: ${what}` });
    const title = svg("text", { class: "level", "aria-hidden": "true" });
    title.append(format.visible(name));
    const note = svg("text", { class: "note", "aria-hidden": "true" });
    note.append(what);
    let y = at.y;
    if (at.isNarrow) {
      title.setAttribute("y", String(y + 12));
      note.setAttribute("y", String(y + 12));
      note.setAttribute("x", String(this.width));
      note.setAttribute("text-anchor", "end");
      y += 18;
    } else {
      title.setAttribute("y", String(y + 11));
      note.setAttribute("y", String(y + 26));
    }
    row.append(title, note);
    if (needless_reads !== undefined && !at.isNarrow) {
      const reads = svg("text", { class: "note", y: y + 40, "aria-hidden": "true" });
      reads.append(`${format.digits(needless_reads)} needless reads`);
      row.append(reads);
    }
    let x = at.left;
    let line = 0;
    for (const cell of cells) {
      const width = Math.min(
        Math.max(cell.bytes * at.scale, minWidth),
        this.width - at.left,
      );
      if (x > at.left && x + width > this.width + 0.5) {
        x = at.left;
        ++line;
      }
      const place = { x, y: y + line * (cellHeight + gap), width, level, line };
      row.append(this.drawCell(cell, place));
      x += width + gap;
    }
    picture.append(row);
    const bottom = y + (line + 1) * (cellHeight + gap);
    return Math.max(bottom, at.isNarrow ? 0 : at.y + 44) + levelGap;
  }

  private drawCell(
    cell: Cell,
    place: { x: number; y: number; width: number; level: number; line: number },
  ): SVGGElement {
    const label = labelOf(this.data, cell);
    const box = { x: place.x, y: place.y, width: place.width, height: cellHeight, rx: 2 };
    const element = svg(
      "g",
      { role: "gridcell", class: `cell ${cell.verdict}`, tabindex: -1, "aria-label": label },
      svg("title", {}, label),
      svg("rect", { ...box, class: "paint" }),
    );
    if (cell.verdict !== "ok") {
      element.append(svg("rect", { ...box, class: "pattern", fill: `url(#pattern-${cell.verdict})` }));
    }
    if (letters[cell.verdict] && place.width >= letterWidth) {
      element.append(
        svg(
          "text",
          { class: "letter", x: place.x + place.width / 2, y: place.y + 15.5, "text-anchor": "middle" },
          letters[cell.verdict],
        ),
      );
    }
    element.append(
      svg("rect", { x: place.x - 1.5, y: place.y - 1.5, width: place.width + 3, height: cellHeight + 3, rx: 3, class: "ring" }),
    );
    const placed: Placed = { ...cell, ...place, element };
    this.placed.push(placed);
    for (const file of cell.files) this.byFile.set(file, placed);
    this.markChosen(placed);
    const face = faceOf(this.data, cell);
    element.addEventListener("pointerenter", () => this.events.onLook(face));
    element.addEventListener("focus", () => {
      this.setCurrent(placed);
      this.events.onLook(face);
    });
    element.addEventListener("click", () => {
      this.moveTo(placed, true);
      this.events.onChoose(face);
    });
    return element;
  }

  private markChosen(cell: Placed): void {
    const isChosen = cell.files.includes(this.chosen);
    cell.element.setAttribute("aria-selected", String(isChosen));
    cell.element.classList.toggle("chosen", isChosen);
  }

  private setCurrent(cell: Placed): void {
    this.current?.element.setAttribute("tabindex", "-1");
    this.current = cell;
    cell.element.setAttribute("tabindex", "0");
  }

  private moveTo(cell: Placed | undefined, focus: boolean): void {
    if (!cell) return;
    this.setCurrent(cell);
    if (focus) cell.element.focus();
  }

  private onKey(event: KeyboardEvent): void {
    if (!this.current || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      this.events.onChoose(faceOf(this.data, this.current));
    } else {
      const next = this.neighbour(event.key, this.current);
      if (!next) return;
      this.moveTo(next, true);
    }
    event.preventDefault();
  }

  private neighbour(key: string, from: Placed): Placed | undefined {
    const at = this.placed.indexOf(from);
    const ofLevel = (level: number): Placed[] =>
      this.placed.filter((cell) => cell.level === level);
    switch (key) {
      case "ArrowRight":
        return this.placed[at + 1];
      case "ArrowLeft":
        return this.placed[at - 1];
      case "ArrowDown":
        return this.nearest(from, 1);
      case "ArrowUp":
        return this.nearest(from, -1);
      case "Home":
        return ofLevel(from.level)[0];
      case "End":
        return ofLevel(from.level).pop();
      case "PageDown":
        return ofLevel(from.level + 1)[0];
      case "PageUp":
        return ofLevel(from.level - 1)[0];
      default:
        return undefined;
    }
  }

  /** The cell of the next line, or of the one before, that is closest. */
  private nearest(from: Placed, direction: 1 | -1): Placed | undefined {
    const lines = [...new Set(this.placed.map((cell) => cell.y))].sort((a, b) => a - b);
    const y = lines[lines.indexOf(from.y) + direction];
    const middle = from.x + from.width / 2;
    const away = (cell: Placed): number => Math.abs(cell.x + cell.width / 2 - middle);
    return this.placed
      .filter((cell) => cell.y === y)
      .reduce<Placed | undefined>(
        (best, cell) => (!best || away(cell) < away(best) ? cell : best),
        undefined,
      );
  }
}
