#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_mutable.json: frozen counting and cuckoo filters, computed
without our library.

Everything here follows docs/formats/tamis-counting.md and tamis-cuckoo.md; the
container is that of tamis_reference.py.  Slots and counters are Python
integers until the end, so that no packing is shared with the code it judges.
No test runs this script.

    /usr/bin/python3 tests/golden/tamis_mutable_reference.py          rewrites
    /usr/bin/python3 tests/golden/tamis_mutable_reference.py --check  compares
"""

import json
import math
import pathlib
import sys

import xxhash

from tamis_reference import (HUNDRED, KEYS, KEYS_UNKNOWN, LENGTHY, MASK64,
                             SOME_SEED, cut_or_extended, flipped, seal)

OUTPUT = pathlib.Path(__file__).with_name("tamis_mutable.json")
COUNTING, CUCKOO = 6, 7
MULTIPLIER = 0xADB4A92D
COUNTING_PROBES = (2.09, 3.67, 5.40, 7.38, 9.76, 12.68, 16.38, 21.13, 27.37,
                   35.67, 46.87, 62.20, 83.45, 113.3, 155.7, 216.8, 306.0,
                   437.8, 635.1, 934.2)


class Counting:
    """`lines` lines of 128 counters, k probes."""

    def __init__(self, lines, k, seed=0):
        self.lines, self.k, self.seed, self.keys = lines, k, seed, 0
        self.counters = [0] * (128 * lines)

    def places(self, key):
        digest = xxhash.xxh3_64_intdigest(key, self.seed)
        line = digest * self.lines >> 64
        bits = digest % 2**32
        return {128 * line + (bits * MULTIPLIER**i % 2**32 >> 25)
                for i in range(self.k)}

    def has(self, key):
        return all(self.counters[p] for p in self.places(key))

    def insert(self, key):
        for p in self.places(key):
            self.counters[p] = min(15, self.counters[p] + 1)
        self.keys += 1
        return True

    def erase(self, key):
        if not self.keys or not self.has(key):
            return False
        for p in self.places(key):
            if self.counters[p] != 15:
                self.counters[p] -= 1
        self.keys -= 1
        return True

    def body(self):
        return bytes(self.counters[i] + 16 * self.counters[i + 1]
                     for i in range(0, len(self.counters), 2))

    def whole(self, **fields):
        return seal(self.body(), **{
            "kind": COUNTING, "seed": self.seed, "keys": self.keys,
            "size": self.lines, "a": self.k, "b": 0, **fields})


def splitmix64(x):
    x = x + 0x9E3779B97F4A7C15 & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


class Cuckoo:
    """`buckets` buckets of four fingerprints of f bits."""

    def __init__(self, buckets, f, seed=0):
        self.half, self.f, self.seed = buckets // 2, f, seed
        self.slots = [[0] * 4 for _ in range(buckets)]

    def other(self, bucket, fingerprint):
        total = splitmix64(fingerprint) * self.half >> 64
        if bucket < self.half:
            return self.half + (total - bucket) % self.half
        return (total - (bucket - self.half)) % self.half

    def place(self, key):
        digest = xxhash.xxh3_64_intdigest(key, self.seed)
        lower = digest * self.half >> 64
        fingerprint = 1 + (digest % 2**32 * (2**self.f - 1) >> 32)
        return lower, self.other(lower, fingerprint), fingerprint

    def has(self, key):
        lower, upper, fingerprint = self.place(key)
        return fingerprint in self.slots[lower] + self.slots[upper]

    def put(self, bucket, fingerprint):
        self.slots[bucket][self.slots[bucket].index(0)] = fingerprint

    def insert(self, key):
        lower, upper, fingerprint = self.place(key)
        free = [self.slots[b].count(0) for b in (lower, upper)]
        if any(free):
            self.put(lower if free[0] >= free[1] else upper, fingerprint)
            return True
        ways = [[(lower, None)], [(upper, None)]]
        seen = {lower, upper}
        for way in ways:
            bucket = way[-1][0]
            for slot in range(4):
                other = self.other(bucket, self.slots[bucket][slot])
                step = way[:-1] + [(bucket, slot)]
                if 0 in self.slots[other]:
                    self.move(step, other, fingerprint)
                    return True
                if other not in seen and len(ways) < 1024:
                    seen.add(other)
                    ways.append(step + [(other, None)])
        return False

    def move(self, way, end, fingerprint):
        bucket, slot = end, self.slots[end].index(0)
        for before, moved in reversed(way):
            self.slots[bucket][slot] = self.slots[before][moved]
            bucket, slot = before, moved
        self.slots[bucket][slot] = fingerprint

    def erase(self, key):
        lower, upper, fingerprint = self.place(key)
        for bucket in (lower, upper):
            if fingerprint in self.slots[bucket]:
                self.slots[bucket][self.slots[bucket].index(fingerprint)] = 0
                return True
        return False

    @property
    def keys(self):
        return sum(slot != 0 for bucket in self.slots for slot in bucket)

    def body(self):
        number = 0
        for bucket in reversed(self.slots):
            for slot in reversed(bucket):
                number = number << self.f | slot
        return number.to_bytes(len(self.slots) * self.f // 2, "little") + bytes(
            16)

    def whole(self, **fields):
        return seal(self.body(), **{
            "kind": CUCKOO, "seed": self.seed, "keys": self.keys,
            "size": 2 * self.half, "a": self.f, "b": 4, **fields})


def counting_at(n, bits_per_key, seed=0):
    k = 1 + sum(bits_per_key / 4 > most for most in COUNTING_PROBES)
    return Counting(max(1, math.ceil(n * bits_per_key / 512)), k, seed)


def cuckoo_buckets(n, slots_per_key):
    pairs = max(1, n * max(slots_per_key, 1 / 0.95) / 8)
    if n > 8:
        pairs = max(pairs, 1.65 * n**(9 / 16),
                    n / (8 * 0.979) + 0.25 * math.sqrt(n))
    return 2 * math.ceil(pairs)


def cuckoo_at(n, bits_per_key, seed=0):
    f = min(32, math.floor(bits_per_key * 0.95))
    return Cuckoo(cuckoo_buckets(n, bits_per_key / f), f, seed)


def built(spec, keys, why, table):
    """By a builder: each key once, in the order of the digests."""
    for key in sorted(set(keys), key=lambda key: xxhash.xxh3_64_intdigest(
            key, table.seed)):
        assert table.insert(key)
    return {"spec": spec, "why": why, "keys": [key.hex() for key in keys],
            "filter": table.whole().hex()}


def vectors():
    rows = [
        built("counting:40", [], "no keys: one line", counting_at(0, 40)),
        built("counting:40", KEYS, "three keys", counting_at(3, 40)),
        built("counting:40", KEYS * 3, "each key once", counting_at(3, 40)),
        built("counting:46", HUNDRED, "100 keys", counting_at(100, 46)),
        built("counting:46,seed=7", HUNDRED, "seeded", counting_at(100, 46, 7)),
        built(f"counting:80,seed={SOME_SEED}", LENGTHY, "keys of 0 to 300 bytes",
              counting_at(len(LENGTHY), 80, SOME_SEED)),
        built("counting:m=1,k=3", HUNDRED, "a whole line; some counters stick",
              Counting(1, 3)),
        built("counting:m=129,k=8", HUNDRED, "two lines", Counting(2, 8)),
        built("cuckoo:12", [], "no keys: two buckets", cuckoo_at(0, 12)),
        built("cuckoo:12", KEYS, "three keys", cuckoo_at(3, 12)),
        built("cuckoo:12", KEYS * 3, "each key once", cuckoo_at(3, 12)),
        built("cuckoo:12", HUNDRED, "100 keys", cuckoo_at(100, 12)),
        built("cuckoo:12,seed=7", HUNDRED, "seeded", cuckoo_at(100, 12, 7)),
        built(f"cuckoo:20,seed={SOME_SEED}", LENGTHY, "keys of 0 to 300 bytes",
              cuckoo_at(len(LENGTHY), 20, SOME_SEED)),
        built("cuckoo:40", HUNDRED, "32 bits at most", cuckoo_at(100, 40)),
        built("cuckoo:m=104,k=8", HUNDRED, "nearly full: some had to move",
              Cuckoo(26, 8)),
    ]
    for k in range(1, 33):
        rows.append(built(f"counting:m=256,k={k}", KEYS, f"{k} probes",
                          Counting(2, k)))
    for f in range(4, 33):
        rows.append(built(f"cuckoo:m=56,k={f}", HUNDRED[:44], f"{f} bits",
                          Cuckoo(14, f)))
    for most in COUNTING_PROBES:
        for bits in (4 * most, 4 * most + 0.01):
            text = f"{bits:.8g}"
            rows.append(built(f"counting:{text}", [b"apple"],
                              "a step of the table of probes",
                              counting_at(1, float(text))))
    return rows


def life(spec, why, planned, table, steps):
    """Steps are (sign, key); what comes of each is recorded."""
    done = []
    for sign, key in steps:
        ok = table.insert(key) if sign == "+" else table.erase(key)
        done.append([sign, key.hex(), ok])
    return {"spec": spec, "why": why, "planned": planned, "steps": done,
            "filter": table.whole().hex()}


def plus(keys):
    return [("+", key) for key in keys]


def minus(keys):
    return [("-", key) for key in keys]


def lives():
    twice = [b"apple"] * 2
    rows = []
    for spec, table in (("counting:40", lambda: counting_at(100, 40)),
                        ("cuckoo:12", lambda: cuckoo_at(100, 12))):
        rows += [
            life(spec, "inserted in order", 100, table(), plus(HUNDRED)),
            life(spec, "all erased again", 100, table(),
                 plus(HUNDRED) + minus(HUNDRED[::-1])),
            life(spec, "every other one erased", 100, table(),
                 plus(HUNDRED) + minus(HUNDRED[::2])),
            life(spec, "two insertions, one erasure", 100, table(),
                 plus(twice) + minus(twice[:1])),
            life(spec, "erased once too often", 100, table(),
                 plus(twice) + minus(twice + twice)),
            life(spec, "a stranger", 100, table(),
                 plus(KEYS) + minus([b"no such key"])),
        ]
    return rows + [
        life("counting:m=128,k=4", "a key twenty times: its counters stick", 1,
             Counting(1, 4), plus([b"apple"] * 20) + minus([b"apple"] * 21)),
        life("cuckoo:m=16,k=8", "a key nine times: the ninth is refused", 1,
             Cuckoo(4, 8), plus([b"apple"] * 9) + minus([b"apple"] * 9)),
        life("cuckoo:m=40,k=12", "until it is full, and beyond", 1,
             Cuckoo(10, 12), plus(HUNDRED[:60]) + minus(HUNDRED[:60])
             + plus(HUNDRED[30:90])),
        life("cuckoo:m=400,k=5", "long ways", 1, Cuckoo(100, 5),
             plus(b"key %d" % i for i in range(410))),
    ]


def reads(opens, loads, why, whole, keys=(), absent=()):
    """What opening, and loading to go on, come to."""
    assert opens in ("probes", "maybe", "corruption")
    assert loads in ("ok", "not supported", "corruption")
    return {"opens": opens, "loads": loads, "why": why,
            "keys": [key.hex() for key in keys],
            "absent": [key.hex() for key in absent], "filter": whole.hex()}


def filled(table, keys=tuple(KEYS)):
    for key in keys:
        assert table.insert(key)
    return table


def good(why, table, **fields):
    strangers = [key for key in HUNDRED if not table.has(key)][:5]
    return reads("probes", "ok", why, table.whole(**fields), KEYS, strangers)


def reserved(table, name, cases):
    rows = []
    for case in ([dict(version=2), dict(hash=2), dict(flags=1),
                  dict(keys=KEYS_UNKNOWN), dict(keys=2**62 + 1)] + cases):
        for more in ({}, {"size": 77}):
            rows.append(reads("maybe", "not supported", f"{name}: {case}, {more}",
                              table.whole(**more, **case), KEYS))
    return rows


def corrupt(why, whole):
    return reads("corruption", "corruption", f"sealed, but {why}", whole)


def counting_rows():
    table = filled(Counting(3, 6))
    body = table.body()
    rows = [good("as a builder writes it", table),
            good("one line and a seed", filled(Counting(1, 6, SOME_SEED))),
            good("one probe", filled(Counting(2, 1))),
            good("32 probes", filled(Counting(2, 32))),
            good("its key count is not checked", table, keys=2**62)]
    rows += reserved(table, "counting", [dict(a=0), dict(a=33),
                                         dict(a=2**32 - 1), dict(b=1)])
    for why, part, size in (
            ("no line", body, 0), ("no line, no payload", b"", 0),
            ("no payload", b"", 1), ("a line missing", body, 4),
            ("a line too many", body, 2), ("half a line", body[:96], 2),
            ("more than 2^62 bits", body, 2**53 + 1),
            ("so many that their bytes wrap", body, 3 + 2**58),
            ("2^64 - 1 lines", body, MASK64)):
        rows.append(corrupt(f"counting: {why}", seal(
            part, kind=COUNTING, size=size, a=6, b=0, keys=3)))
    return rows + damaged(table.whole())


def cuckoo_rows():
    table = filled(Cuckoo(6, 10))
    body = table.body()
    rows = [good("as a builder writes it", table),
            good("two buckets and a seed", filled(Cuckoo(2, 12, SOME_SEED))),
            good("the shortest fingerprints", filled(Cuckoo(40, 4))),
            good("buckets in the middle of a byte", filled(Cuckoo(6, 31))),
            good("the longest fingerprints", filled(Cuckoo(6, 32)))]
    rows += reserved(table, "cuckoo", [
        dict(a=0), dict(a=3), dict(a=33), dict(a=2**32 - 1), dict(b=0),
        dict(b=3), dict(b=5), dict(b=2**31)])
    for keys in (2, 4, 0, 2**62):
        rows.append(reads("probes", "corruption",
                          f"{keys} keys, but three slots",
                          table.whole(keys=keys), KEYS))
    for why, part, size in (
            ("no bucket", body, 0), ("no bucket, only padding", body[-16:], 0),
            ("no payload", b"", 2), ("no padding", body[:-16], 6),
            ("two buckets missing", body, 8), ("two too many", body, 4),
            ("an odd number", body, 5), ("an odd number", body, 7),
            ("an odd number that fits", body[:25] + body[-16:], 5),
            ("a single bucket", body[:5] + body[-16:], 1),
            ("a byte of padding missing", body[:-1], 6),
            ("a byte more", body + b"\0", 6),
            ("more than 2^62 bits", body, 2**57),
            ("so many that their bytes wrap", body, 6 + 2**63),
            ("2^64 - 2 buckets", body, MASK64 - 1)):
        rows.append(corrupt(f"cuckoo: {why}", seal(
            part, kind=CUCKOO, size=size, a=10, b=4, keys=3)))
    for at in (-1, -16):
        stray = bytearray(body)
        stray[at] = 1
        rows.append(corrupt("cuckoo: padding that is not 0", seal(
            bytes(stray), kind=CUCKOO, size=6, a=10, b=4, keys=3)))
    return rows + damaged(table.whole())


def damaged(whole):
    rows = cut_or_extended(whole) + [
        flipped(whole, offset, bit, "flipped") for offset, bit in (
            (0, 7), (8, 1), (10, 0), (12, 1), (14, 0), (16, 0), (24, 0),
            (32, 0), (40, 3), (44, 0), (48, 3), (56, 0), (63, 7), (64, 0),
            (len(whole) - 1, 7))]
    return [{**row, "loads": "corruption"} for row in rows]


def main():
    assert splitmix64(0) == 0xE220A8397B1DCDAF
    text = json.dumps({"vectors": vectors(), "lives": lives(),
                       "reader": counting_rows() + cuckoo_rows()},
                      indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        return 0 if OUTPUT.read_text() == text else 1
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
