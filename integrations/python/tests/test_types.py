# SPDX-License-Identifier: Apache-2.0
"""The types that are declared are those that there are."""
import ast
import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import tamis
from tamis import _tamis

FOLDER = pathlib.Path(tamis.__file__).parent
STUB = ast.parse((FOLDER / "_tamis.pyi").read_text())
# What Python itself gives to every class of that sort.
GIVEN = {"__doc__", "__module__", "__new__", "__bytes__", "__weakref__"}


def test_the_stub_declares_what_the_module_has():
    declared = {item.name for item in STUB.body
                if isinstance(item, (ast.ClassDef, ast.FunctionDef))}
    declared |= {item.target.id for item in STUB.body
                 if isinstance(item, ast.AnnAssign)}
    assert declared == {name for name in vars(_tamis)
                        if not name.startswith("__")}


@pytest.mark.parametrize("declared", [item for item in STUB.body
                                      if isinstance(item, ast.ClassDef)],
                         ids=lambda item: item.name)
def test_the_stub_declares_what_each_class_has(declared):
    there = getattr(_tamis, declared.name)
    methods = {item.name for item in declared.body
               if isinstance(item, ast.FunctionDef)}
    assert methods - GIVEN == set(vars(there)) - GIVEN
    bases = [base.id for base in declared.bases] or ["object"]
    assert bases == [base.__name__ for base in there.__bases__]


def test_every_public_function_says_its_types():
    for name in tamis.__all__:
        public = getattr(tamis, name)
        functions = [public] if inspect.isfunction(public) else [
            member for _, member in inspect.getmembers(public)
            if inspect.isfunction(member) and
            not member.__name__.startswith("_")]
        for function in functions:
            signature = inspect.signature(function)
            assert signature.return_annotation is not inspect.Signature.empty, (
                name, function)
            for parameter in list(signature.parameters.values()):
                assert (parameter.name == "self" or parameter.annotation is
                        not inspect.Parameter.empty), (name, function)


USE = """
import tamis
seen = tamis.Bloom(10, 0.1)
seen.add("a")
both: tamis.Bloom = seen | tamis.Bloom(10, 0.1)
known: bool = b"a" in tamis.Filter(tamis.build("bloom:10", ["a"]))
size: int = tamis.predict("bloom:10", 7).bytes
seen.add(3)  # wrong: arg-type
tamis.Bloom("10")  # wrong: arg-type
tamis.Filter(b"").add("a")  # wrong: attr-defined
tamis.Store("db").put("a", 1)  # wrong: arg-type
"""


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None,
                    reason="there is no mypy; install python3-mypy")
def test_a_type_checker_refuses_wrong_use_alone(tmp_path):
    program = tmp_path / "use.py"
    program.write_text(USE)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path,
         program], capture_output=True, text=True, cwd=tmp_path, check=False,
        env={"PATH": "/usr/bin:/bin", "MYPYPATH": str(FOLDER.parent)})
    said = re.findall(r"^(?:\S*/)?use\.py:(\d+): error: .*\[([a-z-]+)\]$",
                      done.stdout, re.MULTILINE)
    expected = [(str(number), line.split("wrong: ")[1])
                for number, line in enumerate(USE.splitlines(), 1)
                if "wrong: " in line]
    assert said == expected, done.stdout
    # Neither is there an error in the package itself.
    assert done.stdout.count(": error: ") == len(expected), done.stdout
