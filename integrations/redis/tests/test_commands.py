# SPDX-License-Identifier: Apache-2.0
"""COMMAND DOCS, COMMAND INFO and users, and that the page has every command."""
import os
import re

import pytest
import redis
import resp3

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/redis.md")


@pytest.fixture
def commands(server):
    call = resp3.Connection(server.port)
    names = call("COMMAND", "LIST", "FILTERBY", "MODULE", "tamis")
    yield call, [name.decode().upper() for name in names]
    call.close()


def test_each_is_documented(commands):
    call, names = commands
    assert len(names) == 30
    for name in names:
        (docs,) = call("COMMAND", "DOCS", name).values()
        assert docs["summary"].endswith(b".") and docs["complexity"].startswith(b"O(")
        assert docs["module"] == b"tamis" and docs["since"] == b"0.5.0"
        assert docs["arguments"][0]["type"] == b"key"
        assert docs["arguments"][0]["key_spec_index"] == 0
        assert all(argument["name"] for argument in docs["arguments"])
    (docs,) = call("COMMAND", "DOCS", "BF.INFO").values()
    tokens = [part["token"] for part in docs["arguments"][1]["arguments"]]
    assert tokens == [b"CAPACITY", b"SIZE", b"FILTERS", b"ITEMS", b"EXPANSION",
                      b"GENERATIONS", b"ROTATIONS"]
    (docs,) = call("COMMAND", "DOCS", "BF.INSERT").values()
    assert docs["arguments"][-1]["token"] == b"ITEMS"
    assert "multiple" in str(docs["arguments"][-1]["flags"])


def test_keys_and_flags(commands):
    call, names = commands
    for name in names:
        info = call("COMMAND", "INFO", name)[0]
        flags, (spec, *others) = info[2], info[8]
        writes = "write" in flags
        assert writes != ("readonly" in flags)
        assert writes == ("denyoom" in flags) or name in ("CF.DEL", "TAMIS.ROTATE")
        assert len(others) == (1 if name == "TAMIS.MERGE" else 0)
        assert spec["begin_search"]["spec"]["index"] == 1
        assert ("RO" in spec["flags"]) != writes


def test_categories_of_users(commands, r):
    call, names = commands
    version = tuple(map(int, r.info("server")["redis_version"].split(".")[:2]))
    if version < (7, 2):
        pytest.skip("Redis has categories for commands of modules from 7.2 on")
    reads = {name.decode().upper() for name in call("ACL", "CAT", "read")}
    writes = {name.decode().upper() for name in call("ACL", "CAT", "write")}
    for name in names:
        assert (name in writes) != (name in reads)
        assert ("write" in call("COMMAND", "INFO", name)[0][2]) == (name in writes)


def test_a_user_who_may_only_read(r, server):
    r.bf().add("f", "x")
    r.acl_setuser("reader", enabled=True, nopass=True, keys=["f"],
                  commands=["+bf.exists", "+info"])
    reader = redis.Redis(port=server.port, username="reader", password="any")
    assert reader.execute_command("BF.EXISTS", "f", "x") == 1
    for words in (("BF.ADD", "f", "y"), ("BF.EXISTS", "g", "y"), ("CF.ADD", "f", "x")):
        with pytest.raises(redis.exceptions.NoPermissionError):
            reader.execute_command(*words)
    reader.close()
    r.acl_deluser("reader")


def test_the_page_has_every_command_and_no_other(commands):
    _, names = commands
    with open(PAGE, encoding="utf-8") as page:
        table = re.findall(r"^\| `.*$", page.read(), re.MULTILINE)
    named = set(re.findall(r"\b(?:BF|CF|TAMIS)\.[A-Z]+", "\n".join(table)))
    assert named == set(names)
