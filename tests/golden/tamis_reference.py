#!/usr/bin/python3
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
MULTIPLIER = 0xD1342543DE82EF95
MASK64 = 2**64 - 1
KEYS_UNKNOWN = MASK64


def crc32c(data):
    """CRC-32C (Castagnoli, reflected), one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def positions(key, seed, m, k):
    digest = xxhash.xxh3_64_intdigest(key, seed)
    for _ in range(k):
        yield (digest * m) >> 64
        digest = digest * MULTIPLIER & MASK64


def payload(keys, seed, m, k):
    bits = bytearray((m + 63) // 64 * 8)
    for key in keys:
        for position in positions(key, seed, m, k):
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
    """As a builder counts: a key that equals the one before it is dropped."""
    return sum(i == 0 or keys[i - 1] != key for i, key in enumerate(keys))


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


def vector(spec, keys, why, seed=0, m=None, k=None, **sizing):
    n = count(keys)
    if m is None:
        m, best = textbook(n, **sizing)
        k = best if k is None else k
    body = payload(keys, seed, m, k)
    whole = seal(body, seed=seed, keys=n, size=m, a=k)
    return {"spec": spec, "why": why, "m": m, "k": k,
            "keys": [key.hex() for key in keys], "filter": whole.hex()}


def pattern(length):
    """Bytes from 0x80 upwards occur everywhere, the last ones included."""
    return bytes((i * 131 + length * 17 + (i >> 3)) & 255
                 for i in range(length))


def vectors():
    three = [b"apple", b"banana", b"cherry"]
    hundred = [b"user:%05d" % i for i in range(100)]
    high = [bytes([c]) for c in range(0x78, 0x100, 8)] + [b"\xff\x00\xff\x80"]
    # Around every change of method inside XXH3.
    lengths = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 32, 33, 64, 65, 96, 97, 127,
               128, 129, 160, 239, 240, 241, 256, 300]
    lengthy = [pattern(length) for length in lengths]
    big = MASK64
    return [
        vector("bloom:10", [], "no keys: one bit, unset", bits_per_key=10),
        vector("fpr:0.01", [], "no keys, by rate", rate=0.01),
        vector("bloom:10", [b"apple"], "one key", bits_per_key=10),
        vector("bloom:10", [b""], "the empty key", bits_per_key=10),
        vector("bloom:10", three, "three keys", bits_per_key=10),
        vector("bloom:10,seed=7", three, "seeded", seed=7, bits_per_key=10),
        vector(f"bloom:10,seed={big}", three, "the largest seed", seed=big,
               bits_per_key=10),
        vector("tamis", three, "the default: 10 bits per key", bits_per_key=10),
        vector("classic:9.6", hundred, "a fraction of bits per key",
               bits_per_key=9.6),
        vector("bloom:10", hundred, "100 keys", bits_per_key=10),
        vector("fpr:0.01", hundred, "100 keys at 1 %", rate=0.01),
        vector("fpr:0.001", hundred, "100 keys at 0.1 %", rate=0.001),
        vector("fpr:0.000000000001", three, "40 probes", rate=1e-12),
        vector("bloom:1000", three, "k stops at 255", bits_per_key=1000),
        vector("bloom:0.5", hundred, "fewer bits than keys", bits_per_key=0.5),
        vector("bloom:10,k=3", hundred, "k chosen", bits_per_key=10, k=3),
        vector("bloom:20", high, "bytes from 0x80 upwards", bits_per_key=20),
        vector("bloom:16,seed=1311768467463790320", lengthy,
               "keys of 0 to 300 bytes", seed=0x123456789ABCDEF0,
               bits_per_key=16),
        vector("tamis:m=64,k=1", three, "one word, one probe", m=64, k=1),
        vector("tamis:m=63,k=7", three, "a bit less than a word", m=63, k=7),
        vector("tamis:m=65,k=64", three, "a bit more; 64 probes", m=65, k=64),
        vector("tamis:m=4099,k=255", three, "255 probes", m=4099, k=255),
        vector("tamis:m=1,k=255", [b"apple"], "a single bit", m=1, k=255),
        vector("tamis:m=512,k=8", hundred, "saturated, one cache line", m=512,
               k=8),
        vector("bloom:10", [b"apple"] * 3 + [b"banana"],
               "repeats in a row count once", bits_per_key=10),
        vector("bloom:10", [b"apple", b"banana", b"apple"],
               "other repeats count", bits_per_key=10),
    ]


KEYS = [b"apple", b"banana", b"cherry"]
M, K = 100, 7
BODY = payload(KEYS, 0, M, K)


def reads(opens, why, whole, keys=(), absent=()):
    """`absent`: keys that a probing reader must answer with "no"."""
    assert opens in ("probes", "maybe", "corruption")
    return {"opens": opens, "why": why, "keys": [key.hex() for key in keys],
            "absent": [key.hex() for key in absent], "filter": whole.hex()}


def strangers(body, seed, m, k):
    """Some keys of which at least one bit is not set."""
    found = []
    for i in range(100):
        key = b"stranger%d" % i
        if any(not body[p // 8] >> p % 8 & 1
               for p in positions(key, seed, m, k)):
            found.append(key)
    return found[:5]


def good(why, seed=0, m=M, k=K, keys=len(KEYS)):
    body = payload(KEYS, seed, m, k)
    return reads("probes", why, seal(body, seed=seed, size=m, a=k, keys=keys),
                 KEYS, strangers(body, seed, m, k))


def probing():
    return [
        good("as a builder writes it"),
        good("its key count is not known", keys=KEYS_UNKNOWN),
        good("its key count is not checked against anything", keys=1),
        good("a seed", seed=0xFEDCBA9876543210),
        good("one probe", k=1),
        good("255 probes", m=10007, k=255),
        good("no unused bit", m=128),
    ]


def reserved():
    cases = [dict(version=0), dict(version=2), dict(version=65535),
             dict(kind=0), dict(kind=2), dict(kind=65535),
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
                         (dict(kind=9, size=40, a=5, b=3), b"later"),
                         (dict(version=2, size=1, a=0, b=1), BODY + b"more")):
        why = "newer, and its payload is nothing that kind 1 could be"
        rows.append(reads("maybe", why, seal(body, **fields), KEYS))
    return rows


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
    return rows


def main():
    assert crc32c(b"123456789") == 0xE3069283
    assert xxhash.xxh3_64_intdigest(b"") == 0x2D06800538D394C2
    text = json.dumps({"vectors": vectors(),
                       "reader": probing() + reserved() + damaged()},
                      indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        return 0 if OUTPUT.read_text() == text else 1
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
