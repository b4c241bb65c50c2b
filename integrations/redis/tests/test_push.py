# SPDX-License-Identifier: Apache-2.0
"""tamis redis push, pull and query, with one server."""
import os
import subprocess

import pytest

TOOL = os.environ.get("TAMIS_COMMAND")
KEYS = range(5000)


@pytest.fixture
def tamis(r, server):
    if not TOOL:
        pytest.skip("the command tamis was not built")

    def run(*words, stdin="", env=None, server_of=f"127.0.0.1:{server.port}"):
        return subprocess.run([TOOL, "redis", *words, "--server", server_of], check=False, text=True,
                              input=stdin, capture_output=True, timeout=120,
                              env={**os.environ, **(env or {})})

    if "without hiredis" in run("query", "none", "-k", "x").stderr:
        pytest.skip("the command tamis was built without hiredis")
    return run


def build(path, spec, keys=KEYS):
    subprocess.run([TOOL, "build", "--quiet", "--force", "--policy", spec, "--output", path],
                   input="".join(f"{key}\n" for key in keys).encode(), check=True)
    return path


def lines(keys):
    return "".join(f"{key}\n" for key in keys)


@pytest.mark.parametrize("spec, parts", [
    ("bloom:fpr=0.02,fold=64", 8), ("splitblock:10,fold=64,seed=77", 4), ("bloom:10", 1),
    ("ribbon:8", 1), ("fuse8", 1), ("cuckoo", 1), ("rotating", 1)])
def test_pushes_asks_and_pulls(r, tamis, tmp_path, spec, parts):
    path = build(tmp_path / "words.tamis", spec)
    options = ("--parts", str(parts)) if parts > 1 else ()
    done = tamis("push", str(path), *options)
    assert (done.returncode, done.stdout) == (0, "") and f" in {parts} part" in done.stderr
    assert sorted(r.keys("words*")) == sorted(
        [b"words"] + [f"words#{i}".encode() for i in range(parts)])
    asked = tamis("query", "words", stdin=lines(range(4000, 9000)))
    local = subprocess.run([TOOL, "query", path], input=lines(range(4000, 9000)), check=False,
                           text=True, capture_output=True)
    assert (asked.returncode, asked.stdout) == (0, local.stdout)
    copy = tmp_path / "copy.tamis"
    assert tamis("pull", "words", "-o", str(copy)).returncode == 0
    assert copy.read_bytes() == path.read_bytes()
    assert "already exists" in tamis("pull", "words", "-o", str(copy)).stderr
    assert tamis("pull", "words", "-o", str(copy), "--force").returncode == 0
    # Each part is what TAMIS.EXISTS of any client answers from.
    assert all(r.execute_command("TAMIS.DUMP", f"words#{i}")[:6] == b"\x89TAMIS"
               for i in range(parts))


def test_query_reads_keys_as_tamis_query_does(tamis, tmp_path):
    tamis("push", str(build(tmp_path / "f", "bloom:20", ["apple", "banana"])), "fruit")
    assert tamis("query", "fruit", "-k", "apple", "-k", "pear").stdout == "maybe\tapple\nno\tpear\n"
    assert tamis("query", "fruit", "--hex", "-k", "6170706c65").stdout == "maybe\t6170706c65\n"
    assert tamis("query", "fruit", "--only", "no", stdin="apple\npear\n").stdout == "no\tpear\n"
    assert tamis("query", "fruit", "-0", stdin="apple\0pear\0").stdout == "maybe\tapple\0no\tpear\0"
    assert tamis("query", "fruit", "-k", "pear").returncode == 1


