#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis.json: frozen .tamis files, computed without our library.

Everything here follows docs/formats/tamis.md and nothing else.  XXH3 comes
from Debian's python3-xxhash; the CRC is written out bit by bit, so that it
shares no table and no trick with the code it judges.  No test runs this
script: it is kept to show where the vectors come from, and for adding some.

    /usr/bin/python3 tests/golden/tamis_reference.py          rewrites the file
    /usr/bin/python3 tests/golden/tamis_reference.py --check  only compares
"""

import json
import math
import pathlib
import struct
import sys

import xxhash

OUTPUT = pathlib.Path(__file__).with_name("tamis.json")
MAGIC = b"\x89TAMIS\r\n"
MASK64 = 2**64 - 1
KEYS_UNKNOWN = MASK64
CLASSIC, LINES, SPLIT = 1, 2, 3
KIND_NAMES = {CLASSIC: "classic", LINES: "bloom", SPLIT: "splitblock"}
BLOCK_BYTES = {LINES: 64, SPLIT: 32}
CLASSIC_MULTIPLIER = 0xD1342543DE82EF95
LINE_MULTIPLIER = 0xADB4A92D
SALTS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
         0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
# Kind 2: with at most this many bits per key, one probe more than the row
# before.
LINE_PROBES = (2.08, 3.58, 5.10, 6.67, 8.32, 10.06, 11.92, 13.93, 16.12,
               18.52, 21.18, 24.13, 27.42, 31.13, 35.31, 40.06, 45.46, 51.64,
               58.72, 66.88, 76.30, 87.22, 99.91, 114.7, 132.0, 152.4, 176.3)


def crc32c(data):
    """CRC-32C (Castagnoli, reflected), one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def positions(kind, key, seed, size, k):
    """Which bits of the payload; `size` is the header's size parameter."""
    digest = xxhash.xxh3_64_intdigest(key, seed)
    if kind == CLASSIC:
        for _ in range(k):
            yield digest * size >> 64
            digest = digest * CLASSIC_MULTIPLIER & MASK64
        return
    first = (digest * size >> 64) * BLOCK_BYTES[kind] * 8
    bits = digest % 2**32
    for i in range(k):
        if kind == LINES:
            yield first + (bits * LINE_MULTIPLIER**i % 2**32 >> 23)
        else:
            yield first + 32 * i + (bits * SALTS[i] % 2**32 >> 27)


