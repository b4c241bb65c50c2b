#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tamis_prefix.json: frozen filters with prefixes, computed without our
library.

The envelope follows docs/formats/tamis-prefix.md; the filter in it and the
container are those of tamis_reference.py.  No test runs this script.

    /usr/bin/python3 tests/golden/tamis_prefix_reference.py          rewrites
    /usr/bin/python3 tests/golden/tamis_prefix_reference.py --check  compares
"""

import json
import pathlib
import sys

from tamis_reference import LINES, payload, seal

OUTPUT = pathlib.Path(__file__).with_name("tamis_prefix.json")
WITH_PREFIXES = 256


def fixed(length):
    return lambda key: key[:length] if len(key) >= length else None


def delimited(delimiter, count):
    def prefix(key):
        parts = key.split(delimiter)
        if len(parts) <= count:
            return None
        return delimiter.join(parts[:count]) + delimiter
    return prefix


def lines_of(keys, seed, count, k):
    """A cache-local filter of so many lines."""
    return seal(payload(LINES, keys, seed, count, k), kind=LINES, seed=seed,
                keys=len(keys), size=count, a=k, b=0)


def wrapped(name, inner, keys, **fields):
    body = name.encode().ljust(64, b"\0") + inner
    return seal(body, **{**dict(kind=WITH_PREFIXES, seed=0, keys=keys, size=0,
                                a=len(name), b=0), **fields})


def built(spec, name, extract, keys, seed, k, lines):
    prefixes = {extract(key) for key in keys} - {None}
    everything = set(keys) | prefixes
    inner = lines_of(sorted(everything), seed, lines, k)
    return dict(spec=spec, keys=[key.hex() for key in keys],
                prefixes=sorted(prefix.hex() for prefix in prefixes),
                bytes=wrapped(name, inner, len(everything)).hex())


def vectors():
    users = [b"user:%d:item:%d" % (u, i) for u in range(12) for i in range(3)]
    odd = [b"", b":", b"a", b"ab", b"ab:c", b"\xff" * 9, b"\0\0:\0:", b"::"]
    by_colon = delimited(b":", 2)
    result = dict(built=[
        built("prefix:delimiter=:,count=2,bloom:m=1024,k=6",
              "delimiter=:,count=2", by_colon, users, 0, 6, 2),
        built("prefix:fixed=2,bloom:m=512,k=4,seed=7", "fixed=2", fixed(2), odd,
              7, 4, 1),
        built("prefix:delimiter=0x00,bloom:m=512,k=9", "delimiter=0x00,count=1",
              delimited(b"\0", 1), odd, 0, 9, 1),
    ])
    inner = lines_of(sorted(set(odd)), 0, 1, 6)
    name = "fixed=2"
    good = dict(name=name, inner=inner, keys=len(odd))
    result["maybe"] = [
        dict(why=why, bytes=wrapped(**good, **fields).hex())
        for why, fields in (("a seed", dict(seed=1)), ("a size", dict(size=1)),
                            ("parameter b", dict(b=1)), ("flags", dict(flags=1)),
                            ("a version", dict(version=2)))]
    # Opened, and keys are answered; prefixes are "maybe".
    result["unknown_extractor"] = [
        dict(name=name, bytes=wrapped(name, inner, len(odd)).hex())
        for name in ("my.prefix", "fixed=02", "delimiter=:", "x" * 64)]
    result["refused"] = [
        dict(why=why, bytes=data.hex()) for why, data in (
            ("no name", wrapped(**good, a=0)),
            ("a name of 65 bytes", wrapped(**good, a=65)),
            ("a name that goes on", wrapped(**good, a=6)),
            ("a payload of 63 bytes",
             seal(b"fixed=2".ljust(63, b"\0"), kind=256, size=0, a=7)),
            ("no filter", wrapped(name, b"", 0)),
            ("half a filter", wrapped(name, inner[:70], 0)),
            ("prefixes of prefixes",
             wrapped(name, wrapped(**good), len(odd))),
        )]
    return result


def main():
    text = json.dumps(vectors(), indent=1) + "\n"
    if "--check" in sys.argv:
        sys.exit(OUTPUT.read_text() != text)
    OUTPUT.write_text(text)


main()
