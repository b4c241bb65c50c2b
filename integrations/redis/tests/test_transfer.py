# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost, and damage is an error: RDB, AOF, replicas, DUMP, SCANDUMP."""
import os
import random
import signal
import subprocess
import time

import pytest
import redis
import resp3
from conftest import LONGEST_LIFE, MODULE, Server, free_port
from test_bloom import error_of

KEYS = 3000
BAD = ("Bad data format", "DUMP payload version or checksum are wrong")


def fill(r):
    """Makes filters of every shape there is."""
    r.bf().create("bloom", 0.01, 500)
    r.bf().madd("bloom", *range(KEYS))
    r.bf().create("tight", 1e-6, 200, expansion=4)
    r.bf().madd("tight", *range(KEYS))
    r.bf().create("fixed", 0.001, KEYS, noScale=True)
    r.bf().madd("fixed", *range(KEYS - 10))
    r.bf().create("empty", 0.01, 100)
    r.cf().create("cuckoo", 500, expansion=2)
    r.cf().insert("cuckoo", list(range(KEYS)))
    for i in range(0, 300):
        r.cf().delete("cuckoo", i)
    r.execute_command("BF.RESERVE", "rotating", 0.01, KEYS, "GENERATIONS", 3)
    for first in (0, 1000, 2000):
        r.execute_command("TAMIS.ROTATE", "rotating")
        r.bf().madd("rotating", *range(first, first + 1000))
    r.bf().create("large", 0.01, 1_000_000)  # more than a piece
    r.bf().madd("large", *range(KEYS))


NAMES = ["bloom", "tight", "fixed", "empty", "cuckoo", "rotating", "large"]


def command(name, what):
    return ("CF." if name == "cuckoo" else "BF.") + what


def state(r):
    """Answers, parameters and the server's digest of every value."""
    call = resp3.Connection(r.connection_pool.connection_kwargs["port"], protocol=2)
    found = {}
    for name in NAMES:
        info = call(command(name, "INFO"), name)
        at = info.index("Size")  # of vectors with more or less space
        del info[at:at + 2]
        answers = call(command(name, "MEXISTS"), name, *range(KEYS + 1000))
        found[name] = (info, answers, call("DEBUG", "DIGEST-VALUE", name))
        assert isinstance(found[name][2][0], str)
    call.close()
    return found


@pytest.fixture
def filled(r):
    fill(r)
    return r


def test_debug_reload(filled):
    before = state(filled)
    assert filled.execute_command("DEBUG", "RELOAD") in (True, b"OK")
    assert state(filled) == before


def test_a_reloaded_filter_goes_on(filled):
    filled.execute_command("DEBUG", "RELOAD")
    assert filled.bf().madd("bloom", *range(KEYS)) == [0] * KEYS
    assert filled.bf().add("bloom", "new") == 1
    assert filled.cf().delete("cuckoo", KEYS - 1) == 1


def test_dump_and_restore(filled):
    before = state(filled)
    dumps = {name: filled.dump(name) for name in NAMES}
    filled.flushall()
    for name in NAMES:
        filled.restore(name, 0, dumps[name])
    assert state(filled) == before


def test_copy(filled):
    before = state(filled)
    for name in NAMES:
        assert filled.copy(name, "copy-" + name)
    filled.bf().madd("copy-bloom", *range(KEYS, KEYS + 500))  # leaves the other alone
    assert state(filled) == before
    for name in NAMES:
        if name != "bloom":
            filled.rename("copy-" + name, name)
    assert state(filled) == before


def dump_by_chunks(r, name):
    iterator, chunks = 0, []
    while True:
        iterator, data = r.execute_command(command(name, "SCANDUMP"), name, iterator)
        if iterator == 0:
            assert data == b""
            return chunks
        chunks.append((iterator, data))


def test_scandump_and_loadchunk(filled):
    before = state(filled)
    chunks = {name: dump_by_chunks(filled, name) for name in NAMES}
    assert len(chunks["large"]) == 3 and chunks["large"][0][0] == 1
    filled.flushall()
    for name in NAMES:
        for iterator, data in chunks[name]:
            assert filled.execute_command(command(name, "LOADCHUNK"), name, iterator, data) == b"OK"
    assert state(filled) == before


def test_a_filter_that_is_being_loaded_says_maybe(filled):
    chunks = dump_by_chunks(filled, "large")
    filled.delete("large")
    for iterator, data in chunks[:-1]:
        filled.bf().loadchunk("large", iterator, data)
        assert filled.bf().exists("large", "never added") == 1
    assert "is being loaded" in error_of(filled, "BF.ADD", "large", "x")
    assert "is being loaded" in error_of(filled, "BF.SCANDUMP", "large", "0")
    filled.execute_command("DEBUG", "RELOAD")  # half of it is kept as it is
    filled.copy("large", "other")
    for name in ("large", "other"):
        assert filled.bf().exists(name, "never added") == 1
        filled.bf().loadchunk(name, *chunks[-1])
        assert filled.bf().exists(name, "never added") == 0
        assert filled.bf().mexists(name, *range(KEYS)) == [1] * KEYS