def payload(kind, keys, seed, size, k):
    bits = bytearray((size + 63) // 64 * 8 if kind == CLASSIC else
                     size * BLOCK_BYTES[kind])
    for key in keys:
        for position in positions(kind, key, seed, size, k):
            bits[position // 8] |= 1 << position % 8
    return bytes(bits)


def seal(body, **fields):
    """A whole container around `body`; `fields` override the defaults."""
    header = dict(version=1, kind=1, hash=1, flags=0, seed=0,
                  keys=KEYS_UNKNOWN, size=len(body) * 8, a=7, b=0,
                  payload_bytes=len(body), payload_crc=crc32c(body))
    assert header.keys() >= fields.keys()
    header.update(fields)
    start = MAGIC + struct.pack("<HHHHQQQIIQI", *header.values())
    assert len(start) == 60
    return start + struct.pack("<I", crc32c(start)) + body


def count(keys):
    """As a builder counts: each key once, however often it comes."""
    return len(set(keys))


def textbook(n, bits_per_key=None, rate=None):
    if rate is not None:
        m = math.ceil(-n * math.log(rate) / (math.log(2) * math.log(2)))
        bits_per_key = -math.log(rate) / (math.log(2) * math.log(2))
    else:
        m = math.ceil(n * bits_per_key)
    m = max(1, m)
    per_key = m / n if n else bits_per_key
    k = math.floor(per_key * math.log(2) + 0.5)
    return m, min(max(1, k), 255)


def row(kind, spec, keys, why, seed, size, k):
    body = payload(kind, keys, seed, size, k)
    whole = seal(body, kind=kind, seed=seed, keys=count(keys), size=size, a=k)
    m = size if kind == CLASSIC else len(body) * 8
    return {"spec": spec, "kind": KIND_NAMES[kind], "why": why, "m": m, "k": k,
            "keys": [key.hex() for key in keys], "filter": whole.hex()}


def vector(spec, keys, why, seed=0, m=None, k=None, **sizing):
    if m is None:
        m, best = textbook(count(keys), **sizing)
        k = best if k is None else k
    return row(CLASSIC, spec, keys, why, seed, m, k)


def blocked(kind, arguments, keys, why, name=None, seed=0, bits_per_key=10,
            m=None, k=None):
    """`arguments` must say in the policy's words what follows it in ours."""
    if m is None:
        m = math.ceil(count(keys) * bits_per_key)
    if kind == SPLIT:
        k = 8
    elif k is None:
        k = 1 + sum(bits_per_key > most for most in LINE_PROBES)
    size = max(1, math.ceil(m / (8 * BLOCK_BYTES[kind])))
    spec = (name or KIND_NAMES[kind]) + arguments
    return row(kind, spec, keys, why, seed, size, k)


def pattern(length):
    """Bytes from 0x80 upwards occur everywhere, the last ones included."""
    return bytes((i * 131 + length * 17 + (i >> 3)) & 255
                 for i in range(length))


KEYS = [b"apple", b"banana", b"cherry"]
HUNDRED = [b"user:%05d" % i for i in range(100)]
HIGH = [bytes([c]) for c in range(0x78, 0x100, 8)] + [b"\xff\x00\xff\x80"]
# Around every change of method inside XXH3.
LENGTHY = [pattern(length) for length in (
    0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 32, 33, 64, 65, 96, 97, 127, 128, 129,
    160, 239, 240, 241, 256, 300)]
SOME_SEED = 0x123456789ABCDEF0


def classic_vectors():
    return [
        vector("classic:10", [], "no keys: one bit, unset", bits_per_key=10),
        vector("classic:fpr=0.01", [], "no keys, by rate", rate=0.01),
        vector("classic:10", [b"apple"], "one key", bits_per_key=10),
        vector("classic:10", [b""], "the empty key", bits_per_key=10),
        vector("classic:10", KEYS, "three keys", bits_per_key=10),
        vector("classic:10,seed=7", KEYS, "seeded", seed=7, bits_per_key=10),
        vector(f"classic:10,seed={MASK64}", KEYS, "the largest seed", seed=MASK64,
               bits_per_key=10),
        vector("classic", KEYS, "the default: 10 bits per key", bits_per_key=10),
        vector("classic:9.6", HUNDRED, "a fraction of bits per key",
               bits_per_key=9.6),
        vector("classic:10", HUNDRED, "100 keys", bits_per_key=10),
        vector("classic:fpr=0.01", HUNDRED, "100 keys at 1 %", rate=0.01),
        vector("classic:fpr=0.001", HUNDRED, "100 keys at 0.1 %", rate=0.001),
        vector("classic:fpr=0.000000000001", KEYS, "40 probes", rate=1e-12),
        vector("classic:1000", KEYS, "k stops at 255", bits_per_key=1000),
        vector("classic:0.5", HUNDRED, "fewer bits than keys", bits_per_key=0.5),
        vector("classic:10,k=3", HUNDRED, "k chosen", bits_per_key=10, k=3),
        vector("classic:20", HIGH, "bytes from 0x80 upwards", bits_per_key=20),
        vector("classic:16,seed=1311768467463790320", LENGTHY,
               "keys of 0 to 300 bytes", seed=SOME_SEED,
               bits_per_key=16),
        vector("classic:m=64,k=1", KEYS, "one word, one probe", m=64, k=1),
        vector("classic:m=63,k=7", KEYS, "a bit less than a word", m=63, k=7),
        vector("classic:m=65,k=64", KEYS, "a bit more; 64 probes", m=65, k=64),
        vector("classic:m=4099,k=255", KEYS, "255 probes", m=4099, k=255),
        vector("classic:m=1,k=255", [b"apple"], "a single bit", m=1, k=255),
        vector("classic:m=512,k=8", HUNDRED, "saturated, one cache line", m=512,
               k=8),
        vector("classic:10", [b"apple"] * 3 + [b"banana"],
               "repeats count once", bits_per_key=10),
        vector("classic:10", [b"apple", b"banana", b"apple"],
               "repeats that are no neighbours count once", bits_per_key=10),
    ]


def blocked_vectors(kind):
    block_bits = 8 * BLOCK_BYTES[kind]
    many = [b"%d" % i for i in range(400)]
    return [
        blocked(kind, ":10", [], "no keys: one block, empty"),
        blocked(kind, ":10", [b"apple"], "one key"),
        blocked(kind, ":10", [b""], "the empty key"),
        blocked(kind, ":10", KEYS, "three keys"),
        blocked(kind, "", KEYS, "the default: 10 bits per key"),
        blocked(kind, ":10,seed=7", KEYS, "seeded", seed=7),
        blocked(kind, f":10,seed={MASK64}", HUNDRED, "the largest seed",
                seed=MASK64),
        blocked(kind, ":10", HUNDRED, "100 keys"),
        blocked(kind, ":9.6", many, "a fraction of bits per key",
                bits_per_key=9.6),
        blocked(kind, ":0.5", HUNDRED, "fewer bits than keys",
                bits_per_key=0.5),
        blocked(kind, ":20", HIGH, "bytes from 0x80 upwards", bits_per_key=20),
        blocked(kind, f":60,seed={SOME_SEED}", LENGTHY,
                "keys of 0 to 300 bytes", seed=SOME_SEED, bits_per_key=60),
        blocked(kind, ":200", KEYS, "many bits per key", bits_per_key=200),
        blocked(kind, ":10", [b"apple"] * 3 + [b"banana"] + [b"apple"],
                "repeats count once"),
        blocked(kind, ":m=1,k=8", KEYS, "a block, although one bit was asked",
                m=1, k=8),
        blocked(kind, f":m={block_bits},k=8", HUNDRED, "exactly one block",
                m=block_bits, k=8),
        blocked(kind, f":m={block_bits + 1},k=8", HUNDRED, "a bit more: two",
                m=block_bits + 1, k=8),
        blocked(kind, f":m={7 * block_bits},k=8,seed={SOME_SEED}", HUNDRED,
                "no power of two", m=7 * block_bits, k=8, seed=SOME_SEED),
    ]


def line_vectors():
    """Every number of probes, and every step of the table."""
    rows = [blocked(LINES, f":m=1024,k={k}", KEYS, f"{k} probes", m=1024, k=k)
            for k in range(1, 33)]
    for b in sorted(LINE_PROBES + tuple(b + 0.01 for b in LINE_PROBES)):
        rows.append(blocked(LINES, f":{b:.6g}", [b"apple"],
                            "a step of the table of probes",
                            bits_per_key=float(f"{b:.6g}")))
    return rows + [blocked(LINES, ":12", HUNDRED, "the default kind", name,
                           bits_per_key=12) for name in ("tamis", "bloom")]


M, K = 100, 7
BODY = payload(CLASSIC, KEYS, 0, M, K)


def reads(opens, why, whole, keys=(), absent=()):
    """`absent`: keys that a probing reader must answer with "no"."""
    assert opens in ("probes", "maybe", "corruption")
    return {"opens": opens, "why": why, "keys": [key.hex() for key in keys],
            "absent": [key.hex() for key in absent], "filter": whole.hex()}


def strangers(kind, body, seed, size, k):
    """Some keys of which at least one bit is not set."""
    found = []
    for i in range(100):
        key = b"stranger%d" % i
        if any(not body[p // 8] >> p % 8 & 1
               for p in positions(kind, key, seed, size, k)):
            found.append(key)
    return found[:5]


def good(why, kind=CLASSIC, seed=0, m=M, k=K, keys=len(KEYS)):
    body = payload(kind, KEYS, seed, m, k)
    return reads("probes", why, seal(body, kind=kind, seed=seed, size=m, a=k,
                                     keys=keys),
                 KEYS, strangers(kind, body, seed, m, k))


def probing():
    return [
        good("as a builder writes it"),
        good("its key count is not known", keys=KEYS_UNKNOWN),
        good("its key count is not checked against anything", keys=1),
        good("a seed", seed=0xFEDCBA9876543210),
        good("one probe", k=1),
        good("255 probes", m=10007, k=255),
        good("no unused bit", m=128),
    ] + [row for kind, k in ((LINES, 6), (SPLIT, 8)) for row in (
        good("as a builder writes it", kind, m=3, k=k),
        good("its key count is not known", kind, m=3, k=k, keys=KEYS_UNKNOWN),
        good("one block and a seed", kind, m=1, k=k, seed=SOME_SEED),
        good("many blocks", kind, m=9, k=k))] + [
        good("one probe", LINES, m=2, k=1),
        good("32 probes", LINES, m=2, k=32)]


def reserved():
    cases = [dict(version=0), dict(version=2), dict(version=65535),
             dict(kind=0), dict(kind=10), dict(kind=65535),
             dict(hash=0), dict(hash=2), dict(hash=65535),
             dict(flags=1), dict(flags=0x8000),
             dict(a=0), dict(a=256), dict(a=2**32 - 1),
             dict(b=1), dict(b=2**31)]
    rows = []
    for case in cases:
        (name, value), = case.items()
        fields = {"size": M, "a": K, "keys": len(KEYS), **case}
        rows.append(reads("maybe", f"{name} is {value}", seal(BODY, **fields),
                          KEYS))
    for fields, body in ((dict(kind=2, size=0, a=0), b""),
                         (dict(kind=99, size=40, a=5, b=3), b"later"),
                         (dict(version=2, size=1, a=0, b=1), BODY + b"more")):
        why = "newer, and its payload is nothing that kind 1 could be"
        rows.append(reads("maybe", why, seal(body, **fields), KEYS))
    return rows + reserved_blocked(LINES, (0, 33, 255, 2**32 - 1)) + (
        reserved_blocked(SPLIT, (0, 1, 7, 9, 2**32 - 1)))


def reserved_blocked(kind, values_of_a):
    cases = [dict(version=2), dict(hash=2), dict(flags=1), dict(b=1)] + [
        dict(a=a) for a in values_of_a]
    # What is reserved comes first: nothing else of it is judged then.
    cases += [{**case, "size": 77} for case in cases]
    body = payload(kind, KEYS, 0, 2, 8)
    return [reads("maybe", f"{KIND_NAMES[kind]}: {case}",
                  seal(body, **{"kind": kind, "size": 2, "a": 8, **case}),
                  KEYS) for case in cases]


def cut_or_extended(whole):
    rows = [reads("corruption", f"cut to {size} bytes", whole[:size])
            for size in (0, 1, 7, 8, 59, 60, 63, 64, 72, len(whole) - 1)]
    rows.append(reads("corruption", "one byte too many", whole + b"\0"))
    rows.append(reads("corruption", "a byte before it", b"\0" + whole))
    rows.append(reads("corruption", "sent as text: CR LF became LF",
                      whole.replace(b"\r\n", b"\n", 1)))
    return rows


def flipped(whole, offset, bit, why):
    changed = bytearray(whole)
    changed[offset] ^= 1 << bit
    return reads("corruption", f"{why} (byte {offset}, bit {bit})",
                 bytes(changed))


def damaged():
    fields = dict(size=M, a=K, keys=len(KEYS))
    whole = seal(BODY, **fields)
    rows = cut_or_extended(whole)
    rows += [flipped(whole, offset, bit, why) for offset, bit, why in (
        (0, 7, "magic"), (5, 0, "magic"), (8, 1, "version"), (10, 0, "kind"),
        (12, 1, "hash"), (14, 0, "flags"), (16, 0, "seed"), (31, 7, "keys"),
        (32, 0, "size"), (40, 3, "parameter a"), (44, 0, "parameter b"),
        (48, 3, "payload length"), (56, 0, "payload checksum"),
        (63, 7, "header checksum"), (64, 0, "payload"), (79, 7, "payload"))]
    stray = bytearray(BODY)
    stray[M // 8] |= 1 << M % 8
    for why, body, change in (
            ("sealed, but no bit at all", BODY, dict(size=0)),
            ("sealed, but more bits than the payload has", BODY,
             dict(size=129)),
            ("sealed, but a payload one word too long", BODY, dict(size=64)),
            ("sealed, but no payload", b"", dict(size=1)),
            ("sealed, but more than 2^62 bits", BODY, dict(size=2**62 + 1)),
            ("sealed, but 2^64 - 1 bits", BODY, dict(size=MASK64)),
            ("sealed, but the bit after the last is set", bytes(stray), {}),
            ("sealed, but the payload's length is wrong", BODY,
             dict(payload_bytes=8)),
            ("sealed, but the payload's length is 2^64 - 1", BODY,
             dict(payload_bytes=MASK64)),
            ("sealed, but the payload's checksum is wrong", BODY,
             dict(payload_crc=0)),
            ("newer, and the payload's checksum is wrong", BODY,
             dict(version=2, payload_crc=0)),
            ("newer, and its length is wrong", BODY,
             dict(version=2, payload_bytes=24))):
        rows.append(reads("corruption", why, seal(body, **{**fields,
                                                           **change})))
    return rows + damaged_blocked(LINES) + damaged_blocked(SPLIT)


def damaged_blocked(kind):
    name = KIND_NAMES[kind]
    body = payload(kind, KEYS, 0, 2, 8)
    whole = seal(body, kind=kind, size=2, a=8)
    rows = [reads("corruption", f"{name}: cut to {size} bytes", whole[:size])
            for size in (0, 63, 64, 95, 96, 127, len(whole) - 1)]
    rows.append(reads("corruption", f"{name}: one byte more", whole + b"\0"))
    rows += [flipped(whole, offset, 0, name)
             for offset in (10, 11, 32, 40, 64, len(whole) - 1)]
    block = BLOCK_BYTES[kind]
    most = 2**62 // (8 * block)
    for why, part, size in (
            ("no block at all", body, 0), ("no block, no payload", b"", 0),
            ("no payload", b"", 1), ("one block missing", body, 3),
            ("one block too many", body, 1), ("half a block", body[1:], 2),
            ("a byte of a block", body[:1], 1),
            ("more than 2^62 bits", body, most + 1),
            ("so many that their bytes wrap to its own", body,
             2 + 2**64 // block),
            ("2^64 - 1 blocks", body, MASK64)):
        rows.append(reads("corruption", f"{name}: sealed, but {why}",
                          seal(part, kind=kind, size=size, a=8)))
    return rows


def main():
    assert crc32c(b"123456789") == 0xE3069283
    assert xxhash.xxh3_64_intdigest(b"") == 0x2D06800538D394C2
    vectors = (classic_vectors() + blocked_vectors(LINES) + line_vectors() +
               blocked_vectors(SPLIT))
    reader = probing() + reserved() + damaged()
    text = json.dumps({"vectors": vectors, "reader": reader}, indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        return 0 if OUTPUT.read_text() == text else 1
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
