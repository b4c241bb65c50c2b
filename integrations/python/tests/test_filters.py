# SPDX-License-Identifier: Apache-2.0
"""Filters: what is added is found, in whatever form it comes."""
import array
import doctest
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import threading
import time

import pytest

import tamis

numpy = pytest.importorskip("numpy")


def test_the_examples_in_the_docstrings_are_true():
    for module in (tamis, tamis.filters, tamis.store):
        failed, _ = doctest.testmod(module, extraglobs={"tamis": tamis})
        assert failed == 0
    assert doctest.testmod(tamis).attempted > 2


@pytest.mark.parametrize("name", ["python.md", "python-walk.md"])
def test_the_sessions_of_the_pages_are_true(name):
    page = pathlib.Path(__file__).parents[3] / "docs" / name
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0 and tried > 20


def test_every_public_name_has_help():
    for name in tamis.__all__:
        documented = getattr(tamis, name)
        assert documented.__doc__, name
        if isinstance(documented, type) and documented.__module__ != "tamis":
            for part, method in vars(documented).items():
                if not part.startswith("_") and callable(method):
                    assert method.__doc__, f"{name}.{part}"


def test_a_bloom_filter_is_like_a_set_that_grows():
    bloom = tamis.Bloom(1000, 0.01)
    assert len(bloom) == 0 and bloom
    bloom.add("apple")
    bloom.add(b"banana")
    bloom.update(["cherry", b"date", bytearray(b"elder"), memoryview(b"fig")])
    for fruit in (b"apple", "banana", "cherry", "date", "elder", b"fig"):
        assert fruit in bloom
        assert bytearray(fruit.encode() if isinstance(fruit, str) else fruit) in bloom
    assert len(bloom) == 6
    assert sum(str(i) in bloom for i in range(10000)) < 200


def test_text_is_its_utf_8():
    bloom = tamis.Bloom(10)
    bloom.add("grün")
    assert "grün".encode() in bloom
    assert "grün".encode("latin-1") not in bloom
    with pytest.raises(UnicodeEncodeError):
        bloom.add("\ud800")


@pytest.mark.parametrize("key", [1, 1.5, None, ("a",), ["a"]])
def test_what_has_no_bytes_is_no_key(key):
    bloom = tamis.Bloom(10)
    with pytest.raises(TypeError, match="key"):
        bloom.add(key)
    with pytest.raises(TypeError, match="key"):
        key in bloom
    with pytest.raises(TypeError, match="key"):
        bloom.update([key])
    with pytest.raises(TypeError):
        bloom.update("one key")
    assert len(bloom) == 0


def test_a_bad_plan_is_refused():
    for arguments in ((0,), (-1,), (10, 0.0), (10, 1.0), (10, float("nan"))):
        with pytest.raises((ValueError, OverflowError)):
            tamis.Bloom(*arguments)
    with pytest.raises(ValueError, match="blomm"):
        tamis.MutableFilter("blomm:10", 10)
    with pytest.raises(ValueError, match="unknown option 'thread'"):
        tamis.build("bloom:10", [b"a"], thread=2)


def test_union_and_intersection():
    a, b = tamis.Bloom(2000), tamis.Bloom(2000)
    a.update(str(i) for i in range(0, 1000))
    b.update(str(i) for i in range(500, 1500))
    either, both = a | b, a & b
    assert isinstance(either, tamis.Bloom)
    assert all(str(i) in either for i in range(1500))
    assert all(str(i) in both for i in range(500, 1000))
    assert sum(str(i) in both for i in range(0, 500)) < 50
    with pytest.raises(ValueError):
        a | tamis.Bloom(3000)
    with pytest.raises(TypeError):
        a | {"b"}


