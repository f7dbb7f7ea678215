# SPDX-License-Identifier: Apache-2.0
"""Runs in a guest, by the system's Python alone: TCP connections of Linux over paths that lose segments, all at once, each between two network namespaces of its own.

The arguments are the round trips of the warm-up, those of the measurement, and a list in JSON of [share lost, SACK], an entry for each connection. The last
line of the output is the list of their rates, in bytes per round trip."""

from __future__ import annotations

import ctypes
import json
import os
import select
import socket
import subprocess
import sys
import time

ROUND_TRIP = 0.2  # seconds
LEAST_TIMEOUT = 5  # round trips
WINDOW = 65535
CLONE_NEWNET = 0x40000000
TCP_WINDOW_CLAMP = 10
SENDER, RECEIVER = "10.0.0.1", "10.0.0.2"


class Connection:
    """A sender and a receiver, whose bytes are counted."""

    def __init__(self, number: int, loss: float, sack: bool):
        self.received = 0
        ends = [f"sender{number}", f"receiver{number}"]
        for end in ends:
            command("ip", "netns", "add", end)
        command("ip", "link", "add", "path", "netns", ends[0], "type", "veth", "peer", "name", "path", "netns", ends[1])
        for end, address in zip(ends, (SENDER, RECEIVER)):
            command("ip", "-n", end, "address", "add", f"{address}/24", "dev", "path")
            # Segments are lost one by one, so they must not be joined.
            command("ip", "-n", end, "link", "set", "path", "up", "gso_max_segs", "1", "gso_max_size", "1600")
        command("ip", "-n", ends[0], "route", "replace", "10.0.0.0/24", "dev", "path", "src", SENDER, "rto_min", f"{round(1000 * LEAST_TIMEOUT * ROUND_TRIP)}ms")
        command("ip", "-n", ends[1], "route", "replace", "10.0.0.0/24", "dev", "path", "src", RECEIVER, "quickack", "1")
        for end, lost in zip(ends, (loss, 0.0)):
            rule = ["limit", "100000", "delay", f"{round(500 * ROUND_TRIP)}ms", *(["loss", f"{100 * lost}%"] if lost else [])]
            command("ip", "netns", "exec", end, "tc", "qdisc", "add", "dev", "path", "root", "netem", *rule)
        enter(f"/run/netns/{ends[1]}")
        settings(sack)
        listener = socket.create_server((RECEIVER, 9))
        listener.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, WINDOW)
        enter(f"/run/netns/{ends[0]}")
        settings(sack)
        self.sender = socket.socket()
        self.sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
        self.sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        self.sender.connect((RECEIVER, 9))
        self.receiver = listener.accept()[0]
        self.receiver.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, WINDOW)
        for end_socket in (self.sender, self.receiver):
            end_socket.setblocking(False)


def command(*words: str) -> None:
    subprocess.run(words, check=True)


def enter(namespace: str) -> None:
    """Sockets that are made from now on are in this network namespace."""
    handle = os.open(namespace, os.O_RDONLY)
    if ctypes.CDLL(None).setns(handle, CLONE_NEWNET):
        raise OSError(f"{namespace} cannot be entered")
    os.close(handle)


def settings(sack: bool) -> None:
    for name, value in (("tcp_timestamps", 0), ("tcp_sack", int(sack)), ("tcp_no_metrics_save", 1)):
        with open(f"/proc/sys/net/ipv4/{name}", "w") as file:
            file.write(str(value))


def run(connections: list[Connection], seconds: float) -> None:
    poll = select.epoll()
    ends = {end.fileno(): (connection, end) for connection in connections for end in (connection.sender, connection.receiver)}
    for handle, (connection, end) in ends.items():
        poll.register(handle, select.EPOLLOUT if end is connection.sender else select.EPOLLIN)
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        for handle, _ in poll.poll(0.05):
            connection, end = ends[handle]
            try:
                if end is connection.sender:
                    end.send(bytes(WINDOW))
                else:
                    connection.received += len(end.recv(1 << 20))
            except BlockingIOError:
                pass


def main() -> None:
    own = f"/proc/{os.getpid()}/ns/net"
    home = os.open(own, os.O_RDONLY)
    connections = []
    warmup, rounds, wanted = map(json.loads, sys.argv[1:])
    for number, (loss, sack) in enumerate(wanted):
        connections.append(Connection(number, loss, sack))
        ctypes.CDLL(None).setns(home, CLONE_NEWNET)
    run(connections, warmup * ROUND_TRIP)
    before, start = [connection.received for connection in connections], time.monotonic()
    run(connections, rounds * ROUND_TRIP)
    passed = (time.monotonic() - start) / ROUND_TRIP
    print(json.dumps([(connection.received - at) / passed for connection, at in zip(connections, before)]), flush=True)


main()