def test_damaged_chunks_are_errors(filled):
    chunks = dump_by_chunks(filled, "large")
    chance = random.Random(1)
    for _ in range(15):
        name, wrong = "broken", [list(chunk) for chunk in chunks]
        at = chance.randrange(len(wrong))
        data = bytearray(wrong[at][1])
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        wrong[at][1] = bytes(data)
        with pytest.raises(redis.exceptions.ResponseError, match="received bad data|not found"):
            for iterator, data in wrong:
                filled.bf().loadchunk(name, iterator, data)
        # What is there says "maybe", and can be loaded again.
        if filled.exists(name):
            assert filled.bf().mexists(name, *range(KEYS)) == [1] * KEYS
            filled.delete(name)
    for iterator, data in ((2, b"x"), (0, b"x"), (1, b""), (5, b""), (2**62, b"x" * 100)):
        assert "bad data" in error_of(filled, "BF.LOADCHUNK", "bloom", iterator, data)
    assert "must be numeric" in error_of(filled, "BF.LOADCHUNK", "bloom", "x", "y")
    assert "must be numeric" in error_of(filled, "BF.SCANDUMP", "bloom", "x")
    assert "not found" in error_of(filled, "BF.SCANDUMP", "none", "0")
    assert filled.bf().mexists("bloom", *range(KEYS)) == [1] * KEYS
    # A piece in the place of another changes nothing.
    filled.bf().loadchunk("late", *chunks[0])
    assert "bad data" in error_of(filled, "BF.LOADCHUNK", "late", *chunks[2])
    for chunk in chunks[1:]:
        filled.bf().loadchunk("late", *chunk)
    assert "bad data" in error_of(filled, "BF.LOADCHUNK", "late", *chunks[2])
    assert filled.bf().mexists("late", *range(KEYS)) == [1] * KEYS
    # A cuckoo filter's chunks are not a Bloom filter's.
    assert "bad data" in error_of(filled, "BF.LOADCHUNK", "x", *dump_by_chunks(filled, "cuckoo")[0])


def test_a_filter_that_changes_while_it_is_dumped_is_noticed(filled):
    iterator, header = filled.execute_command("BF.SCANDUMP", "large", 0)
    chunks = [(iterator, header), filled.execute_command("BF.SCANDUMP", "large", iterator)]
    filled.bf().madd("large", *range(10**6, 10**6 + 1000))
    chunks.append(filled.execute_command("BF.SCANDUMP", "large", chunks[-1][0]))
    for iterator, data in chunks[:-1]:
        filled.bf().loadchunk("copy", iterator, data)
    assert "bad data" in error_of(filled, "BF.LOADCHUNK", "copy", *chunks[-1])
    assert filled.bf().exists("copy", 1) == 1


def crc64(data):
    """The checksum at the end of a DUMP, so that damage before it is not seen."""
    crc = 0
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc


def table():
    rows = []
    for row in range(256):
        for _ in range(8):
            row = (row >> 1) ^ (0x95AC9329AC4BC9B5 if row & 1 else 0)
        rows.append(row)
    return rows


TABLE = table()


def sealed(payload):
    return payload + crc64(payload).to_bytes(8, "little")


def test_damaged_dumps_are_errors(filled):
    """Every door of RESTORE, with a checksum that is right."""
    filled.bf().create("small", 0.01, 20)
    filled.bf().madd("small", *range(50))
    filled.cf().create("few", 20)
    filled.cf().insert("few", list(range(50)))
    chance = random.Random(2)
    for name in ("small", "few"):
        dump = filled.dump(name)
        assert sealed(dump[:-8]) == dump
        refused = 0
        for _ in range(250):
            wrong = bytearray(dump[:-10])
            for _ in range(chance.randrange(1, 4)):
                wrong[chance.randrange(len(wrong))] = chance.randrange(256)
            if chance.randrange(4) == 0:
                del wrong[chance.randrange(len(wrong)):]
            try:
                filled.restore("broken", 0, sealed(bytes(wrong) + dump[-10:-8]), replace=True)
            except redis.exceptions.ResponseError as error:
                assert str(error) in BAD
                refused += 1
        assert refused > 200
    assert filled.info("memory")["used_memory_peak"] < 200 << 20


def outcome_of_loading(folder):
    """Starts a server on the folder's RDB file.  Returns whether it loads it."""
    log, port = folder / "log", free_port()
    process = subprocess.Popen(  # `timeout` leads a group of its own
        ["timeout", "--signal=KILL", LONGEST_LIFE, "redis-server", "--port", str(port),
         "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", "--rdbchecksum", "no",
         "--logfile", str(log), "--loadmodule", MODULE])
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            code = process.poll()
            text = log.read_text(errors="replace") if log.exists() else ""
            assert "crashed by signal" not in text, text
            if "Ready to accept connections" in text:
                client = redis.Redis(port=port, socket_timeout=30)
                for kind, name in (("BF", "bloom"), ("CF", "cuckoo"), ("BF", "rotating")):
                    if client.exists(name):
                        client.execute_command(f"{kind}.MEXISTS", name, *range(60))
                assert client.ping()
                client.close()
                return True
            if code is not None:
                assert code in (0, 1), f"{code}: {text}"  # a signal is more
                return False
            # Redis 7.0 then looks for the mistake, by a function that does not
            # end if the file does within the value of a module.
            if "aborting now" in text:
                return False
            time.sleep(0.01)
        raise AssertionError("neither loaded nor refused:\n" + text)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)


