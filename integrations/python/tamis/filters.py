# SPDX-License-Identifier: Apache-2.0
"""Filters, from bytes and of keys."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Iterable, Mapping, NamedTuple, Type, TypeVar, Union

from . import _tamis

Key = Union[bytes, bytearray, memoryview, str]
# Many keys: any iterable of keys, or an array of integers or of bytes.
Keys = Any
Buffer = Any
_SomeMutable = TypeVar("_SomeMutable", bound="MutableFilter")


def _answers(raw: bytes, keys: Keys) -> Any:
    """A NumPy array of bool for a NumPy array, and a list of bool otherwise."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(keys, numpy.ndarray):
        return numpy.frombuffer(raw, dtype=numpy.bool_)
    return [answer != 0 for answer in raw]


class Filter(_tamis.Filter):
    """Filter(data, policy=None, copy=True)

    Answers from the bytes of a filter, which a policy of that text made; None:
    the format is recognised by the bytes.  With copy=False the filter stays
    where it is, and `data` must not be changed.  CorruptionError: the bytes are
    damaged; read as if there were no filter.

    `key in filter` is False only if the key was certainly never added.  The
    filter's bytes are its buffer: bytes(filter), memoryview(filter).
    """

    __slots__ = ()

    @classmethod
    def open(cls, path: Union[str, bytes, "os.PathLike[str]"],
             policy: Union[str, None] = None, access: str = "map") -> "Filter":
        """Opens a filter in a file.

        `access` is "map", which shares the file between processes, or "load",
        which copies it into huge pages."""
        return cls._open(path, policy, access)

    def query(self, keys: Keys) -> Any:
        """Returns `key in filter` for each of many keys, in one call.

        For a NumPy array of integers or of bytes the result is an array of
        bool; for any other iterable, a list.  Other threads run meanwhile."""
        return _answers(self._query(keys), keys)

    def describe(self) -> Mapping[str, Any]:
        """Reads the whole filter and returns what it is: its kind, bits, number
        of keys, and rate of false positives."""
        described: Mapping[str, Any] = json.loads(self._describe())
        return described

    def __reduce__(self) -> Any:
        policy = self.describe()["format"]
        return (type(self), (bytes(self), policy))


class MutableFilter(_tamis.Mutable):
    """MutableFilter(policy, planned_keys, options=None)

    An empty filter that takes keys one by one, planned for so many: "bloom:10",
    "scalable:fpr=0.01", "cuckoo:fpr=0.001" and "counting:fpr=0.01" (from which
    keys can be removed), "rotating:fpr=0.01,generations=8" (whose keys expire).
    Options: {"check_erasures": True}, {"concurrent": True}.

    Threads may share it.  It is pickled with its keys; bytes(filter) and
    save() are what Filter opens.
    """

    __slots__ = ()

    @classmethod
    def load(cls: Type[_SomeMutable], data: Buffer) -> _SomeMutable:
        """Continues with a filter that save() or build() returned."""
        return cls._load(data)

    def query(self, keys: Keys) -> Any:
        """As Filter.query()."""
        return _answers(self._query(keys), keys)

    def describe(self) -> Mapping[str, Any]:
        """As Filter.describe()."""
        described: Mapping[str, Any] = json.loads(self._describe())
        return described

    def __len__(self) -> int:
        """The number of keys that were added; kinds that keep no hashes count a
        key each time."""
        return self.describe()["keys"] or 0

    def __bool__(self) -> bool:
        return True  # also without keys

    def __reduce__(self) -> Any:
        return (_load, (type(self), self.save()))


def _load(cls: Any, data: bytes) -> Any:
    return cls._load(data)


class Bloom(MutableFilter):
    """Bloom(n, rate=0.01)

    An empty Bloom filter planned for n keys, with that rate of false positives
    when it has them.  More keys raise the rate, and none is lost.

    It is much like a set that only grows: `add(key)`, `key in bloom`,
    `update(keys)`, `len(bloom)`; a | b has the keys of both, and a & b those that
    both have, and some more.  Both need filters that were planned alike.
    """

    __slots__ = ()

    def __new__(cls, n: int, rate: float = 0.01) -> "Bloom":
        if n < 1:
            raise ValueError("a Bloom filter is planned for one key or more")
        return super().__new__(cls, f"bloom:fpr={rate!r}", n)

    def _combined(self, other: Any, intersect: bool) -> Any:
        if not isinstance(other, Bloom):
            return NotImplemented
        both = [self.save(), other.save()]
        return type(self)._load(_tamis.combine("bloom", both, intersect))

    def __or__(self, other: "Bloom") -> "Bloom":
        combined: Bloom = self._combined(other, False)
        return combined

    def __and__(self, other: "Bloom") -> "Bloom":
        combined: Bloom = self._combined(other, True)
        return combined


def build(policy: str, keys: Keys, **options: Any) -> bytes:
    """Builds a filter of all the keys and returns its bytes, for Filter.

    `keys` is an iterable, or an array of integers or of bytes, which is read in
    one call while other threads run.  Options: threads, memory_bytes,
    temporary_folder, repeats, exact_keys.

        >>> odd = tamis.Filter(tamis.build("ribbon:8", map(str, range(1, 99, 2))))
        >>> "7" in odd, "8" in odd
        (True, False)
    """
    builder = _tamis.Builder(policy, options)
    if hasattr(keys, "__buffer__") or _is_array(keys):
        builder.update(keys)
    else:
        _update_in_pieces(builder, keys)
    return builder.finish()


def _is_array(keys: Keys) -> bool:
    try:
        memoryview(keys).release()
    except TypeError:
        return False
    return True


def _update_in_pieces(builder: Any, keys: Iterable[Key]) -> None:
    """An iterable may have more keys than memory has space for."""
    if isinstance(keys, str):
        builder.update(keys)  # which refuses it
    piece = []
    for key in keys:
        piece.append(key)
        if len(piece) == 4096:
            builder.update(piece)
            piece = []
    builder.update(piece)


class Prediction(NamedTuple):
    """What predict() returns."""

    bytes: int  # the size of the filter
    rate: float  # of false positives


def predict(policy: str, keys: int) -> Prediction:
    """Returns the size and the rate of a filter over so many keys."""
    return Prediction(*_tamis.predict(policy, keys))


def combine(policy: str, filters: Iterable[Buffer],
            intersect: bool = False) -> bytes:
    """Combines filters of equal parameters into one of the keys of any of them,
    or of all of them."""
    return _tamis.combine(policy, [bytes(one) for one in filters], intersect)


def fold(data: Buffer, divisor: int) -> bytes:
    """Returns the filter at 1/divisor of its size, as the same keys would have
    made it."""
    return _tamis.fold(data, divisor)


def write_file(path: Union[str, bytes, "os.PathLike[str]"], data: Buffer,
               replace: bool = False) -> None:
    """Writes a filter to a file that after a crash is complete, or as before."""
    _tamis.write_file(path, data, replace)
