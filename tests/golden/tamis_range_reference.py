#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_range.json: frozen range filters, and their answers, computed
without our library.

Everything here follows docs/formats/tamis-range.md; the container is that of
tamis_reference.py.  Widths and codes are Python integers, which have no size.
No test runs this script.

    /usr/bin/python3 tests/golden/tamis_range_reference.py          rewrites
    /usr/bin/python3 tests/golden/tamis_range_reference.py --check  compares
"""

import json
import pathlib
import random
import struct
import sys

from tamis_reference import seal

OUTPUT = pathlib.Path(__file__).with_name("tamis_range.json")
RANGE = 10
WHOLE = 65536
M32 = 2**32 - 1
POSITION, FIELD, FAMILY, DIGITS, ORDER1, ORDER2, ORDER3 = range(7)


def is_separator(byte):
    return byte < 128 and not chr(byte).isalnum()


def context_of(kind, before):
    """Past and offset after the bytes `before`."""
    past, offset, in_first = 0, 0, True
    for b in before:
        if kind == POSITION:
            offset += 1
        elif kind == FIELD:
            past, offset = (past + 1, 0) if is_separator(b) else (past, offset + 1)
        elif kind == FAMILY:
            if is_separator(b):
                past, offset, in_first = past * 0x01000193 + 0x101, 0, False
            elif in_first:
                past = past * 0x01000193 + b + 1
            else:
                offset += 1
        elif kind == DIGITS:
            if 48 <= b <= 57:
                offset += 1
            else:
                past, offset = past * 0x01000193 + b + 1, 0
        else:
            n = kind - ORDER1 + 1
            past, offset = (past << 8 | b) % 2**(8 * n), min(offset + 1, n)
        past &= M32
    return past, offset


def slot_of(kind, bits, before):
    past, offset = context_of(kind, before)
    if kind == POSITION:
        return min(offset, 2**bits - 1)
    mixed = (past * 0x2C1B3C6D + offset * 0x297A2D39) & M32
    mixed ^= mixed >> 15
    return (mixed * 0x9E3779B1 & M32) >> (32 - bits)


class Code:
    """tables: slot -> (is_span, [(symbol, start), ...])."""

    def __init__(self, kind, bits, prefix, stop, tables):
        self.kind, self.bits, self.prefix = kind, bits, prefix
        self.stop, self.tables = stop, tables

    def share(self, before, byte):
        table = self.tables.get(slot_of(self.kind, self.bits, before))
        if table is None:
            return byte * 256, byte * 256 + 256
        entries = table[1]
        for i, (symbol, start) in enumerate(entries):
            if symbol >= byte:
                after = entries[i + 1][1] if i + 1 < len(entries) else WHOLE
                return start, after if symbol == byte else start
        return WHOLE, WHOLE

    def of(self, rest):
        low, width = 0, 2**64 - 1
        for i, byte in enumerate(rest):
            if width < 2**self.stop:
                break
            start, end = self.share(rest[:i], byte)
            low += width * start // WHOLE
            width = width * end // WHOLE - width * start // WHOLE
        return low

    def ends(self, lo, hi):
        p = self.prefix
        if not lo.startswith(p) and lo > p or not hi.startswith(p) and hi < p:
            return None
        return (self.of(lo[len(p):]) if lo.startswith(p) else 0,
                self.of(hi[len(p):]) if hi.startswith(p) else 2**64 - 1)

    def bytes(self):
        slots, tables = [0xFFFF] * 2**self.bits, b""
        for slot, (is_span, entries) in sorted(self.tables.items()):
            slots[slot] = len(tables)
            symbols = [s for s, _ in entries]
            tables += bytes([is_span, len(entries), symbols[0]])
            tables += b"" if is_span else bytes(symbols)
            tables += b"".join(struct.pack("<H", s) for _, s in entries)
        return (struct.pack("<BBHHBB", self.kind, self.bits, len(self.prefix),
                            len(tables), self.stop, 0) + self.prefix +
                struct.pack(f"<{len(slots)}H", *slots) + tables)


def cell_of(scale, distance):
    return distance * (512 + scale % 512) >> (scale >> 9)


def bits_to_bytes(places, count):
    number = sum(1 << p for p in places)
    return number.to_bytes((count + 7) // 8 + 8, "little")


class Filter:
    def __init__(self, name, code, keys, low_bits, highs, group_codes):
        self.name, self.code, self.keys = name, code, sorted(set(keys))
        self.low_bits, self.highs = low_bits, highs
        self.codes = sorted({code.of(k[len(code.prefix):]) for k in self.keys})
        self.groups = [self.codes[i:i + group_codes]
                       for i in range(0, len(self.codes), group_codes)]
        self.scales = [self.scale(g) for g in self.groups]

    def values(self, count):
        return (count * self.highs + 255) // 256

    def scale(self, group):
        """The finest scale with which the last code has a cell."""
        cells = self.values(len(group)) << self.low_bits
        best = 127 << 9
        for shift in range(80):
            for factor in (1023, 900, 777, 640, 512):
                scale = shift << 9 | factor - 512
                if cell_of(scale, group[-1] - group[0]) < cells:
                    return scale
        return best

    def bytes(self):
        records, highs, lows, index = b"", [], 0, 0
        for g, (group, scale) in enumerate(zip(self.groups, self.scales)):
            records += struct.pack("<QIH", group[0], index, scale)
            begin = index + index * self.highs // 256 + g
            for i, code in enumerate(group):
                cell = cell_of(scale, code - group[0])
                highs.append(begin + i + (cell >> self.low_bits))
                lows |= cell % 2**self.low_bits << (index + i) * self.low_bits
            index += len(group)
        n = len(self.codes)
        high_bits = n + n * self.highs // 256 + len(self.groups)
        body = (self.code.bytes() + records + bits_to_bytes(highs, high_bits) +
                lows.to_bytes((n * self.low_bits + 7) // 8 + 8, "little"))
        return seal(body, kind=RANGE, keys=len(self.keys),
                    size=len(self.groups) << 32 | n,
                    a=self.low_bits | self.highs << 8, b=2**31)

    def maybe(self, lo, hi):
        if lo > hi:
            return True
        ends = self.code.ends(lo, hi)
        if ends is None or not self.groups:
            return False
        for group, scale in zip(self.groups, self.scales):
            if ends[0] <= group[0] <= ends[1]:
                return True
            if ends[1] < group[0]:
                continue
            first = group[0]
            if self.groups[-1] is not group:
                after = self.groups[self.groups.index(group) + 1][0]
                if ends[0] >= after:
                    continue
            cells = [cell_of(scale, c - first) for c in group]
            lo_cell = cell_of(scale, ends[0] - first)
            if any(lo_cell <= c <= cell_of(scale, ends[1] - first)
                   for c in cells):
                return True
        return False


def digits(first_start=0):
    return (1, [(48 + i, first_start + i * (WHOLE - first_start) // 10)
                for i in range(10)])


def filters():
    rng = random.Random(20)
    numbers = [b"k:%05d" % rng.randrange(100000) for _ in range(300)]
    by_place = Code(POSITION, 3, b"k:", 20, {i: digits() for i in range(5)})
    yield Filter("numbers by position", by_place, numbers, 5, 384, 100)
    raw = [bytes(rng.choice(b"\0\x01\xff\xfe") for _ in range(rng.randrange(6)))
           for _ in range(80)]
    yield Filter("bytes without tables", Code(ORDER1, 4, b"", 0, {}), raw, 4,
                 300, 30)
    fields = [b"u%d:%d" % (rng.randrange(90), rng.randrange(900))
              for _ in range(200)]
    ends = (0, [(58, 20000), (255, 65000)])
    for kind in (FIELD, FAMILY, DIGITS, ORDER1, ORDER2, ORDER3):
        tables = {slot_of(kind, 8, b"u12"): ends,
                  slot_of(kind, 8, b"u1"): digits(3000),
                  slot_of(kind, 8, b"u12:"): digits()}
        yield Filter(f"fields, context {kind}", Code(kind, 8, b"", 0, tables),
                     fields, 6, 256, 256)
    yield Filter("no keys", by_place, [], 0, 32, 1)


def queries(f):
    rng = random.Random(len(f.keys))
    keys = f.keys or [b"", b"k:1"]
    for _ in range(60):
        lo = rng.choice(keys)
        if rng.random() < 0.7:
            lo = lo[:rng.randrange(len(lo) + 1)] + bytes([rng.randrange(256)])
        hi = lo + bytes([rng.randrange(256)])
        if rng.random() < 0.2:
            hi = rng.choice(keys)
        yield {"lo": lo.hex(), "hi": hi.hex(), "maybe": f.maybe(lo, hi)}
    for k in keys[:20]:
        if f.keys:
            assert f.maybe(k, k)
    yield {"lo": "", "hi": "ff" * 20, "maybe": f.maybe(b"", b"\xff" * 20)}


def main():
    out = [{"name": f.name, "bytes": f.bytes().hex(),
            "queries": list(queries(f))} for f in filters()]
    text = json.dumps({"filters": out}, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUTPUT.read_text() == text else "they differ")
    OUTPUT.write_text(text)


if __name__ == "__main__":
    main()
