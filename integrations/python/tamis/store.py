# SPDX-License-Identifier: Apache-2.0
"""A store in LevelDB's on-disk format, with the methods of plyvel's DB."""

from __future__ import annotations

import json
import os
from typing import Any, List, Mapping, Optional, Tuple, Union

from . import _tamis
from .filters import Key

Path = Union[str, bytes, "os.PathLike[str]"]


def _bytes_of(key: Key) -> bytes:
    if isinstance(key, bytes):
        return key
    # bytes(3) would be three bytes; a number is no key.
    return key.encode() if isinstance(key, str) else memoryview(key).tobytes()


def _as_bytes(key: Optional[Key]) -> Optional[bytes]:
    return None if key is None else _bytes_of(key)


def _end_of_prefix(prefix: bytes) -> Optional[bytes]:
    """The first key after all that start with the prefix; None: there is none."""
    start = prefix.rstrip(b"\xff")
    return start[:-1] + bytes([start[-1] + 1]) if start else None


class Iterator:
    """The entries of a store in order, of one moment; see Store.iterator().

    It is between two entries: next(iterator) and prev() return the one that
    they pass over.  Close it, or use it in a `with`, if it may be kept."""

    def __init__(self, entries: _tamis.Iterator, cut: int, what: Any,
                 reverse: bool) -> None:
        self._entries = entries
        self._cut = cut  # bytes of a prefix that keys are shown without
        self._what = what
        self._reverse = reverse
        # The entry before and the one after this place, in the store's order;
        # False: not looked for yet.
        self._place: Any = "first" if not reverse else "last"

    def _shown(self, entry: Tuple[bytes, bytes]) -> Any:
        return self._what(entry[0][self._cut:], entry[1])

    def _step(self, forward: bool) -> Optional[Tuple[bytes, bytes]]:
        """Passes over one entry, in the store's order."""
        place = self._place
        if place == "first":
            entry = self._entries.first() if forward else None
        elif place == "last":
            entry = None if forward else self._entries.last()
        elif isinstance(place, tuple):
            # After the entry `place[0]`, or before it; the iterator is at it.
            after = place[1]
            if forward == after:
                entry = self._entries.next() if forward else self._entries.prev()
            else:
                entry = place[0]
        else:  # a key to seek, which is at or after this place
            if forward:
                entry = self._entries.seek(place)
            else:
                found = self._entries.seek(place)
                entry = (self._entries.last() if found is None
                         else self._entries.prev())
        if entry is None:
            self._place = "last" if forward else "first"
        else:
            self._place = (entry, forward)
        return entry

    def __iter__(self) -> "Iterator":
        return self

    def __next__(self) -> Any:
        entry = self._step(not self._reverse)
        if entry is None:
            raise StopIteration
        return self._shown(entry)

    def prev(self) -> Any:
        """Returns the entry before, going back; StopIteration: none."""
        entry = self._step(self._reverse)
        if entry is None:
            raise StopIteration
        return self._shown(entry)

    def seek(self, key: Key) -> None:
        """Moves to just before `key` in the store's order, or where it would
        be, whichever way the iterator goes."""
        self._place = self._prefix() + (_as_bytes(key) or b"")

    def _prefix(self) -> bytes:
        return b""

    def seek_to_start(self) -> None:
        """Moves to before the smallest key, whichever way it goes."""
        self._place = "first"

    def seek_to_stop(self) -> None:
        """Moves to after the largest key, whichever way it goes."""
        self._place = "last"

    def close(self) -> None:
        """Lets go of what it holds; no other method may be called any more."""
        self._entries.close()

    def __enter__(self) -> "Iterator":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


