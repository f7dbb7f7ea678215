# SPDX-License-Identifier: Apache-2.0
"""Common parts of the experiments on a cluster of cores (experiments/cards/cluster.yaml): its traffic, and the cores that it takes to fill a link."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from girih.card import RunResult, VirtualCard
from girih.errors import GirihError
from girih.experiments import CLOCK_MHZ, Progress, Row
from girih.firmware.compile import FIRMWARE
from girih.firmware.load import hold, load_program, start
from girih.paths import ROOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CARD = ROOT / "experiments" / "cards" / "cluster.yaml"
TILE, PROGRAM = "cluster", FIRMWARE / "programs" / "echo.c"
HEADERS = 42  # Ethernet, IPv4 and UDP
CHECK, GAP = 4, 20  # bytes of a frame's check sequence, which `size` has here as in the paper, and of preamble and gap
FLOWS = 8
START_CYCLES = 2000  # cycles of a core until it waits for a message
QUIET = 4096
NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)  # of cores


@contextmanager
def open_cluster(progress: Progress) -> Iterator[VirtualCard]:
    """Builds the card (minutes, if it is new) and opens it."""
    progress("building cluster")
    with VirtualCard.open(CARD) as card:
        yield card


def install(card: VirtualCard, cores: int, work: int = 0) -> None:
    """Runs the echo on the first cores of the cluster, with this many cycles of work for each packet, and holds the others."""
    load_program(card.registers, TILE, PROGRAM, (f"WORK={work}",))
    hold(card.registers, TILE)
    for core in range(cores):
        start(card.registers, TILE, core)
    card.run(START_CYCLES)


def echo(card: VirtualCard, size: int, *, count: int, warmup: int = 0, window: int | None = None, rate: float | None = None) -> RunResult:
    """Echoes frames of one size (bytes with the check sequence) in FLOWS flows. window: packets of all flows together that are in the card at a time.
    rate: packets per cycle that are offered. count, warmup: of all flows together. Raises GirihError unless all came back."""
    each = {"count": -(-count // FLOWS), "warmup": -(-warmup // FLOWS)}
    for number in range(FLOWS):
        share = None if window is None else max(1, window * (number + 1) // FLOWS - window * number // FLOWS)
        card.add_flow(payload=size - CHECK - HEADERS, dst_port=7, src_port=40000 + number, seed=1 + number, window=share, rate=rate and rate / FLOWS, start=13 * number)
    result = card.run_flows(quiet=QUIET, **each)
    bad = sum(flow.lost + flow.corrupted + flow.duplicated for flow in result.flows)
    if bad or result.unexpected:
        raise GirihError(f"of {each['count'] * FLOWS} packets of {size} bytes {bad} were lost, corrupted or doubled", str(CARD), "This is a fault of the card.")
    return result


def packets_per_cycle(result: RunResult) -> float:
    """The rate at which packets leave, without the first and the last eighth of them."""
    arrivals = sorted(arrival for flow in result.flows for arrival in flow.arrivals)
    inner = arrivals[len(arrivals) // 8 : -len(arrivals) // 8]
    return (len(inner) - 1) / (inner[-1] - inner[0])


def wire_gbps(rate: float, size: int, clock_mhz: float = CLOCK_MHZ) -> float:
    """The Gbit/s of a link that this packet rate fills, including preamble and gap."""
    return rate * 8 * (size + GAP) * clock_mhz / 1000


def clock_mhz() -> float:
    """The estimated clock of a cluster with its router, which is the slowest part of the card."""
    from girih.synth.budgets import load_budgets

    return load_budgets("seams")[TILE].clock_mhz


def cores_for_link(progress: Progress, paper: Mapping[int, int | None], link: int) -> list[Row]:
    """The greatest rate by number of cores and packet size, and the number of cores that fill a link of this many Gbit/s. paper: its cores by packet size."""
    clock, rows = clock_mhz(), []
    enough: dict[tuple[int, float], int] = {}
    with open_cluster(progress) as card:
        for cores in NUMBERS:
            install(card, cores)
            for size in paper:
                progress(f"{size} bytes, {cores} cores")
                rate = packets_per_cycle(echo(card, size, count=40 * cores + 160, warmup=80, window=3 * cores))
                params = {"size": size, "cores": cores}
                rows.append(Row("packets_per_cycle", params, "packets", None, rate))
                for mhz in (CLOCK_MHZ, clock):
                    rows.append(Row("gbps", params | {"clock_mhz": round(mhz)}, "Gbit/s", None, wire_gbps(rate, size, mhz)))
                    if wire_gbps(rate, size, mhz) >= link:
                        enough.setdefault((size, mhz), cores)
    for size, theirs in paper.items():
        for mhz in (CLOCK_MHZ, clock):
            note = "wanted: fewer; aim: half" if theirs else "the paper's do not fill it"
            rows.append(Row("cores_for_link", {"size": size, "link": link, "clock_mhz": round(mhz)}, "cores", theirs, enough.get((size, mhz)), None, note))
    return rows


def plot_cores(rows: list[Row], figure: Figure) -> None:
    axes = figure.subplots()
    found = [row for row in rows if row.metric == "gbps" and row.params["clock_mhz"] != CLOCK_MHZ]
    for size in sorted({row.params["size"] for row in found}):
        points = [(row.params["cores"], row.measured) for row in found if row.params["size"] == size]
        axes.plot(*zip(*points), marker="o", markersize=4, label=f"{size} bytes")
    for link in {row.params["link"] for row in rows if row.metric == "cores_for_link"}:
        axes.axhline(link, color="grey", label=f"{link} Gbit/s")
    axes.set(xlabel="cores", ylabel="Gbit/s of the link, at the estimated clock", title="Echo by cores")
    axes.legend()


def datagram(card: VirtualCard, size: int, number: int, *, to: tuple[str, str] | None = None, dst_port: int = 7) -> bytes:
    """A frame of `size` bytes, with its check sequence, that a program echoes: its number is in its first bytes of payload. to: MAC and IP address;
    None: those of port 0."""
    mac, address = to or card.manifest.port_address(0)
    length = size - CHECK - 14
    udp = struct.pack(">HHHHI", 40000 + number % FLOWS, dst_port, length - 20, 0, number)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 0, 0, 64, 17, 0, socket.inet_aton("10.77.0.1"), socket.inet_aton(address))
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", (total + (total >> 16)) & 0xFFFF ^ 0xFFFF) + ip[12:]
    head = bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("020000000001") + b"\x08\x00"
    return (head + ip + udp).ljust(size - CHECK, b"\0")


def random_arrivals(card: VirtualCard, size: int, rate: float, *, count: int, warmup: int, seed: int = 1) -> list[int]:
    """Sends packets at random times (a Poisson process of `rate` packets per cycle): the cycles of each, sorted, from the time at which it came to the
    last beat of its echo. Raises GirihError unless all came back."""
    rng, at, sent = random.Random(seed), float(card.cycle + 100), []
    for number in range(warmup + count):
        at += rng.expovariate(rate)
        sent.append(int(at))
        card.inject(0, datagram(card, size, number), cycle=sent[-1])
    card.keep_output(True)
    card.run_until_quiet(QUIET)
    out = {struct.unpack_from(">I", frame.data, HEADERS)[0]: frame.last_cycle for frame in card.collect(0)}
    card.keep_output(False)
    if sorted(out) != list(range(warmup + count)):
        raise GirihError(f"{len(out)} packets of {warmup + count} came back", str(CARD), "This is a fault of the card.")
    return sorted(out[number] - sent[number] for number in range(warmup, warmup + count))
