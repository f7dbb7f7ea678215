# SPDX-License-Identifier: Apache-2.0
"""TCP sockets of a card, as Python has those of the kernel, through a tile of kind `socket` (docs/tcp.md).

    with ControlClient.find() as client:
        sockets = SocketTile(client.registers, "sock")
        server = sockets.listen(5000)
        connection = server.accept(timeout=10)
        connection.sendall(connection.recv(100))
        connection.close()
        other = sockets.connect("10.77.0.1", 80)

Errors on the wire raise the same exceptions as sockets of the kernel: ConnectionRefusedError, ConnectionResetError, TimeoutError, BrokenPipeError, and
BlockingIOError if the time-out is 0 and nothing is ready. Only one program may use a tile at a time.
"""

from __future__ import annotations

import errno
import random
import time
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address

from girih.card.card_socket import CardSocket, os_error
from girih.card.node_table import KEY_MASK, entry, node_of
from girih.card.registers import AccessRefused, Registers
from girih.card.socket_window import ABORT, OPEN, REFUSED, UNANSWERED, Address, Opened, SocketWindow
from girih.errors import GirihError

DYNAMIC_PORTS = range(49152, 65536)  # RFC 6335
STACKS = ("tcp", "tcp_duplex")  # kinds of tiles that carry the connections
TRIES = 3  # own ports, when any will do
PAUSE_SECONDS = 0.002


def _nap() -> None:
    time.sleep(PAUSE_SECONDS)


def _checked(port: int) -> int:
    if not 0 < port < 1 << 16:
        raise GirihError(f"there is no port {port}", "socket", "Give 1 to 65535.")
    return port


