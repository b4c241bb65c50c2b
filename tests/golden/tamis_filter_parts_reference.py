#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_filter_parts.json: filters in parts, computed without our
library.

Everything here follows docs/formats/filter-parts.md, and kind 2 of
docs/formats/tamis.md, and nothing else.  XXH3 comes from Debian's
python3-xxhash; the CRC is written out bit by bit.  No test runs this script: it
is kept to show where the vectors come from, and for adding some.

    /usr/bin/python3 tests/golden/tamis_filter_parts_reference.py
    /usr/bin/python3 tests/golden/tamis_filter_parts_reference.py --check
"""

import json
import pathlib
import struct
import sys

import xxhash

OUTPUT = pathlib.Path(__file__).with_name("tamis_filter_parts.json")
LINE_BYTES = 64
PAGE = 4096
LINE_MULTIPLIER = 0xADB4A92D
MASK_DELTA = 0xA282EAD8
SOME_SEED = 0x123456789ABCDEF0
KEYS_UNKNOWN = 2**64 - 1


def crc32c(data):
    """CRC-32C (Castagnoli, reflected), one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(crc):
    return ((crc >> 15 | crc << 17) + MASK_DELTA) % 2**32


def place(key, seed, lines, probes):
    """The line of a key, and its bits in it."""
    digest = xxhash.xxh3_64_intdigest(key, seed)
    bits, found = digest % 2**32, []
    for _ in range(probes):
        found.append(bits >> 23)
        bits = bits * LINE_MULTIPLIER % 2**32
    return digest * lines >> 64, found


def filled(keys, seed, lines, probes):
    payload = bytearray(lines * LINE_BYTES)
    for key in keys:
        line, bits = place(key, seed, lines, probes)
        for bit in bits:
            payload[line * LINE_BYTES + bit // 8] |= 1 << bit % 8
    return bytes(payload)


def cut(payload, lines_per_part):
    size = lines_per_part * LINE_BYTES
    return [payload[at:at + size] for at in range(0, len(payload), size)]


def top_block(keys, seed, lines, probes, offset, lines_per_part, parts):
    head = struct.pack("<HHIQQQQII", 1, 1, probes, seed, keys, lines, offset,
                       lines_per_part, 0)
    assert len(head) == 48
    return head + b"".join(struct.pack("<I", masked(crc32c(part)))
                           for part in parts)


def says_maybe(payload, key, seed, lines, probes):
    line, bits = place(key, seed, lines, probes)
    return all(payload[line * LINE_BYTES + bit // 8] >> bit % 8 & 1
               for bit in bits)


def vector(why, keys, lines, probes, seed=0, lines_per_part=64, offset=PAGE):
    payload = filled(keys, seed, lines, probes)
    parts = cut(payload, lines_per_part)
    # A builder counts each key once, however often it comes.  None is
    # written as a number that is not known.
    top = top_block(len(set(keys)) or KEYS_UNKNOWN, seed, lines, probes,
                    offset, lines_per_part, parts)
    answers = []
    for key in list(dict.fromkeys(keys)) + [b"stranger%d" % i
                                            for i in range(40)]:
        part = place(key, seed, lines, probes)[0] // lines_per_part
        answers.append({"key": key.hex(), "part": part,
                        "maybe": says_maybe(payload, key, seed, lines,
                                            probes)})
    return {"why": why, "spec": f"bloom:m={512 * lines},k={probes},seed={seed}",
            "keys": [key.hex() for key in keys], "offset": offset,
            "lines_per_part": lines_per_part, "top": top.hex(),
            "parts": [part.hex() for part in parts], "answers": answers}


def numbered(count):
    return [b"user:%d" % i for i in range(count)]


def main():
    high = [bytes([c]) for c in range(0x78, 0x100, 8)] + [b"\xff\x00\xff\x80"]
    nested = [b"k" + b"\xff" * i for i in range(20)]
    vectors = [
        vector("no keys: one line, empty", [], 1, 6),
        vector("one key", [b"apple"], 1, 6),
        vector("exactly one part", numbered(50), 64, 6),
        vector("a line more: two parts", numbered(60), 65, 7, seed=7),
        vector("three parts, the last one smaller", numbered(80), 150, 8,
               seed=SOME_SEED, offset=5 * PAGE),
        vector("repeats count once", [b"apple"] * 3 + [b"banana", b"apple"],
               70, 5, seed=2**64 - 1),
        vector("a part for each line", high, 5, 32, lines_per_part=1),
        vector("each key is a prefix of the next one", nested, 23, 1, seed=1,
               lines_per_part=7),
        vector("beyond four GiB", numbered(3), 3, 6, lines_per_part=2,
               offset=2**32 + PAGE),
    ]
    text = json.dumps({"vectors": vectors}, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUTPUT.read_text() == text else "it differs")
    OUTPUT.write_text(text)


main()
