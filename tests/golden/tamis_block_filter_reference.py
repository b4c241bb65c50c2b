#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_block_filter.json: filters of data blocks, computed without our
library.

Everything here follows docs/formats/block-filters.md and nothing else.  The
hashes of the keys are those of hashes.json (XXH3 with seed 0); the CRC is
written out bit by bit.  No test runs this script: it is kept to show where the
vectors come from, and for adding some.

    /usr/bin/python3 tests/golden/tamis_block_filter_reference.py
    /usr/bin/python3 tests/golden/tamis_block_filter_reference.py --check
"""

import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
OUTPUT = HERE / "tamis_block_filter.json"
MAGIC = b"\x89TBLKF\r\n"
MASK64 = 2**64 - 1
MASK32 = 2**32 - 1
# Bits per key, and the probes that go with them.
PROBES = {1: 1, 4: 3, 10: 6, 24: 12}


def crc32c(data):
    """CRC-32C (Castagnoli, reflected), one bit at a time."""
    crc = MASK32
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ MASK32


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


def block_filter(bits_per_key, seed, blocks):
    pairs = sum(len(hashes) for hashes in blocks)
    lines = pairs * bits_per_key // 512 + 1
    probes = PROBES[bits_per_key]
    body = bytearray(64 * lines)
    for number, hashes in enumerate(blocks):
        for key_hash in hashes:
            pair = splitmix64(
                (key_hash + (number + 1) * 0xD1B54A32D192ED03) & MASK64)
            line = pair * lines >> 64
            for i in range(probes):
                bit = (pair * 0xADB4A92D**i & MASK32) >> 23
                body[64 * line + bit // 8] |= 1 << bit % 8
    rest = struct.pack("<IQQQQ16x", probes, seed, len(blocks), pairs, lines)
    rest += bytes(body)
    return MAGIC + struct.pack("<I", crc32c(rest)) + rest


def main():
    rows = json.loads((HERE / "hashes.json").read_text())["rows"]
    hashes = [int(row["xxh3"], 16) for row in rows]
    vectors = []
    for bits, counts in [(10, [1]), (10, [3, 1, 4]), (1, [2, 2]),
                         (4, [30, 40, 35, 1]), (24, [1] * 40)]:
        blocks, at = [], 0
        for count in counts:
            blocks.append(hashes[at:at + count])
            at += count
        vectors.append({
            "bits_per_key": bits,
            "blocks": [[f"{h:016x}" for h in block] for block in blocks],
            "filter": block_filter(bits, 0, blocks).hex()})
    text = json.dumps({"vectors": vectors}, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUTPUT.read_text() == text else "it differs")
    OUTPUT.write_text(text)


if __name__ == "__main__":
    main()
