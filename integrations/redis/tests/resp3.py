# SPDX-License-Identifier: Apache-2.0
"""A client of RESP3, which Debian's python3-redis does not speak."""
import socket


class Error(str):
    pass


class Status(str):
    pass


class Connection:
    def __init__(self, port, protocol=3):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.file = self.socket.makefile("rb")
        self("HELLO", str(protocol))

    def __call__(self, *words):
        data = b"*%d\r\n" % len(words)
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            data += b"$%d\r\n%s\r\n" % (len(word), word)
        self.socket.sendall(data)
        return self.read()

    def close(self):
        self.file.close()
        self.socket.close()

    def read(self):
        line = self.file.readline().rstrip(b"\r\n").decode()
        kind, rest = line[0], line[1:]
        if kind == "+":
            return Status(rest)
        if kind == "-":
            return Error(rest)
        if kind == ":":
            return int(rest)
        if kind == ",":
            return float(rest)
        if kind == "#":
            return rest == "t"
        if kind == "_" or rest == "-1":
            return None
        if kind in "$=":
            return self.file.read(int(rest) + 2)[:-2]
        if kind in "*~":
            return [self.read() for _ in range(int(rest))]
        assert kind == "%", line
        return {key(self.read()): self.read() for _ in range(int(rest))}


def key(value):
    return value.decode() if isinstance(value, bytes) else value
