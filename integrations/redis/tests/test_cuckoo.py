# SPDX-License-Identifier: Apache-2.0
"""CF.*: arguments, replies and errors as clients of RedisBloom expect them."""
import random

import pytest
import redis
import resp3
from test_bloom import error_of


def test_adds_counts_and_deletes(r):
    assert r.cf().create("f", 1000)
    assert r.cf().add("f", "a") == 1
    assert r.cf().add("f", "a") == 1
    assert r.cf().count("f", "a") == 2
    assert r.cf().addnx("f", "a") == 0
    assert r.cf().addnx("f", "b") == 1
    assert r.cf().exists("f", "b") == 1
    assert r.cf().exists("f", "c") == 0
    assert r.cf().mexists("f", "a", "c") == [1, 0]
    assert r.cf().delete("f", "a") == 1
    assert r.cf().count("f", "a") == 1
    assert r.cf().delete("f", "a") == 1
    assert r.cf().count("f", "a") == 0
    assert r.cf().delete("f", "a") == 0
    info = r.cf().info("f")
    assert (info.insertedNum, info.deletedNum, info.filterNum) == (1, 2, 1)


def test_insert(r):
    assert r.cf().insert("f", ["a", "b", "a"], capacity=500) == [1, 1, 1]
    assert r.cf().insertnx("f", ["a", "c", "c"]) == [0, 1, 0]
    assert r.cf().count("f", "a") == 2
    assert r.cf().insert("f", ["d"], nocreate=True) == [1]
    assert error_of(r, "CF.INSERT", "none", "NOCREATE", "ITEMS", "a") == "not found"
    assert r.exists("none") == 0


def test_info(r):
    r.cf().create("f", 1000, expansion=2, bucket_size=4, max_iterations=500)
    info = r.cf().info("f")
    assert (info.bucketSize, info.expansionRate, info.maxIteration) == (4, 2, 500)
    assert (info.filterNum, info.insertedNum, info.deletedNum) == (1, 0, 0)
    # Buckets of four slots, 19 of 20 of which can be in use.
    assert 250 / 0.95 <= info.bucketNum <= 270
    assert info.size >= info.bucketNum * 6
    r.cf().add("g", "x")
    info = r.cf().info("g")
    assert (info.bucketSize, info.expansionRate, info.maxIteration) == (2, 1, 20)


def test_a_missing_key_has_no_items(r):
    assert r.cf().exists("none", "x") == 0
    assert r.cf().mexists("none", "x", "y") == [0, 0]
    assert r.cf().count("none", "x") == 0
    assert error_of(r, "CF.DEL", "none", "x") == "Not found"
    assert error_of(r, "CF.INFO", "none") == "not found"


def test_grows_and_finds_every_key(r):
    for expansion in (1, 2, 3):
        name = f"f{expansion}"
        r.cf().create(name, 64, expansion=expansion)
        assert r.cf().insert(name, list(range(1000))) == [1] * 1000
        assert r.cf().mexists(name, *range(1000)) == [1] * 1000
        assert r.cf().info(name).filterNum >= {1: 13, 2: 4, 3: 3}[expansion]
        found = sum(r.cf().mexists(name, *range(10**6, 10**6 + 20000)))
        assert found < 20000 * 0.002 * r.cf().info(name).filterNum * 1.5


def test_expansion_0_is_full_in_the_end(r):
    r.cf().create("f", 8, expansion=0)
    answers = r.cf().insert("f", list(range(100)))
    assert answers.count(1) >= 8 and answers.count(-1) > 0 and 0 not in answers
    kept = [i for i in range(100) if answers[i] == 1]
    assert r.cf().mexists("f", *kept) == [1] * len(kept)
    missing = [i for i in range(100) if not r.cf().exists("f", i)]
    assert error_of(r, "CF.ADD", "f", missing[0]) == "Filter is full"
    assert -1 in r.cf().insertnx("f", missing)


@pytest.mark.parametrize("expansion", [1, 2, 3])
def test_deleting_keys_hides_no_other(r, expansion):
    """Fingerprints collide often in small filters, and among several of them."""
    chance = random.Random(expansion)
    r.cf().create("f", 16, expansion=expansion)
    present = []
    for step in range(25):
        new = [f"{step}-{i}" for i in range(100)]
        r.cf().insert("f", new)
        present += new
        chance.shuffle(present)
        pipeline = r.pipeline(transaction=False)
        for _ in range(60):
            pipeline.execute_command("CF.DEL", "f", present.pop())
        assert pipeline.execute() == [1] * 60
    assert r.cf().info("f").insertedNum == len(present)
    assert r.cf().mexists("f", *present) == [1] * len(present)
    for key in present:
        assert r.cf().delete("f", key) == 1
    assert r.cf().info("f").insertedNum == 0


