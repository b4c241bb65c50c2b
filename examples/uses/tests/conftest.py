# SPDX-License-Identifier: Apache-2.0
"""TAMIS_USES is the folder of the programs in C++."""

import os
import pathlib
import subprocess

import pytest

SOURCES = pathlib.Path(__file__).parent.parent


def command(language, name):
    if language == "python":
        return ["/usr/bin/python3", str(SOURCES / f"{name}.py")]
    return [os.path.join(os.environ["TAMIS_USES"], f"use_{name}")]


@pytest.fixture(params=["python", "c++"])
def use(request):
    """Runs a program in one of both languages."""
    def run(name, *arguments, text=""):
        return subprocess.run(
            [*command(request.param, name), *map(str, arguments)], input=text,
            capture_output=True, text=True, check=True, timeout=60)
    run.command = lambda name: command(request.param, name)
    return run
