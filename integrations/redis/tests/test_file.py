# SPDX-License-Identifier: Apache-2.0
"""TAMIS.*: .tamis files of any kind."""
import os
import subprocess

import pytest
import resp3
from test_bloom import error_of
from test_transfer import sealed

KINDS = ["bloom:10", "classic:10", "splitblock:10", "ribbon:8", "fuse8", "cuckoo", "counting",
         "scalable", "rotating"]


@pytest.fixture(scope="module")
def file_of(tmp_path_factory):
    """Returns files that the command `tamis` made, of 2,000 keys."""
    tool = os.environ.get("TAMIS_COMMAND")
    if not tool:
        pytest.skip("the command tamis was not built")
    folder = tmp_path_factory.mktemp("files")

    def make(spec, keys=range(2000)):
        path = folder / "filter"
        subprocess.run([tool, "build", "--quiet", "--force", "--policy", spec, "--output", path],
                       input="".join(f"{key}\n" for key in keys).encode(), check=True)
        return path.read_bytes()

    return make


@pytest.mark.parametrize("spec", KINDS)
def test_loads_every_kind(r, server, file_of, spec):
    data = file_of(spec)
    assert r.execute_command("TAMIS.LOAD", "f", data) == b"OK"
    assert r.execute_command("TAMIS.DUMP", "f") == data
    assert r.execute_command("TAMIS.MEXISTS", "f", *range(2000)) == [1] * 2000
    assert sum(r.execute_command("TAMIS.MEXISTS", "f", *range(10**6, 10**6 + 1000))) < 80
    assert r.execute_command("TAMIS.EXISTS", "f", 7) == 1
    call = resp3.Connection(server.port)
    info = call("TAMIS.INFO", "f")
    assert info["Kind"].decode() == spec.split(":")[0]
    assert info["Keys"] == 2000 and info["Bytes"] == len(data)
    assert 0 < info["Bits set"] <= info["Bits"]
    assert 0 < info["False positive rate"] < 0.05
    assert call("TAMIS.EXISTS", "f", "7") is True
    call.close()
    digest = r.execute_command("DEBUG", "DIGEST-VALUE", "f")
    dump = r.dump("f")
    r.execute_command("DEBUG", "RELOAD")
    r.copy("f", "g")
    r.restore("h", 0, dump)
    for name in "fgh":
        assert r.execute_command("DEBUG", "DIGEST-VALUE", name) == digest
    assert len(data) < r.memory_usage("f") < len(data) * 1.03 + 1000


def test_merges_and_shrinks(r, server, file_of):
    r.execute_command("TAMIS.LOAD", "a", file_of("bloom:m=65536,k=5", range(0, 1000)))
    r.execute_command("TAMIS.LOAD", "b", file_of("bloom:m=65536,k=5", range(1000, 2000)))
    r.execute_command("TAMIS.LOAD", "other", file_of("bloom:m=512,k=5"))
    assert r.execute_command("TAMIS.MERGE", "both", "a", "b") == b"OK"
    assert r.execute_command("TAMIS.MEXISTS", "both", *range(2000)) == [1] * 2000
    assert r.execute_command("TAMIS.MERGE", "a", "a", "b") == b"OK"
    assert r.execute_command("TAMIS.DUMP", "a") == r.execute_command("TAMIS.DUMP", "both")
    assert error_of(r, "TAMIS.MERGE", "a", "a", "other")
    assert error_of(r, "TAMIS.MERGE", "new", "a", "none") == "not found"
    assert r.exists("new") == 0
    size = len(r.execute_command("TAMIS.DUMP", "both"))
    assert r.execute_command("TAMIS.SHRINK", "both", 4) == b"OK"
    assert len(r.execute_command("TAMIS.DUMP", "both")) - 64 == (size - 64) / 4
    assert r.execute_command("TAMIS.MEXISTS", "both", *range(2000)) == [1] * 2000
    assert error_of(r, "TAMIS.SHRINK", "both", 3)
    assert "divisor" in error_of(r, "TAMIS.SHRINK", "both", "x")
    call = resp3.Connection(server.port)
    assert call("COMMAND", "GETKEYS", "TAMIS.MERGE", "x", "y", "z") == [b"x", b"y", b"z"]
    call.close()


def test_damage_is_an_error_and_changes_nothing(r, file_of):
    data = file_of("ribbon:8")
    r.execute_command("TAMIS.LOAD", "f", data)
    for at in range(0, len(data), 41):
        wrong = bytearray(data)
        wrong[at] ^= 1 << at % 8
        assert "damaged" in error_of(r, "TAMIS.LOAD", "f", bytes(wrong))
        assert "damaged" in error_of(r, "TAMIS.LOAD", "g", bytes(data[:at]))
    assert r.execute_command("TAMIS.DUMP", "f") == data
    assert r.exists("g") == 0
    dump = r.dump("f")
    for at in range(0, len(dump) - 10, 13):
        wrong = bytearray(dump[:-8])
        wrong[at] ^= 1 << at % 8
        try:
            r.restore("broken", 0, sealed(bytes(wrong)), replace=True)
        except Exception as error:
            assert "Bad data format" in str(error) or "checksum" in str(error)
        else:  # a length in another form, for example
            assert r.type("broken") != b"tamis-fl0" or \
                r.execute_command("TAMIS.DUMP", "broken") == data
    r.bf().add("bloom", "x")
    for words in (("TAMIS.LOAD", "bloom", data), ("TAMIS.DUMP", "bloom"), ("TAMIS.INFO", "bloom"),
                  ("TAMIS.EXISTS", "bloom", "x"), ("TAMIS.MEXISTS", "bloom", "x"),
                  ("TAMIS.SHRINK", "bloom", "2"), ("TAMIS.MERGE", "bloom", "f")):
        assert error_of(r, *words).startswith("WRONGTYPE")
    # No filter is not a filter without items.
    assert error_of(r, "TAMIS.EXISTS", "none", "x") == "not found"
    assert error_of(r, "TAMIS.MEXISTS", "none", "x") == "not found"
    assert error_of(r, "TAMIS.DUMP", "none") == "not found"
