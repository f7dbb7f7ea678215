# SPDX-License-Identifier: Apache-2.0
"""Flows of the traffic generator and their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address

UNTAGGED = 0xFFFF


@dataclass(frozen=True)
class Flow:
    """UDP packets with random payload that the card is expected to answer.

    port: of the card. payload: UDP payload bytes, or several sizes used in turn. rate: packets
    per cycle, None for back to back. window: most packets in flight at a time, None for no limit.
    vlan: tag control information, None for untagged. expect: "echo" (addresses swapped) or "forward".
    start: cycles after the start of the run. count: packets to send, None for the run's. opaque: the card may
    rewrite the payload from its fifth byte on, so it is not compared, and no UDP checksum is sent. dst_mac, dst_ip: None for the card's own, of that port.
    """

    port: int = 0
    payload: int | Sequence[int] = 18
    dst_mac: str | None = None
    src_mac: str = "02:00:00:00:00:01"
    dst_ip: str | None = None
    src_ip: str = "10.77.0.1"
    dst_port: int = 7
    src_port: int = 40000
    vlan: int | None = None
    rate: float | None = None
    window: int | None = None
    seed: int = 1
    start: int = 0
    count: int | None = None
    expect: str = "echo"
    opaque: bool = False


@dataclass(frozen=True)
class Latency:
    """Cycles."""

    mean: float
    min: int
    p50: int
    p90: int
    p99: int
    max: int


@dataclass(frozen=True)
class FlowResult:
    """The result of one flow after its warm-up.

    lost: sent, and never received intact. Cycles: first_in and last_in of the first beat of the
    first and the last packet sent; first_out and last_out of the last beat of the first and the last
    packet received. The two rates are over the time from first_out to last_out.
    """

    sent: int
    received: int
    lost: int
    duplicated: int
    reordered: int
    corrupted: int
    payload_bytes: int
    first_in: int
    last_in: int
    first_out: int
    last_out: int
    packets_per_cycle: float
    payload_bits_per_cycle: float
    first_beat: Latency
    """First beat in to first beat out."""
    last_beat: Latency
    """First beat in to last beat out."""
    first_latencies: Sequence[int] = field(repr=False)
    """Every packet's first_beat latency, in order of reception."""
    last_latencies: Sequence[int] = field(repr=False)
    arrivals: Sequence[int] = field(repr=False)
    """The cycle of every packet's last beat out, in order of reception."""


@dataclass(frozen=True)
class RunResult:
    """The results of a run. unexpected: frames that came out and belong to no flow.

    packets_per_cycle, payload_bits_per_cycle: of all flows, from the first to the last packet out.
    """

    flows: list[FlowResult]
    unexpected: int
    cycles: int

    @property
    def packets_per_cycle(self) -> float:
        """Packets received by all flows, over the time from the first to the last."""
        span = self._span()
        return (sum(flow.received for flow in self.flows) - 1) / span if span else 0.0

    @property
    def payload_bits_per_cycle(self) -> float:
        """Payload of all flows, over the same time."""
        span, received = self._span(), sum(flow.received for flow in self.flows)
        total = 8 * sum(flow.payload_bytes for flow in self.flows)
        return total * (received - 1) / received / span if span else 0.0

    def _span(self) -> int:
        active = [flow for flow in self.flows if flow.received]
        return max(f.last_out for f in active) - min(f.first_out for f in active) if active else 0


def mac_bytes(text: str) -> bytes:
    """`aa:bb:cc:dd:ee:ff` as six bytes."""
    return bytes.fromhex(text.replace(":", ""))


def ip_number(text: str) -> int:
    """An IPv4 address as a number."""
    return int(IPv4Address(text))
