# SPDX-License-Identifier: Apache-2.0
"""cluster.py MODULE [FIRST_PORT] -- a Redis Cluster with the module, to try.

Six nodes on loopback, three primaries with a replica each, in a folder that is
removed at the end.  Runs until Ctrl-C.
"""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

PRIMARIES = 3
NODES = 2 * PRIMARIES
BUS_OFFSET = 10000  # Redis' own: the nodes talk to each other at port + 10000


def is_free(port):
    for number in (port, port + BUS_OFFSET):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", number))
            except OSError:
                return False
    return True


def free_ports(first, count):
    """Returns `count` ports from `first` on that are free, with their buses."""
    ports = [port for port in range(first, 55000 - BUS_OFFSET) if is_free(port)][:count]
    if len(ports) < count:
        raise RuntimeError(f"fewer than {count} ports are free from {first} on")
    return ports


class Cluster:
    """Only processes that it started are ever signalled."""

    def __init__(self, module, folder, ports, node_timeout_ms=5000, longest_life=None):
        self.module, self.folder, self.ports = module, folder, ports
        self.node_timeout_ms = node_timeout_ms
        self.longest_life = longest_life  # seconds, after which a node ends by itself
        self.processes = {}
        try:
            for port in ports:
                self.start(port)
            for port in ports:
                self.wait_for(port)
            self.join()
        except BaseException:
            self.stop()
            raise

    def start(self, port):
        folder = os.path.join(self.folder, str(port))
        os.makedirs(folder, exist_ok=True)
        command = [
            "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder,
            "--cluster-enabled", "yes", "--cluster-node-timeout", str(self.node_timeout_ms),
            "--cluster-allow-replica-migration", "no",
            # A primary that starts again without its data would empty its replica.
            "--appendonly", "yes", "--save", "", "--repl-diskless-sync-delay", "0",
            "--logfile", os.path.join(folder, "log"), "--loadmodule", self.module,
        ]
        if self.longest_life is not None:
            command = ["timeout", "--foreground", "--signal=KILL", str(self.longest_life)] + command
        self.processes[port] = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                                start_new_session=True)

    def wait_for(self, port, seconds=30):
        end = time.monotonic() + seconds
        while self.cli(port, "PING", check=False).strip() != "PONG":
            if self.processes[port].poll() is not None or time.monotonic() > end:
                with open(os.path.join(self.folder, str(port), "log"), encoding="utf-8") as log:
                    raise RuntimeError("a node did not start:\n" + log.read())
            time.sleep(0.05)

    def cli(self, port, *words, check=True):
        """Returns what redis-cli prints."""
        done = subprocess.run(["redis-cli", "-p", str(port), *map(str, words)], timeout=120,
                              check=False, text=True, capture_output=True)
        if check and done.returncode != 0:
            raise RuntimeError(f"redis-cli {words}: {done.stdout}{done.stderr}")
        return done.stdout

    def join(self):
        nodes = [f"127.0.0.1:{port}" for port in self.ports]
        self.cli(self.ports[0], "--cluster", "create", *nodes, "--cluster-replicas", "1",
                 "--cluster-yes")
        self.wait_until_ok()

    def links(self):
        """Returns (port, role) of every node, as the first that runs sees it."""
        rows = []
        for line in self.cli(self.running()[0], "CLUSTER", "NODES").splitlines():
            fields = line.split()
            port = int(fields[1].split("@")[0].rsplit(":", 1)[1])
            rows.append({"id": fields[0], "port": port, "flags": fields[2].split(","),
                         "primary": fields[3], "slots": fields[8:]})
        return rows

    def running(self):
        return [port for port in self.ports if self.processes[port].poll() is None]

    def is_ok(self):
        """Whether all slots are served, and every replica has its primary's data."""
        replicas = 0
        for port in self.running():
            if "cluster_state:ok" not in self.cli(port, "CLUSTER", "INFO", check=False):
                return False
            info = self.cli(port, "INFO", "replication", check=False)
            if "role:slave" in info:
                if "master_link_status:up" not in info:
                    return False
                replicas += 1
        return replicas == len(self.running()) - PRIMARIES

    def wait_until_ok(self, seconds=60):
        end = time.monotonic() + seconds
        while not self.is_ok():
            if time.monotonic() > end:
                raise RuntimeError("the cluster is not well:\n" +
                                   self.cli(self.running()[0], "CLUSTER", "NODES"))
            time.sleep(0.1)

    def pid(self, port):
        """The server's own, which is below that of `timeout`."""
        process = self.processes[port].pid
        if self.longest_life is None:
            return process
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as children:
            return int(children.read().split()[0])

    def kill(self, port):
        os.kill(self.pid(port), signal.SIGKILL)
        self.processes[port].wait(30)

    def stop(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.terminate()
        for process in self.processes.values():
            process.wait(30)


def main():
    module = os.path.abspath(sys.argv[1])
    ports = free_ports(int(sys.argv[2]) if len(sys.argv) > 2 else 7000, NODES)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="tamis-cluster-") as folder:
        cluster = Cluster(module, folder, ports)
        try:
            print("Redis Cluster with the module, on loopback alone, at the ports "
                  f"{', '.join(map(str, ports))}; all is removed at the end.  Try:\n"
                  f"  redis-cli -c -p {ports[0]} BF.RESERVE seen 0.01 1000000\n"
                  f"  redis-cli -c -p {ports[0]} BF.MADD seen apple banana cherry\n"
                  f"  seq 1000000 | tamis build --policy bloom:fpr=0.01,fold=64 -o numbers.tamis\n"
                  f"  tamis redis push numbers.tamis --parts 16 --server 127.0.0.1:{ports[0]}\n"
                  f"  tamis redis query numbers -k 42 -k dragonfruit --server 127.0.0.1:{ports[0]}\n"
                  "Ctrl-C stops it.", flush=True)
            signal.pause()
        except KeyboardInterrupt:
            pass
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
