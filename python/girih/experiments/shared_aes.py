# SPDX-License-Identifier: Apache-2.0
"""IPSec-like traffic (SHA, then AES) and video-like traffic (AES) that together exceed the speed of two AES units,
beside background traffic that needs no unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from girih.card import VirtualCard
from girih.experiments import CLOCK_MHZ, Progress, Row
from girih.experiments.panic import Measured, Push, flow, gbps, measure, open_card, packet_rate
from girih.paths import DESIGNS
from girih.spec.windows import offset

DESIGN = DESIGNS / "panic.yaml"
SIZE = 1024
UDP_PORTS = {"ipsec": 6000, "video": 6001, "background": 6002}
CHAINS = {"ipsec": ["sha", "aes"], "video": ["aes"]}
CLASSES = {"ipsec": 0, "video": 1}  # of their hops
AES, SHA = ("aes_0", "aes_1"), ("sha_0", "sha_1")
AES_NUMBER = 0  # the design's numbers of the services
CYCLES = 60_000  # of a phase
FILLING = 0.3  # the part of a phase before measurement starts
WINDOW = 100 * CLOCK_MHZ  # cycles of 100 microseconds


@contextmanager
def open_shared(progress: Progress) -> Iterator[VirtualCard]:
    """Builds the card with its engines, loads keys and adds the chains."""
    with open_card(progress, DESIGN) as card:
        tenants = {tenant: card.services.facts.tenant(tenant)["number"] for tenant in CHAINS}
        for unit in AES:
            for number in tenants.values():
                load_key(card, unit, number)
        for tenant, chain in CHAINS.items():
            card.services.set_tenant(tenant, services=["aes", "sha"])
            hops = [{"service": service, "class": CLASSES[tenant]} for service in chain]
            card.services.add_chain(f"shared_{tenant}", hops, match={"udp.dst": UDP_PORTS[tenant]}, tenant=tenant)
        # Packets for the overloaded service wait at the scheduler, where its policy decides.
        card.registers.write(f"scheduler.push[{AES_NUMBER}]", Push.NEVER)
        yield card


def load_key(card: VirtualCard, unit: str, tenant: int) -> None:
    """Loads a key for the tenant's packets into an AES unit."""
    staged = [*(offset("aes_window", "key", word=word) for word in range(8)), offset("aes_window", "salt")]
    for at in staged:
        card.registers.write_window(unit, at, 0x01020304 * (tenant + at) & 0xFFFFFFFF)
    card.registers.write_window(unit, offset("aes_window", "load"), tenant << 8)


def run_phase(card: VirtualCard, offered: Mapping[str, float]) -> tuple[Measured, dict[str, list[int]], tuple[int, int]]:
    """Runs a phase: Gbps by flow. Also the cycles in which packets came out by flow, while all
    flows were sending and queues had filled, and the start and end of that time."""
    flows = []
    for number, (name, speed) in enumerate(offered.items()):
        rate = packet_rate(speed, SIZE)
        one = flow(0, SIZE, rate=rate, src_port=40000 + number, seed=1 + number, opaque=True)
        flows.append(replace(one, dst_port=UDP_PORTS[name], count=int(rate * CYCLES), start=7 * number))
    done = measure(card, flows, count=1)
    end = min(found.last_in for found in done.flows)
    begin = min(found.first_in for found in done.flows)
    begin += int(FILLING * (end - begin))
    arrivals = {name: [c for c in found.arrivals if begin <= c < end] for name, found in zip(offered, done.flows)}
    return done, arrivals, (begin, end)


def phase_rows(card: VirtualCard, phase: int, offered: Mapping[str, float], paper: Mapping, peer: Mapping) -> tuple[list[Row], Measured, dict]:
    """Throughput by flow; paper and peer: Gbps by flow."""
    done, arrivals, (begin, end) = run_phase(card, offered)
    rows = []
    for name, speed in offered.items():
        rate = gbps(len(arrivals[name]) / (end - begin), SIZE)
        params = {"phase": phase, "flow": name, "offered": speed, "size": SIZE}
        rows.append(Row("gbps", params, "Gbit/s", paper.get(name), rate, peer.get(name)))
    rows += done.account({"phase": phase, "size": SIZE})
    return rows, done, arrivals


def worst_split(arrivals: Mapping[str, list[int]], wanted: float) -> float:
    """The largest deviation, in percent, of ipsec : video from the wanted ratio, over any 100 microseconds."""
    worst = 0.0
    first, second = arrivals["ipsec"], arrivals["video"]
    begin, end = max(first[0], second[0]), min(first[-1], second[-1])
    for start in range(begin, end - WINDOW, WINDOW // 20):
        counts = [sum(start <= cycle < start + WINDOW for cycle in flow) for flow in (first, second)]
        worst = max(worst, abs(counts[0] / counts[1] / wanted - 1) * 100)
    return worst
