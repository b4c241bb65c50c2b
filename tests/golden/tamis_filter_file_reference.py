#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_filter_file.json: filters beside tables, computed without our
library.

Everything here follows docs/formats/filter-file.md and nothing else.  The
tables are those that LevelDB wrote (leveldb/); they are parsed here by
LevelDB's own description of its format.  The filters are containers of
tamis.json.  The CRC is written out bit by bit.  No test runs this script: it is
kept to show where the vectors come from, and for adding some.

    /usr/bin/python3 tests/golden/tamis_filter_file_reference.py
    /usr/bin/python3 tests/golden/tamis_filter_file_reference.py --check
"""

import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
OUTPUT = HERE / "tamis_filter_file.json"
MAGIC = b"\x89TFILE\r\n"
FOOTER_BYTES = 48
TRAILER_BYTES = 5
MOST_BLOCKS = 16


def crc32c(data):
    """CRC-32C (Castagnoli, reflected), one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def unsnappy(data):
    length, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            size = tag >> 2
            if size >= 60:
                extra = size - 59
                size = int.from_bytes(data[at:at + extra], "little")
                at += extra
            out += data[at:at + size + 1]
            at += size + 1
            continue
        if kind == 1:
            size, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if kind == 2 else 4
            size = (tag >> 2) + 1
            offset = int.from_bytes(data[at:at + width], "little")
            at += width
        for _ in range(size):
            out.append(out[-offset])
    assert len(out) == length
    return bytes(out)


def block(table, handle):
    offset, size = handle
    body = table[offset:offset + size]
    return unsnappy(body) if table[offset + size] == 1 else body


def handles(contents):
    """The handles that the entries of an index or a metaindex have as values."""
    end = len(contents) - 4
    end -= 4 * struct.unpack("<I", contents[-4:])[0]
    found, at = [], 0
    while at < end:
        _, at = varint(contents, at)
        unshared, at = varint(contents, at)
        size, at = varint(contents, at)
        at += unshared
        offset, after = varint(contents, at)
        found.append((offset, varint(contents, after)[0]))
        at += size
    return found


def metaindex_and_index(table):
    footer = table[-FOOTER_BYTES:]
    numbers, at = [], 0
    for _ in range(4):
        number, at = varint(footer, at)
        numbers.append(number)
    return tuple(numbers[:2]), tuple(numbers[2:])


def binding(table, most):
    footer = table[-FOOTER_BYTES:]
    metaindex, index = metaindex_and_index(table)
    parts = [index, metaindex] + handles(block(table, metaindex))[:MOST_BLOCKS]
    data = handles(block(table, index))
    if most is not None and len(data) > most:
        last = most - 1
        data = [data[i * (len(data) - 1) // last] for i in range(most)]
    bound = footer
    for offset, size in parts + data:
        bound += table[offset + size:offset + size + TRAILER_BYTES]
    return crc32c(bound)


def filter_file(number, table, modified, policy, content):
    start = MAGIC + struct.pack(
        "<IIQQQIIQ4x", 1, binding(table, None), number, len(table),
        len(content), len(policy), binding(table, MOST_BLOCKS), modified)
    assert len(start) == 60
    body = policy + content
    return (start + struct.pack("<I", crc32c(start)) + body +
            struct.pack("<I", crc32c(body)))


def main():
    filters = json.loads((HERE / "tamis.json").read_text())["vectors"]
    wanted = [row for row in filters if row["kind"] == "bloom" and row["keys"]]
    vectors = []
    for i, path in enumerate(sorted((HERE / "leveldb").glob("*.ldb"))):
        table = path.read_bytes()
        number = [5, 7, 123456, 1234567, 2**40][i % 5]
        source = wanted[i % len(wanted)]
        modified = [0, 1763524800123456789, 1, 2**63, 7][i % 5]
        made = filter_file(number, table, modified, b"tamis.Filter1",
                           bytes.fromhex(source["filter"]))
        vectors.append({
            "table": path.name, "number": number,
            "blocks": len(handles(block(table,
                                        metaindex_and_index(table)[1]))),
            "binding": f"{binding(table, None):08x}",
            "quick_binding": f"{binding(table, MOST_BLOCKS):08x}",
            "modified": modified, "keys": source["keys"],
            "filter": source["filter"], "file": made.hex()})
    text = json.dumps({"vectors": vectors}, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUTPUT.read_text() == text else "it differs")
    OUTPUT.write_text(text)


main()
