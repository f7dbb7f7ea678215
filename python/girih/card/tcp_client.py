# SPDX-License-Identifier: Apache-2.0
"""TCP echo clients over the kernel's own stack: `python -m girih.card.tcp_client HOST PORT CONNECTIONS BYTES`.

All connections are open at the same time; each sends its bytes, then closes its direction, and reads until the card has closed, too.
Prints one JSON line: connections, those whose bytes all came back, bytes returned, the errors of the others, and seconds.
"""

from __future__ import annotations

import hashlib
import json
import random
import selectors
import socket
import sys
import time
from dataclasses import dataclass, field

TIMEOUT_SECONDS = 300.0  # without any byte
CHUNK = 1 << 16


@dataclass
class Connection:
    """left: random bytes that have not been taken from `source` yet; chunk: those that have been, and are not sent."""

    socket: socket.socket
    source: random.Random
    left: int
    chunk: bytes = b""
    sent: hashlib._Hash = field(default_factory=hashlib.sha256)
    got: hashlib._Hash = field(default_factory=hashlib.sha256)
    bytes: int = 0


def echo(host: str, port: int, connections: int, size: int) -> dict:
    """Sends `size` random bytes on each of `connections` connections at once; an error on one does not end the others."""
    start = moved = time.perf_counter()
    problems: list[str] = []
    right = returned = 0
    with selectors.DefaultSelector() as selector:
        for number in range(connections):
            client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            client.setblocking(False)
            client.connect_ex((host, port))
            connection = Connection(client, random.Random(number), size)
            selector.register(client, selectors.EVENT_READ | selectors.EVENT_WRITE, connection)
        while selector.get_map() and time.perf_counter() - moved < TIMEOUT_SECONDS:
            for key, events in selector.select(1.0):
                moved = time.perf_counter()
                connection = key.data
                try:
                    done = _step(selector, connection, events)
                except OSError as error:
                    problems.append(str(error))
                    done = True
                if done:
                    selector.unregister(connection.socket)
                    connection.socket.close()
                    returned += connection.bytes
                    right += connection.bytes == size and connection.got.digest() == connection.sent.digest()
        for key in list(selector.get_map().values()):
            problems.append(f"{key.data.bytes} bytes of {size} came back, and then nothing")
            returned += key.data.bytes
            key.data.socket.close()
    seconds = time.perf_counter() - start
    return {"connections": connections, "right": right, "bytes": returned, "problems": problems, "seconds": seconds}


def _step(selector: selectors.BaseSelector, connection: Connection, events: int) -> bool:
    """Moves what can be moved; returns whether the peer has closed."""
    if events & selectors.EVENT_WRITE:
        if not connection.chunk:
            connection.chunk = connection.source.randbytes(min(CHUNK, connection.left))
            connection.left -= len(connection.chunk)
            connection.sent.update(connection.chunk)
        connection.chunk = connection.chunk[connection.socket.send(connection.chunk) :]
        if not connection.chunk and not connection.left:
            connection.socket.shutdown(socket.SHUT_WR)
            selector.modify(connection.socket, selectors.EVENT_READ, connection)
    if events & selectors.EVENT_READ:
        data = connection.socket.recv(CHUNK)
        connection.got.update(data)
        connection.bytes += len(data)
        return not data
    return False


if __name__ == "__main__":
    print(json.dumps(echo(sys.argv[1], *map(int, sys.argv[2:5]))))