def test_pickling_keeps_class_and_keys():
    bloom = tamis.Bloom(100)
    bloom.update(["a", "b"])
    again = pickle.loads(pickle.dumps(bloom))
    assert type(again) is tamis.Bloom and len(again) == 2
    assert "a" in again and "b" in again and "c" not in again
    again.add("c")
    assert "c" in again and "c" not in bloom
    fixed = tamis.Filter(tamis.build("fuse8", ["a", "b"]))
    again = pickle.loads(pickle.dumps(fixed))
    assert type(again) is tamis.Filter
    assert "a" in again and bytes(again) == bytes(fixed)


def test_a_filter_is_a_buffer():
    bloom = tamis.Bloom(100)
    bloom.add("a")
    view = memoryview(bloom)
    assert view.readonly and bytes(view) == bloom.save() == bytes(bloom)
    bloom.add("b")
    assert bytes(view) != bloom.save()  # it is of the moment
    filter_ = tamis.Filter(view)
    del bloom, view
    assert "a" in filter_ and bytes(memoryview(filter_)) == bytes(filter_)


def test_in_place_nothing_is_copied():
    data = tamis.build("bloom:10", map(str, range(1000)))
    here = tamis.Filter(data, copy=False)
    del data
    assert all(str(i) in here for i in range(1000))
    source = bytearray(tamis.build("bloom:10", ["a"]))
    here = tamis.Filter(source, copy=False)
    with pytest.raises(BufferError):
        source.clear()  # the filter is in it
    del here
    source.clear()


KINDS = ["bloom:10", "splitblock:10", "classic:10", "ribbon:8", "fuse8",
         "leveldb:10", "rocksdb:10", "rocksdb-ribbon:10", "parquet:10",
         "cassandra:nb,fpr=0.01", "scalable:fpr=0.01", "range:10"]


@pytest.mark.parametrize("policy", KINDS)
def test_every_kind_finds_its_keys_however_they_are_passed(policy):
    numbers = numpy.arange(0, 20000, 3, dtype=numpy.int64)
    keys = [struct.pack("=q", n) for n in numbers.tolist()]
    data = tamis.build(policy, numbers)
    assert data == tamis.build(policy, keys)
    assert data == tamis.build(policy, iter(keys))
    assert data == tamis.build(policy, array.array("q", numbers.tolist()))
    filter_ = tamis.Filter(data, policy)
    answers = filter_.query(numbers)
    assert answers.dtype == numpy.bool_ and answers.all()
    assert filter_.query(keys) == [True] * len(keys)
    absent = filter_.query(numpy.arange(1, 20000, 3, dtype=numpy.int64))
    assert absent.mean() < 0.2
    assert filter_.describe()["kind"] != "unknown"


def test_arrays_of_text_end_where_numpy_says():
    text = numpy.array([b"a", b"abc", b"", b"b\0c"], dtype="S5")
    filter_ = tamis.Filter(tamis.build("bloom:16", text))
    for key in (b"a", b"abc", b"", b"b\0c"):
        assert key in filter_
    assert filter_.query(text).all()
    assert b"a\0\0\0\0" not in filter_


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 5000])
def test_arrays_of_text_are_their_items_however_many(count):
    items = [b"key%d" % (i * i) for i in range(count)]
    text = numpy.array(items, dtype="S12")
    assert tamis.build("bloom:16", text) == tamis.build("bloom:16", items)
    bloom = tamis.Bloom(10_000)
    bloom.update(text)
    assert len(bloom) == count and bloom.query(items) == [True] * count
    absent = numpy.array([b"no%d" % i for i in range(count)], dtype="S12")
    assert (bloom.query(absent).tolist() ==
            [key in bloom for key in absent.tolist()])
    if count > 1:
        assert (tamis.build("bloom:16", text[1::2]) ==
                tamis.build("bloom:16", items[1::2]))


