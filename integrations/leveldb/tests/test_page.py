# SPDX-License-Identifier: Apache-2.0
"""The session of docs/from-leveldb.md prints what it says."""
import os
import pathlib
import re

import pytest
from conftest import BIN, run

pytest.importorskip("plyvel")

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "from-leveldb.md"


def test_the_session_prints_what_it_says(fresh):
    if not (BIN / "tamis").exists():
        pytest.skip("the command is not built")
    session = re.search(r"```shell-session\n(.*?)```", PAGE.read_text(),
                        re.DOTALL).group(1)
    steps = re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", session, re.MULTILINE)
    assert len(steps) >= 5
    directory = fresh()
    for command, said in steps:
        done = run("theirs", "sh", "-c", command, cwd=directory,
                   more={"PATH": f"{BIN}:{os.environ['PATH']}"})
        assert done.stdout.decode() == said, command
