# SPDX-License-Identifier: Apache-2.0
"""Clients that people use: npm's redis and ioredis, and redis-cli.

The packages are those of clients/package-lock.json, fetched by its addresses and
checked by its digests; without Node.js or a network the tests are skipped.
"""
import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import urllib.error
import urllib.request

import pytest
from test_file import file_of  # noqa: F401  (a fixture)

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients")


def fetched(url, integrity):
    with urllib.request.urlopen(url, timeout=20) as reply:
        data = reply.read()
    kind, _, digest = integrity.partition("-")
    assert kind == "sha512" and base64.b64decode(digest) == hashlib.sha512(data).digest(), url
    return data


def unpack(data, folder):
    """An npm package has its files in one folder, whatever its name."""
    with tarfile.open(fileobj=io.BytesIO(data)) as package:
        for member in package.getmembers():
            _, _, name = member.name.partition("/")
            path = os.path.normpath(os.path.join(folder, name))
            if not member.isfile() or not path.startswith(folder + os.sep):
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(package.extractfile(member).read())


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """A folder with the scripts and the packages that they import."""
    if shutil.which("node") is None:
        pytest.skip("nodejs is not installed")
    folder = str(tmp_path_factory.mktemp("node"))
    for name in os.listdir(HERE):
        shutil.copy(os.path.join(HERE, name), folder)
    with open(os.path.join(HERE, "package-lock.json"), encoding="utf-8") as lock:
        packages = json.load(lock)["packages"]
    for name, package in packages.items():
        if not name:
            continue  # the project itself
        try:
            data = fetched(package["resolved"], package["integrity"])
        except (urllib.error.URLError, TimeoutError) as error:
            pytest.skip(f"no package {name} from {package['resolved']}: {error}")
        unpack(data, os.path.join(folder, name))
    return folder


@pytest.mark.parametrize("script", ["node_redis.mjs", "node_ioredis.mjs"])
def test_clients_of_node(r, server, node, file_of, tmp_path, script):  # noqa: F811
    path = tmp_path / "words.tamis"
    path.write_bytes(file_of("bloom:10,fold=64", range(100)))
    done = subprocess.run(["node", script, str(server.port), str(path)], cwd=node, check=False,
                          text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr[:2000]


# What redis-cli prints, line by line, when it writes to a file.
CLI = [
    ("BF.RESERVE f 0.01 100 EXPANSION 2", "OK"),
    ("BF.ADD f a", "1"),
    ("BF.MADD f a b", "0\n1"),
    ("BF.INSERT g CAPACITY 50 ERROR 0.1 EXPANSION 3 ITEMS x y x", "1\n1\n0"),
    ("BF.INSERT n CAPACITY 50 NONSCALING ITEMS x", "1"),
    ("BF.INSERT none NOCREATE ITEMS x", "ERR not found\n"),
    ("BF.EXISTS f a", "1"),
    ("BF.MEXISTS f a z", "1\n0"),
    ("BF.CARD f", "2"),
    ("BF.INFO f ITEMS", "2"),
    ("BF.INFO f EXPANSION", "2"),
    ("BF.SCANDUMP none 0", "ERR not found\n"),
    ("BF.LOADCHUNK f x y", "ERR Second argument must be numeric\n"),
    ("CF.RESERVE c 1000 BUCKETSIZE 2 MAXITERATIONS 20 EXPANSION 1", "OK"),
    ("CF.ADD c a", "1"),
    ("CF.ADDNX c a", "0"),
    ("CF.INSERT c CAPACITY 100 ITEMS b b", "1\n1"),
    ("CF.INSERTNX c NOCREATE ITEMS b d", "0\n1"),
    ("CF.EXISTS c a", "1"),
    ("CF.MEXISTS c a z", "1\n0"),
    ("CF.COUNT c b", "2"),
    ("CF.DEL c b", "1"),
    ("CF.DEL c z", "0"),
    ("CF.SCANDUMP none 0", "ERR not found\n"),
    ("CF.LOADCHUNK none 2 y", "ERR not found\n"),
    ("BF.RESERVE r 0.01 100 GENERATIONS 2", "OK"),
    ("TAMIS.ROTATE r", "OK"),
    ("TAMIS.EXISTS file 7", "1"),
    ("TAMIS.MEXISTS file 7 never", "1\n0"),
    ("TAMIS.MERGE both file file", "OK"),
    ("TAMIS.SHRINK both 2", "OK"),
    ("BF.ADD c a", "WRONGTYPE Operation against a key holding the wrong kind of value\n"),
]


def test_redis_cli(r, server, file_of):  # noqa: F811
    data = file_of("bloom:10,fold=64", range(100))

    def cli(*words, stdin=None):
        return subprocess.run(["redis-cli", "-p", str(server.port), *words], check=True,
                              input=stdin, stdout=subprocess.PIPE, timeout=60).stdout

    # The way of docs/redis.md: a file on standard input.
    assert cli("-x", "TAMIS.LOAD", "file", stdin=data) == b"OK\n"
    assert cli("TAMIS.DUMP", "file") == data + b"\n"
    for words, printed in CLI:
        assert cli(*words.split()).decode() == printed + "\n", words
    assert cli("-3", "BF.EXISTS", "f", "a") == b"(true)\n"
    assert cli("TAMIS.INFO", "file").startswith(b"Kind\nbloom\nKeys\n100\n")
    assert cli("BF.INFO", "f").startswith(b"Capacity\n100\nSize\n")
    assert cli("CF.INFO", "c").startswith(b"Size\n")
