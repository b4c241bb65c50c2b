#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""spell.py WORDS < text: prints the words of a text that are in no list of
words, each once.  The list is a filter of two bytes per word."""

import re
import sys

import tamis


def main():
    with open(sys.argv[1], "rb") as words:
        known = tamis.Filter(tamis.build("ribbon:16", (
            word.rstrip(b"\n") for word in words)))
    unknown = {}
    for line in sys.stdin.buffer:
        # As they are, and in small letters where a sentence begins.
        for word in re.findall(rb"[A-Za-z']+", line):
            word = word.strip(b"'")
            if word not in known and word.lower() not in known:
                unknown[word] = True
    for word in unknown:
        sys.stdout.buffer.write(word + b"\n")
    sys.stdout.flush()
    print(f"{len(bytes(known))} bytes of filter", file=sys.stderr)


if __name__ == "__main__":
    main()
