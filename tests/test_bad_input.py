# SPDX-License-Identifier: Apache-2.0
"""Bad input mixed with good. Each frame gets exactly the answer that the oracle gives, or is counted by the one
counter that the oracle names. No frame is lost without a count, and afterwards the card works as before."""

from __future__ import annotations

from collections import Counter

import pytest

from girih.card import VirtualCard
from girih.testing import SEED, WIDTHS
from tests.frames import VLANS, Host, Traffic, arp, ethernet
from tests.oracle import ARP, BROADCAST, Oracle, Verdict, comparable, network_header

CARD = Host(bytes.fromhex("026769726968"), bytes([10, 77, 0, 2]))
HOSTS = [Host(bytes([2, 0, 0, 0, 0, i]), bytes([10, 77, 0, i])) for i in (1, 3, 4, 200)]
STRANGER = Host(bytes.fromhex("0200000000ff"), bytes([192, 0, 2, 1]))
CHUNK = 1000
SOURCES_AND_ENDS = ("drop_", "used_", "made_", "mark_")
# Not judged by the oracle: the shell's counters of flits and stalls, and the counters of how udp_tx
# arrived at the same bytes.
NOT_JUDGED = ("mark_in_", "mark_out_", "mark_passed", "mark_summed")


class Bench:
    """A card and its oracle, side by side."""

    def __init__(self, card: VirtualCard, resolves: bool):
        self.card = card
        self.oracle = Oracle(CARD.mac, CARD.ip, resolves=resolves)
        self._flit_bytes = card.manifest.data_width // 8
        self._counted: Counter[str] = self._counters()

    def _counters(self) -> Counter[str]:
        return Counter(
            {
                f"{tile}.{name}": value
                for tile, counters in self.card.registers.counters().items()
                for name, value in counters.items()
                if name.startswith(SOURCES_AND_ENDS) and not name.startswith(NOT_JUDGED)
            }
        )

    def run(self, frames: list[tuple[str, bytes, bool]]) -> list[Verdict]:
        """Sends frames, as Traffic gives them, through card and oracle; fails where the two differ."""
        cycle = self.card.cycle
        verdicts = []
        for _kind, frame, bad in frames:
            self.card.inject(0, frame, cycle=cycle, bad=bad)
            # A reply may be a beat longer than its request, or wait for one of ARP.
            cycle += -(-len(frame) // self._flit_bytes) + 4
            verdicts.append(self.oracle.judge(frame, bad))
        self.card.check_conservation()
        self._compare_answers(frames, verdicts)
        self._compare_counters(frames, verdicts)
        return verdicts

    def _compare_answers(self, frames: list[tuple[str, bytes, bool]], verdicts: list[Verdict]) -> None:
        """Answers of one protocol keep their order; those of another may overtake them."""
        sent = self.card.collect()
        assert not any(frame.bad for frame in sent), "the card sent a frame that it marked bad"
        got = [comparable(frame.data) for frame in sent]
        expected = [(kind, frame, v.answer) for (kind, frame, _), v in zip(frames, verdicts) if v.answer is not None]
        for protocol in {protocol_of(answer) for answer in got} | {protocol_of(answer) for *_, answer in expected}:
            left = [answer for answer in got if protocol_of(answer) == protocol]
            for kind, frame, answer in expected:
                if protocol_of(answer) == protocol:
                    actual = left.pop(0) if left else None
                    assert actual == answer, (
                        f"{kind} of {len(frame)} bytes was answered wrongly\n  frame    {_hex(frame)}"
                        f"\n  expected {_hex(answer)}\n  got      {_hex(actual)}"
                    )
            assert not left, f"{len(left)} answers too many; the first: {_hex(left[0])}"

    def _compare_counters(self, frames: list[tuple[str, bytes, bool]], verdicts: list[Verdict]) -> None:
        now = self._counters()
        got = now - self._counted
        self._counted = now
        expected: Counter[str] = Counter()
        for verdict in verdicts:
            expected.update(verdict.marks)
            if verdict.counter:
                expected[verdict.counter] += 1
        wrong = {name: (expected[name], got[name]) for name in expected | got if expected[name] != got[name]}
        if wrong:
            involved = Counter(
                kind for (kind, *_), v in zip(frames, verdicts) if v.counter in wrong or set(v.marks) & set(wrong)
            )
            pytest.fail(f"counters (expected, counted): {wrong}\nkinds of frames that they are about: {involved}")


def protocol_of(frame: bytes) -> tuple[int, int]:
    l3, ethertype = network_header(frame)
    return ethertype, frame[l3 + 9] if ethertype != ARP else 0


def _hex(frame: bytes | None) -> str:
    return "nothing" if frame is None else frame[:200].hex() + ("..." if len(frame) > 200 else "")


def introductions(hosts: list[Host]) -> list[tuple[str, bytes, bool]]:
    """ARP requests by which the card learns who is on the wire, in each VLAN."""
    frames = [
        ethernet(BROADCAST, host.mac, ARP, arp(1, host, bytes(6), CARD.ip), tags=(vlan,) if vlan else ())
        for host in hosts
        for vlan in VLANS
    ]
    return [("introduction", frame, False) for frame in frames]


def bombard(bench: Bench, count: int) -> None:
    traffic = Traffic(CARD, HOSTS, STRANGER, SEED)
    if bench.oracle.resolves:
        bench.run(introductions(HOSTS))
    answered = 0
    for start in range(0, count, CHUNK):
        verdicts = bench.run([traffic.next() for _ in range(min(CHUNK, count - start))])
        answered += sum(verdict.answer is not None for verdict in verdicts)
    assert count // 5 < answered < count

    bench.card.add_flow(payload=[0, 1, 18, 1472, 8972], dst_mac=CARD.mac.hex(":"), src_mac=HOSTS[0].mac.hex(":"))
    (flow,) = bench.card.run_flows(count=200).flows
    assert (flow.received, flow.lost, flow.corrupted) == (200, 0, 0), "the card does not echo any more"
    bench.card.check_conservation()


@pytest.mark.slow
@pytest.mark.parametrize("frames", [4_000, pytest.param(100_000, marks=pytest.mark.thorough)])
def test_many_frames(built, frames):
    with VirtualCard(built("demo"), collect=True) as card:
        bombard(Bench(card, resolves=True), frames)


@pytest.mark.parametrize("width", WIDTHS)
def test_some_frames_at_every_width(built, width):
    with VirtualCard(built("demo", width), collect=True) as card:
        bombard(Bench(card, resolves=True), 5_000)


@pytest.mark.thorough
def test_some_frames_without_arp(built):
    with VirtualCard(built("udp_echo"), collect=True) as card:
        bombard(Bench(card, resolves=False), 10_000)
