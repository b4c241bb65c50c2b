#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""cache_guard.py MEMCACHED_PORT [FILTER]: an HTTP server on loopback that
answers GET /KEY with what memcached has.  With a filter of the keys that are
there, most requests for absent keys never reach memcached.  Prints its port, and
ends when its standard input does."""

import http.server
import socket
import sys
import threading

import tamis


class Memcached(threading.local):
    """A connection for each thread."""

    port = 0

    def __init__(self):
        self.stream = socket.create_connection(
            ("127.0.0.1", self.port)).makefile("rwb")

    def get(self, key):
        self.stream.write(b"get " + key + b"\r\n")
        self.stream.flush()
        header = self.stream.readline().split()
        if header == [b"END"]:
            return None
        value = self.stream.read(int(header[3]) + 2)[:-2]
        self.stream.readline()  # END
        return value


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one packet
    present = None  # the filter of the keys that are there
    service = None
    asked = 0  # how often memcached was

    def do_GET(self):
        key = self.path[1:].encode()
        value = None
        if self.present is None or key in self.present:
            Handler.asked += 1
            value = self.service.get(key)
        self.send_response(404 if value is None else 200)
        self.send_header("Content-Length", str(len(value or b"")))
        self.end_headers()
        self.wfile.write(value or b"")

    def log_message(self, *_):
        pass


def main():
    Memcached.port = int(sys.argv[1])
    if len(sys.argv) > 2:
        try:
            Handler.present = tamis.Filter.open(sys.argv[2])
        except (tamis.CorruptionError, ValueError) as error:  # as if there were none
            print(f"{error}; every request is passed on", file=sys.stderr)
    Handler.service = Memcached()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    print(f"memcached was asked {Handler.asked} times", flush=True)


if __name__ == "__main__":
    main()
