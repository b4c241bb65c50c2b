# SPDX-License-Identifier: Apache-2.0
"""One program, built once against LevelDB's headers, prints the same with
LevelDB's library and with ours."""
import re

import pytest
from conftest import BIN, run

PROGRAM = BIN / "leveldb_program"
SCENES = ["statuses", "batches", "iterators", "default_env", "own_env",
          "filters", "caches", "tables", "bases"]


def output(library, scene, directory, seed):
    return run(library, PROGRAM, scene, directory, seed)


@pytest.mark.parametrize("scene", SCENES)
def test_prints_the_same(scene, fresh):
    theirs = output("theirs", scene, fresh(), 1).stdout
    assert theirs.count(b"\n") > 10
    assert output("ours", scene, fresh(), 1).stdout == theirs


# Four orders of keys; each seed chooses other options, too.
@pytest.mark.parametrize("seed", [4, 5, 6, 7])
def test_thousands_of_random_operations_print_the_same(seed, fresh):
    theirs = output("theirs", "random", fresh(), seed).stdout
    assert theirs.count(b"\n") > 3000
    assert output("ours", "random", fresh(), seed).stdout == theirs


def test_a_c_program_prints_the_same(fresh):
    theirs, ours = (run(library, BIN / "leveldb_c_program", fresh() / "db")
                    .stdout for library in ("theirs", "ours"))
    assert theirs.count(b"\n") > 60
    assert ours == theirs


# The one library opens what the other wrote, turn by turn.
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_both_in_turn_on_one_directory(first, fresh):
    shared, alone = fresh(), fresh()
    turns = ["theirs", "ours"] if first == "theirs" else ["ours", "theirs"]
    for seed in range(1, 9):
        expected = output("theirs", "whole", alone, seed).stdout
        assert expected.count(b"\n") > 500
        assert output(turns[seed % 2], "whole", shared, seed).stdout == expected


# Files of either library; offsets of records that a reader passes over differ.
@pytest.mark.parametrize("writer", ["theirs", "ours"])
def test_dumps_the_same(writer, fresh):
    directory = fresh()
    for seed in (1, 2):
        output(writer, "whole", directory, seed)
    theirs = output("theirs", "whole", directory, 0).stderr
    assert theirs.count(b"val =>") > 100 and b"AddFile: " in theirs
    assert re.search(rb"\.log OK", theirs)
    assert output("ours", "whole", directory, 0).stderr == theirs


# No output of a scene is allowed to be empty of what it is about.
def test_a_custom_filter_is_written_and_honoured(fresh):
    text = output("ours", "filters", fresh(), 1).stdout.decode()
    assert text.count("asked 1, ruled out 1") == 4
    assert text.count("asked 0, ruled out 0") == 2