@pytest.mark.parametrize("words, message", [
    (("CF.RESERVE", "f"), "wrong number of arguments"),
    (("CF.RESERVE", "f", "str"), "Bad capacity"),
    (("CF.RESERVE", "f", "0"), "Bad capacity"),
    (("CF.RESERVE", "f", "3"), "Capacity must be at least"),
    (("CF.RESERVE", "f", "9", "BUCKETSIZE", "5"), "Capacity must be at least"),
    (("CF.RESERVE", "f", "900", "BUCKETSIZE", "0"), "Couldn't parse BUCKETSIZE"),
    (("CF.RESERVE", "f", "900", "BUCKETSIZE", "256"), "Couldn't parse BUCKETSIZE"),
    (("CF.RESERVE", "f", "900", "MAXITERATIONS", "0"), "Couldn't parse MAXITERATIONS"),
    (("CF.RESERVE", "f", "900", "EXPANSION", "-1"), "Couldn't parse EXPANSION"),
    (("CF.RESERVE", "f", "900", "EXPANSION"), "wrong number of arguments"),
    (("CF.RESERVE", "f", "900", "WHAT", "1"), "Unknown argument received"),
    (("CF.RESERVE", "f", str(2**62)), "Insufficient memory"),
    (("CF.INSERT", "f", "element", "x"), "Unknown argument received"),
    (("CF.INSERT", "f", "CAPACITY", "-1", "ITEMS", "a"), "Bad capacity"),
    (("CF.INSERTNX", "f", "CAPACITY", "3", "ITEMS", "a"), "Capacity must be at least"),
    (("CF.INSERT", "f", "NOCREATE", "ITEMS"), "wrong number of arguments"),
    (("CF.INSERT", "f", "NOCREATE", "CAPACITY"), "wrong number of arguments"),
    (("CF.ADD", "f"), "wrong number of arguments"),
    (("CF.ADDNX", "f"), "wrong number of arguments"),
    (("CF.DEL", "f"), "wrong number of arguments"),
    (("CF.EXISTS", "f"), "wrong number of arguments"),
    (("CF.MEXISTS", "f"), "wrong number of arguments"),
    (("CF.COUNT", "f"), "wrong number of arguments"),
    (("CF.INFO",), "wrong number of arguments"),
])
def test_mistakes_change_nothing(r, words, message):
    assert message in error_of(r, *words)
    assert r.dbsize() == 0


def test_other_types_are_refused(r):
    r.set("text", "x")
    r.bf().add("bloom", "x")
    for name in ("text", "bloom"):
        for words in (("CF.ADD", name, "a"), ("CF.ADDNX", name, "a"), ("CF.EXISTS", name, "a"),
                      ("CF.MEXISTS", name, "a"), ("CF.COUNT", name, "a"), ("CF.DEL", name, "a"),
                      ("CF.INFO", name), ("CF.RESERVE", name, "10"),
                      ("CF.INSERT", name, "ITEMS", "a"), ("CF.INSERTNX", name, "ITEMS", "a"),
                      ("CF.SCANDUMP", name, "0"), ("CF.LOADCHUNK", name, "1", "x")):
            assert error_of(r, *words).startswith("WRONGTYPE"), words
    r.cf().create("f", 10)
    assert error_of(r, "CF.RESERVE", "f", "10") == "item exists"


def test_resp3_has_booleans_and_maps(server, r):
    call = resp3.Connection(server.port)
    assert call("CF.RESERVE", "f", "8", "EXPANSION", "0") == "OK"
    assert call("CF.ADD", "f", "a") is True
    assert call("CF.ADDNX", "f", "a") is False
    assert call("CF.INSERT", "f", "ITEMS", "b", "c") == [True, True]
    replies = call("CF.INSERTNX", "f", "ITEMS", "b", "d")
    assert replies == [0, 1] and isinstance(replies[0], int) and replies[0] is not False
    assert call("CF.DEL", "f", "a") is True
    assert call("CF.DEL", "f", "a") is False
    assert call("CF.EXISTS", "f", "b") is True
    assert call("CF.MEXISTS", "f", "b", "a") == [True, False]
    assert call("CF.COUNT", "f", "b") == 1
    info = call("CF.INFO", "f")
    assert info.pop("Size") > 0
    assert info == {"Number of buckets": 4, "Number of filters": 1, "Number of items inserted": 3,
                    "Number of items deleted": 1, "Bucket size": 2, "Expansion rate": 0,
                    "Max iterations": 20}
    replies = call("CF.INSERT", "f", "ITEMS", *range(50))
    assert replies[-1] == -1 and replies[0] is True
    call.close()


def test_adding_one_key_over_and_over_does_not_blow_up(r):
    """Each copy takes a slot, of which a key has eight in a filter."""
    r.cf().create("f", 100_000)
    assert r.cf().insert("f", ["x"] * 100) == [1] * 8 + [-1] * 92
    assert r.cf().count("f", "x") == 8
    assert r.cf().info("f").filterNum == 1
    assert r.cf().add("f", "y") == 1
