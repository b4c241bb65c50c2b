// SPDX-License-Identifier: Apache-2.0
// Puts the page together.

import { Bin, histogram } from "./charts";
import { letters, meanings, PageData, readData, Scope, Verdict, verdicts } from "./data";
import { byId, html, svg } from "./dom";
import { FileTable } from "./files";
import * as format from "./format";
import { describeFilter, Tree } from "./tree";
import { WhatIfPanel } from "./what_if";

const sentencesAtFirst = 8;

function showHead(data: PageData): void {
  byId("paths").replaceChildren(
    ...data.paths.map((path) => html("code", {}, html("bdi", {}, format.visible(path)))),
  );
  byId("made").textContent = `${data.tool}, ${data.made}`;
  const items = data.sentences.map((sentence) => html("li", {}, format.visible(sentence)));
  const more = items.splice(sentencesAtFirst);
  byId("sentences").replaceChildren(...items);
  if (more.length > 0) {
    byId("sentences").after(
      html("details", {}, html("summary", {}, `${more.length} more`), html("ul", {}, ...more)),
    );
  }
  const problems = byId("problems");
  problems.hidden = data.problems.length === 0;
  problems.append(
    html("h2", {}, "What could not be read"),
    html("ul", {}, ...data.problems.map((problem) => html("li", {}, format.visible(problem)))),
  );
}

/** Where a lookup of a missing key reads most. */
function worstScope(data: PageData): Scope | undefined {
  return data.scopes.reduce<Scope | undefined>(
    (most, scope) =>
      !most || (scope.needless_reads ?? -1) > (most.needless_reads ?? -1) ? scope : most,
    undefined,
  );
}

/** The numbers that a reader of the ticket looks for first. */
function showTiles(data: PageData): void {
  const counted = data.scopes.filter((scope) => scope.needless_reads !== undefined);
  const worst = worstScope(data);
  const filters = data.files.reduce((sum, row) => sum + row.filter_bytes, 0);
  const wasted = data.files.reduce((sum, row) => sum + row.wasted, 0);
  const bad = data.files.filter((row) => row.verdict !== "ok").length;
  const tile = (value: string, name: string, note: string, isBad = false): HTMLElement =>
    html("div", { class: isBad ? "tile attention" : "tile" }, html("b", {}, value), html("span", {}, name), html("small", {}, note));
  const tiles = [
    tile(format.grouped(data.files.length), data.files.length === 1 ? "table" : "tables", format.bytes(data.files.reduce((sum, row) => sum + row.bytes, 0))),
    tile(
      bad === 0 ? "none" : format.grouped(bad),
      bad === 1 ? "needs attention" : "need attention",
      bad === 0 ? "every filter is ok" : `${format.percent(bad / data.files.length)} of the tables`,
      bad > 0,
    ),
    tile(format.bytes(filters), "of filters", wasted > 0 ? `${format.bytes(wasted)} is wasted` : "nothing is wasted", wasted > 0),
  ];
  if (worst?.needless_reads !== undefined) {
    tiles.unshift(
      tile(
        format.digits(worst.needless_reads),
        worst.needless_reads === 1 ? "needless read" : "needless reads",
        counted.length > 1 ? `per lookup of a missing key, at most` : "per lookup of a missing key",
      ),
    );
  }
  byId("tiles").replaceChildren(...tiles);
}

function showFill(data: PageData): void {
  const count = 20;
  const bins: Bin[] = Array.from({ length: count }, (_, i) => ({
    from: i % 5 === 0 ? format.percent(i / count) : "",
    title: `${format.percent(i / count)} to ${format.percent((i + 1) / count)}`,
    count: 0,
  }));
  for (const { fill } of data.files) {
    if (fill !== undefined) bins[Math.min(Math.floor(fill * count), count - 1)]!.count++;
  }
  histogram(byId("fill"), bins, {
    label: "Fill of the filters",
    none: "No filter here has bits of which a part is set.",
    last: "100 %",
    marks: [{ bin: count / 2, text: "best" }],
  });
}

function showRates(data: PageData): void {
  const perDecade = 4;
  const decades = 6;
  const edge = (i: number): number => 10 ** (i / perDecade - decades);
  const bins: Bin[] = Array.from({ length: decades * perDecade }, (_, i) => ({
    from: i % perDecade === 0 ? format.percent(edge(i)) : "",
    title: `${i === 0 ? "up" : format.percent(edge(i))} to ${format.percent(edge(i + 1))}`,
    count: 0,
  }));
  for (const { rate, kind } of data.files) {
    if (rate === undefined || kind === "none") continue;
    const place = Math.floor((Math.log10(Math.max(rate, 1e-12)) + decades) * perDecade);
    bins[Math.min(Math.max(place, 0), bins.length - 1)]!.count++;
  }
  histogram(byId("rate"), bins, {
    label: "Expected rate of false positives",
    none: "No table here has a filter.",
    last: "100 %",
  });
}