class _IteratorWithPrefix(Iterator):
    def __init__(self, prefix: bytes, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._keys_prefix = prefix

    def _prefix(self) -> bytes:
        return self._keys_prefix


class WriteBatch:
    """Changes that are applied together or not at all; see Store.write_batch().

    In a `with` they are written at its end.  If the block raises, they are, too,
    unless transaction=True."""

    def __init__(self, write: Any, prefix: bytes, transaction: bool,
                 sync: bool) -> None:
        self._write = write
        self._prefix = prefix
        self._transaction = transaction
        self._sync = sync
        self._batch = _tamis.Batch()

    def put(self, key: Key, value: Key) -> None:
        """Adds a change that writes an entry."""
        self._batch.put(self._prefix + _bytes_of(key) if self._prefix else key,
                        value)

    def delete(self, key: Key) -> None:
        """Adds a change that removes a key."""
        self._batch.delete(self._prefix + _bytes_of(key) if self._prefix
                           else key)

    def clear(self) -> None:
        """Removes all changes."""
        self._batch.clear()

    def write(self) -> None:
        """Applies all changes."""
        self._write(self._batch, self._sync)

    def __len__(self) -> int:
        return len(self._batch)

    def __enter__(self) -> "WriteBatch":
        return self

    def __exit__(self, kind: Any, *unused: Any) -> None:
        if kind is None or not self._transaction:
            self.write()
        self.clear()


class _Readable:
    """What a store, a snapshot and their prefixed views have in common."""

    _store: _tamis.Store
    _snapshot: Optional[_tamis.Snapshot] = None
    _prefix: bytes = b""

    def _full(self, key: Key) -> Key:
        return self._prefix + _bytes_of(key) if self._prefix else key

    def get(self, key: Key, default: Any = None, *,
            verify_checksums: bool = False) -> Any:
        """Returns the value of a key, or `default`."""
        options = {"verify_checksums": True} if verify_checksums else None
        return self._store.get(self._full(key), default, options,
                               self._snapshot)

    def get_many(self, keys: Any) -> List[Optional[bytes]]:
        """Returns the value of each key, or None, all of one moment; faster than
        get() for each."""
        return self._store.multi_get([self._full(key) for key in keys],
                                     self._snapshot)

    def __contains__(self, key: Key) -> bool:
        return self.get(key) is not None

    def iterator(self, reverse: bool = False, start: Optional[Key] = None,
                 stop: Optional[Key] = None, include_start: bool = True,
                 include_stop: bool = False, prefix: Optional[Key] = None,
                 include_key: bool = True, include_value: bool = True,
                 verify_checksums: bool = False) -> Iterator:
        """Returns an iterator over (key, value) pairs from `start` to `stop`, or
        over the keys or values alone.

        Tables without such keys are not read."""
        if prefix is not None and (start is not None or stop is not None):
            raise TypeError("'prefix' cannot be used with 'start' or 'stop'")
        low, high = _as_bytes(start), _as_bytes(stop)
        if low is not None and not include_start:
            low += b"\0"
        if high is not None and include_stop:
            high += b"\0"
        if prefix is not None:
            low = _bytes_of(prefix)
            high = _end_of_prefix(low)
            if high is None and not low:
                low = None
        if self._prefix:
            low = self._prefix + (low or b"")
            high = (_end_of_prefix(self._prefix) if high is None
                    else self._prefix + high)
        options = {"lower_bound": low, "upper_bound": high}
        if verify_checksums:
            options["verify_checksums"] = True  # type: ignore[assignment]
        entries = self._store.iterator(options, self._snapshot)
        if include_key and include_value:
            def what(key: bytes, value: bytes) -> Any:
                return key, value
        elif include_key:
            def what(key: bytes, value: bytes) -> Any:
                return key
        elif include_value:
            def what(key: bytes, value: bytes) -> Any:
                return value
        else:
            def what(key: bytes, value: bytes) -> Any:
                return None
        return _IteratorWithPrefix(self._prefix, entries, len(self._prefix),
                                   what, reverse)

    def __iter__(self) -> Iterator:
        return self.iterator()


class Snapshot(_Readable):
    """The state of a store at one moment; see Store.snapshot()."""

    def __init__(self, store: _tamis.Store, snapshot: _tamis.Snapshot,
                 prefix: bytes) -> None:
        self._store = store
        self._snapshot = snapshot
        self._prefix = prefix

    def close(self) -> None:
        """Lets go of it; no other method may be called any more."""
        if self._snapshot is not None:
            self._snapshot.close()

    def __enter__(self) -> "Snapshot":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


class _Writable(_Readable):
    def put(self, key: Key, value: Key, *, sync: bool = False) -> None:
        """Writes an entry; with sync=True it survives power loss."""
        self._store.put(self._full(key), value, sync)

    def delete(self, key: Key, *, sync: bool = False) -> None:
        """Removes a key, which need not be there."""
        self._store.delete(self._full(key), sync)

    def write_batch(self, transaction: bool = False,
                    sync: bool = False) -> WriteBatch:
        """Returns an empty batch of changes to this store."""
        return WriteBatch(self._store.write, self._prefix, transaction, sync)

    def snapshot(self) -> Snapshot:
        """Keeps the current state for reads."""
        return Snapshot(self._store, self._store.snapshot(), self._prefix)

    def prefixed_db(self, prefix: Key) -> "PrefixedStore":
        """Returns a view of the keys that start with the prefix, without it."""
        full = self._prefix + (_as_bytes(prefix) or b"")
        return PrefixedStore(self, full)


class PrefixedStore(_Writable):
    """The keys of a store that start with a prefix; see Store.prefixed_db()."""

    def __init__(self, parent: _Writable, prefix: bytes) -> None:
        self._parent = parent  # which closes its store when it goes
        self._store = parent._store
        self._prefix = prefix

    @property
    def prefix(self) -> bytes:
        """The prefix, with those of the views around it."""
        return self._prefix


class Store(_Writable):
    """Store(path, create_if_missing=False, **options)

    A key-value store in LevelDB's on-disk format.  Options are the members of
    StoreOptions, which docs/store.md describes: filter="ribbon:8",
    filter_memory_bytes=64 << 20, compression="zstd", read_only=True.

    Threads may share it.  Close it, or use it in a `with`."""

    def __init__(self, path: Path, create_if_missing: bool = False,
                 **options: Any) -> None:
        options["create_if_missing"] = create_if_missing
        self.name = os.fsdecode(path)
        self._store = _tamis.Store(path, options)
        self._is_closed = False

    def close(self) -> None:
        """Closes the store; iterators and snapshots keep what they need."""
        self._is_closed = True
        self._store.close()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._is_closed

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def flush(self) -> None:
        """Writes what is in memory to a table."""
        self._store.flush()

    def wait_for_quiet(self) -> None:
        """Waits until no compaction is left to do."""
        self._store.wait_for_quiet()

    def compact_range(self, start: Optional[Key] = None,
                      stop: Optional[Key] = None) -> None:
        """Merges the tables of the keys from `start` to `stop`."""
        self._store.compact(start, stop)

    def approximate_size(self, start: Key, stop: Key) -> int:
        """Returns about how many bytes the keys from `start` to `stop` take on
        disk."""
        return self._store.approximate_size(start, stop)

    def approximate_sizes(self, *ranges: Tuple[Key, Key]) -> List[int]:
        """approximate_size() of each (start, stop)."""
        return [self.approximate_size(*one) for one in ranges]

    def set_filter_memory(self, limit: Optional[int]) -> None:
        """Limits the memory that filters take, from now on; None: no limit."""
        self._store.set_filter_memory(limit)

    def get_property(self, name: Union[str, bytes]) -> Optional[str]:
        """Returns a property as "leveldb.stats" or "tamis.prometheus"; None:
        there is no such property."""
        return self._store.property(os.fsdecode(name))

    def stats(self) -> Mapping[str, Any]:
        """What the store has done since it was opened, and what it holds."""
        stats: Mapping[str, Any] = json.loads(
            self._store.property("tamis.json") or "{}")
        return stats


def repair_store(path: Path, dry_run: bool = False,
                 **options: Any) -> Mapping[str, Any]:
    """Makes a store that opens from what can still be read, and reports."""
    report: Mapping[str, Any] = json.loads(
        _tamis.repair(path, options, dry_run))
    return report


def check_store(path: Path, **options: Any) -> Mapping[str, Any]:
    """Reads and verifies everything, changes nothing, and reports: all is well if
    "problems" is empty."""
    report: Mapping[str, Any] = json.loads(_tamis.check(path, options))
    return report


def destroy_store(path: Path, **options: Any) -> None:
    """Removes a store's files, and the directory if nothing else is in it."""
    _tamis.destroy(path, options)
