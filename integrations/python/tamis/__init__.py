# SPDX-License-Identifier: Apache-2.0
"""Filters for storage engines, and a key-value store that they gate.

A filter represents a set of keys in a few bits per key.  Asked for a key, it
answers "certainly absent" (False) or "maybe" (True).

    >>> import tamis
    >>> seen = tamis.Bloom(1_000_000, 0.01)
    >>> seen.add("apple")
    >>> "apple" in seen, "banana" in seen
    (True, False)

`Bloom` takes keys one by one, and `MutableFilter` does for other kinds of
filter.  `build` makes a filter of all its keys at once, as small as it gets,
and `Filter` opens one.  `Store` is a store in LevelDB's format.

A key is bytes, anything with a buffer of bytes, or str, which stands for its
UTF-8.  Python's own hash() is never used, so filters are the same in every
process, and the same as the `tamis` command makes.
"""

from ._tamis import (Builder, CorruptionError, Error, FilterFullError,
                     NotSupportedError)
from ._tamis import version as __version__
from .filters import (Bloom, Filter, MutableFilter, build, combine, fold,
                      predict, write_file)
from .store import (Iterator, PrefixedStore, Snapshot, Store, WriteBatch,
                    check_store, destroy_store, repair_store)

__all__ = [
    "Bloom", "Builder", "CorruptionError", "Error", "Filter", "FilterFullError",
    "Iterator", "MutableFilter", "NotSupportedError", "PrefixedStore",
    "Snapshot", "Store", "WriteBatch", "build", "check_store", "combine",
    "destroy_store", "fold", "predict", "repair_store", "write_file",
]
