# SPDX-License-Identifier: Apache-2.0
"""A client of a cluster that waits for replicas on the connection it wrote on.

WAIT is about the writes of one connection, which clients with pools do not tell.
"""
import time

import resp3


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ (0x1021 if crc & 0x8000 else 0)
        crc &= 0xFFFF
    return crc


def slot_of(name):
    start = name.find("{")
    end = name.find("}", start + 1)
    if start >= 0 and end > start + 1:
        name = name[start + 1:end]
    return crc16(name.encode()) % 16384


class ClusterClient:
    def __init__(self, ports, patience=40):
        self.ports, self.patience = list(ports), patience
        self.connections, self.owners = {}, {}

    def close(self):
        for connection in self.connections.values():
            connection.close()

    def drop(self, port):
        connection = self.connections.pop(port, None)
        if connection is not None:
            connection.close()

    def __call__(self, *words, replicas=0):
        """Runs a command about the key words[1].  With `replicas`, tries until
        so many have it."""
        slot, asking, turn = slot_of(words[1]), False, 0
        end = time.monotonic() + self.patience
        port = self.owners.get(slot, self.ports[0])
        while True:
            assert time.monotonic() < end, f"no answer to {words[:2]}"
            try:
                if port not in self.connections:
                    self.connections[port] = resp3.Connection(port, protocol=2)
                connection = self.connections[port]
                if asking:
                    connection("ASKING")
                reply = connection(*words)
                asking = False
                if not isinstance(reply, resp3.Error):
                    if replicas == 0:
                        return reply
                    count = connection("WAIT", replicas, 1000)
                    # An error: it is a replica by now.
                    if not isinstance(count, resp3.Error) and count >= replicas:
                        return reply
                    reply = resp3.Error("TRYAGAIN it was not acknowledged")
            except (OSError, IndexError, ValueError):
                self.drop(port)
                reply = resp3.Error("TRYAGAIN the connection is broken")
            kind = reply.split(" ")[0]
            if kind in ("MOVED", "ASK"):
                port, asking = int(reply.rsplit(":", 1)[1]), kind == "ASK"
                if not asking:
                    self.owners[slot] = port
            elif kind in ("TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY"):
                self.owners.pop(slot, None)
                turn, asking = turn + 1, False
                port = self.ports[turn % len(self.ports)]
                time.sleep(0.05)
            else:
                raise AssertionError(reply)
