# SPDX-License-Identifier: Apache-2.0
"""symbols.txt is the list of what the library shows: neither more nor less,
what LevelDB's shows, and what each test is said to exercise."""
import collections
import ctypes
import pathlib
import re
import subprocess

import pytest
from conftest import BIN, OURS, SYSTEM, run

LIST = pathlib.Path(__file__).parents[1] / "symbols.txt"
Row = collections.namedtuple("Row", "symbol header test")
ROWS = [Row(*line.split()) for line in LIST.read_text().splitlines()
        if not line.startswith("#")]
PROVIDED = [row for row in ROWS if row.header != "-"]
REASONS = {"private", "standard", "local"}
LIBRARY = OURS / "libleveldb.so.1d"


def shown_by(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1] for line in lines}


def test_the_library_shows_the_list():
    assert shown_by(LIBRARY) == {row.symbol for row in PROVIDED}


def test_the_list_is_that_of_leveldb():
    assert len(ROWS) == 263
    assert shown_by(SYSTEM) == {row.symbol for row in ROWS}


def test_all_that_headers_declare_is_provided():
    left_out = [row for row in ROWS if row.header == "-"]
    assert {row.test for row in left_out} == REASONS
    for row in left_out:
        # Of LevelDB's own names, only private members.
        is_leveldb = row.symbol.startswith(("_ZN7leveldb", "_ZNK7leveldb"))
        assert is_leveldb == (row.test == "private"), row


def test_its_name_is_that_of_leveldbs():
    head = subprocess.run(["readelf", "-d", LIBRARY], check=True,
                          capture_output=True, text=True).stdout
    assert "soname: [libleveldb.so.1d]" in head


def test_each_can_be_resolved():
    library = ctypes.CDLL(str(LIBRARY))
    for row in PROVIDED:
        assert ctypes.c_void_p.in_dll(library, row.symbol) is not None


def bound(command):
    """The symbols of our library that a run of a program binds."""
    text = run("ours", *command, more={"LD_DEBUG": "bindings"}).stderr
    name = re.escape(str(command[0]))
    return set(re.findall(name + r" \[0\] to \S*/libleveldb\.so\.1d \[0\]: "
                          r"\w+ symbol `(\w+)'", text.decode("latin1")))


@pytest.mark.parametrize("test", sorted({row.test for row in PROVIDED} -
                                        {"resolved"}))
def test_the_named_test_uses_them(test, fresh):
    directory = fresh()
    if test == "c_program":
        used = bound([BIN / "leveldb_c_program", directory / "db"])
    else:
        program = BIN / "leveldb_program"
        used = bound([program, test, directory, 1])
        if test == "whole":
            used |= bound([program, test, directory, 0])
    missing = {row.symbol for row in PROVIDED if row.test == test} - used
    assert not missing