class SocketTile:
    """registers: with the rights of the operator. tile: of kind `socket`. wait: lets the card run for a while; called between two looks at the tile.
    now: the time, in the unit of all time-outs (seconds). A program that steps the card passes a function that steps it, and one that returns its cycle."""

    def __init__(self, registers: Registers, tile: str, wait: Callable[[], None] = _nap, now: Callable[[], float] = time.monotonic):
        manifest = registers.manifest
        if manifest.tile(tile).kind != "socket":
            raise GirihError(f"{tile} is not a tile with sockets", manifest.name, "Name a tile of kind socket.")
        self._registers, self._tile, self._now = registers, tile, now
        self._node = manifest.tile(tile).node
        stack = node_of(registers.read(f"{tile}.next_hop"))
        self._stack = next((other.name for other in manifest.tiles if stack in other.nodes and other.kind in STACKS), "")
        if not self._stack:
            raise GirihError(f"{tile} does not lead to a tile of kind {' or '.join(STACKS)}", manifest.name, "Write `next: TILE`, the name of the card's TCP tile.")
        self.window = SocketWindow(registers, tile, wait)
        self._listeners: dict[int, Listener] = {}
        self._ways: dict[int, str] = {}  # entries of the stack's node table that `listen` wrote, in this program or an earlier one, by port
        self._accepted: Counter[int] = Counter()  # connections by port, until they are closed
        self._answers: dict[tuple[Address, int], Opened | None] = {}  # answers to requests; None: not yet answered
        self._take_back()
        self.window.forget()
        self.take()

    def _take_back(self) -> None:
        """Cleans up after an earlier program: frees the stack's entries that lead here and are not in the design, as soon as nothing needs them."""
        design = self._registers.manifest.tile(self._stack)
        usual = design.settings["listen"]
        ways = {path: word & KEY_MASK for path, word in self._entries("next_hop").items() if node_of(word) == self._node}
        for path, port in self._entries("listen").items():
            if port in set(ways.values()).difference(usual if isinstance(usual, list) else [usual]):
                self._registers.write(path, 0)
        self._ways.update((key, path) for path, key in ways.items() if key not in design.keys)

    def take(self) -> None:
        """Takes from the tile the connections that have opened, and aborts those for which nobody waits. Frees ways of closed listeners that nothing needs any more."""
        self._sort()
        for port in set(self._ways) - set(self._listeners):
            self._tidy(port)

    def _sort(self) -> None:
        for found in self.window.opened():
            listener = self._listeners.get(found.port)
            if found.asked and (found.peer, found.port) in self._answers:
                self._answers[found.peer, found.port] = found
            elif not found.asked and listener:
                listener.waiting.append(found)
            elif found.why is None:
                self.window.command(ABORT, found.number)

    def waits(self, timeout: float | None) -> Callable[[], None]:
        """A function that lets the card run, and raises on time-out. timeout: 0: at once; None: never."""
        end = None if timeout is None else self._now() + timeout

        def wait() -> None:
            if end is not None and self._now() >= end:
                raise TimeoutError("timed out") if timeout else os_error(BlockingIOError, errno.EAGAIN)
            self.window.wait()

        return wait

    # The stack: its ports that are listened at, and the entries of its node table that lead here.

    def _entries(self, name: str) -> dict[str, int]:
        """An array of the stack's registers."""
        registers = self._registers.manifest.tile(self._stack).registers
        return {path: self._registers.read(path) for register in registers if register.startswith(f"{name}[") for path in [f"{self._stack}.{register}"]}

    def _key(self) -> int:
        """A port whose entry in the stack's node table leads here, and at which nothing listens: only such a port can identify this tile
        as the application that opens a connection."""
        taken = {0, *self._entries("listen").values(), *self._ways}  # ways may be freed with their listeners
        ports = {word & KEY_MASK for word in self._entries("next_hop").values() if node_of(word) == self._node} - taken
        if not ports:
            remedy = f"Name a port of {self._tile} in `next` of {self._stack} that is not in its `listen`."
            raise GirihError(f"{self._tile} has no name by which {self._stack} could tell it of a connection that it opens", self._registers.manifest.name, remedy)
        return min(ports)

    def listen(self, port: int) -> Listener:
        """Starts to accept connections to a port. Raises OSError (EADDRINUSE) if another application has the port; GirihError if the stack listens at as many as it can."""
        _checked(port)
        self.take()
        ways, ports = self._entries("next_hop"), self._entries("listen")
        nodes = {node_of(word) for word in ways.values() if word & KEY_MASK == port} - {None}
        if port in self._listeners or nodes - {self._node}:
            raise os_error(OSError, errno.EADDRINUSE)
        way = place = None
        if not nodes:
            way = next((path for path, word in ways.items() if node_of(word) is None), None)
            if way is None:
                raise GirihError(f"{self._stack} has no entry left for port {port}", self._tile, "Close another listener, or name the port in `next` of the stack.")
        if port not in ports.values():
            place = next((path for path, value in ports.items() if not value), None)
            if place is None:
                raise GirihError(f"{self._stack} already listens at as many ports as it can", self._tile, "Close another listener.")
        if way:
            self._ways[port] = way
            self._registers.write(way, entry(port, self._node))
        if place:
            self._registers.write(place, port)
        self._listeners[port] = Listener(self, port, place)
        return self._listeners[port]

    def forget(self, port: int, place: str | None) -> None:
        """Stops listening at a port. place: the entry of the stack's `listen` that is free again."""
        if place:
            self._registers.write(place, 0)
        self._listeners.pop(port, None)
        self.take()

    def accepted(self, opened: Opened) -> CardSocket:
        """A connection to a port at which this program listens, or has listened."""
        self._accepted[opened.port] += 1
        return CardSocket(self.window, self.waits, opened, lambda: self._leave(opened.port))

    def _leave(self, port: int) -> None:
        self._accepted[port] -= 1
        self._tidy(port)

    def _tidy(self, port: int) -> None:
        """Frees the way from the stack to this tile once nothing uses it: neither an open connection, nor one whose hand-shake was in progress
        when the listener was closed."""
        if port in self._ways and port not in self._listeners and not self._accepted[port] and not self._shaking():
            self.window.wait()  # the stack tells the tile of the last one
            self._sort()
            self._registers.write(self._ways.pop(port), 0)

    def _shaking(self) -> bool:
        """Whether the stack has a hand-shake in progress. The number begun is read last, so that one that begins and ends meanwhile hides no other."""
        tile = self._registers.manifest.tile(self._stack)
        over = sum(self._registers.counter(tile, f"mark_{name}") for name in ("opened", "unopened"))
        return self._registers.counter(tile, "mark_begun") > over

    def connect(self, host: str, port: int, *, local_port: int | None = None, timeout: float | None = None) -> CardSocket:
        """Opens a connection. local_port: by default any that is not in use. Raises ConnectionRefusedError; TimeoutError if nobody answers, or `timeout` is over
        (the connection is aborted if it still opens); OSError (EADDRNOTAVAIL) if the stack has no place for it."""
        try:
            peer = (str(IPv4Address(host)), _checked(port))
        except ValueError as error:
            raise GirihError(f"{host!r} is not an IPv4 address", self._tile, "Give an address such as 10.77.0.1; names are not looked up.") from error
        ports = random.sample(DYNAMIC_PORTS, TRIES) if local_port is None else [_checked(local_port)]
        wait = self.waits(timeout)
        for own in ports:
            found = self._open(peer, own, wait)
            if found.why is None:
                return CardSocket(self.window, self.waits, found)
            if found.why == REFUSED:
                raise os_error(ConnectionRefusedError, errno.ECONNREFUSED)
            if found.why == UNANSWERED:
                raise os_error(TimeoutError, errno.ETIMEDOUT)
        raise os_error(OSError, errno.EADDRNOTAVAIL)

    def _open(self, peer: Address, own: int, wait: Callable[[], None]) -> Opened:
        text = IPv6Address(f"::ffff:{peer[0]}").packed + b"".join(number.to_bytes(2, "big") for number in (peer[1], own, self._key()))
        while True:
            self.take()
            try:
                self.window.command(OPEN, data=text)
                break
            except AccessRefused:  # there is no room for the answer yet
                wait()
        self._answers[peer, own] = None
        try:
            while True:
                self.take()
                if found := self._answers[peer, own]:
                    return found
                wait()
        except BaseException:
            found = self._answers[peer, own]
            if found and found.why is None:  # it has opened too late for its caller
                self.window.command(ABORT, found.number)
            raise
        finally:
            del self._answers[peer, own]


class Listener:
    """A port at which connections are accepted. waiting: those that nobody has accepted."""

    def __init__(self, tile: SocketTile, port: int, place: str | None):
        self.port = port
        self.waiting: list[Opened] = []
        self._tile, self._place, self._closed = tile, place, False

    def accept(self, timeout: float | None = None) -> CardSocket:
        """The next connection that a peer has opened. Raises OSError (EBADF) once the listener is closed."""
        if self._closed:
            raise os_error(OSError, errno.EBADF)
        wait = self._tile.waits(timeout)
        while True:
            self._tile.take()
            if self.waiting:
                return self._tile.accepted(self.waiting.pop(0))
            wait()

    def close(self) -> None:
        """Stops accepting, and aborts connections that have not been accepted. Connections that were accepted stay open."""
        if self._closed:
            return
        self._closed = True
        self._tile.forget(self.port, self._place)
        for opened in self.waiting:
            self._tile.window.command(ABORT, opened.number)
        self.waiting = []
        self._tile.take()

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
