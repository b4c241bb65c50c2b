#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_fuse.json: .tamis files of kind 5, computed without our library.

Everything here follows docs/formats/tamis-fuse.md and, for the container,
tamis_reference.py, whose header and checksum it uses.  No test runs this
script: it is kept to show where the vectors come from, and for adding some.

    /usr/bin/python3 tests/golden/tamis_fuse_reference.py          rewrites
    /usr/bin/python3 tests/golden/tamis_fuse_reference.py --check  only compares
"""

import collections
import json
import pathlib
import struct
import sys

import xxhash

from tamis_reference import HUNDRED, KEYS, KEYS_UNKNOWN, MASK64, pattern, seal

OUTPUT = pathlib.Path(__file__).with_name("tamis_fuse.json")
FUSE = 5
CELLS, LIST = 1, 2
SOME = HUNDRED[:30]
SOME_SEED = 0xFEDCBA9876543210
MOST_PART_KEYS = 2**21
STRETCH = 4096

# Row i: for 2^i keys, log2 of a segment's length and cells per 10,000 keys.
ROWS = {
    3: ((0, 30000), (2, 48000), (2, 43000), (3, 34500), (4, 28500),
        (5, 25000), (5, 20000), (6, 17000), (7, 15500), (7, 15200),
        (8, 14800), (8, 13850), (8, 13250), (9, 12800), (9, 12350),
        (10, 12250), (11, 12020), (11, 11750), (12, 11700), (12, 11410),
        (13, 11283), (13, 11266), (13, 11265)),
    4: ((0, 40000), (1, 45000), (2, 40000), (2, 33000), (3, 22000),
        (4, 18300), (5, 16800), (5, 16300), (6, 15700), (6, 14700),
        (6, 14000), (7, 13350), (7, 12750), (8, 12300), (9, 11900),
        (9, 11600), (10, 11350), (10, 11200), (11, 11000), (11, 10860),
        (12, 10720), (12, 10690), (12, 10680)),
}

Shape = collections.namedtuple("Shape", "segment_bits starts")


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK64
    return x ^ x >> 31


def cells_of(shape, arity):
    return shape.starts + (arity - 1 << shape.segment_bits)


def shape_for(keys, arity):
    keys = max(keys, 1)
    row = keys.bit_length() - 1
    beyond = keys - 2**row
    (bits, here), (next_bits, there) = ROWS[arity][row:row + 2]
    per_10000 = (here * (2**row - beyond) + there * beyond) // 2**row
    bits = bits if 2 * beyond < 2**row else next_bits
    cells = -(-keys * per_10000 // 10000)
    return Shape(bits, max(1, cells - (arity - 1 << bits)))


def enlarged(shape, arity, steps):
    return shape._replace(
        starts=shape.starts + steps * (cells_of(shape, arity) // 32 + 1))


def probe(position, shape, arity, seed):
    """A key's cells, and its fingerprint in the lower bits."""
    mixed = splitmix64(position ^ seed)
    first = position * shape.starts >> 64
    slots = [first]
    for i in range(1, arity):
        within = (mixed >> 64 - 16 * i) % 2**shape.segment_bits
        slots.append(first + 1 + (i - 1) * 2**shape.segment_bits + within)
    return slots, mixed


def peel(positions, shape, arity, seed):
    """Pairs of a cell and the key it settles, in the order of taking."""
    count = cells_of(shape, arity)
    keys_at = [set() for _ in range(count)]
    for position in positions:
        for slot in probe(position, shape, arity, seed)[0]:
            keys_at[slot].add(position)
    taken = []
    for start in range(0, count, STRETCH):
        queue = collections.deque(
            cell for cell in range(start, min(count, start + STRETCH))
            if len(keys_at[cell]) == 1)
        while queue:
            cell = queue.popleft()
            if not keys_at[cell]:
                continue
            position, = keys_at[cell]
            taken.append((cell, position))
            for slot in probe(position, shape, arity, seed)[0]:
                keys_at[slot].remove(position)
                if len(keys_at[slot]) == 1:
                    queue.append(slot)
    return taken if len(taken) == len(positions) else None


