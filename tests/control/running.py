# SPDX-License-Identifier: Apache-2.0
"""A card that answers at its control socket during a test, and the tests' requests."""

import threading
from contextlib import contextmanager

from girih.card import Session, VirtualCard
from tests.frames import Host, ethernet, ipv4, udp
from tests.oracle import IPV4, UDP

HOST = Host(bytes([2, 0, 0, 0, 0, 1]), bytes([10, 77, 0, 1]))
OTHER = Host(bytes([2, 0, 0, 0, 0, 9]), bytes([10, 77, 0, 9]))
SECONDS = 60  # longest wait


def frame(port: int, size: int = 100) -> bytes:
    """A datagram to a UDP port; its content does not matter here."""
    datagram = udp(HOST.ip, OTHER.ip, bytes(size), destination=port)
    return ethernet(OTHER.mac, HOST.mac, IPV4, ipv4(HOST.ip, OTHER.ip, UDP, datagram))


@contextmanager
def running(card: VirtualCard):
    """Runs the card and serves its control socket; yields the socket's path. The test must not use the card meanwhile."""
    stopped = threading.Event()
    with Session(card) as session:
        thread = threading.Thread(target=session.serve, kwargs={"until": stopped.is_set})
        thread.start()
        try:
            yield session.server.path
        finally:
            stopped.set()
            thread.join()


def everything(ctl, path) -> list:
    """Everything that commands can change, as the card has it."""
    tables = [ctl(path, "table", "list", "--port", port) for port in ("wire", "host")]
    return [*tables, *(ctl(path, what, "list") for what in ("chain", "tenant", "policy"))]


def visits(card: VirtualCard, service: str) -> int:
    """Packets that have visited a service's units."""
    return sum(card.registers.counters(unit)[unit]["in_messages"] for unit in (f"{service}_0", f"{service}_1"))


def in_units(state: dict, service: str) -> int:
    return sum(unit["in_messages"] for unit in state["units"] if unit["service"] == service)
