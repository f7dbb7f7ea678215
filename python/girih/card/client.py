# SPDX-License-Identifier: Apache-2.0
"""Talks to a running card through its control socket.

    with ControlClient.find() as card:
        print(card.registers.counters("echo"))
        card.call("step", cycles=100)
"""

from __future__ import annotations

import json
import select
import socket
from pathlib import Path

from girih.card.manifest import Manifest
from girih.card.registers import AccessRefused, Bus, Registers
from girih.errors import GirihError
from girih.private import private_folder
from girih.services.remote import RemoteServices

TIMEOUT_SECONDS = 30
STOPPED = ("T", "t")


def _process(path: Path) -> str:
    """The number of the process that made a socket."""
    return path.stem.rpartition("-")[2]


def _process_state(path: Path) -> str | None:
    """The state of that process, as `ps` shows it; None: it does not exist."""
    try:
        return Path(f"/proc/{_process(path)}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return None


class _CardRegisters(Registers):
    """The registers of a card in another process. That process reads counters, because two clients that copy counters (docs/contracts.md) at once would mix them."""

    def counters(self, tile_name: str | None = None) -> dict[str, dict[str, int]]:
        assert isinstance(self.bus, ControlClient)
        return self.bus.call("counters", tile=tile_name)


class ControlClient(Bus):
    """One connection. `registers` works as it does on the card itself, or on a board."""

    def __init__(self, path: Path):
        self.path = Path(path)
        if _process_state(self.path) in STOPPED:
            pid = _process(self.path)
            raise GirihError("the card is stopped by SIGSTOP or Ctrl-Z", str(path), f"Resume it: kill -CONT {pid}, or fg in its terminal.")
        self._connect()
        self.registers = _CardRegisters(Manifest.load(Path(self.call("info")["folder"])), self)
        self.services = RemoteServices(self.call)

    def _connect(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(TIMEOUT_SECONDS)
        try:
            self._socket.connect(str(self.path))
        except OSError as error:
            self._socket.close()
            raise GirihError(f"no card answers ({error.strerror})", str(self.path), "Start one: ./girih run DESIGN") from error
        self._file = self._socket.makefile("rb")
        self._interrupted = False

    @staticmethod
    def sockets() -> list[Path]:
        """The sockets of this user's running cards. Sockets left behind by dead processes are removed."""
        found = []
        for path in sorted(private_folder().glob("*.sock")):
            if _process_state(path) is not None:
                found.append(path)
            else:
                path.unlink(missing_ok=True)
        return found

    @classmethod
    def find(cls, path: Path | None = None) -> ControlClient:
        """The card at `path`, or the only one that is running."""
        if path is not None:
            return cls(path)
        found = cls.sockets()
        if not found:
            raise GirihError("no card is running", str(private_folder()), "Start one: ./girih run DESIGN")
        if len(found) > 1:
            names = ", ".join(str(path) for path in found)
            raise GirihError(f"{len(found)} cards are running", str(private_folder()), f"Choose with --socket: {names}")
        return cls(found[0])

    def __enter__(self) -> ControlClient:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the card keeps running."""
        self._file.close()
        self._socket.close()

    def ended(self) -> bool:
        """Whether the card has ended, without a request: between requests it sends nothing, so there is only an end to read."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def call(self, op: str, **arguments: object):
        """One operation of girih.card.control; its result. Raises GirihError with the card's message."""
        line = json.dumps({"op": op, **arguments}).encode() + b"\n"
        if self._interrupted:  # the answer to an earlier request must not pass for the answer to this one
            self.close()
            self._connect()
        self._interrupted = True
        try:
            self._socket.sendall(line)
            line = self._file.readline()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise self._ended() from error
        except OSError as error:
            raise GirihError(f"the card does not answer ({error})", str(self.path), "Is it still running?") from error
        self._interrupted = False
        if not line.endswith(b"\n"):
            raise self._ended()
        try:
            answer = json.loads(line)
            result = answer["result"] if answer["ok"] else answer["error"].rstrip(".")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise GirihError(f"the answer cannot be read ({error})", str(self.path), "Name the socket of a card that this version of ./girih runs.") from error
        if not answer["ok"]:
            kind = AccessRefused if answer.get("refused") else GirihError
            raise kind(result, None, None)
        return result

    def _ended(self) -> GirihError:
        return GirihError("the card has ended", str(self.path), "Start it again.")

    def interrupts(self) -> dict[str, list[str]]:
        """The tiles whose interrupt is raised, with their pending events."""
        return self.call("interrupts")

    def wait_for_interrupt(self, seconds: float, tiles: list[str] | None = None) -> dict[str, list[str]]:
        """Waits until the interrupt of one of these tiles, or of any, is raised: as `interrupts`; empty when the time is over."""
        self._socket.settimeout(seconds + TIMEOUT_SECONDS)
        try:
            return self.call("wait_for_interrupt", seconds=seconds, tiles=tiles)
        finally:
            self._socket.settimeout(TIMEOUT_SECONDS)

    def read32(self, address: int) -> int:
        return self.call("read32", address=address)

    def write32(self, address: int, value: int) -> None:
        self.call("write32", address=address, value=value)

    def read_indirect(self, tile: int, at: int, words: int = 1) -> list[int]:
        return self.call("read_indirect", tile=tile, at=at, words=words)

    def write_indirect(self, tile: int, at: int, value: int) -> None:
        self.call("write_indirect", tile=tile, at=at, value=value)
