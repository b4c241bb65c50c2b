#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""crawl.py FILTER < urls: prints each URL that was not seen before, in this run
or an earlier one.  The filter in the file FILTER remembers them, a few bytes
each, and grows with their number."""

import os
import sys

import tamis

SAVE_EVERY = 100_000  # new URLs


def main():
    path = sys.argv[1]
    if os.path.exists(path):
        with open(path, "rb") as file:
            seen = tamis.MutableFilter.load(file.read())
    else:
        seen = tamis.MutableFilter("scalable:fpr=0.0001", 100_000)
    new = repeated = 0
    for url in sys.stdin:
        url = url.rstrip("\n")
        if url in seen:
            repeated += 1
            continue
        print(url)
        seen.add(url)
        new += 1
        if new % SAVE_EVERY == 0:
            save(path, seen)
    save(path, seen)
    print(f"{new} new, {repeated} seen before", file=sys.stderr)


def save(path, seen):
    # First what was printed, then that it was: after a crash a URL may come
    # twice, and none is lost.  The file is the old or the new one.
    sys.stdout.flush()
    tamis.write_file(path, seen.save(), replace=True)


if __name__ == "__main__":
    main()
