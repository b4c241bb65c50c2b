# SPDX-License-Identifier: Apache-2.0
"""The store: what it promises by itself; test_plyvel.py compares it with
LevelDB."""
import threading

import pytest

import tamis


def test_entries_come_back(store):
    store.put("apple", "red")
    store.put(b"a\0b", b"\0\xff")
    store.put("", "")
    assert store.get("apple") == b"red"
    assert store.get(b"a\0b") == b"\0\xff" and store.get("") == b""
    assert store.get("cherry") is None and store.get("cherry", 7) == 7
    assert "apple" in store and "cherry" not in store
    store.delete("apple")
    store.delete("apple")
    assert "apple" not in store
    assert store.get_many(["", "no", b"a\0b"]) == [b"", None, b"\0\xff"]
    assert store.get("", verify_checksums=True) == b""


def test_a_store_survives_closing(tmp_path):
    path = tmp_path / "db"
    with pytest.raises(FileNotFoundError):
        tamis.Store(path)
    with tamis.Store(path, create_if_missing=True, filter="ribbon:8",
                     filter_memory_bytes=1 << 20) as store:
        with pytest.raises(OSError):
            tamis.Store(path)
        for i in range(1000):
            store.put(f"{i:04}", str(i), sync=i == 999)
        store.flush()
        store.compact_range()
        store.wait_for_quiet()
        assert store.stats()["filter_memory_limit"] == 1 << 20
        store.set_filter_memory(None)
        assert store.approximate_size("0", "1") > 0
        assert store.approximate_sizes(("x", "y")) == [0]
        assert "level" in store.get_property("leveldb.stats")
        assert store.get_property(b"no.such") is None
        assert store.name == str(path) and not store.closed
    assert store.closed
    for use in (lambda: store.get("a"), lambda: store.put("a", "b"),
                lambda: store.iterator(), lambda: store.snapshot()):
        with pytest.raises(ValueError, match="closed"):
            use()
    store.close()
    with tamis.Store(path, read_only=True) as store:
        assert store.get("0999") == b"999"
    assert tamis.check_store(path)["problems"] == []
    assert tamis.repair_store(path, dry_run=True)["was_clean"]
    tamis.destroy_store(path)
    assert not path.exists()
    with pytest.raises(ValueError, match="unknown option 'color'"):
        tamis.Store(path, create_if_missing=True, color="red")


def test_damage_is_reported_and_repaired(tmp_path):
    path = tmp_path / "db"
    with tamis.Store(path, create_if_missing=True) as store:
        for i in range(1000):
            store.put(f"{i:04}", "x" * 100)
        store.flush()
    (path / "CURRENT").unlink()
    with pytest.raises(tamis.CorruptionError, match="CURRENT"):
        tamis.Store(path)
    assert tamis.repair_store(path)["entries"] == 1000
    with tamis.Store(path) as store:
        assert sum(1 for _ in store) == 1000


def test_a_transaction_that_fails_writes_nothing(store):
    with pytest.raises(ZeroDivisionError):
        with store.write_batch(transaction=True) as batch:
            batch.put("a", "1")
            raise ZeroDivisionError
    assert "a" not in store
    with pytest.raises(ZeroDivisionError):
        with store.write_batch() as batch:
            batch.put("a", "1")
            raise ZeroDivisionError
    assert store.get("a") == b"1"
    batch = store.write_batch(sync=True)
    batch.put("b", "2")
    batch.delete("a")
    assert len(batch) == 2 and "b" not in store
    batch.write()
    assert store.get("b") == b"2" and "a" not in store


def test_iterators_and_snapshots_keep_their_moment(store):
    store.put("a", "1")
    iterator = store.iterator()
    with store.snapshot() as snapshot:
        store.put("a", "2")
        store.put("b", "2")
        assert next(iterator) == (b"a", b"1")
        assert snapshot.get("a") == b"1" and list(snapshot) == [(b"a", b"1")]
    with pytest.raises(ValueError, match="closed"):
        snapshot.get("a")
    iterator.close()
    with pytest.raises(ValueError, match="closed"):
        next(iterator)


def test_an_iterator_outlives_the_handle_of_its_store(tmp_path):
    store = tamis.Store(tmp_path / "db", create_if_missing=True)
    store.put("a", "1")
    iterator, view = iter(store), store.prefixed_db("a")
    store.close()
    assert list(iterator) == [(b"a", b"1")]
    iterator.close()
    with pytest.raises(ValueError, match="closed"):
        view.get("")
    tamis.Store(tmp_path / "db").close()  # its lock is free


def test_views_with_a_prefix(store):
    for key in ("user:1:a", "user:1:b", "user:2:a", "v", "user:"):
        store.put(key, key)
    users = store.prefixed_db("user:")
    first = users.prefixed_db(b"1:")
    assert first.prefix == b"user:1:"
    assert [key for key, _ in first] == [b"a", b"b"]
    assert list(users.iterator(include_value=False, reverse=True)) == [
        b"2:a", b"1:b", b"1:a", b""]
    assert list(users.iterator(prefix="1:", include_value=False)) == [
        b"1:a", b"1:b"]
    first.put("c", "new")
    assert store.get("user:1:c") == b"new"
    with first.write_batch() as batch:
        batch.delete("c")
        batch.put("d", "4")
    assert "c" not in first and store.get("user:1:d") == b"4"
    with users.snapshot() as snapshot:
        users.delete("2:a")
        assert snapshot.get("2:a") == b"user:2:a"
        iterator = snapshot.iterator(include_value=False)
        iterator.seek("1:b")
        assert next(iterator) == b"1:b"
    edge = store.prefixed_db(b"\xff\xff")
    edge.put("a", "1")
    assert list(edge) == [(b"a", b"1")]


def test_threads_share_a_store_and_one_may_close_it(store):
    failed = []

    def work(name):
        try:
            for i in range(2000):
                store.put(f"{name}{i}", str(i))
                if store.get(f"{name}{i}") != str(i).encode():
                    failed.append("lost")
        except ValueError as error:
            if "closed" not in str(error):
                failed.append(error)
        except Exception as error:  # shown below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    threads[0].join()
    store.close()
    for thread in threads:
        thread.join()
    assert not failed


def test_a_batch_can_grow_while_another_thread_writes_it(store):
    batch = store.write_batch()
    written = threading.Event()

    def write():
        for _ in range(300):
            batch.write()
        written.set()

    writer = threading.Thread(target=write)
    writer.start()
    added = 0
    while not written.is_set() or added == 0:
        batch.put(f"{added % 500:04}", str(added))
        added += 1
        if added % 500 == 0:
            batch.clear()
    writer.join()
    batch.write()
    keys = list(store.iterator(include_value=False))
    assert keys == [f"{i:04}".encode() for i in range(len(keys))]
    assert 0 < len(keys) <= 500


@pytest.mark.parametrize("key", [3, [1, 2], None, 1.5])
def test_what_has_no_bytes_is_no_key_of_a_view_either(store, key):
    view = store.prefixed_db("p")
    with pytest.raises(TypeError):
        view.put(key, "value")
    with pytest.raises(TypeError):
        view.get(key)
    if key is not None:
        with pytest.raises(TypeError):
            store.iterator(start=key)
    assert list(store) == []