def solve(positions, arity):
    planned = shape_for(len(positions), arity)
    for attempt in range(40):
        shape = enlarged(planned, arity, attempt // 4)
        seed = splitmix64(attempt)
        taken = peel(positions, shape, arity, seed)
        if taken is not None:
            return shape, seed, attempt, taken
    raise ValueError("such keys need a list")


def part_of_cells(positions, cell_bits, arity):
    """The entry of a part in the directory, its cells, and the attempt."""
    shape, seed, attempt, taken = solve(positions, arity)
    cells = [0] * cells_of(shape, arity)
    for cell, position in reversed(taken):
        slots, mixed = probe(position, shape, arity, seed)
        value = mixed % 2**cell_bits
        for slot in slots:
            value ^= cells[slot]
        cells[cell] = value
    code = {8: "B", 16: "H", 32: "I"}[cell_bits]
    entry = struct.pack("<QIBBH", seed, shape.starts, CELLS,
                        shape.segment_bits, 0)
    return entry, struct.pack(f"<{len(cells)}{code}", *cells), attempt


def part_of_list(digests):
    entry = struct.pack("<QIBBH", len(digests), 0, LIST, 0, 0)
    return entry, struct.pack(f"<{len(digests)}Q", *digests)


def digests_of(keys, seed):
    return sorted({xxhash.xxh3_64_intdigest(key, seed) for key in keys})


def payload(keys, seed, cell_bits, arity, parts=1, lists=()):
    """Directory and parts; those in `lists` as lists."""
    entries, contents = [], []
    digests = digests_of(keys, seed)
    for i in range(parts):
        mine = [d for d in digests if d * parts >> 64 == i]
        if i in lists:
            entry, content = part_of_list(mine)
        else:
            positions = [d * parts & MASK64 for d in mine]
            entry, content, _ = part_of_cells(positions, cell_bits, arity)
        entries.append(entry)
        contents.append(content)
    return b"".join(entries + contents)


def whole(keys, seed=0, cell_bits=8, arity=3, parts=1, lists=()):
    body = payload(keys, seed, cell_bits, arity, parts, lists)
    return seal(body, kind=FUSE, seed=seed, keys=len(digests_of(keys, seed)),
                size=parts, a=cell_bits, b=arity)


def answers(body, key, seed, cell_bits, arity, parts):
    """What a reader must say of `key`."""
    digest = xxhash.xxh3_64_intdigest(key, seed)
    at = 16 * parts
    for i in range(parts):
        word, starts, kind, bits, _ = struct.unpack_from("<QIBBH", body, 16 * i)
        shape = Shape(bits, starts)
        size = (8 * word if kind == LIST else
                cells_of(shape, arity) * cell_bits // 8)
        if i == digest * parts >> 64:
            break
        at += size
    if kind == LIST:
        return digest in struct.unpack_from(f"<{word}Q", body, at)
    slots, mixed = probe(digest * parts & MASK64, shape, arity, word)
    value = mixed % 2**cell_bits
    for slot in slots:
        value ^= int.from_bytes(
            body[at + slot * cell_bits // 8:][:cell_bits // 8], "little")
    return value == 0


def vector(keys, why, seed=0, cell_bits=8, arity=3):
    """What a builder writes."""
    filter_bytes = (whole(keys, seed, cell_bits, arity) if keys else
                    seal(b"", kind=FUSE, seed=seed, keys=0, size=0,
                         a=cell_bits, b=arity))
    return {"cell_bits": cell_bits, "arity": arity, "seed": f"{seed:x}",
            "why": why, "keys": [key.hex() for key in keys],
            "filter": filter_bytes.hex()}


def resisting(arity):
    """Keys that the first seed, or the first array, does not do for."""
    rows = []
    for wanted, why in ((1, "the second seed"), (2, "the third seed")):
        for i in range(100000):
            keys = [b"%d-%d" % (i, j) for j in range(20 + i % 10)]
            attempt = part_of_cells(digests_of(keys, 0), 8, arity)[2]
            if attempt == wanted:
                rows.append(vector(keys, why, arity=arity))
                break
    return rows


def vectors():
    rows = []
    for arity in (3, 4):
        for cell_bits in (8, 16, 32):
            more = dict(cell_bits=cell_bits, arity=arity)
            rows += [vector([], "no keys: no parts", **more),
                     vector([b"apple"], "one key", **more),
                     vector(KEYS, "three keys", **more),
                     vector(HUNDRED, "a hundred keys", **more),
                     vector(KEYS, "a seed", seed=SOME_SEED, **more)]
        rows += [vector([b""], "the empty key", arity=arity),
                 vector([pattern(n) for n in (1, 16, 17, 240, 241, 300)],
                        "keys of many lengths", arity=arity),
                 vector(KEYS + KEYS[::-1], "repeats, out of order",
                        arity=arity),
                 vector([b"k%d" % i for i in range(5000)],
                        "more cells than one stretch", arity=arity)]
        rows += resisting(arity)
    for row in rows:
        if row["why"] == "more cells than one stretch":
            row["numbered"] = len(row.pop("keys"))
    return rows


def reads(opens, why, filter_bytes, keys=(), absent=()):
    assert opens in ("probes", "maybe", "corruption")
    return {"opens": opens, "why": why, "keys": [key.hex() for key in keys],
            "absent": [key.hex() for key in absent],
            "filter": filter_bytes.hex()}


def good(why, keys=SOME, stated=None, **how):
    filter_bytes = whole(keys, **how)
    body = filter_bytes[64:]
    settings = {"seed": 0, "cell_bits": 8, "arity": 3, "parts": 1, **how}
    settings.pop("lists", None)
    assert all(answers(body, key, **settings) for key in keys)
    absent = [key for key in (b"stranger%d" % i for i in range(10))
              if not answers(body, key, **settings)]
    if stated is not None:
        filter_bytes = seal(body, kind=FUSE, keys=stated,
                            size=settings["parts"], a=settings["cell_bits"],
                            b=settings["arity"])
    return reads("probes", why, filter_bytes, keys, absent)


def probing():
    rows = [good("its key count is not known", stated=KEYS_UNKNOWN),
            good("its key count is not checked against anything", stated=1)]
    for arity in (3, 4):
        for bits in (8, 16, 32):
            how = dict(cell_bits=bits, arity=arity)
            rows += [good("several parts", parts=7, seed=SOME_SEED, **how),
                     good("a list among the parts", parts=3, lists=(1,),
                          **how)]
    return rows + [good("a list of all", lists=(0,)),
                   good("parts without keys", KEYS, parts=9),
                   good("lists without keys", KEYS, parts=9, lists=range(9))]


BODY = payload(SOME, 0, 8, 3, parts=2, lists=(1,))


def sealed(body=BODY, **fields):
    return seal(body, **{"kind": FUSE, "size": 2, "a": 8, "b": 3,
                         "keys": len(SOME), **fields})


def patched(offset, fmt, *values, **fields):
    body = bytearray(BODY)
    struct.pack_into("<" + fmt, body, offset, *values)
    return sealed(bytes(body), **fields)


def reserved():
    cases = [dict(version=2), dict(hash=2), dict(flags=1)] + [
        dict(a=a) for a in (0, 1, 7, 9, 24, 64, 2**32 - 1)] + [
        dict(b=b) for b in (0, 2, 5, 2**32 - 1)]
    # What is reserved comes first: nothing else of it is judged then.
    cases += [{**case, "size": 77} for case in cases]
    rows = [reads("maybe", f"{case}", sealed(**case), SOME[:3])
            for case in cases]
    for offset, fmt, value, why in (
            (12, "B", 0, "type 0"), (12, "B", 3, "type 3"),
            (8, "I", 0, "cells without starts"),
            (13, "B", 17, "segments of 2^17"),
            (13, "B", 255, "segments of 2^255"),
            (14, "H", 1, "the last bytes of an entry"),
            (24, "I", 1, "a list with starts"),
            (29, "B", 1, "a list with segments"),
            (30, "H", 0x8000, "the last bytes of a list's entry")):
        rows.append(reads("maybe", why, patched(offset, fmt, value),
                          SOME[:3]))
    return rows


def damaged():
    rows = [reads("corruption", f"sealed, but {why}", filter_bytes)
            for why, filter_bytes in (
        ("no parts", sealed(size=0)),
        ("no parts and no payload, yet keys", sealed(b"", size=0)),
        ("no parts, keys unknown", sealed(b"", size=0, keys=KEYS_UNKNOWN)),
        ("no parts, no keys, yet a payload", sealed(size=0, keys=0)),
        ("a part too few", sealed(size=1)),
        ("2^60 + 2 parts", sealed(size=2**60 + 2)),
        ("2^64 - 1 parts", sealed(size=MASK64)),
        ("no payload", sealed(b"")),
        ("half a directory", sealed(BODY[:31])),
        ("nothing but a directory", sealed(BODY[:32])),
        ("a byte missing", sealed(BODY[:-1])),
        ("a byte too many", sealed(BODY + b"\0")),
        ("5,000 starts", patched(8, "I", 5000)),
        ("2^32 - 1 starts", patched(8, "I", 2**32 - 1)),
        ("segments of 2^16", patched(13, "B", 16)),
        ("a list that is longer", patched(16, "Q", 1000)),
        ("a list that is shorter", patched(16, "Q", 1)),
        ("so long a list that its bytes wrap to its own",
         patched(16, "Q", 2**61 + struct.unpack_from("<Q", BODY, 16)[0])),
        ("a list of 2^64 - 1", patched(16, "Q", MASK64)),
        ("cells of 16 bits", sealed(a=16)),
        ("four cells per key", sealed(b=4)),
        ("a list in no order", patched(len(BODY) - 8, "Q", 0)),
        ("a list with an equal pair",
         sealed(BODY[:-8] + BODY[-16:-8])))]
    return rows


def main():
    text = json.dumps({"vectors": vectors(),
                       "reader": probing() + reserved() + damaged()},
                      indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        return 0 if OUTPUT.read_text() == text else 1
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
