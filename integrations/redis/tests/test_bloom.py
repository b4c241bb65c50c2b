# SPDX-License-Identifier: Apache-2.0
"""BF.*: arguments, replies and errors as clients of RedisBloom expect them."""
import pytest
import redis
import resp3


def error_of(r, *words):
    with pytest.raises(redis.exceptions.ResponseError) as raised:
        r.execute_command(*words)
    return str(raised.value)


def test_adds_and_finds(r):
    assert r.bf().create("f", 0.01, 1000)
    assert r.bf().add("f", "foo") == 1
    assert r.bf().add("f", "foo") == 0
    assert r.bf().madd("f", "foo", "bar", "bar", b"\0\xff") == [0, 1, 0, 1]
    assert r.bf().exists("f", "bar") == 1
    assert r.bf().exists("f", "baz") == 0
    assert r.bf().mexists("f", "foo", "baz", b"\0\xff", "") == [1, 0, 1, 0]
    assert r.execute_command("BF.CARD", "f") == 3


def test_a_missing_key_has_no_items(r):
    assert r.bf().exists("none", "x") == 0
    assert r.bf().mexists("none", "x", "y") == [0, 0]
    assert r.execute_command("BF.CARD", "none") == 0
    assert error_of(r, "BF.INFO", "none") == "not found"
    assert r.exists("none") == 0


def test_info(server, r):
    r.bf().create("f", 0.001, 100)
    assert r.bf().madd("f", "a", "b") == [1, 1]
    info = r.bf().info("f")
    assert (info.capacity, info.filterNum, info.insertedNum, info.expansionRate) == (100, 1, 2, 2)
    call = resp3.Connection(server.port, protocol=2)  # the other client takes no single fields
    assert [info.size] == call("BF.INFO", "f", "size")
    assert 100 * 14 / 8 < info.size < 2000
    for field, value in (("CAPACITY", 100), ("filters", 1), ("Items", 2), ("EXPANSION", 2)):
        assert call("BF.INFO", "f", field) == [value]
    call.close()
    assert error_of(r, "BF.INFO", "f", "wrong") == "Invalid information value"
    assert "wrong number of arguments" in error_of(r, "BF.INFO", "f", "size", "items")


def test_grows_by_filters_as_planned(r):
    for expansion, filters in ((1, 25), (2, 5), (4, 4)):
        name = f"e{expansion}"
        r.bf().create(name, 0.001, 4, expansion=expansion)
        for i in range(100):
            r.bf().add(name, i)
        assert r.bf().mexists(name, *range(100)) == [1] * 100
        assert r.bf().info(name).filterNum in (filters, filters - 1)
        assert r.execute_command("BF.CARD", name) >= 98


@pytest.mark.parametrize("error", [0.1, 0.001, 1e-7])
def test_keeps_the_rate_and_every_key_while_it_grows(r, error):
    r.bf().create("f", error, 500)
    answers = []
    for first in range(0, 8000, 1000):
        answers += r.bf().madd("f", *range(first, first + 1000))
    added = sum(answers)
    assert added >= 8000 * (1 - error) - 6 * (8000 * error) ** 0.5 - 1
    assert r.bf().mexists("f", *range(8000)) == [1] * 8000
    assert r.bf().info("f").filterNum == 5
    found = sum(r.bf().mexists("f", *range(10000, 60000)))
    # Six standard deviations above the expected number, and one for few.
    assert found <= 50000 * error + 6 * (50000 * error) ** 0.5 + 1


def test_does_not_scale(r):
    assert r.bf().create("f", 0.01, 3, noScale=True)
    assert r.bf().madd("f", "a", "b", "c") == [1, 1, 1]
    assert error_of(r, "BF.ADD", "f", "d") == "non scaling filter is full"
    assert r.bf().add("f", "a") == 0
    reply = r.bf().madd("f", "b", "d", "e")
    assert reply[0] == 0 and str(reply[1]) == "non scaling filter is full" and len(reply) == 2
    assert r.bf().info("f").expansionRate is None
    assert r.bf().info("f").capacity == 3


def test_insert(r):
    assert r.bf().insert("f", ["a", "b", "a"], capacity=50, error=0.02, expansion=3) == [1, 1, 0]
    info = r.bf().info("f")
    assert (info.capacity, info.expansionRate, info.insertedNum) == (50, 3, 2)
    assert r.bf().insert("f", ["a", "c"], noCreate=True) == [0, 1]
    assert r.bf().insert("g", ["a"], noScale=True, capacity=1) == [1]
    assert r.bf().info("g").expansionRate is None
    assert error_of(r, "BF.INSERT", "none", "NOCREATE", "ITEMS", "a") == "not found"
    assert r.exists("none") == 0
    assert r.execute_command("bf.insert", "h", "items", "items") == [1]


