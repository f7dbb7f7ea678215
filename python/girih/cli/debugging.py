# SPDX-License-Identifier: Apache-2.0
"""Debuggers of the cores of a running card: what `girih core --gdb` and `girih run --gdb` share, and the servers of the latter."""

from __future__ import annotations

import hashlib
import re
import socket as socketlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from girih.card.client import ControlClient
from girih.card.manifest import Manifest
from girih.card.session import Session
from girih.errors import GirihError
from girih.firmware.compile import symbols_of
from girih.firmware.debug import Debugger
from girih.firmware.gdb import GdbServer, listen

END_SECONDS = 5
"""How long a server may take to end once its gdb and its card are gone."""


def notes(card: Path, tile: str, core: int) -> Path:
    """The file in which debuggers of a core note what they change. card: its control socket."""
    return card.resolve().with_name(f"{card.name}.{tile}.{core}.breakpoints")


def symbols(debugger: Debugger) -> Path | None:
    """The file with the symbols of the core's program."""
    return symbols_of(debugger.program_bytes(), lambda at: debugger.read(at, 4))


@contextmanager
def alone(card: Path, tile: str, core: int) -> Iterator[None]:
    """Holds the right to be the only debugger of a core: an abstract socket address, which Linux frees when the process ends. card: its control socket.
    Raises GirihError."""
    name = hashlib.sha256(f"{card.resolve()} {tile} {core}".encode()).hexdigest()
    with socketlib.socket(socketlib.AF_UNIX) as mine:
        try:
            mine.bind(f"\0girih-gdb-{name}")
        except OSError as error:
            raise GirihError(f"core {core} has a debugger", tile, "End the other debugger, or connect to its port.") from error
        yield


@dataclass(frozen=True)
class Wanted:
    """A core that is to be debugged, and the port for its gdb; 0: a free one."""

    tile: str
    core: int
    port: int


def parse(texts: Sequence[str]) -> list[Wanted]:
    """The cores of options such as `echo`, `echo:3333` and `cluster.2:3333`. Raises GirihError."""
    found: list[Wanted] = []
    for text in texts:
        parts = re.fullmatch(r"([A-Za-z_]\w*)(?:\.(\d{1,3}))?(?::(\d{1,5}))?", text)
        if not parts or int(parts[3] or 0) > 65535:
            raise GirihError(f"{text} does not say which core gdb debugs", "--gdb", "Write TILE or TILE:PORT, with a port up to 65535; of a cluster, TILE.CORE.")
        new = Wanted(parts[1], int(parts[2] or 0), int(parts[3] or 0))
        for other in found:
            if (other.tile, other.core) == (new.tile, new.core):
                raise GirihError(f"core {new.core} of {new.tile} is named twice", "--gdb", "Name each core once.")
            if new.port and other.port == new.port:
                raise GirihError(f"port {new.port} is for {other.tile} and for {new.tile}", "--gdb", f"Name another one: --gdb {new.tile}:PORT")
        found.append(new)
    return found


def check(wanted: Sequence[Wanted], manifest: Manifest) -> None:
    """Raises GirihError if a card has no such core."""
    there = {tile.name: tile for tile in manifest.tiles if tile.memory_bytes}
    for one in wanted:
        if one.tile not in there:
            raise GirihError(f"{one.tile} is not a core", manifest.name, f"Its cores: {', '.join(there) or 'none'}.")
        if one.core >= there[one.tile].cores:
            raise GirihError(f"{one.tile} has no core {one.core}", "--gdb", f"Name one from 0 to {there[one.tile].cores - 1}.")


class Servers:
    """Serves gdb for cores of the card of a session, each core in a thread of its own, which reaches the card by its control socket as any other client
    does. The cores must have been opened as `debugged`."""

    def __init__(self, wanted: Sequence[Wanted], say: Callable[[str], None]):
        """Takes the ports. Raises GirihError if one cannot be used."""
        self._say, self._ending = say, threading.Event()
        self._session: Session | None = None
        self._servers: list[GdbServer] = []
        self._threads: list[threading.Thread] = []
        self._stack = ExitStack()
        with ExitStack() as stack:
            self._ports = [(one, stack.enter_context(listen(one.port, f"{one.tile}:PORT"))) for one in wanted]
            self._stack = stack.pop_all()

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._disconnect()
        self._stack.close()

    def start(self, session: Session) -> None:
        """Serves from now on, while the session serves its card."""
        assert session.server
        self._session = session
        for one, port in self._ports:
            self._stack.enter_context(alone(session.server.path, one.tile, one.core))
            file = notes(session.server.path, one.tile, one.core)
            self._stack.callback(file.unlink, missing_ok=True)
            thread = threading.Thread(target=self._serve, args=(one, port, session.server.path, file), daemon=True)
            self._threads.append(thread)
            thread.start()
            which = f"{one.tile}, core {one.core}," if session.card.manifest.tile(one.tile).cores > 1 else one.tile
            self._say(f"{which} waits before its first instruction: gdb-multiarch -ex 'target remote 127.0.0.1:{port.getsockname()[1]}'")

    def end(self) -> None:
        """Disconnects gdb, and lets the cores run on as after `detach`, so that the card can come to rest. The session no longer serves its control socket."""
        self._disconnect()
        if self._session is None or not self._session.server:
            return
        for one, _ in self._ports:
            debugger = Debugger(self._session.card.registers, one.tile, one.core, notes(self._session.server.path, one.tile, one.core))
            try:
                if debugger.runs():
                    debugger.attach()
                    debugger.detach()
            except GirihError as error:  # the card ends nevertheless, and its account says what the core still has
                self._say(str(error))

    def _disconnect(self) -> None:
        """Ends the threads. Their accesses to the card end with its control socket."""
        self._ending.set()
        if self._threads and self._session and self._session.server:
            self._session.server.close()
        for server in self._servers:
            server.disconnect()
        for thread in self._threads:
            thread.join(END_SECONDS)
        self._threads.clear()

    def _serve(self, one: Wanted, port: socketlib.socket, card: Path, file: Path) -> None:
        with suppress(GirihError, OSError), ControlClient(card) as client:
            server = GdbServer(Debugger(client.registers, one.tile, one.core, file), symbols, port)
            self._servers.append(server)
            while not self._ending.is_set():
                try:
                    server.serve_one()
                except GirihError as error:
                    if self._ending.is_set() or (self._session and self._session.stopped):
                        return
                    self._say(str(error))
                    client.call("info")  # which raises GirihError if the card has ended
