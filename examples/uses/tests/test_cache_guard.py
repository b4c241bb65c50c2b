# SPDX-License-Identifier: Apache-2.0
"""A real memcached behind the guard, asked over HTTP with a filter and without."""

import http.client
import random
import shutil
import socket
import subprocess
import time

import pytest

import tamis

KEYS = 500
REQUESTS = 2000  # nine of ten are for absent keys


@pytest.fixture(scope="module")
def memcached():
    program = shutil.which("memcached") or "/usr/bin/memcached"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([program, "-l", "127.0.0.1", "-p", str(port),
                                "-U", "0", "-u", "nobody"])
    try:
        for _ in range(100):
            try:
                stream = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.05)
        with stream, stream.makefile("rwb") as file:
            for i in range(KEYS):
                value = b"value of %d" % i
                file.write(b"set key%d 0 0 %d\r\n%s\r\n" % (i, len(value), value))
            file.flush()
            assert all(file.readline() == b"STORED\r\n" for _ in range(KEYS))
        yield port
    finally:
        process.terminate()
        process.wait()


def ask(command):
    """Returns requests per second, and how often memcached was asked."""
    random.seed(1)
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE) as guard:
        server = http.client.HTTPConnection(
            "127.0.0.1", int(guard.stdout.readline()), timeout=20)
        started = time.monotonic()
        for _ in range(REQUESTS):
            i = random.randrange(KEYS * 10)
            server.request("GET", f"/key{i}")
            reply = server.getresponse()
            body = reply.read()
            if i < KEYS:
                assert (reply.status, body) == (200, b"value of %d" % i)
            else:
                assert (reply.status, body) == (404, b"")
        rate = REQUESTS / (time.monotonic() - started)
        server.close()
        guard.stdin.close()
        asked = int(guard.stdout.read().split()[3])
    return rate, asked


def test_cache_guard_keeps_misses_off_the_service(use, memcached, tmp_path):
    present = tmp_path / "present.tamis"
    tamis.write_file(present, tamis.build(
        "ribbon:8", (f"key{i}" for i in range(KEYS))))
    plain = [*use.command("cache_guard"), str(memcached)]
    before, asked_before = ask(plain)
    after, asked_after = ask([*plain, str(present)])
    print(f"\n{before:.0f} requests per second before, {after:.0f} after; "
          f"memcached was asked {asked_before} times, then {asked_after}")
    assert asked_before == REQUESTS
    assert asked_after < REQUESTS / 8  # a tenth are there, and false positives


def test_cache_guard_passes_everything_on_if_the_filter_is_damaged(
        use, memcached, tmp_path):
    broken = tmp_path / "broken.tamis"
    tamis.write_file(broken, b"this is no filter of any kind, but 64 bytes long" * 2)
    _, asked = ask([*use.command("cache_guard"), str(memcached), str(broken)])
    assert asked == REQUESTS
