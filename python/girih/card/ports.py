# SPDX-License-Identifier: Apache-2.0
"""The Ethernet ports of a virtual card: frames, TAP devices, played captures, faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from girih.card.manifest import Manifest
from girih.errors import GirihError

DIRECTIONS = {"in": 0, "out": 1}
MOST_FAULT_CYCLES = 10**12  # over an hour of a card's time; a cycle plus it fits into 64 bits
FAULTS = dict.fromkeys(("loss", "duplicate", "corrupt", "reorder", "delay"), 1) | {"reorder_cycles": MOST_FAULT_CYCLES, "delay_cycles": MOST_FAULT_CYCLES, "seed": (1 << 64) - 1}
"""The parameters of faults, from 0 to this; all that may exceed 1 are whole numbers."""


@dataclass(frozen=True)
class CardFrame:
    """A frame that left a port; the cycles are those of its first and last beat."""

    data: bytes
    first_cycle: int
    last_cycle: int
    bad: bool


@dataclass(frozen=True)
class PortStats:
    """The traffic at a port's pins. rx is into the card; stalls are cycles without tready."""

    rx_frames: int
    rx_bytes: int
    rx_beats: int
    rx_stalls: int
    tx_frames: int
    tx_bytes: int
    tx_beats: int
    backend_drops: int


class Ports:
    """The ports of a virtual card. Everything raises GirihError."""

    manifest: Manifest
    _library: Any
    _ffi: Any
    _call: Any
    _card: Any
    _collecting: frozenset[int]  # ports whose frames are kept

    def _text(self, value: object):
        return self._ffi.new("char[]", str(value).encode())

    def inject(self, port: int, frame: bytes, *, cycle: int = 0, bad: bool = False) -> None:
        """Queues a frame (without FCS) for a port, not before `cycle`; frames keep their order."""
        self._call("inject", self._card, port, frame, len(frame), cycle, bad)

    def keep_output(self, keep: bool, port: int | None = None) -> None:
        """Starts or stops keeping the frames that leave a port, or all ports, for `collect`."""
        ports = frozenset(range(self.manifest.ports) if port is None else [port])
        for each in ports:
            self._call("collect_enable", self._card, each, keep)
        self._collecting = self._collecting | ports if keep else self._collecting - ports

    def collect(self, port: int = 0) -> list[CardFrame]:
        """Takes the frames that left a port since the last call."""
        if port not in self._collecting:
            raise GirihError("the port does not collect frames", f"port {port}", "Open it with collect=True.")
        frames, frame = [], self._ffi.new("girih_frame *")
        while self._call("collect", self._card, port, frame):
            data = bytes(self._ffi.buffer(frame.data, frame.size))
            frames.append(CardFrame(data, frame.first_cycle, frame.last_cycle, bool(frame.bad)))
        return frames

    def set_ready(self, port: int, probability: float, seed: int = 1) -> None:
        """Sets the probability that m_axis_tready of a port is high in a cycle; 0: never."""
        self._call("ready_set", self._card, port, probability, seed)

    def port_stats(self, port: int) -> PortStats:
        """The traffic of a port so far."""
        stats = self._ffi.new("girih_port_stats *")
        self._call("port_stats_get", self._card, port, stats)
        return PortStats(**{name: getattr(stats, name) for name in PortStats.__dataclass_fields__})

    def pins(self) -> tuple[list[dict[str, int]], list[dict[str, dict[str, int]]]]:
        """For each port, the traffic at its pins and the counts of its faults by direction."""
        ports = range(self.manifest.ports)
        return [vars(self.port_stats(port)) for port in ports], [{way: self.fault_counts(port, way) for way in DIRECTIONS} for port in ports]

    def open_tap(self, port: int, name: str, netns: Path | None = None) -> int:
        """Makes TAP device `name` in a network namespace; a descriptor to poll, which stays the card's."""
        descriptor = self._ffi.new("int *")
        path = self._text(netns) if netns else self._ffi.NULL
        self._call("tap_open", self._card, port, path, self._text(name), descriptor)
        return descriptor[0]

    def pcap_in(self, port: int, path: Path, *, keep_times: bool = False) -> None:
        """Plays a pcap or pcapng file into a port."""
        self._call("pcap_in", self._card, port, self._text(path), keep_times)

    def pcap_out(self, port: int, path: Path) -> None:
        """Writes the frames that leave a port to a pcapng file."""
        self._call("pcap_out", self._card, port, self._text(path))

    def set_faults(self, port: int, direction: str, **params: float) -> None:
        """Injects faults: probabilities loss, duplicate, corrupt, reorder, delay; reorder_cycles, delay_cycles, seed. FAULTS has their limits."""
        if port not in range(self.manifest.ports):
            raise GirihError(f"the card has no port {port}", "faults", f"It may be {' or '.join(map(str, range(self.manifest.ports)))}.")
        faults = self._ffi.new("girih_fault_params *")
        self._library.api.girih_fault_params_init(faults)
        for name, value in checked_faults(params).items():
            setattr(faults, name, value)
        self._call("faults_set", self._card, port, choice("direction", direction, DIRECTIONS), faults)

    def fault_counts(self, port: int, direction: str) -> dict[str, int]:
        """The counts of a port's fault injector: frames seen, and faults by kind."""
        counts = self._ffi.new("girih_fault_counts *")
        self._call("faults_get", self._card, port, choice("direction", direction, DIRECTIONS), counts)
        return {name: getattr(counts, name) for name in dir(counts)}


def checked_faults(params: Mapping[str, float]) -> dict[str, float]:
    """Parameters of faults as the card takes them. Raises GirihError for an unknown name, or a value beyond its limits (FAULTS)."""
    found: dict[str, float] = {}
    for name, value in params.items():
        if name not in FAULTS:
            raise GirihError(f"no fault is called {name!r}", "faults", f"There are: {', '.join(FAULTS)}.")
        most = FAULTS[name]
        number = isinstance(value, int | float) and 0 <= value <= most
        if not number or (most > 1 and value != int(value)):
            raise GirihError(f"{name} is {value}", "faults", f"It is a whole number, 0 to {most}." if most > 1 else "It is a probability, 0 to 1.")
        found[name] = int(value) if most > 1 else value
    return found


def choice(what: str, value: str, choices: dict[str, int]) -> int:
    """The number of a word. Raises GirihError with the list of valid words."""
    if value not in choices:
        raise GirihError(f"{value!r} is no {what}", "virtual card", f"Choose from: {', '.join(choices)}.")
    return choices[value]
