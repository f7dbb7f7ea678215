# SPDX-License-Identifier: Apache-2.0
"""Common parts of the UDP echo experiments: their cards, their traffic, and published figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from girih.card import Flow, RunResult, VirtualCard
from girih.errors import GirihError
from girih.experiments import CLOCK_MHZ, Progress
from girih.paths import DESIGNS

DESIGN = {"mesh": DESIGNS / "udp_echo.yaml", "crossbar": DESIGNS / "udp_echo_xbar.yaml"}

# Beehive's public RTL (December 2024) in the same simulator: first beat in to first and to last beat
# out, and cycles per packet, by UDP payload.
BEEHIVE_FIRST = {1: 94, 64: 96, 128: 98, 256: 102, 512: 110, 1024: 126, 1472: 140, 4096: 222, 8192: 350}
BEEHIVE_LAST = {1: 94, 64: 97, 128: 100, 256: 106, 512: 118, 1024: 142, 1472: 163, 4096: 286, 8192: 478}
BEEHIVE_CYCLES = {1: 5, 64: 6, 128: 7, 256: 9, 512: 13, 1024: 21, 1472: 28, 4096: 69, 8192: 133}


def gbps(payload_bits_per_cycle: float) -> float:
    """Goodput at the clock of the 100G card."""
    return payload_bits_per_cycle * CLOCK_MHZ / 1000


@contextmanager
def open_card(design: Path, progress: Progress) -> Iterator[VirtualCard]:
    """Compiles and builds a design (minutes, if it is new) and opens its card."""
    progress(f"building {design.stem}")
    with VirtualCard.open(design) as card:
        yield card


def echo(
    card: VirtualCard,
    payload: int,
    *,
    count: int,
    warmup: int = 0,
    window: int | None = None,
    ports: int = 1,
    ordered: bool = True,
) -> RunResult:
    """Echoes datagrams of one size, a flow on each of the first `ports` ports.

    ordered: no datagram may overtake another of its flow. Raises GirihError unless all came back.
    """
    addresses = card.manifest.addresses
    macs = addresses.get("port_macs", [addresses["mac"]])
    for port in range(ports):
        flow = Flow(port=port, payload=payload, dst_mac=macs[port], dst_ip=addresses["ip"], seed=1 + port, window=window)
        card.add_flow(replace(flow, dst_port=addresses["udp"][0]["port"], src_port=40000 + port))
    result = card.run_flows(count=count, warmup=warmup)
    bad = sum(flow.lost + flow.corrupted + flow.duplicated + flow.reordered * ordered for flow in result.flows)
    if bad or result.unexpected:
        raise GirihError(
            f"of {count * ports} datagrams of {payload} bytes {bad} were lost, corrupted, doubled or overtaken",
            card.manifest.name,
            "This is a fault of the card: its figures mean nothing.",
        )
    return result
