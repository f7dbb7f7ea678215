# SPDX-License-Identifier: Apache-2.0
"""Replays a log that was read from a card in simulation. Its messages enter through the same ports, timed to reach the log in the same cycles. The messages at
all logs of the card are compared, cycle for cycle and byte for byte.

The simulated messages are captured at the links of the logs, not read from the simulated logs. Nothing is compared after the last message that a log has from a port,
because the input after it is unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from girih.card.pcapng import packets
from girih.card.virtual import VirtualCard
from girih.errors import GirihError
from girih.management.log import CardLog, LogText, Record, card_logs
from girih.management.log_file import LogFile

BEFORE = 2000  # cycles from the end of the set-up to the frame that measures the latency to the log
AFTER = 1000  # cycles in which the last message ends
SLICE_SECONDS = 0.2  # cycles between checks for Ctrl-C


@dataclass(frozen=True)
class Seen:
    """A message as it came to a log. cycle: of its first flit, since reset."""

    cycle: int
    port: int
    source: int
    void: bool
    data: bytes


@dataclass(frozen=True)
class LogReplay:
    """The result. difference: None if all messages were the same. cycles: of the simulation, from reset on. inputs: messages that entered by ports; messages: that
    were compared."""

    cycles: int
    inputs: int
    messages: int
    difference: str | None


def messages_of(name: str, text: LogText) -> list[Seen]:
    """The whole messages in a log's records. Raises GirihError if the log does not begin with its first record, has gaps, or has only parts of messages."""
    numbers = [record.number for record in text.records]
    if text.gone or numbers != list(range(len(numbers))):
        remedy = f"Replay starts at reset. Read the log before it is full, give {name} more entries, or overwrite: false."
        raise GirihError("the log does not begin with the card's first record, or has gaps", name, remedy)
    found: list[Seen] = []
    flits: list[Record] = []
    for record in text.records:
        if record.first and flits:
            raise GirihError(f"of the message in cycle {flits[0].cycle} only the first flits were recorded", name, f"Replay needs whole messages: leave flits of {name} at its default.")
        flits.append(record)
        if record.last:
            found.append(Seen(flits[0].cycle, record.port, record.source, record.void, b"".join(flit.data for flit in flits)))
            flits = []
    return found


def captured(path: Path, reset: int, names: Sequence[str]) -> Mapping[str, list[Seen]]:
    """The messages that a capture of the links into these logs holds. reset: the cycle of the simulation in which the card counts 0."""
    found: dict[str, list[Seen]] = {name: [] for name in names}
    for packet in packets(path):
        said = dict(re.findall(r"(\w+)=(\w+)", packet.comment))
        seen = Seen(int(said["cycle"]) - reset, int(said["port"]), int(said["src"]), said["bad"] == "1", packet.data)
        found[packet.interface.removesuffix(".in")].append(seen)
    return found


def _ports(folder: Path) -> dict[int, int]:
    """Ethernet ports by the node of the tile that receives from them."""
    tiles = json.loads((folder / "card.json").read_text())["tiles"]
    return {tile["node"]: tile["port"] for tile in tiles if tile["port"] is not None}


def end_of_reset(folder: Path) -> int:
    """The cycle of a simulation in which the card counts 0."""
    with VirtualCard(folder, bare=True, watchdog=0) as card:
        return card.cycle


def _way(folder: Path, log: CardLog, seen: Seen, port: int) -> int:
    """Cycles from the first beat of a frame at the port to the log."""
    with TemporaryDirectory() as name, VirtualCard(folder, watchdog=0) as card:
        path = Path(name) / "way.pcapng"
        card.start_capture(path, [f"{log.name}.in"])
        start = card.cycle + BEFORE
        card.inject(port, seen.data, cycle=start, bad=seen.void)
        card.run(2 * BEFORE)
        card.stop_capture()
        came = captured(path, start, [log.name])[log.name]
    if not came or came[0].data != seen.data:
        raise GirihError("the first message of the log does not come there in simulation", log.name, "The log is of another design, or of a card with another address.")
    return came[0].cycle


def _first_difference(name: str, recorded: Sequence[Seen], seen: Sequence[Seen]) -> Iterator[tuple[int, str]]:
    """The cycle and the description of the first message that differs, if any does."""
    for number, before in enumerate(recorded):
        where = f"message {number} of {name}, cycle {before.cycle}"
        if number >= len(seen):
            yield before.cycle, f"{where}: it did not come"
        elif seen[number].cycle != before.cycle:
            yield before.cycle, f"{where}: it came in cycle {seen[number].cycle}"
        elif seen[number] != before:
            yield before.cycle, f"{where}: it has other bytes, or came from elsewhere"
        else:
            continue
        return


def replay_log(file: LogFile, folder: Path, said: Callable[[int, int], None] = lambda done, total: None) -> LogReplay:
    """Runs the card in `folder` with the messages that came from its ports according to the log. said: called with the cycles run, and of how many. Raises GirihError if the log cannot be replayed."""
    logs = {log.name: log for log in card_logs(folder)}
    if unknown := set(file.logs) - set(logs):
        raise GirihError(f"the card has no log {min(unknown)}", str(folder), "The log is of another design; name the right one with --design.")
    recorded = {name: messages_of(name, text) for name, text in file.logs.items()}
    ports, reset = _ports(folder), end_of_reset(folder)
    inputs, until = [], []
    for name, messages in recorded.items():
        fed = [message for message in messages if message.source in ports]
        if fed:
            way = _way(folder, logs[name], fed[0], ports[fed[0].source])
            until.append(fed[-1].cycle)
            inputs += [(reset + message.cycle - way, ports[message.source], message) for message in fed]
    if not inputs:
        raise GirihError("no message of the log came straight from a port", "the log", "Replay needs a log behind a tile that receives from a port (eth_rx).")
    recorded = {name: [message for message in messages if message.cycle <= min(until)] for name, messages in recorded.items()}
    end = reset + min(until) + AFTER
    with TemporaryDirectory() as name, VirtualCard(folder, watchdog=0) as card:
        path = Path(name) / "links.pcapng"
        card.start_capture(path, [f"{log}.in" for log in recorded])
        for cycle, port, message in sorted(inputs, key=lambda item: item[:2]):
            card.inject(port, message.data, cycle=max(0, cycle), bad=message.void)
        while card.cycle < end:
            card.run_slice(end - card.cycle, SLICE_SECONDS)
            said(card.cycle, end)
        card.stop_capture()
        seen = captured(path, reset, list(recorded))
    differences = [
        difference
        for log, messages in recorded.items()
        for difference in _first_difference(log, messages, [message for message in seen[log] if message.source != logs[log].asked_by])
    ]
    return LogReplay(end - reset, sum(cycle < end for cycle, _, _ in inputs), sum(map(len, recorded.values())), min(differences)[1] if differences else None)
