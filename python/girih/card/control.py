# SPDX-License-Identifier: Apache-2.0
"""The control socket of a running card: one JSON object a line each way.

    {"op": "read", "name": "echo.node"}      ->  {"ok": true, "result": 33}
    {"op": "step", "cycles": 0}              ->  {"ok": false, "error": "..."}

Unix domain, in a folder of this user's; girih.card.client is the other end.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from girih.card.copy import drops, snapshot
from girih.card.listening import listening
from girih.card.progress import Progress
from girih.card.registers import AccessRefused, violations
from girih.errors import GirihError
from girih.private import private_folder
from girih.services.monitor import Monitor
from girih.services.remote import perform

LINE_LIMIT = 1 << 20
WAIT = "wait_for_interrupt"  # the operation that is answered later: arguments seconds and tiles, the result as that of interrupts
_numbers = itertools.count()


@dataclass(frozen=True)
class _Waiting:
    """A client that waits for the interrupt of one of these tiles, or of any. deadline: as time.monotonic() counts."""

    client: int
    tiles: frozenset[str] | None
    deadline: float


class ControlServer:
    """Serves any number of clients between the slices of a run, without blocking."""

    def __init__(self, progress: Progress):
        self._run = progress
        folder = private_folder()
        number = next(_numbers)  # one process may run several cards
        self.path = folder / f"{progress.card.manifest.name}{f'.{number}' if number else ''}-{os.getpid()}.sock"
        self.path.unlink(missing_ok=True)
        self._listener = listening(self.path)
        self._clients: dict[int, tuple[socket.socket, bytearray]] = {}
        self._waiting: list[_Waiting] = []
        self._asking: int | None = None
        self._capturing: int | None = None  # the client whose capture runs

    def descriptors(self) -> list[int]:
        """The file descriptors to wait on."""
        return [self._listener.fileno(), *self._clients]

    def close(self) -> None:
        """Disconnects all clients and removes the socket."""
        for number in list(self._clients):
            self._drop(number)
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def serve(self, ready: set[int]) -> None:
        """Answers the requests on the descriptors that are ready."""
        for number in ready:
            if number == self._listener.fileno():
                client, _address = self._listener.accept()
                client.settimeout(1)  # a client that does not read must not block the card
                self._clients[client.fileno()] = (client, bytearray())
            elif number in self._clients:
                self._receive(number)
        self._tell()

    def _tell(self) -> None:
        """Answers the clients whose interrupt is raised now, or whose wait has timed out."""
        if not self._waiting:
            return
        raised = self._do_interrupts()
        for waiting in list(self._waiting):
            found = {tile: names for tile, names in raised.items() if waiting.tiles is None or tile in waiting.tiles}
            if found or time.monotonic() >= waiting.deadline:
                self._waiting.remove(waiting)
                self._send(waiting.client, {"ok": True, "result": found})

    def _send(self, number: int, answer: dict) -> None:
        if number not in self._clients:
            return
        try:
            self._clients[number][0].sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            self._drop(number)

    def _drop(self, number: int) -> None:
        self._clients.pop(number)[0].close()
        self._waiting = [waiting for waiting in self._waiting if waiting.client != number]
        if number == self._capturing:  # nobody else would end it
            with suppress(GirihError):  # that its file cannot be written is for its client, not for the card
                self._do_capture_stop()

    def _receive(self, number: int) -> None:
        client, buffer = self._clients[number]
        try:
            data = client.recv(65536)
            buffer += data
            if not data or len(buffer) > LINE_LIMIT:
                raise ConnectionError
            while (end := buffer.find(b"\n")) >= 0:
                line = bytes(buffer[:end])
                del buffer[: end + 1]
                answer = self._answer(line, number)
                if answer is not None:
                    self._send(number, answer)
        except OSError:
            self._drop(number)

    def _answer(self, line: bytes, client: int) -> dict | None:
        """The answer to a request; None: it comes later."""
        self._asking = client
        try:
            request = json.loads(line)
            if request.get("op") == WAIT:
                self._wait(client, **{key: value for key, value in request.items() if key != "op"})
                return None
            operation = getattr(self, f"_do_{request.pop('op')}", None)
            if operation is None:
                names = ", ".join(sorted([WAIT, *(name[4:] for name in dir(self) if name.startswith("_do_"))]))
                raise GirihError("there is no such operation", "control socket", f"There are: {names}.")
            return {"ok": True, "result": operation(**request)}
        except GirihError as error:
            return {"ok": False, "error": str(error), "refused": isinstance(error, AccessRefused)}
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
            return {"ok": False, "error": f"control socket: the request cannot be used ({error}). See girih.card.client."}

    def _wait(self, client: int, seconds: float, tiles: list[str] | None = None) -> None:
        for tile in tiles or ():
            self._run.card.registers.check_interrupts(tile)
        self._waiting.append(_Waiting(client, None if tiles is None else frozenset(tiles), time.monotonic() + float(seconds)))

    # ---- operations: the keys of the request are the arguments ----

    def _do_interrupts(self) -> dict[str, list[str]]:
        """The tiles whose interrupt is raised, with their pending events."""
        card = self._run.card
        return {tile: card.registers.interrupts(tile) for tile in card.interrupting()}

    def _do_info(self) -> dict:
        card, run = self._run.card, self._run
        ports, faults = card.pins()
        return {
            "folder": str(card.manifest.folder),
            "name": card.manifest.name,
            "pid": os.getpid(),
            "cycle": card.cycle,
            "paused": run.paused,
            "quiet_cycles": card.quiet_cycles,
            "stall": run.stall and run.stall.text,
            "cycles_per_second": run.cycles_per_second,
            "ports": ports,
            "faults": faults,
        }

    def _do_list(self) -> dict:
        manifest = self._run.card.manifest
        tiles = {
            tile.name: {"kind": tile.kind, "registers": sorted(tile.registers), "counters": sorted(tile.counters)}
            for tile in manifest.tiles
        }
        return {"tiles": tiles, "links": manifest.link_names()}

    def _do_read(self, name: str) -> int:
        return self._run.card.registers.read(name)

    def _do_write(self, name: str, value: int) -> None:
        self._run.card.registers.write(name, value)

    def _do_read32(self, address: int) -> int:
        return self._run.card.read32(address)

    def _do_write32(self, address: int, value: int) -> None:
        card = self._run.card
        card.write32(address, value)
        if card.services is not None:
            card.services.forget()  # this may have changed a table entry

    def _do_read_indirect(self, tile: int, at: int, words: int = 1) -> list[int]:
        return self._run.card.read_indirect(tile, at, words)

    def _do_write_indirect(self, tile: int, at: int, value: int) -> None:
        self._run.card.write_indirect(tile, at, value)

    def _do_counters(self, tile: str | None = None) -> dict:
        return self._run.card.registers.counters(tile)

    def _do_snapshot(self) -> dict:
        return snapshot(self._run.card)

    def _do_drops(self, tiles: list[str]) -> dict:
        return drops(self._run.card, tiles)

    def _do_link_stalls(self) -> dict[str, int]:
        return self._run.card.registers.link_stalls()

    def _do_histograms(self) -> dict:
        return self._run.card.registers.histograms()

    def _do_services(self, call: str, args: tuple = (), named: dict | None = None, as_tenant: str | None = None) -> object:
        """One of the calls of girih.services.remote, on behalf of the operator or of a tenant."""
        card = self._run.card
        return perform(card.services, card.manifest.name, self._state, call, args, named or {}, as_tenant)

    def _state(self) -> dict:
        card = self._run.card
        return {"cycle": card.cycle, "clock_mhz": card.manifest.clock_mhz, "pins": card.pins()[0], **Monitor(card.registers).state()}

    def _do_pause(self) -> int:
        self._run.paused = True
        return self._run.card.cycle

    def _do_resume(self) -> int:
        self._run.paused = False
        return self._run.card.cycle

    def _do_step(self, cycles: int = 1) -> int:
        if not 1 <= cycles <= 100_000_000:
            raise GirihError(f"cannot step {cycles} cycles", "control socket", "Give 1 to 100000000.")
        self._run.paused = True
        self._run.card.run(cycles)
        return self._run.card.cycle

    def _do_capture_start(self, path: str, links: list[str]) -> None:
        self._run.card.start_capture(Path(path), links)
        self._capturing = self._asking

    def _do_capture_stop(self) -> int:
        self._capturing = None
        return self._run.card.stop_capture()

    def _do_faults(self, port: int, direction: str, **params: float) -> None:
        self._run.card.set_faults(port, direction, **params)

    def _do_check(self) -> list[str]:
        self._run.card.run_until_quiet()
        return violations(self._run.card.registers.counters())

    def _do_quit(self) -> None:
        self._run.stopped = True
