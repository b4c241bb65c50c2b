# SPDX-License-Identifier: Apache-2.0
"""What bench_python compares with C++: filters built from NumPy arrays, and
queried with them.

python_keys.py KEYS POLICY -- prints "SORT build NANOSECONDS", "SORT query
NANOSECONDS", both per key, and "SORT maybes NUMBER" of absent keys, for the
sorts of keys int64 and S16.  The keys are those of bench_python.cc.
"""
import sys
import time

import numpy
import tamis


def mixed(first, count):
    """Numbers that look random: the finalizer of SplitMix64 over a range."""
    numbers = numpy.arange(first, first + count, dtype=numpy.uint64)
    numbers *= numpy.uint64(0x9E3779B97F4A7C15)
    numbers ^= numbers >> numpy.uint64(30)
    numbers *= numpy.uint64(0xBF58476D1CE4E5B9)
    numbers ^= numbers >> numpy.uint64(27)
    return numbers


def as_keys(sort, numbers):
    if sort == "int64":
        return numbers.view(numpy.int64)
    # The 16 digits of a number in hexadecimal, by halves of bytes.
    octets = numbers.view(numpy.uint8).reshape(-1, 8)
    digits = numpy.frombuffer(b"0123456789abcdef", dtype=numpy.uint8)
    text = numpy.empty((len(numbers), 16), dtype=numpy.uint8)
    text[:, 0::2] = digits[octets >> 4]
    text[:, 1::2] = digits[octets & 15]
    return text.reshape(-1).view("S16")


def measure(sort, policy, count):
    """Returns the nanoseconds to build and to query, and the answers."""
    keys = as_keys(sort, mixed(0, count))
    start = time.perf_counter()
    data = tamis.build(policy, keys)
    built = time.perf_counter()
    filter_ = tamis.Filter(data)
    absent = as_keys(sort, mixed(count, count))
    asked = time.perf_counter()
    answers = filter_.query(absent)
    done = time.perf_counter()
    if not filter_.query(keys).all() or answers.mean() > 0.05:
        sys.exit("a key is hidden, or the rate is far off")
    return ((built - start) / count * 1e9, (done - asked) / count * 1e9,
            int(answers.sum()))


def main():
    count, policy = int(sys.argv[1]), sys.argv[2]
    for sort in ("int64", "S16"):
        measure(sort, policy, count)  # so that there is memory to use again
        for what, value in zip(("build", "query", "maybes"),
                               measure(sort, policy, count)):
            print(sort, what, value)


main()
