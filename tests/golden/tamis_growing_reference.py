#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_growing.json: frozen scalable and rotating .tamis files.

Everything here follows docs/formats/tamis.md, tamis-scalable.md and
tamis-rotating.md, and nothing else; sizes are given, for how a filter chooses
them is not part of the formats.  XXH3 comes from Debian's python3-xxhash; the
CRC is written out bit by bit.  No test runs this script: it is kept to show
where the vectors come from, and for adding some.

    /usr/bin/python3 tests/golden/tamis_growing_reference.py          rewrites
    /usr/bin/python3 tests/golden/tamis_growing_reference.py --check  compares
"""

import json
import pathlib
import struct
import sys

import xxhash

OUTPUT = pathlib.Path(__file__).with_name("tamis_growing.json")
MASK64 = 2**64 - 1
SCALABLE, ROTATING = 8, 9
LINE = 64
FRUITS = [b"apple", b"banana", b"cherry"]


def crc32c(data):
    """CRC-32C (Castagnoli, reflected), one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def seal(kind, body, **fields):
    header = dict(version=1, kind=kind, hash=1, flags=0, seed=0, keys=0,
                  size=0, a=0, b=0, payload_bytes=len(body),
                  payload_crc=crc32c(body))
    assert header.keys() >= fields.keys()
    header.update(fields)
    start = b"\x89TAMIS\r\n" + struct.pack("<HHHHQQQIIQI", *header.values())
    return start + struct.pack("<I", crc32c(start)) + body


def padded(table):
    return table + bytes(-len(table) % LINE)


def line_and_positions(key, seed, lines, k):
    digest = xxhash.xxh3_64_intdigest(key, seed)
    bits = digest % 2**32
    return (digest * lines >> 64,
            [bits * 0xADB4A92D**i % 2**32 >> 23 for i in range(k)])


