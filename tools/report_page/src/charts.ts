// SPDX-License-Identifier: Apache-2.0
// Plain charts: histograms, and bars by level. Each is drawn anew for the width
// that it has, and says in words what it shows.

import { onWidth, svg } from "./dom";
import * as format from "./format";

export interface Bin {
  from: string; // of the axis, at its left edge; "" for none
  title: string; // "40 % to 45 %"
  count: number;
}

export interface Mark {
  bin: number; // at the left edge of it
  text: string;
}

const chartHeight = 160;
const axisHeight = 20;
const topRoom = 30;
const tickRoom = 62; // for a word of the axis

/** Draws bars that share one axis. */
export function histogram(
  host: HTMLElement,
  bins: Bin[],
  options: { label: string; none: string; last?: string; marks?: Mark[] },
): void {
  const total = bins.reduce((sum, bin) => sum + bin.count, 0);
  if (total === 0) {
    host.replaceChildren(options.none);
    host.classList.add("nothing");
    return;
  }
  const most = Math.max(...bins.map((bin) => bin.count));
  const peak = bins.find((bin) => bin.count === most)!;
  const words = `${options.label}: ${format.plural(total, "file", "files")}; most, ${format.grouped(most)}, have ${peak.title}`;
  onWidth(host, (width) => {
    const step = width / bins.length;
    const bottom = chartHeight - axisHeight;
    const chart = svg("svg", {
      class: "chart",
      role: "img",
      "aria-label": words,
      width,
      height: chartHeight,
      viewBox: `0 0 ${width} ${chartHeight}`,
    });
    chart.append(svg("line", { class: "axis", x1: 0, x2: width, y1: bottom + 0.5, y2: bottom + 0.5 }));
    let nextTick = 0;
    bins.forEach((bin, i) => {
      const height = (bin.count / most) * (bottom - topRoom);
      const group = svg(
        "g",
        {},
        svg("title", {}, `${bin.title}: ${format.plural(bin.count, "file", "files")}`),
        svg("rect", { class: "hit", x: i * step, y: 0, width: step, height: bottom }),
      );
      if (bin.count > 0) {
        const shown = Math.max(height, 2);
        group.append(
          svg("rect", { class: "bar", x: i * step + 1, y: bottom - shown, width: Math.max(step - 2, 1), height: shown, rx: 1.5 }),
        );
      }
      chart.append(group);
      if (bin === peak) {
        const anchor = i * step < 30 ? "start" : i * step > width - 40 ? "end" : "middle";
        const x = anchor === "start" ? i * step : anchor === "end" ? (i + 1) * step : (i + 0.5) * step;
        chart.append(svg("text", { class: "value", x, y: bottom - height - 5, "text-anchor": anchor }, format.grouped(bin.count)));
      }
      if (bin.from && i * step >= nextTick) {
        nextTick = i * step + tickRoom;
        chart.append(
          svg("text", { class: "tick", x: i * step, y: chartHeight - 5, "text-anchor": i === 0 ? "start" : "middle" }, bin.from),
        );
      }
    });
    if (options.last && width >= nextTick) {
      chart.append(svg("text", { class: "tick", x: width, y: chartHeight - 5, "text-anchor": "end" }, options.last));
    }
    for (const mark of options.marks ?? []) {
      const x = mark.bin * step;
      chart.append(
        svg("line", { class: "mark", x1: x, x2: x, y1: 2, y2: bottom }),
        svg("text", { class: "tick", x: x + 5, y: 10 }, mark.text),
      );
    }
    host.replaceChildren(chart);
  });
}

/** A bar per series, for each level. */
export interface Series {
  name: string; // also the class of its bars: "now", "bits", "memory"
  values: (number | null | undefined)[];
}

const barHeight = 12;
const barGap = 3;
const groupGap = 14;

export class LevelBars {
  private width = 0;
  private series: Series[] = [];

  constructor(
    private readonly host: HTMLElement,
    private names: string[],
  ) {
    onWidth(host, (width) => {
      this.width = width;
      this.draw();
    });
  }

  show(names: string[], series: Series[]): void {
    this.names = names;
    this.series = series;
    this.draw();
  }

  private draw(): void {
    if (this.width === 0 || this.series.length === 0) return;
    const labels = Math.min(120, this.width * 0.28);
    const room = this.width - labels - 70;
    const all = this.series.flatMap((series) => series.values.map((value) => value ?? 0));
    const most = Math.max(...all, 1e-12);
    const chart = svg("svg", { class: "chart", "aria-hidden": "true", width: this.width });
    let y = 2;
    this.names.forEach((name, level) => {
      const middle = y + (this.series.length * (barHeight + barGap) - barGap) / 2;
      const text = format.visible(name);
      const short = text.length > 18 ? `${text.slice(0, 17)}…` : text;
      chart.append(svg("text", { class: "tick strong", x: 0, y: middle + 4 }, svg("title", {}, text), short));
      for (const { name: series, values } of this.series) {
        const value = values[level];
        if (value !== undefined && value !== null) {
          const width = Math.max((value / most) * room, value > 0 ? 1.5 : 0);
          chart.append(
            svg("rect", { class: `bar ${series}`, x: labels, y, width, height: barHeight, rx: 1.5 }),
            svg("text", { class: "value", x: labels + width + 6, y: y + 10 }, format.digits(value)),
          );
        }
        y += barHeight + barGap;
      }
      y += groupGap;
    });
    chart.setAttribute("height", String(y - groupGap));
    chart.setAttribute("viewBox", `0 0 ${this.width} ${y - groupGap}`);
    this.host.replaceChildren(chart);
  }
}
