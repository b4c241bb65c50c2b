// SPDX-License-Identifier: Apache-2.0
// The panel with the sliders. Every number comes from tables that the command
// wrote with the library's own functions: a slider chooses a column of them.

import { Curve, Division, FileRow, Scope, WhatIf } from "./data";
import { LevelBars, Series } from "./charts";
import { byId, html } from "./dom";
import * as format from "./format";

type Known = number | null | undefined;

function nearestStep(values: number[], wanted: number): number {
  let best = 0;
  values.forEach((value, i) => {
    if (Math.abs(value - wanted) < Math.abs(values[best]! - wanted)) best = i;
  });
  return best;
}

/** The kind that most files have, if it can be chosen. */
function usualKind(files: FileRow[], kinds: string[]): number {
  const count = (kind: string): number => files.filter((row) => row.kind.split(",")[0] === kind).length;
  const counts = kinds.map(count);
  return Math.max(counts.indexOf(Math.max(...counts)), 0);
}

function orDash(value: Known, write: (value: number) => string): string {
  return value === undefined || value === null ? "–" : write(value);
}

function comparedTo(now: number, then: Known): string {
  return orDash(then, (reads) => format.change(now, reads));
}

/** One card: a choice of kinds, a slider, and what comes of it. */
class Card {
  private readonly slider: HTMLInputElement;
  private readonly kinds: HTMLSelectElement;
  private readonly value: HTMLElement;
  private readonly results: HTMLElement;

  constructor(panel: "bits" | "memory", onChange: () => void) {
    this.slider = byId(`${panel}-slider`) as HTMLInputElement;
    this.kinds = byId(`${panel}-kind`) as HTMLSelectElement;
    this.value = byId(`${panel}-value`);
    this.results = byId(`${panel}-results`);
    this.slider.addEventListener("input", onChange);
    this.kinds.addEventListener("change", onChange);
  }

  get step(): number {
    return Number(this.slider.value);
  }
  get kind(): number {
    return Math.max(this.kinds.selectedIndex, 0);
  }

  offer(labels: string[], kind: number, steps: number, at: number): void {
    this.kinds.replaceChildren(...labels.map((label) => html("option", {}, label)));
    this.kinds.selectedIndex = kind;
    this.slider.max = String(steps - 1);
    this.slider.value = String(at);
  }

  tell(value: string, rows: [string, string, string][]): void {
    this.value.textContent = value;
    this.slider.setAttribute("aria-valuetext", value);
    this.results.replaceChildren(
      ...rows.flatMap(([name, text, note]) => [
        html("dt", {}, name),
        html("dd", {}, html("b", {}, text), " ", html("small", {}, note)),
      ]),
    );
  }
}

export class WhatIfPanel {
  private readonly bits: Card;
  private readonly memory: Card;
  private readonly bars: LevelBars;
  private scope: Scope | undefined;

  constructor(private readonly files: FileRow[]) {
    this.bits = new Card("bits", () => this.recompute());
    this.memory = new Card("memory", () => this.recompute());
    this.bars = new LevelBars(byId("level-bars"), []);
  }

  show(scope: Scope): void {
    this.scope = scope;
    const { what_if } = scope;
    byId("what-if").hidden = what_if === undefined;
    const why = byId("why-no-what-if");
    why.hidden = what_if !== undefined;
    why.textContent = scope.why_no_what_if ?? "";
    if (what_if) this.offer(what_if, scope);
    this.recompute();
  }

  private offer(what_if: WhatIf, scope: Scope): void {
    const { curves, divisions, keys, filter_bytes, remark } = what_if;
    const rows = scope.levels.flatMap((level) => level.files.map((file) => this.files[file]!));
    const kind = usualKind(rows, curves.map((curve) => curve.kind));
    const sizes = curves[0]!.bits_per_key;
    const memory = divisions[0]!.memory;
    const labels = curves.map((curve) => curve.label);
    this.bits.offer(labels, kind, sizes.length, nearestStep(sizes, (8 * filter_bytes) / keys));
    this.memory.offer(labels, kind, memory.length, nearestStep(memory, filter_bytes));
    byId("what-if-remark").hidden = !remark;
    byId("what-if-remark").textContent = remark ?? "";
  }

  private recompute(): void {
    if (!this.scope) return;
    const { levels, what_if } = this.scope;
    const series: Series[] = [{ name: "now", values: levels.map((level) => level.needless_reads) }];
    let division: Division | undefined;
    if (what_if) {
      const curve = what_if.curves[this.bits.kind]!;
      division = what_if.divisions[this.memory.kind]!;
      this.tellBits(what_if, curve, this.bits.step);
      this.tellMemory(what_if, division, this.memory.step);
      series.push(
        { name: "bits", values: curve.level_reads.map((reads) => reads[this.bits.step]) },
        { name: "memory", values: division.level_reads.map((reads) => reads[this.memory.step]) },
      );
    }
    this.bars.show(levels.map((level) => level.name), series);
    this.fillTable(series, division);
  }

  private tellBits(what_if: WhatIf, curve: Curve, step: number): void {
    const reads = curve.needless_reads[step];
    this.bits.tell(`${format.digits(curve.bits_per_key[step]!)} bits per key`, [
      ["needless reads", orDash(reads, format.digits), comparedTo(what_if.needless_reads, reads)],
      ["memory", orDash(curve.bytes[step], format.bytes), `now ${format.bytes(what_if.filter_bytes)}`],
    ]);
  }

  private tellMemory(what_if: WhatIf, division: Division, step: number): void {
    const reads = division.needless_reads[step];
    this.memory.tell(format.bytes(division.memory[step]!), [
      ["needless reads", orDash(reads, format.digits), comparedTo(what_if.needless_reads, reads)],
      ["undivided", orDash(division.equal_reads[step], format.digits), "the same bits for every key"],
    ]);
  }

  private fillTable(series: Series[], division: Division | undefined): void {
    const { levels } = this.scope!;
    const cell = (value: Known): HTMLElement => html("td", {}, orDash(value, format.digits));
    const rows = levels.map((level, i) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, html("bdi", {}, format.visible(level.name))),
        html("td", {}, format.grouped(level.files.length)),
        html("td", {}, level.keys > 0 ? format.grouped(level.keys) : "–"),
        html("td", {}, format.bytes(level.filter_bytes)),
        ...series.map(({ values }) => cell(values[i])),
        ...(division ? [cell(division.level_bits[i]?.[this.memory.step])] : []),
      ),
    );
    const head = ["level or table", "files", "keys", "filters", "reads now"];
    if (division) head.push("reads, same bits", "reads, divided", "bits, divided");
    byId("level-table").replaceChildren(
      html("thead", {}, html("tr", {}, ...head.map((text) => html("th", { scope: "col" }, text)))),
      html("tbody", {}, ...rows),
    );
  }
}