@pytest.mark.parametrize("words, message", [
    (("BF.RESERVE", "f", "blah", "10"), "bad error rate"),
    (("BF.RESERVE", "f", "0", "10"), "(0 < error rate range < 1)"),
    (("BF.RESERVE", "f", "1", "10"), "(0 < error rate range < 1)"),
    (("BF.RESERVE", "f", "nan", "10"), "bad error rate"),
    (("BF.RESERVE", "f", "0.1", "blah"), "bad capacity"),
    (("BF.RESERVE", "f", "0.1", "0"), "(capacity should be larger than 0)"),
    (("BF.RESERVE", "f", "0.1", "-1"), "(capacity should be larger than 0)"),
    (("BF.RESERVE", "f", "0.1", "9", "EXPANSION", "0"), "bad expansion"),
    (("BF.RESERVE", "f", "0.1", "9", "EXPANSION", "x"), "bad expansion"),
    (("BF.RESERVE", "f", "0.1", "9", "EXPANSION"), "wrong number of arguments"),
    (("BF.RESERVE", "f", "0.1", "9", "WHAT"), "Unknown argument received"),
    (("BF.RESERVE", "f", "0.1", "9", "EXPANSION", "2", "NONSCALING"),
     "Nonscaling filters cannot expand"),
    (("BF.RESERVE", "f", "0.1"), "wrong number of arguments"),
    (("BF.RESERVE", "f", "0.1", str(2**62)), "Insufficient memory"),
    (("BF.RESERVE", "f", "1e-9", str(2**42)), "Insufficient memory"),
    (("BF.INSERT", "f", "NOCREATE", "ITEMS"), "wrong number of arguments"),
    (("BF.INSERT", "f", "CAPACITY", "9", "NOCREATE"), "wrong number of arguments"),
    (("BF.INSERT", "f", "CAPACITY", "0.3", "ITEMS", "a"), "bad capacity"),
    (("BF.INSERT", "f", "ERROR", "big", "ITEMS", "a"), "bad error rate"),
    (("BF.INSERT", "f", "ERROR"), "wrong number of arguments"),
    (("BF.INSERT", "f", "EXPANSION", "0", "ITEMS", "a"), "bad expansion"),
    (("BF.INSERT", "f", "DONTEXIST", "ITEMS", "a"), "Unknown argument received"),
    (("BF.ADD", "f"), "wrong number of arguments"),
    (("BF.ADD", "f", "a", "b"), "wrong number of arguments"),
    (("BF.MADD", "f"), "wrong number of arguments"),
    (("BF.EXISTS", "f"), "wrong number of arguments"),
    (("BF.MEXISTS", "f"), "wrong number of arguments"),
    (("BF.CARD",), "wrong number of arguments"),
])
def test_mistakes_change_nothing(r, words, message):
    assert message in error_of(r, *words)
    assert r.dbsize() == 0


def test_other_types_are_refused(r):
    r.set("text", "x")
    r.execute_command("CF.ADD", "cuckoo", "x")
    for name in ("text", "cuckoo"):
        for words in (("BF.ADD", name, "a"), ("BF.MADD", name, "a"), ("BF.EXISTS", name, "a"),
                      ("BF.MEXISTS", name, "a"), ("BF.CARD", name), ("BF.INFO", name),
                      ("BF.RESERVE", name, "0.1", "10"), ("BF.INSERT", name, "ITEMS", "a"),
                      ("BF.SCANDUMP", name, "0"), ("BF.LOADCHUNK", name, "1", "x")):
            assert error_of(r, *words).startswith("WRONGTYPE"), words
    r.bf().create("f", 0.01, 10)
    assert error_of(r, "BF.RESERVE", "f", "0.01", "10") == "item exists"


def test_resp3_has_booleans_maps_and_nulls(server, r):
    call = resp3.Connection(server.port)
    assert call("BF.RESERVE", "f", "0.01", "10", "NONSCALING") == "OK"
    assert call("BF.ADD", "f", "a") is True
    assert call("BF.MADD", "f", "a", "b") == [False, True]
    assert call("BF.INSERT", "f", "ITEMS", "c", "c") == [True, False]
    assert call("BF.EXISTS", "f", "a") is True
    assert call("BF.EXISTS", "none", "a") is False
    assert call("BF.MEXISTS", "f", "a", "z") == [True, False]
    assert call("BF.CARD", "f") == 3
    info = call("BF.INFO", "f")
    assert info.pop("Size") > 0
    assert info == {"Capacity": 10, "Number of filters": 1, "Number of items inserted": 3,
                    "Expansion rate": None}
    assert call("BF.INFO", "f", "ITEMS") == [3]
    assert call("BF.INFO", "none") == "ERR not found"
    call.close()


def test_memory_is_counted_by_the_server(server, r):
    before = r.info("memory")["used_memory"]
    r.bf().create("f", 0.01, 8_000_000)  # 10 MB
    reported = r.memory_usage("f")
    grown = r.info("memory")["used_memory"] - before
    assert 8_000_000 < reported < 12_000_000
    # The server's allocator has sizes that are up to a quarter apart.
    assert reported * 0.97 < grown < reported * 1.26
    # A fork would copy 2 MiB for each page that is written then.
    with open(f"/proc/{r.info('server')['process_id']}/smaps", encoding="ascii") as maps:
        assert not [line for line in maps if line.startswith("VmFlags") and " hg" in line]
    r.delete("f")
    assert r.info("memory")["used_memory"] - before < 200_000


def test_maxmemory_stops_growth_and_not_queries(r):
    r.bf().create("f", 0.01, 10)
    r.bf().add("f", "a")
    r.config_set("maxmemory", 1)
    try:
        with pytest.raises(redis.exceptions.ResponseError, match="OOM|maxmemory"):
            r.bf().add("f", "b")
        assert r.bf().exists("f", "a") == 1
    finally:
        r.config_set("maxmemory", 0)
