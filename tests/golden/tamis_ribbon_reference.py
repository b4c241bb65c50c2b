#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_ribbon.json: frozen ribbon filters, computed without our
library.

Everything here follows docs/formats/tamis-ribbon.md; the container is that of
tamis_reference.py.  A query adds up one bit at a time, and a system of
equations is solved one row at a time, so that no trick is shared with the code
it judges.  No test runs this script.

    /usr/bin/python3 tests/golden/tamis_ribbon_reference.py          rewrites
    /usr/bin/python3 tests/golden/tamis_ribbon_reference.py --check  compares
"""

import json
import pathlib
import struct
import sys

import xxhash

from tamis_reference import (KEYS, KEYS_UNKNOWN, LENGTHY, MASK64, SOME_SEED,
                             seal)

OUTPUT = pathlib.Path(__file__).with_name("tamis_ribbon.json")
RIBBON = 4
LISTED = 255
PART_PAIRS = 512
STRANGERS = 256


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


class Shape:
    """What follows from parameter a.  A level is `level_bits` numbers of one
    bit, so many of them in each pair."""

    def __init__(self, a):
        self.a = a
        self.columns, self.fraction = a >> 26, a % 2**26
        # Window, pairs in a bucket, bits of a level, rows of a step.
        self.window, self.pairs, self.level_bits, self.step = {
            1: (128, 4, 4, 12), 2: (128, 2, 4, 7), 3: (64, 1, 3, 10),
            4: (64, 1, 4, 5), 5: (64, 1, 5, 4), 6: (64, 1, 6, 2),
        }.get(self.columns, (64, 1, 7, 1))
        self.bucket_rows = 127 * self.pairs
        self.part_buckets = PART_PAIRS // self.pairs
        self.most_columns = self.columns + (self.fraction > 0)

    def threshold(self, level):
        return (self.bucket_rows if level == 2**self.level_bits - 1 else
                level * self.step)


class Layer:
    def __init__(self, shape, buckets):
        self.shape, self.buckets = shape, buckets
        self.segments = 2 * shape.pairs * buckets
        self.wide = self.segments * shape.fraction >> 26
        self.bytes = 8 * (self.segments * shape.columns + self.wide)

    def words_in(self, segment):
        return self.shape.columns + (segment < self.wide)

    def word_at(self, segment, column):
        """Where that word begins, in bytes from the layer's start."""
        assert column < self.words_in(segment) and segment < self.segments
        return 8 * (segment * self.shape.columns + min(segment, self.wide) +
                    column)

    def place(self, digest):
        bucket, rest = divmod(digest * self.buckets, 2**64)
        starts = self.shape.bucket_rows
        if (bucket + 1) % self.shape.part_buckets == 0 or \
           bucket + 1 == self.buckets:
            starts -= self.shape.window - 1
        return bucket, rest * starts >> 64

    def columns_at(self, bucket, row):
        """Of a key that starts there."""
        segment = segment_of(bucket * self.shape.bucket_rows + row)[0]
        return self.words_in(segment + self.shape.window // 64)


def segment_of(row):
    """Segment and bit of a row of the layer."""
    pair, row = divmod(row, 127)
    return 2 * pair + row // 64, row % 64


def key_of(digest, window):
    """Coefficients and fingerprint."""
    mixed = digest * 0x9E3779B97F4A7C15 & MASK64
    mixed ^= mixed >> 32
    coefficients = mixed * 0xD6E8FEB86659FD93 & MASK64 | 1
    if window == 128:
        upper = (mixed ^ mixed >> 29) * 0xA0761D6478BD642F & MASK64
        coefficients |= upper << 64
    return coefficients, (mixed * 0xFF51AFD7ED558CCD & MASK64) >> 32


def last_key(digest, attempt, rows):
    """Start, coefficients and fingerprint in the last table."""
    seeded = splitmix64(digest ^ attempt << 32)
    window = min(rows, 64)
    coefficients, fingerprint = key_of(seeded, 64)
    return (seeded * (rows - window + 1) >> 64, coefficients % 2**window,
            fingerprint)


# ---- Reading: nothing but the bytes ----


class Reader:
    def __init__(self, whole):
        fields = struct.unpack("<HHHHQQQIIQ", whole[8:56])
        version, kind, hash_, flags, self.seed, _, size, a, b, length = fields
        assert (version, kind, hash_, flags) == (1, RIBBON, 1, 0)
        payload = whole[64:]
        assert len(payload) == length
        self.shape = Shape(a)
        self.rows, self.attempt = b % 2**16, b >> 16 & 255
        count = b >> 24
        tail = payload[len(payload) - 8 * max(count - 1, 0):]
        buckets = [size] * (count > 0) + [
            x[0] for x in struct.iter_unpack("<Q", tail)]
        self.layers, at = [], 0
        for n in buckets:
            layer = Layer(self.shape, n)
            self.layers.append((layer, payload[at:at + layer.bytes]))
            at += layer.bytes
        self.last = payload[at:len(payload) - len(tail)]

    def has(self, key):
        digest = xxhash.xxh3_64_intdigest(key, self.seed)
        for layer, table in self.layers:
            bucket, row = layer.place(digest)
            if row >= self.shape.threshold(self.level(layer, table, bucket)):
                return self.in_layer(layer, table, digest, bucket, row)
            digest = splitmix64(digest)
        return self.in_last(digest)

    def level(self, layer, table, bucket):
        level, bit = 0, 0
        for pair in range(self.shape.pairs):
            second = 2 * (bucket * self.shape.pairs + pair) + 1
            for column in range(self.shape.level_bits // self.shape.pairs):
                at = layer.word_at(second, column)
                level |= (table[at + 7] >> 7) << bit
                bit += 1
        return level

    def in_layer(self, layer, table, digest, bucket, row):
        coefficients, fingerprint = key_of(digest, self.shape.window)
        first = bucket * self.shape.bucket_rows + row
        for column in range(layer.columns_at(bucket, row)):
            total = fingerprint >> column & 1
            for i in range(self.shape.window):
                if coefficients >> i & 1:
                    segment, bit = segment_of(first + i)
                    at = layer.word_at(segment, column)
                    total ^= table[at + bit // 8] >> bit % 8 & 1
            if total:
                return False
        return True

    def in_last(self, digest):
        if self.attempt == LISTED:
            return digest.to_bytes(8, "little") in [
                self.last[i:i + 8] for i in range(0, len(self.last), 8)]
        if self.rows == 0:
            return False
        start, coefficients, fingerprint = last_key(digest, self.attempt,
                                                    self.rows)
        for column in range(self.shape.most_columns):
            total = fingerprint >> column & 1
            for i in range(min(self.rows, 64)):
                if coefficients >> i & 1:
                    at = column * self.rows + start + i
                    total ^= self.last[at // 8] >> at % 8 & 1
            if total:
                return False
        return True


# ---- Building, as our builder decides ----


class Equations:
    """Rows of a part, or of the last table, each with the equation that has it
    for its first."""

    def __init__(self, count):
        self.count = count
        self.of_row = {}

    def add(self, row, coefficients, value):
        """The row that the equation got; None if it says nothing new; False if
        it contradicts those that are there."""
        while coefficients:
            while not coefficients & 1:
                coefficients >>= 1
                row += 1
            if row not in self.of_row:
                self.of_row[row] = coefficients, value
                return row
            other, other_value = self.of_row[row]
            coefficients ^= other
            value ^= other_value
        return None if value == 0 else False

    def solve(self):
        """The rows of the table, as numbers: bit j for column j."""
        table = [0] * self.count
        for row in reversed(range(self.count)):
            coefficients, value = self.of_row.get(row, (0, 0))
            for i in range(1, coefficients.bit_length()):
                if coefficients >> i & 1:
                    value ^= table[row + i]
            table[row] = value
        return table


def by_bucket(layer, digests):
    """Ascending digests with their rows, for every bucket."""
    buckets = [[] for _ in range(layer.buckets)]
    for digest in sorted(digests):
        bucket, row = layer.place(digest)
        buckets[bucket].append((row, digest))
    return buckets


def solve_bucket(layer, bucket, keys, first_row, equations):
    """The level, and the digests it bumps."""
    shape = layer.shape
    settled = []
    for row, digest in reversed(keys):
        coefficients, fingerprint = key_of(digest, shape.window)
        value = fingerprint % 2**layer.columns_at(bucket, row)
        owned = equations.add(first_row + row, coefficients, value)
        if owned is not False:
            settled.append((row, owned))
            continue
        level = next(n for n in range(2**shape.level_bits)
                     if shape.threshold(n) > row)
        for other, owned in settled:
            if other < shape.threshold(level) and owned is not None:
                del equations.of_row[owned]
        return level, [d for r, d in keys if r < shape.threshold(level)]
    return 0, []


def solve_layer(layer, digests):
    """The bytes, and the digests bumped."""
    shape = layer.shape
    table = bytearray(layer.bytes)
    buckets = by_bucket(layer, digests)
    bumped = []

    def put(segment, column, bit):
        at = layer.word_at(segment, column)
        table[at + bit // 8] |= 1 << bit % 8

    for begin in range(0, layer.buckets, shape.part_buckets):
        end = min(begin + shape.part_buckets, layer.buckets)
        equations = Equations((end - begin) * shape.bucket_rows)
        for bucket in range(begin, end):
            level, more = solve_bucket(layer, bucket, buckets[bucket],
                                       (bucket - begin) * shape.bucket_rows,
                                       equations)
            bumped += more
            per_pair = shape.level_bits // shape.pairs
            for bit in range(shape.level_bits):
                if level >> bit & 1:
                    pair = bucket * shape.pairs + bit // per_pair
                    put(2 * pair + 1, bit % per_pair, 63)
        for row, value in enumerate(equations.solve()):
            segment, bit = segment_of(begin * shape.bucket_rows + row)
            for column in range(layer.words_in(segment)):
                if value >> column & 1:
                    put(segment, column, bit)
    return bytes(table), bumped


def buckets_for(shape, keys):
    if keys < 256:
        return 0
    buckets = int(keys / (1.03 * shape.bucket_rows))
    most = 1 + 0.35 * shape.window / shape.bucket_rows
    if buckets > 0 and keys / (buckets * shape.bucket_rows) <= most:
        return buckets
    fits = keys / ((buckets + 1) * shape.bucket_rows) >= 0.95
    return buckets + 1 if fits else 0


def build_last(shape, digests):
    """Rows, attempt and bytes."""
    if not digests:
        return 0, 0, b""
    n = len(digests)
    for attempt in range(LISTED):
        rows = min(n + 2 + n * n.bit_length() // 256, 65535) + attempt // 2
        if not n <= rows <= 65535:
            break
        equations = Equations(rows)
        if any(equations.add(start, coefficients,
                             fingerprint % 2**shape.most_columns) is False
               for start, coefficients, fingerprint in (
                   last_key(digest, attempt, rows) for digest in digests)):
            continue
        bits = 0
        for row, value in enumerate(equations.solve()):
            for column in range(shape.most_columns):
                bits |= (value >> column & 1) << column * rows + row
        return rows, attempt, bits.to_bytes((shape.most_columns * rows + 7) //
                                            8, "little")
    return 0, LISTED, b"".join(d.to_bytes(8, "little") for d in digests)


def whole_filter(shape, payload, seed, keys, layers, rows, attempt):
    """`payload` is that of all layers and the last table."""
    tail = b"".join(struct.pack("<Q", n) for n in layers[1:])
    return seal(payload + tail, kind=RIBBON, seed=seed, keys=keys,
                size=layers[0] if layers else 0, a=shape.a,
                b=rows | attempt << 16 | len(layers) << 24)


def build(a, keys, seed=0):
    shape = Shape(a)
    digests = {xxhash.xxh3_64_intdigest(key, seed) for key in keys}
    different = len(digests)
    payload, layers = b"", []
    while len(layers) < 16:
        buckets = buckets_for(shape, len(digests))
        if buckets == 0:
            break
        table, bumped = solve_layer(Layer(shape, buckets), digests)
        payload += table
        layers.append(buckets)
        digests = {splitmix64(digest) for digest in bumped}
    rows, attempt, table = build_last(shape, sorted(digests))
    return whole_filter(shape, payload + table, seed, different, layers, rows,
                        attempt)


# ---- What goes into the file ----


def fixed(columns):
    return round(columns * 2**26)


def numbered(n):
    return [b"key-%d" % i for i in range(n)]


def answers(whole, keys):
    reader = Reader(whole)
    return "".join("01"[reader.has(key)] for key in keys)


def strangers():
    return [b"absent-%d" % i for i in range(STRANGERS)]


def built(columns, n, seed=0):
    whole = build(fixed(columns), numbered(n), seed)
    reader = Reader(whole)
    asked = numbered(n) if n <= 3000 else numbered(n)[::97]
    assert all(reader.has(key) for key in asked)
    row = {"spec": f"ribbon:{columns}" + (f",seed={seed}" if seed else ""),
           "keys": n, "absent": answers(whole, strangers())}
    if n <= 3000:
        row["filter"] = whole.hex()
    else:
        row["bytes"] = len(whole)
        row["xxh3"] = f"{xxhash.xxh3_64_intdigest(whole):016x}"
    return row


def built_rows():
    rows = [built(columns, n) for columns in (1, 2, 3, 5.5, 8, 20)
            for n in (0, 1, 50, 300, 3000)]
    rows += [built(columns, 700) for columns in
             (1.5, 2.25, 3.75, 4, 5, 6, 6.5, 7, 7.125, 31.75, 32)]
    rows.append(built(8, 300, SOME_SEED))
    # More than one part.
    return rows + [built(columns, 70_000) for columns in (1.75, 2.5, 3.25, 8)]


def noise(count, seed):
    """Bytes that no builder wrote, each bit set by chance."""
    words = (splitmix64(seed << 32 | i) for i in range((count + 7) // 8))
    return b"".join(word.to_bytes(8, "little") for word in words)[:count]


def any_bits(columns, layers, rows, attempt=0):
    """Levels of all heights, all columns, layer after layer."""
    shape = Shape(fixed(columns))
    length = sum(Layer(shape, n).bytes for n in layers)
    length += (shape.most_columns * rows + 7) // 8
    payload = bytearray(noise(length, shape.a + rows))
    # With many columns one sum or other would be 1 nearly every time; with most
    # bytes 0 it is not.
    if columns > 4:
        for i in range(len(payload)):
            payload[i] &= 255 if i % 64 == 7 else 0
    whole = whole_filter(shape, bytes(payload), 0, KEYS_UNKNOWN, layers, rows,
                         attempt)
    asked = numbered(STRANGERS)
    return {"why": f"{columns} columns, layers {layers}, {rows} rows, "
                   f"attempt {attempt}",
            "filter": whole.hex(), "answers": answers(whole, asked)}


def any_bits_rows():
    rows = [any_bits(columns, [5, 2, 1], 100)
            for columns in (1, 1.5, 2, 2.5, 3, 3.5, 4, 5.25, 6, 7, 8, 9, 12.5,
                            16, 17, 24, 31.5, 32)]
    rows += [any_bits(1, [], rows, attempt) for rows, attempt in
             ((1, 0), (2, 1), (63, 2), (64, 3), (65, 254), (300, 17))]
    # A list of the digests, at the end of no layer and of one.
    for layers in ([], [1]):
        shape = Shape(fixed(8))
        table = bytearray(sum(Layer(shape, n).bytes for n in layers))
        for column in range(7 if layers else 0):  # the level that bumps all
            table[Layer(shape, 1).word_at(1, column) + 7] = 0x80
        digests = [xxhash.xxh3_64_intdigest(key) for key in KEYS + LENGTHY]
        if layers:
            digests = [splitmix64(digest) for digest in digests]
        payload = bytes(table) + b"".join(
            struct.pack("<Q", d) for d in sorted(set(digests)))
        whole = whole_filter(shape, payload, 0, len(set(digests)), layers, 0,
                             LISTED)
        assert answers(whole, KEYS + LENGTHY).count("0") == 0
        rows.append({"why": f"listed, layers {layers}", "filter": whole.hex(),
                     "answers": answers(whole, numbered(STRANGERS)),
                     "listed": [key.hex() for key in KEYS + LENGTHY]})
    return rows


def refusals():
    good = build(fixed(4), numbered(1000))
    size, a, b = struct.unpack("<QII", good[32:48])
    body = good[64:]
    assert b >> 24 == 1

    def reads(opens, why, payload=body, **fields):
        header = dict(kind=RIBBON, keys=1000, size=size, a=a, b=b)
        return {"opens": opens, "why": why,
                "filter": seal(payload, **{**header, **fields}).hex()}

    return [
        reads("answers", "as built"),
        reads("answers", "its key count is not known", keys=KEYS_UNKNOWN),
        reads("maybe", "no columns", a=0),
        reads("maybe", "less than one column", a=2**26 - 1),
        reads("maybe", "more than 32 columns", a=2**31 + 1),
        reads("maybe", "all ones", a=2**32 - 1),
        reads("maybe", "17 layers", b=b % 2**24 | 17 << 24),
        reads("maybe", "255 layers", b=b | 255 << 24),
        reads("maybe", "rows and a list", b=b | LISTED << 16),
        reads("maybe", "an attempt without rows", b=(b & ~0xFFFF) | 1 << 16),
        reads("maybe", "a newer version", version=2),
        reads("maybe", "an unknown hash", hash=2),
        reads("maybe", "a flag", flags=1),
        reads("corruption", "a bucket more", size=size + 1),
        reads("corruption", "a bucket less", size=size - 1),
        reads("corruption", "no buckets", size=0),
        reads("corruption", "2^48 buckets", size=2**48),
        reads("corruption", "more than 2^48 buckets", size=2**48 + 1),
        reads("corruption", "2^64 - 1 buckets", size=MASK64),
        reads("corruption", "buckets that overflow to these",
              size=size + 2**58),
        reads("corruption", "no layers", b=b % 2**24),
        reads("corruption", "buckets without layers",
              b=b % 2**24, payload=b""),
        reads("corruption", "rows for another length", b=b + 8),
        reads("corruption", "no rows", b=b & ~0xFFFF),
        reads("corruption", "a list that ends within a digest",
              b=(b & ~0xFFFF) | LISTED << 16, payload=body + b"\0"),
        reads("corruption", "a byte more", payload=body + b"\0"),
        reads("corruption", "a byte less", payload=body[:-1]),
        reads("corruption", "a word less", payload=body[:-8]),
        reads("corruption", "no payload", payload=b""),
        reads("corruption", "layers whose buckets are missing",
              b=b % 2**24 | 9 << 24, payload=b"\0" * 63),
        reads("corruption", "a second layer of no buckets",
              b=b % 2**24 | 2 << 24, payload=body + b"\0" * 8),
        reads("corruption", "a second layer of 2^63 buckets",
              b=b % 2**24 | 2 << 24, payload=body + b"\0" * 7 + b"\x80"),
    ]


def main():
    assert splitmix64(0) == 0xE220A8397B1DCDAF
    text = json.dumps({"built": built_rows(), "any_bits": any_bits_rows(),
                       "reader": refusals()}, indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        return 0 if OUTPUT.read_text() == text else 1
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