def test_arrays_may_have_steps_but_go_forward():
    numbers = numpy.arange(100, dtype=numpy.uint32)
    odd = numbers[1::2]
    assert tamis.build("bloom:16", odd) == tamis.build("bloom:16", odd.copy())
    table = numpy.zeros(10, dtype=[("id", "<u4"), ("rest", "S12")])
    table["id"] = range(10)
    assert (tamis.build("bloom:16", table["id"]) ==
            tamis.build("bloom:16", numpy.arange(10, dtype="<u4")))
    with pytest.raises(ValueError, match="backward"):
        tamis.build("bloom:16", numbers[::-1])
    assert tamis.build("bloom:16", numpy.zeros(0, dtype="<u4"))


@pytest.mark.parametrize("wrong", ["f8", ">i4", "U3", "?", "c16", "V3"])
def test_arrays_of_other_things_are_refused(wrong):
    with pytest.raises((TypeError, ValueError)):
        tamis.build("bloom:10", numpy.zeros(4, dtype=wrong))
    with pytest.raises(ValueError, match="dimension"):
        tamis.build("bloom:10", numpy.zeros((2, 2), dtype="i4"))


def test_the_command_makes_the_same_bytes(tmp_path):
    command = os.environ["TAMIS_COMMAND"]
    words = [f"word{i}" for i in range(5000)]
    path = tmp_path / "words.tamis"
    subprocess.run([command, "build", "-q", "-o", path, "--policy", "ribbon:8"],
                   input="\n".join(words) + "\n", text=True, check=True)
    assert path.read_bytes() == tamis.build("ribbon:8", words)
    assert all(tamis.Filter.open(path).query(words))
    assert all(tamis.Filter.open(path, access="load").query(words))
    mine = tmp_path / "mine.tamis"
    tamis.write_file(mine, tamis.build("bloom:10", words))
    with pytest.raises(FileExistsError):
        tamis.write_file(mine, b"")
    asked = subprocess.run([command, "query", mine, "-k", "word7", "-k", "wrod7"],
                           capture_output=True, text=True)
    assert asked.stdout == "maybe\tword7\nno\twrod7\n"


@pytest.mark.parametrize("policy", [kind for kind in KINDS
                                    if not kind.startswith("range")])
def test_the_command_makes_the_same_bytes_of_every_kind(policy, tmp_path):
    words = [f"word{i}" for i in range(300)]
    path = tmp_path / "words"
    subprocess.run([os.environ["TAMIS_COMMAND"], "build", "-q", "-o", path,
                    "--policy", policy],
                   input="\n".join(words) + "\n", text=True, check=True)
    assert path.read_bytes() == tamis.build(policy, words)


def test_the_hash_does_not_depend_on_the_process():
    code = ("import tamis, sys;"
            "sys.stdout.buffer.write(tamis.build('bloom:10', ['a', 'b']))")
    made = {subprocess.run([sys.executable, "-c", code], check=True,
                           capture_output=True,
                           env={**os.environ, "PYTHONHASHSEED": seed}).stdout
            for seed in ("0", "1", "2")}
    assert len(made) == 1


def test_damage_is_an_error_and_no_answer():
    data = tamis.build("bloom:10", map(str, range(100)))
    for at in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[at] ^= 4
        try:
            filter_ = tamis.Filter(damaged)
        except (tamis.CorruptionError, ValueError, tamis.NotSupportedError):
            continue
        assert all(filter_.query(map(str, range(100)))), at
    for length in range(0, len(data), 11):
        with pytest.raises((tamis.Error, ValueError)):
            tamis.Filter(data[:length])
    with pytest.raises(FileNotFoundError):
        tamis.Filter.open("/nonexistent")


def test_mutable_filters_erase_rotate_and_fill_up():
    cuckoo = tamis.MutableFilter("cuckoo:fpr=0.001", 100,
                                 {"check_erasures": True})
    cuckoo.add("a")
    with pytest.raises(KeyError):
        cuckoo.remove("b")
    cuckoo.remove("a")
    assert "a" not in cuckoo
    with pytest.raises(tamis.FilterFullError):
        for i in range(100000):
            cuckoo.add(str(i))
    with pytest.raises(tamis.NotSupportedError):
        tamis.Bloom(10).remove("a")
    rotating = tamis.MutableFilter("rotating:fpr=0.01,generations=2", 100)
    rotating.add("a")
    rotating.rotate()
    assert "a" in rotating
    rotating.rotate()
    assert "a" not in rotating
    again = tamis.MutableFilter.load(cuckoo.save())
    assert len(again) == len(cuckoo)


