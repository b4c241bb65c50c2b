# SPDX-License-Identifier: Apache-2.0
"""The command that runs a program on Tamis."""
import subprocess

from conftest import BIN, OURS, environment, run

COMMAND = BIN / "tamis-leveldb"


def test_runs_a_program_on_our_library(fresh):
    directory = fresh()
    run("theirs", COMMAND, BIN / "leveldb_program", "whole", directory, 1)
    assert (directory / "TAMIS").exists()


def test_without_it_the_program_runs_on_leveldb(fresh):
    directory = fresh()
    run("theirs", BIN / "leveldb_program", "whole", directory, 1)
    assert not (directory / "TAMIS").exists()


def test_keeps_the_library_path_and_the_exit_code():
    shown = run("theirs", COMMAND, "sh", "-c", "echo $LD_LIBRARY_PATH",
                more={"LD_LIBRARY_PATH": "/some/where"})
    assert shown.stdout.decode().strip() == f"{OURS}:/some/where"
    done = subprocess.run([COMMAND, "sh", "-c", "exit 7"], check=False,
                          env=environment("theirs"))
    assert done.returncode == 7


def test_says_how_it_is_used():
    done = subprocess.run([COMMAND], check=False, capture_output=True)
    assert done.returncode == 2
    assert b"usage: tamis-leveldb PROGRAM" in done.stdout
