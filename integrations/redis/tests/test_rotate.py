# SPDX-License-Identifier: Apache-2.0
"""BF.RESERVE ... GENERATIONS and TAMIS.ROTATE: items that expire."""
import pytest
import resp3
from test_bloom import error_of
from test_file import file_of  # noqa: F401  (a fixture)


def reserve(r, name, generations, capacity=1000, error=0.001):
    assert r.execute_command("BF.RESERVE", name, error, capacity, "GENERATIONS",
                             generations) in (b"OK", True)


def rotate(r, name, times=1):
    for _ in range(times):
        assert r.execute_command("TAMIS.ROTATE", name) == b"OK"


def test_items_live_for_all_rotations_but_the_last(r):
    for generations in (2, 3, 7):
        name = f"f{generations}"
        reserve(r, name, generations)
        for round_ in range(2 * generations):
            assert sum(r.bf().madd(name, *[f"{round_}-{i}" for i in range(300)])) >= 297
            for age in range(generations):
                if age <= round_:
                    items = [f"{round_ - age}-{i}" for i in range(300)]
                    assert r.bf().mexists(name, *items) == [1] * 300
            if round_ >= generations:
                gone = [f"{round_ - generations}-{i}" for i in range(300)]
                assert sum(r.bf().mexists(name, *gone)) <= 5
            rotate(r, name)


def test_adding_again_renews(r):
    reserve(r, "f", 2)
    assert r.bf().madd("f", "stays", "goes", "stays") == [1, 1, 0]
    rotate(r, "f")
    assert r.bf().add("f", "stays") == 0  # it is there, and is renewed all the same
    rotate(r, "f")
    assert r.bf().mexists("f", "stays", "goes") == [1, 0]


def test_a_full_generation_takes_what_it_has_and_no_other(r):
    reserve(r, "f", 3, capacity=4)
    assert r.bf().madd("f", *"abcd") == [1] * 4
    reply = r.bf().madd("f", "a", "x", "b")
    assert reply[0] == 0 and "TAMIS.ROTATE" in str(reply[1]) and len(reply) == 2
    rotate(r, "f")
    assert r.bf().madd("f", *"xyz") == [1] * 3
    assert r.bf().add("f", "a") == 0  # renewed: the fourth of this generation
    assert "generation is full" in error_of(r, "BF.ADD", "f", "b")
    assert r.bf().mexists("f", *"abcdxyz") == [1] * 7


def test_keeps_the_rate_with_every_generation_full(r):
    reserve(r, "f", 4, capacity=2000, error=0.01)
    for round_ in range(6):
        r.bf().madd("f", *[f"{round_}-{i}" for i in range(1990)])
        if round_ < 5:
            rotate(r, "f")
    found = sum(r.bf().mexists("f", *range(50000)))
    assert 100 < found <= 50000 * 0.01 + 6 * (50000 * 0.01) ** 0.5


def test_info(server, r):
    reserve(r, "f", 5, capacity=100)
    r.bf().madd("f", "a", "b")
    rotate(r, "f")
    r.bf().add("f", "a")
    for protocol in (2, 3):
        call = resp3.Connection(server.port, protocol)
        info = call("BF.INFO", "f")
        if protocol == 2:
            info = dict(zip(info[::2], info[1::2]))
        assert info.pop("Size") > 0
        assert info == {"Capacity": 100, "Number of filters": 1, "Number of items inserted": 3,
                        "Expansion rate": None, "Generations": 5, "Rotations": 1}
        assert call("BF.INFO", "f", "generations") == [5]
        assert call("BF.INFO", "f", "ROTATIONS") == [1]
        call.close()
    assert r.bf().info("f").capacity == 100  # the client knows no generations
    rotate(r, "f", 4)
    assert r.execute_command("BF.CARD", "f") == 1
    r.bf().create("plain", 0.01, 100)
    assert error_of(r, "BF.INFO", "plain", "GENERATIONS") == "Invalid information value"


@pytest.mark.parametrize("words, message", [
    (("GENERATIONS",), "wrong number of arguments"),
    (("GENERATIONS", "1"), "bad generations"),
    (("GENERATIONS", "65"), "bad generations"),
    (("GENERATIONS", "x"), "bad generations"),
    (("GENERATIONS", "4", "EXPANSION", "2"), "cannot expand"),
    (("EXPANSION", "2", "GENERATIONS", "4"), "cannot expand"),
])
def test_mistakes_change_nothing(r, words, message):
    assert message in error_of(r, "BF.RESERVE", "f", "0.01", "100", *words)
    assert r.dbsize() == 0


def test_nonscaling_goes_with_generations(r):
    assert r.execute_command("BF.RESERVE", "f", 0.01, 10, "NONSCALING", "GENERATIONS", 2)


def test_other_keys_do_not_rotate(r, file_of):  # noqa: F811
    assert error_of(r, "TAMIS.ROTATE", "none") == "not found"
    r.set("text", "x")
    r.cf().add("cuckoo", "x")
    r.bf().add("bloom", "x")
    r.execute_command("TAMIS.LOAD", "file", file_of("ribbon:8"))
    for name in ("text", "cuckoo"):
        assert error_of(r, "TAMIS.ROTATE", name).startswith("WRONGTYPE")
    for name in ("bloom", "file"):
        assert "has no generations" in error_of(r, "TAMIS.ROTATE", name)
    assert r.bf().exists("bloom", "x") == 1


def test_a_loaded_file_rotates(r, file_of):  # noqa: F811
    r.execute_command("TAMIS.LOAD", "f", file_of("rotating:fpr=0.001,generations=3"))
    rotate(r, "f", 2)
    assert r.execute_command("TAMIS.MEXISTS", "f", *range(2000)) == [1] * 2000
    rotate(r, "f")
    assert sum(r.execute_command("TAMIS.MEXISTS", "f", *range(2000))) == 0
    assert r.execute_command("TAMIS.DUMP", "f").startswith(b"\x89TAMIS")
