# SPDX-License-Identifier: Apache-2.0
"""Programs run with LevelDB's library and with ours."""
import os
import pathlib
import subprocess
import tempfile

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
def fresh():
    """Returns a new empty directory at each call; in memory if that can be,
    because databases sync much."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        count = iter(range(100))

        def make():
            made = pathlib.Path(folder, str(next(count)))
            made.mkdir()
            return made

        yield make