def test_damaged_rdb_files_do_not_crash_a_server(tmp_path):
    """It starts and answers, or says what is wrong and ends."""
    folder = tmp_path / "first"
    folder.mkdir()
    server = Server(folder, "--rdbchecksum", "no")
    r = server.client
    r.bf().create("bloom", 0.01, 20)
    r.bf().madd("bloom", *range(60))
    r.cf().create("cuckoo", 20)
    r.cf().insert("cuckoo", list(range(40)))
    r.execute_command("BF.RESERVE", "rotating", 0.01, 30, "GENERATIONS", 2)
    r.bf().madd("rotating", *range(30))
    r.save()
    server.stop()
    data = (folder / "dump.rdb").read_bytes()
    chance = random.Random(3)
    first = min(data.index(name) for name in (b"bloom", b"cuckoo", b"rotating"))
    loaded = 0
    for i in range(25):
        wrong = bytearray(data)
        for _ in range(0 if i == 0 else 1 + i % 3):
            wrong[chance.randrange(first, len(data) - 9)] = chance.randrange(256)
        if i % 6 == 5:
            del wrong[chance.randrange(first, len(data)):]
        broken = tmp_path / str(i)
        broken.mkdir()
        (broken / "dump.rdb").write_bytes(wrong)
        is_loaded = outcome_of_loading(broken)
        assert is_loaded or i > 0  # the first is whole
        loaded += is_loaded
    assert loaded < 12  # most damage is noticed


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def test_aof_and_its_rewrite(tmp_path):
    for preamble in ("no", "yes"):
        folder = tmp_path / preamble
        folder.mkdir()
        server = Server(folder, "--appendonly", "yes", "--aof-use-rdb-preamble", preamble)
        try:
            r = server.client
            fill(r)
            before = state(r)
            server.restart()
            assert state(server.client) == before
            server.client.bgrewriteaof()
            wait_until(lambda: not server.client.info("persistence")["aof_rewrite_in_progress"]
                       and not server.client.info("persistence")["aof_rewrite_scheduled"])
            server.restart()
            assert state(server.client) == before
        finally:
            server.stop()


@pytest.mark.parametrize("diskless", ["yes", "no"])
def test_replicas_answer_alike(tmp_path, diskless):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    primary = Server(tmp_path / "a", "--repl-diskless-sync", diskless,
                     "--repl-diskless-sync-delay", "0")
    replica = Server(tmp_path / "b", "--repl-diskless-load",
                     "swapdb" if diskless == "yes" else "disabled")
    try:
        r = primary.client
        fill(r)  # arrives as a whole
        replica.client.replicaof("127.0.0.1", primary.port)
        wait_until(lambda: replica.client.info("replication")["master_link_status"] == "up")
        change(r)  # arrives as commands
        assert r.wait(1, 30000) == 1
        assert state(replica.client) == state(r)
        assert replica.client.execute_command("DEBUG", "DIGEST") == \
            r.execute_command("DEBUG", "DIGEST")
        assert replica.client.bf().exists("chunks", 1) == 1
        # The replica takes over.
        replica.client.replicaof("no", "one")
        assert replica.client.bf().madd("bloom", *range(KEYS)) == [0] * KEYS
    finally:
        primary.stop()
        replica.stop()


def change(r):
    """Every command that writes, also those that fail in the middle."""
    r.bf().madd("bloom", *range(KEYS, KEYS + 3000))
    r.bf().insert("inserted", list(range(500)), capacity=20, error=0.05)
    r.bf().add("added", "x")
    reply = r.bf().madd("fixed", *range(KEYS + 100))
    assert isinstance(reply[-1], Exception)
    r.cf().create("evicting", 2000)
    r.cf().insert("evicting", list(range(4000)))
    r.cf().insertnx("evicting", list(range(5000)))
    for i in range(0, 4000, 3):
        r.cf().delete("evicting", i)
    r.cf().create("full", 8, expansion=0)
    r.cf().insert("full", list(range(40)))
    r.cf().addnx("cuckoo", "x")
    r.bf().madd("rotating", *range(KEYS + 100))  # renews
    r.execute_command("TAMIS.ROTATE", "rotating")
    r.bf().madd("rotating", *range(100))  # changes, and nothing is new
    r.copy("bloom", "copied")
    for name, copy in (("bloom", "chunks"), ("cuckoo", "cuckoo-chunks"),
                       ("rotating", "rotating-chunks")):
        for iterator, data in dump_by_chunks(r, name):
            r.execute_command(command(name, "LOADCHUNK"), copy, iterator, data)
