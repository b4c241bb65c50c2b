# SPDX-License-Identifier: Apache-2.0
"""Servers for the tests: on loopback, in a folder of their own, for minutes."""
import os
import socket
import subprocess
import time

import pytest
import redis

MODULE = os.environ["TAMIS_REDIS_MODULE"]
LONGEST_LIFE = "240"  # seconds; a server whose test was killed ends by itself


def pytest_addoption(parser):
    parser.addoption("--cluster-rounds", type=int, default=1,
                     help="how often nodes of the cluster are killed and slots move")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, folder, *options):
        self.folder = str(folder)
        self.options = options
        self.port = free_port()
        self.process = None
        self.start()

    def start(self):
        command = [
            "timeout", "--signal=KILL", LONGEST_LIFE, "redis-server",
            "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
            "--save", "", "--enable-debug-command", "yes",
            "--logfile", self.log_file(), "--loadmodule", MODULE, *self.options,
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.client = redis.Redis(port=self.port, socket_timeout=30)
        for _ in range(600):
            try:
                if self.client.ping():
                    return
            except redis.exceptions.RedisError:
                time.sleep(0.05)
            if self.process.poll() is not None:
                break
        raise RuntimeError("the server did not start:\n" + self.log())

    def log_file(self):
        return os.path.join(self.folder, f"log-{self.port}")

    def log(self):
        with open(self.log_file(), encoding="utf-8", errors="replace") as file:
            return file.read()

    def stop(self):
        self.client.close()
        self.process.terminate()
        self.process.wait(30)

    def restart(self):
        self.stop()
        self.start()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


@pytest.fixture
def r(server):
    """A client of an empty server, which must be alive at the end."""
    server.client.flushall()
    yield server.client
    assert server.client.ping()