def test_ranges():
    keys = [f"{i * 1000 + i * 7919 % 500:08}" for i in range(2000)]
    filter_ = tamis.Filter(tamis.build("range:12", keys))
    assert all(filter_.may_contain_range(key, key) for key in keys)
    empty = sum(filter_.may_contain_range(f"{i * 1000 + 600:08}",
                                          f"{i * 1000 + 800:08}")
                for i in range(2000))
    assert empty < 400


def test_fold_combine_predict():
    parts = [tamis.build("bloom:m=65536,k=6", map(str, half))
             for half in (range(1000), range(1000, 2000))]
    whole = tamis.combine("bloom", parts)
    assert all(tamis.Filter(whole).query(map(str, range(2000))))
    half = tamis.fold(whole, 2)
    assert len(half) < len(whole)
    assert all(tamis.Filter(half).query(map(str, range(2000))))
    with pytest.raises(ValueError):
        tamis.fold(whole, 3)
    size, rate = tamis.predict("bloom:10", 1000000)
    assert 1240000 < size < 1260000 and 0.009 < rate < 0.01


def test_threads_share_a_filter():
    bloom = tamis.Bloom(400000)
    numbers = numpy.arange(400000, dtype=numpy.int64)
    failed = []

    def add(part):
        try:
            for piece in numpy.array_split(part, 20):
                bloom.update(piece)
                if not bloom.query(piece).all():
                    failed.append("a key is hidden")
                if struct.pack("=q", int(piece[0])) not in bloom:
                    failed.append("a key is hidden")
        except Exception as error:  # shown below
            failed.append(error)

    threads = [threading.Thread(target=add, args=(part,))
               for part in numpy.array_split(numbers, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(bloom) == 400000 and bloom.query(numbers).all()


@pytest.mark.parametrize("sort", ["int64", "S8"])
@pytest.mark.parametrize("call", ["build", "update", "query", "grow"])
def test_other_threads_run_during_one_call(call, sort):
    numbers = numpy.arange(1_000_000, dtype=numpy.int64).view(sort)
    builder = tamis.Builder("bloom:10")
    bloom = tamis.Bloom(len(numbers))
    filter_ = tamis.Filter(tamis.build("bloom:10", numbers[:10]))
    work = {"build": lambda: tamis.build("ribbon:8", numbers),
            "update": lambda: builder.update(numbers),
            "query": lambda: filter_.query(numbers),
            "grow": lambda: bloom.update(numbers)}[call]
    state = ["before"]

    def run():
        state[0] = "in the call"
        work()
        state[0] = "after"

    def was_seen():
        """Whether this thread ran while the call did."""
        seen = False
        thread = threading.Thread(target=run)
        thread.start()
        while state[0] != "after":
            seen = seen or state[0] == "in the call"
            time.sleep(0.0001)
        thread.join()
        state[0] = "before"
        return seen

    # Nothing makes a thread give up the interpreter's lock in this time but a
    # call that releases it.
    before = sys.getswitchinterval()
    sys.setswitchinterval(100)
    try:
        assert any(was_seen() for _ in range(20))
    finally:
        sys.setswitchinterval(before)


def test_an_iterable_that_fails_leaves_no_trace():
    def keys():
        yield "a"
        raise ZeroDivisionError

    bloom = tamis.Bloom(10)
    with pytest.raises(ZeroDivisionError):
        bloom.update(keys())
    assert len(bloom) == 0
    with pytest.raises(ZeroDivisionError):
        tamis.build("bloom:10", keys())
