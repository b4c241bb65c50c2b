#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""join_files.py SMALL LARGE: joins two files of lines "key TAB value", in any
order, on their keys.  A filter of the small file's keys drops the lines of the
large one that have no partner, before anything is kept of them."""

import sys

import tamis


def lines_of(path):
    with open(path, "rb") as file:
        for line in file:
            key, _, value = line.rstrip(b"\n").partition(b"\t")
            yield key, value


def main():
    small, large = sys.argv[1:]
    wanted = tamis.Filter(tamis.build("ribbon:7", (
        key for key, _ in lines_of(small))))
    kept = {}
    read = 0
    for key, value in lines_of(large):
        read += 1
        if key in wanted:
            kept.setdefault(key, []).append(value)
    for key, value in lines_of(small):
        for other in kept.get(key, ()):
            sys.stdout.buffer.write(b"\t".join((key, value, other)) + b"\n")
    sys.stdout.flush()
    print(f"kept {sum(map(len, kept.values()))} of {read} lines",
          file=sys.stderr)


if __name__ == "__main__":
    main()