/** The file that is looked at, or that was chosen. */
function showFile(data: PageData, file: number, isChosen: boolean): void {
  const row = data.files[file]!;
  const name = html("h3", {}, html("bdi", {}, format.visible(row.file)));
  const words = [
    `${format.visible(row.group)}, ${format.bytes(row.bytes)}`,
    row.entries !== undefined ? format.plural(row.entries, "entry", "entries") : "",
    `${row.engine}${row.version ? ` ${format.visible(row.version)}` : ""}`,
    format.visible(describeFilter(row)),
    row.filter_bytes > 0 ? `${format.bytes(row.filter_bytes)} of filter` : "",
  ].filter(Boolean);
  byId("file").replaceChildren(
    name,
    html("p", { class: "verdict" }, html("span", { class: `swatch ${row.verdict}`, "aria-hidden": "true" }), html("b", {}, row.verdict), `: ${meanings[row.verdict]}`),
    html("p", {}, words.join(" · ")),
    ...(row.remarks ?? []).map((remark) => html("p", { class: "remark" }, format.visible(remark))),
    html("p", { class: "path" }, html("bdi", {}, format.visible(row.directory))),
  );
  // Only what was chosen is read aloud: a cell says itself what it is.
  if (isChosen) byId("said").textContent = `${format.visible(row.file)}: ${row.verdict}, ${meanings[row.verdict]}`;
}

/** Patterns that show a verdict without its colour. */
function definePatterns(): SVGSVGElement {
  const lines: Partial<Record<Verdict, string>> = {
    saturated: "M-2 2L2 -2M0 8L8 0M6 10L10 6",
    oversized: "M2 2h1.6v1.6h-1.6zM6 6h1.6v1.6h-1.6z",
    damaged: "M0 0L8 8M8 0L0 8",
    "legacy-hash": "M0 2H8M0 6H8",
    "not-used": "M2 0V8M6 0V8",
    unreadable: "M0 0H8M0 0V8",
  };
  const patterns = verdicts.map((verdict) =>
    svg(
      "pattern",
      { id: `pattern-${verdict}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
      svg("path", { d: lines[verdict] ?? "", class: "stripes" }),
    ),
  );
  return svg("svg", { width: 0, height: 0, "aria-hidden": "true", class: "patterns" }, svg("defs", {}, ...patterns));
}

function showLegend(data: PageData, choose: (verdict: Verdict) => void): void {
  for (const verdict of verdicts) {
    const count = data.files.filter((row) => row.verdict === verdict).length;
    if (count === 0) continue;
    const picture = svg(
      "svg",
      { width: 22, height: 16, viewBox: "0 0 22 16", "aria-hidden": "true", class: `cell ${verdict}` },
      svg("rect", { x: 1, y: 1, width: 20, height: 14, rx: 2, class: "paint" }),
      ...(verdict === "ok"
        ? []
        : [svg("rect", { x: 1, y: 1, width: 20, height: 14, rx: 2, class: "pattern", fill: `url(#pattern-${verdict})` })]),
      svg("text", { x: 11, y: 12.5, "text-anchor": "middle", class: "letter" }, letters[verdict]),
    );
    const button = html("button", { type: "button", title: meanings[verdict], "aria-pressed": "false", "data-verdict": verdict }, picture, `${verdict} `, html("b", {}, format.grouped(count)));
    button.addEventListener("click", () => choose(verdict));
    byId("legend").append(button);
  }
}

function showScopes(data: PageData, choose: (scope: Scope) => void): void {
  const select = byId("scope") as HTMLSelectElement;
  select.append(...data.scopes.map((scope) => html("option", {}, format.visible(scope.name))));
  byId("scope-line").hidden = data.scopes.length < 2;
  select.addEventListener("change", () => choose(data.scopes[select.selectedIndex]!));
}

function start(): void {
  const data = readData();
  document.body.append(definePatterns());
  showHead(data);
  showTiles(data);
  showFill(data);
  showRates(data);
  let tree: Tree | undefined;
  let table: FileTable | undefined;
  const scopeOf: (Scope | undefined)[] = data.files.map(() => undefined);
  for (const scope of data.scopes) {
    for (const file of scope.levels.flatMap((level) => level.files)) scopeOf[file] = scope;
  }
  const panel = new WhatIfPanel(data.files);
  let shown = worstScope(data);
  const showScope = (scope: Scope): void => {
    shown = scope;
    (byId("scope") as HTMLSelectElement).selectedIndex = data.scopes.indexOf(scope);
    tree?.show(scope);
    panel.show(scope);
  };
  const choose = (file: number, focus: boolean): void => {
    const scope = scopeOf[file];
    if (scope && scope !== shown) showScope(scope);
    showFile(data, file, true);
    table?.choose(file);
    tree?.choose(file, focus);
  };
  byId("empty").hidden = shown !== undefined;
  byId("report").hidden = shown === undefined;
  if (!shown) return;
  tree = new Tree(byId("tree"), data, shown, {
    onLook: (file) => showFile(data, file, false),
    onChoose: (file) => choose(file, true),
  });
  showLegend(data, (verdict) => {
    table?.showVerdict(verdict);
  });
  table = new FileTable(
    data,
    (file) => choose(file, false),
    (only) => {
      tree?.highlight(only);
      for (const button of byId("legend").querySelectorAll("button")) {
        const isOn = only !== undefined && only.has(button.dataset["verdict"] as Verdict);
        button.setAttribute("aria-pressed", String(isOn));
      }
    },
  );
  showScopes(data, showScope);
  showScope(shown);
}

start();