def test_push_replaces_only_what_was_pushed_and_only_if_it_is_told(r, tamis, tmp_path):
    first = build(tmp_path / "a.tamis", "bloom:10,fold=64")
    second = build(tmp_path / "b.tamis", "bloom:10,fold=64", range(10000, 12000))
    assert tamis("push", str(first), "f", "--parts", "8").returncode == 0
    refused = tamis("push", str(second), "f", "--parts", "2")
    assert refused.returncode == 2 and "--replace" in refused.stderr
    assert tamis("query", "f", "-k", "7").stdout == "maybe\t7\n"
    assert tamis("push", str(second), "f", "--parts", "2", "--replace").returncode == 0
    assert sorted(r.keys("f*")) == [b"f", b"f#0", b"f#1"]  # no part of the first is left
    assert tamis("query", "f", "-k", "11999").stdout == "maybe\t11999\n"
    # A push that was interrupted.
    r.delete("f")
    refused = tamis("push", str(first), "f", "--parts", "8")
    assert refused.returncode == 2 and "f#0: is there already" in refused.stderr
    # What is something else stays.
    r.set("text", "x")
    r.hset("hash", "field", "x")
    for name in ("text", "hash"):
        before = r.dump(name)
        for options in ((), ("--replace",)):
            assert tamis("push", str(first), name, *options).returncode == 2
        assert r.dump(name) == before
    assert r.keys("text#*") == r.keys("hash#*") == []
    r.set("g#1", "mine")
    assert tamis("push", str(first), "g", "--parts", "2", "--replace").returncode == 2
    assert r.get("g#1") == b"mine" and r.exists("g", "g#0") == 0


def test_a_part_that_is_missing_or_another_is_never_a_no(r, tamis, tmp_path):
    tamis("push", str(build(tmp_path / "f.tamis", "bloom:10,fold=64")), "--parts", "4")
    other = build(tmp_path / "g.tamis", "bloom:10,fold=64", range(9000, 14000))
    tamis("push", str(other), "--parts", "4")
    r.execute_command("TAMIS.LOAD", "f#1", r.execute_command("TAMIS.DUMP", "g#1"))
    pulled = tamis("pull", "f", "-o", str(tmp_path / "out"))
    assert pulled.returncode == 2 and "different filters" in pulled.stderr
    r.delete("f#2")
    pulled = tamis("pull", "f", "-o", str(tmp_path / "out"))
    assert pulled.returncode == 2 and "f#2: not found" in pulled.stderr.replace("ERR ", "")
    asked = tamis("query", "f", stdin=lines(KEYS))
    assert asked.returncode == 2 and "f#2" in asked.stderr and "no\t" not in asked.stdout
    r.hset("f", "parts", "3")
    assert "no such parts" in tamis("query", "f", "-k", "1").stderr
    r.hset("f", "layout", "tamis-parts-2")
    assert "later version" in tamis("query", "f", "-k", "1").stderr
    assert not (tmp_path / "out").exists()


def test_mistakes(r, tamis, tmp_path):
    path = build(tmp_path / "f.tamis", "bloom:m=5120,k=4")  # 10 lines
    damaged = tmp_path / "damaged.tamis"
    damaged.write_bytes(path.read_bytes()[:-1] + b"?")
    text = tmp_path / "text"
    text.write_text("no filter\n")
    for words, message in ((("push", str(path), "--parts", "3"), "10"),
                           (("push", str(path), "--parts", "0"), "--parts"),
                           (("push", str(damaged)), "checksum"),
                           (("push", str(text)), "text"),
                           (("push", str(path), "a", "b"), "one name"),
                           (("pull", "none", "-o", str(tmp_path / "out")), "no filter was pushed"),
                           (("query", "none", "-k", "x"), "no filter was pushed"),
                           (("ask", "none"), "push, pull or query")):
        done = tamis(*words)
        assert done.returncode == 2 and message in done.stderr, (words, done.stderr)
    assert r.dbsize() == 0
    done = tamis("query", "none", "-k", "x", server_of="127.0.0.1:port")
    assert done.returncode == 2 and "HOST:PORT" in done.stderr


def test_logs_in(r, server, tamis, tmp_path):
    path = build(tmp_path / "f.tamis", "bloom:10")
    r.acl_setuser("pusher", enabled=True, passwords=["+secret"], keys=["*"], commands=["+@all"])
    env = {"REDISCLI_AUTH": "secret"}
    assert tamis("push", str(path), "--user", "pusher", env=env).returncode == 0
    done = tamis("push", str(path), "--user", "pusher", env={"REDISCLI_AUTH": "wrong"})
    assert done.returncode == 2 and "WRONGPASS" in done.stderr
    r.acl_deluser("pusher")
