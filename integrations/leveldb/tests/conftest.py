# SPDX-License-Identifier: Apache-2.0
"""Programs run with LevelDB's library and with ours."""
import os
import pathlib
import subprocess

import pytest

OURS = pathlib.Path(os.environ["TAMIS_LEVELDB"])
BIN = pathlib.Path(os.environ["TAMIS_BIN"])
SYSTEM = pathlib.Path(os.environ["TAMIS_LEVELDB_SYSTEM"])


def environment(library):
    """`library`: "ours" or "theirs"."""
    names = dict(os.environ)
    names.pop("LD_LIBRARY_PATH", None)
    if library == "ours":
        names["LD_LIBRARY_PATH"] = str(OURS)
    return names


def run(library, *command, more=None, **options):
    """Runs a program to its end, which must be a success."""
    names = environment(library) | (more or {})
    done = subprocess.run([str(part) for part in command], env=names,
                          capture_output=True, timeout=120, check=False,
                          **options)
    assert done.returncode == 0, (command, done.stdout[-2000:],
                                  done.stderr[-2000:])
    return done


@pytest.fixture
def fresh(tmp_path):
    """Returns a new empty directory at each call."""
    made = []

    def make():
        made.append(tmp_path / str(len(made)))
        made[-1].mkdir()
        return made[-1]

    return make
