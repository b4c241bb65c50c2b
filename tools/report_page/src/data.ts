// SPDX-License-Identifier: Apache-2.0
// The data of a page, as tools/report_data.cc writes it.

export const verdicts = [
  "ok",
  "saturated",
  "oversized",
  "missing",
  "damaged",
  "legacy-hash",
  "not-used",
  "unreadable",
] as const;
export type Verdict = (typeof verdicts)[number];

/** One sstable. What is null or absent is not known. */
export interface FileRow {
  file: string;
  directory: string;
  group: string;
  engine: string;
  version: string;
  bytes: number;
  entries?: number;
  kind: string; // "none" without a filter
  probes?: number;
  bits?: number;
  keys?: number;
  keys_are_estimated?: boolean;
  bits_per_key?: number;
  fill?: number;
  rate?: number;
  target?: number;
  filter_bytes: number;
  verdict: Verdict;
  wasted: number;
  remarks?: string[];
}

/** A row of the picture: a level, or a table of Cassandra. */
export interface Level {
  name: string;
  files: number[]; // places in PageData.files
  keys: number;
  bytes: number;
  filter_bytes: number;
  needless_reads?: number; // not known: not there
}

/** Sizes of filters, and what the library says of each. */
export interface Curve {
  kind: string; // as FileRow.kind
  label: string;
  // Of the steps of the slider.
  bits_per_key: number[]; // what is asked for
  // null where there are no such filters.
  bytes: (number | null)[];
  needless_reads: (number | null)[];
  level_reads: (number | null)[][]; // by level, then by step
}

/** The same memory, divided by the library. */
export interface Division {
  kind: string;
  label: string;
  memory: number[]; // what is asked for
  bytes: (number | null)[];
  needless_reads: (number | null)[];
  level_bits: (number | null)[][]; // bits per key, by level, then by step
  level_reads: (number | null)[][];
  equal_reads: (number | null)[]; // with the same bits for all
}

export interface WhatIf {
  keys: number;
  filter_bytes: number;
  needless_reads: number;
  curves: Curve[];
  divisions: Division[];
  remark?: string; // what is left out
}

/** What one lookup goes through. */
export interface Scope {
  name: string;
  levels: Level[];
  needless_reads?: number;
  what_if?: WhatIf;
  why_no_what_if?: string;
}

export interface PageData {
  tool: string;
  made: string;
  paths: string[];
  sentences: string[];
  problems: string[];
  files: FileRow[];
  scopes: Scope[];
}

/** What a verdict means, in words. */
export const meanings: Record<Verdict, string> = {
  ok: "the filter does what one of its size does",
  saturated: "more keys than it was sized for: its rate is too high",
  oversized: "less than a quarter of its bits are set",
  missing: "the table has keys and no filter",
  damaged: "its bytes are wrong: the engine reads the table for every key",
  "legacy-hash": "an algorithm that the engine has replaced since",
  "not-used": "readers of today ignore it, or have to",
  unreadable: "the table itself could not be read",
};

/** The letter of a verdict in the picture, beside its colour and its pattern. */
export const letters: Record<Verdict, string> = {
  ok: "",
  saturated: "S",
  oversized: "O",
  missing: "M",
  damaged: "D",
  "legacy-hash": "L",
  "not-used": "N",
  unreadable: "?",
};

/** From the harmless to the worst: of several files in one cell it shows that. */
export const severity: Verdict[] = [
  "ok",
  "oversized",
  "legacy-hash",
  "not-used",
  "saturated",
  "missing",
  "damaged",
  "unreadable",
];

export function readData(): PageData {
  return JSON.parse(document.getElementById("data")!.textContent!) as PageData;
}