class Lines:
    """The lines of one part, or of one generation."""

    def __init__(self, lines, k, seed):
        self.lines, self.k, self.seed, self.keys = lines, k, seed, 0
        self.bytes = bytearray(lines * LINE)

    def has(self, key):
        line, positions = line_and_positions(key, self.seed, self.lines,
                                             self.k)
        return all(self.bytes[line * LINE + p // 8] >> p % 8 & 1
                   for p in positions)

    def add(self, key):
        line, positions = line_and_positions(key, self.seed, self.lines,
                                             self.k)
        for p in positions:
            self.bytes[line * LINE + p // 8] |= 1 << p % 8
        self.keys += 1


class Scalable:
    """`sizes`: of each part in turn, (lines, k)."""

    def __init__(self, share, capacity, sizes, seed=0):
        self.share, self.capacity, self.seed = share, capacity, seed
        self.sizes = list(sizes)
        self.parts = []
        self.grow()

    def grow(self):
        lines, k = self.sizes[len(self.parts)]
        self.parts.append(Lines(lines, k, self.seed))

    def insert(self, key):
        if any(part.has(key) for part in self.parts):
            return
        if self.parts[-1].keys >= self.capacity << len(self.parts) - 1:
            self.grow()
        self.parts[-1].add(key)

    def body(self):
        table = struct.pack("<dQ", self.share, self.capacity)
        for part in self.parts:
            table += struct.pack("<QQII", part.lines, part.keys, part.k, 0)
        return padded(table) + b"".join(part.bytes for part in self.parts)

    def fields(self):
        return dict(seed=self.seed, keys=sum(p.keys for p in self.parts),
                    size=sum(p.lines for p in self.parts), a=len(self.parts))

    def file(self):
        return seal(SCALABLE, self.body(), **self.fields())


class Rotating:
    def __init__(self, generations, lines, k, seed=0):
        self.k, self.lines, self.seed, self.rotations = k, lines, seed, 0
        self.places = [Lines(lines, k, seed) for _ in range(generations)]

    def newest(self):
        return self.rotations % len(self.places)

    def insert(self, key):
        place = self.places[self.newest()]
        if not place.has(key):
            place.add(key)

    def rotate(self):
        self.rotations += 1
        self.places[self.newest()] = Lines(self.lines, self.k, self.seed)

    def body(self):
        table = struct.pack("<Q", self.rotations)
        for place in self.places:
            table += struct.pack("<Q", place.keys)
        return padded(table) + b"".join(
            place.bytes[i * LINE:(i + 1) * LINE]
            for i in range(self.lines) for place in self.places)

    def fields(self):
        return dict(seed=self.seed, keys=sum(p.keys for p in self.places),
                    size=self.lines, a=self.k, b=len(self.places))

    def file(self):
        return seal(ROTATING, self.body(), **self.fields())


def numbered(prefix, count, first=0):
    return [b"%s%d" % (prefix, i) for i in range(first, first + count)]


def row(why, filter_, before, steps, absent=()):
    """`before`: the file to load; after `steps` it is `filter`.  A step is a
    key to insert in hexadecimal, or "rotate"."""
    return {"why": why, "before": before.hex(), "steps": steps,
            "filter": filter_.file().hex(), "keys": filter_.fields()["keys"],
            "absent": [key.hex() for key in absent]}


def strangers(filter_, parts):
    found = [key for key in numbered(b"stranger", 60)
             if not any(part.has(key) for part in parts)]
    return found[:10]


def played(why, filter_, steps):
    before = filter_.file()
    for step in steps:
        if step == "rotate":
            filter_.rotate()
        else:
            filter_.insert(step)
    parts = (filter_.parts if isinstance(filter_, Scalable)
             else filter_.places)
    return row(why, filter_, before,
               [s if s == "rotate" else s.hex() for s in steps],
               strangers(filter_, parts))


# How our library sizes the parts at fpr=0.01 and few planned keys: those of
# the table in docs/formats/tamis-scalable.md.
SIZES = [(1, 9), (3, 9), (5, 9), (9, 9), (18, 10)]
SHARE = 0.01 * (1 - 0.85)


def played_rows():
    seed = 0x123456789ABCDEF0
    many = numbered(b"user:", 300)
    rows = [
        played("scalable: three keys", Scalable(SHARE, 35, SIZES), FRUITS),
        played("scalable: repeats cost nothing", Scalable(SHARE, 35, SIZES),
               FRUITS * 30),
        played("scalable: it grows", Scalable(SHARE, 35, SIZES), many),
        played("scalable: it grows, seeded, from keys of all lengths",
               Scalable(SHARE, 35, SIZES, seed),
               [bytes([i % 256]) * i for i in range(301)]),
        played("rotating: three keys", Rotating(2, 1, 7), FRUITS),
        played("rotating: keys of every age, and some gone",
               Rotating(3, 5, 8, seed),
               sum((numbered(b"user:", 40, 30 * i) + ["rotate"]
                    for i in range(7)), [])),
        played("rotating: 64 generations", Rotating(64, 1, 32),
               sum(([key, "rotate"] for key in many[:70]), [])),
        played("rotating: 7 generations, whose table fills a line",
               Rotating(7, 3, 1), FRUITS + ["rotate"] + many),
    ]
    return rows


def reads(opens, why, whole, keys=FRUITS):
    assert opens in ("probes", "maybe", "corruption")
    return {"opens": opens, "why": why, "keys": [key.hex() for key in keys],
            "filter": whole.hex()}


def changed(filter_, kind, why, opens, body=None, **fields):
    whole = seal(kind, filter_.body() if body is None else body,
                 **{**filter_.fields(), **fields})
    return reads(opens, f"{why} {fields}" if fields else why, whole)


def patched(body, offset, form, value):
    body = bytearray(body)
    struct.pack_into(form, body, offset, value)
    return bytes(body)


def scalable_reader():
    two = Scalable(SHARE, 2, [(1, 8), (2, 9)])
    for key in FRUITS:
        two.insert(key)
    body = two.body()
    first, second = 16, 40  # the rows of the table

    def case(opens, why, **kwargs):
        return changed(two, SCALABLE, "scalable: " + why, opens, **kwargs)

    def patch(opens, why, offset, form, value):
        return case(opens, f"{why} is {value}",
                    body=patched(body, offset, form, value))

    rows = [case("probes", "as written"),
            case("probes", "its key count is not checked", keys=MASK64),
            patch("probes", "keys of a part", first + 8, "<Q", MASK64),
            patch("probes", "capacity", 8, "<Q", MASK64),
            patch("probes", "share", 0, "<d", 5e-324)]
    rows += [case("maybe", "reserved", **fields) for fields in (
        dict(a=0), dict(a=49), dict(a=2**32 - 1), dict(b=1), dict(flags=1),
        dict(version=2), dict(hash=2))]
    rows += [patch("maybe", "probes", at + 16, "<I", k)
             for at in (first, second) for k in (0, 33, 2**32 - 1)]
    rows += [patch("maybe", "the zero of a row", second + 20, "<I", 1)]
    one = Scalable(SHARE, 35, SIZES)
    for key in FRUITS:
        one.insert(key)
    rows += [changed(one, SCALABLE, "scalable: the table's padding is used",
                     "maybe", patched(one.body(), at, "<B", 1))
             for at in (40, 63)]
    rows += [patch("corruption", "lines", at, "<Q", lines)
             for at in (first, second)
             for lines in (0, 3, 2**58, 2**58 + 1, 2**63, MASK64)]
    rows += [patch("corruption", "share", 0, "<d", share)
             for share in (0.0, -0.5, 1.0, float("inf"), float("nan"))]
    rows += [patch("corruption", "capacity", 8, "<Q", 0),
             case("corruption", "lines in all", size=2),
             case("corruption", "lines in all", size=4),
             # Whose rows, or padding, then hold what is reserved.
             case("maybe", "more parts than its table has", a=3),
             case("maybe", "fewer parts than it has", a=1),
             case("corruption", "no payload", body=b""),
             case("corruption", "half a table", body=body[:32]),
             case("corruption", "only a table", body=body[:64]),
             case("corruption", "a line missing", body=body[:-64]),
             case("corruption", "a byte missing", body=body[:-1]),
             case("corruption", "a line more", body=body + bytes(64))]
    # Sums of lines that wrap to what is there.
    wrapped = patched(patched(body, first, "<Q", 2**64 - 1), second, "<Q", 4)
    return rows + [
        case("corruption", "lines that wrap", body=wrapped),
        case("corruption", "lines whose bytes wrap", size=2**58 + 3,
             body=patched(body, first, "<Q", 2**58 + 1))]


def rotating_reader():
    three = Rotating(3, 2, 7)
    for key in FRUITS:
        three.insert(key)
        three.rotate()
    three.insert(FRUITS[0])
    body = three.body()

    def case(opens, why, **kwargs):
        return changed(three, ROTATING, "rotating: " + why, opens, **kwargs)

    return [
        case("probes", "as written"),
        case("probes", "its key count is not checked", keys=MASK64),
        case("probes", "nor are those of a generation",
             body=patched(body, 8, "<Q", MASK64)),
        case("probes", "2^62 rotations", body=patched(body, 0, "<Q", 2**62)),
        case("maybe", "more rotations",
             body=patched(body, 0, "<Q", 2**62 + 1)),
        case("maybe", "the table's padding is used",
             body=patched(body, 32, "<B", 1)),
    ] + [case("maybe", "reserved", **fields) for fields in (
        dict(a=0), dict(a=33), dict(b=0), dict(b=1), dict(b=65),
        dict(b=2**32 - 1), dict(flags=1), dict(version=2), dict(hash=2))] + [
        case("corruption", "lines", size=size)
        for size in (0, 1, 3, 2**58 + 2, MASK64)] + [
        case("corruption", "more generations than it has", b=4),
        case("corruption", "fewer generations than it has", b=2),
        case("corruption", "no payload", body=b""),
        case("corruption", "no payload, no lines", body=b"", size=0),
        case("corruption", "only a table", body=body[:64]),
        case("corruption", "only a table, no lines", body=body[:64], size=0),
        case("corruption", "a line missing", body=body[:-64]),
        case("corruption", "a byte missing", body=body[:-1]),
        case("corruption", "a byte more", body=body + b"\0"),
    ]


def main():
    assert crc32c(b"123456789") == 0xE3069283
    assert xxhash.xxh3_64_intdigest(b"") == 0x2D06800538D394C2
    text = json.dumps({"played": played_rows(),
                       "reader": scalable_reader() + rotating_reader()},
                      indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        return 0 if OUTPUT.read_text() == text else 1
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
