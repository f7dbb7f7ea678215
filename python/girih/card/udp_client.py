# SPDX-License-Identifier: Apache-2.0
"""A UDP echo client over the kernel's own stack: `python -m girih.card.udp_client HOST PORT COUNT SIZE...`.

Prints one JSON line: datagrams sent, datagrams that came back unchanged, and the round trip times in seconds.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import time

TIMEOUT_SECONDS = 2.0


def echo(host: str, port: int, count: int, sizes: list[int]) -> dict:
    """Sends `count` datagrams of each size, one after the other, and waits for each to come back."""
    random.seed(port)
    sent = received = wrong = 0
    times = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(TIMEOUT_SECONDS)
        client.connect((host, port))
        for number in range(count):
            for size in sizes:
                data = number.to_bytes(4, "big")[:size] + random.randbytes(max(0, size - 4))
                start = time.perf_counter()
                client.send(data)
                sent += 1
                try:
                    same = client.recv(65536) == data
                except (TimeoutError, ConnectionError):
                    continue
                received += same
                wrong += not same
                times.append(time.perf_counter() - start)
    return {"sent": sent, "received": received, "wrong": wrong, "times": times}


if __name__ == "__main__":
    print(json.dumps(echo(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), [int(word) for word in sys.argv[4:]])))
