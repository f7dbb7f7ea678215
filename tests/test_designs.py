# SPDX-License-Identifier: Apache-2.0
"""Every design echoes verified datagrams of every size, at full rate and with a MAC that stalls."""

import pytest

from girih.card import VirtualCard
from girih.paths import DESIGNS
from girih.spec.kinds import load_kinds
from girih.testing import SEED
from tests.frames import VLANS, ethernet, ipv4, udp
from tests.oracle import IPV4, UDP
from tests.test_bad_input import CARD, HOSTS, introductions

SIZES = [0, 1, 2, 17, 18, 21, 22, 23, 63, 64, 65, 85, 86, 87, 470, 1472, 8971, 8972]
FLOWS = 4
PACKETS = 100
LARGE = {"udp_echo_scale"}  # a minute to build; its tiles are those of udp_echo and balancers, which the cards of tests/deadlock have, too
OTHERWISE = ("kind: ipip_tx", "kind: dhcp")  # their clients are in a tunnel (test_tunnel.py), or they have no address at first (test_dhcp.py)
CARDS: list = [
    pytest.param(path.stem, 512, marks=pytest.mark.thorough if path.stem in LARGE else ())
    for path in sorted(DESIGNS.glob("*.yaml"))
    if "kind: echo" in (text := path.read_text()) and not any(kind in text for kind in OTHERWISE)
]
CARDS += [("demo", 128), *(pytest.param("demo", width, marks=pytest.mark.thorough) for width in (256, 1024))]


@pytest.mark.parametrize(("design", "width"), CARDS)
def test_echo(built, design, width):
    with VirtualCard(built(design, width)) as card:
        for _kind, frame, bad in introductions(HOSTS):
            card.inject(0, frame, bad=bad)
        card.run_until_quiet()
        for stall, ready in enumerate((1.0, 0.9, 0.5)):
            card.set_ready(0, ready, seed=SEED + stall)
            for number in range(FLOWS):
                host = HOSTS[number % len(HOSTS)]
                card.add_flow(
                    payload=SIZES[number:] + SIZES[:number],
                    src_port=50000 + number,
                    src_mac=host.mac.hex(":"),
                    src_ip=".".join(map(str, host.ip)),
                    dst_mac=CARD.mac.hex(":"),
                    vlan=VLANS[number // 2 + 1] if number % 2 else None,
                    seed=SEED + number,
                    window=1,  # so that a stall does not overflow the receive buffer
                )
            result = card.run_flows(count=PACKETS)
            for flow in result.flows:
                assert (flow.received, flow.lost, flow.duplicated, flow.corrupted, flow.reordered) == (PACKETS, 0, 0, 0, 0)
            assert result.unexpected == 0
            card.check_conservation()


@pytest.mark.parametrize("clock", ["", pytest.param("322", marks=pytest.mark.thorough)])
def test_each_cut_on_the_way_costs_a_cycle(built, clock):
    """With `timing: relaxed` a datagram takes one cycle less for each output register on its way than with any clock."""
    way = ("eth_rx", "ipv4_rx", "udp_rx", "echo", "udp_tx", "ipv4_tx")
    cycles = {}
    for timing in ("relaxed", clock):
        with VirtualCard(built("udp_echo_xbar", timing=timing)) as card:
            card.add_flow(payload=[1, 22, 300], dst_mac=CARD.mac.hex(":"), window=1)
            (flow,) = card.run_flows(count=30).flows
            assert (flow.received, flow.lost, flow.corrupted) == (30, 0, 0)
            card.check_conservation()
            cycles[timing] = (flow.first_beat.min, flow.first_beat.max)
    cuts = sum(load_kinds()[kind].output_register for kind in way)
    assert cuts and cycles["relaxed"] == tuple(value - cuts for value in cycles[clock])


def test_a_wrong_checksum_is_seen_at_the_end_of_a_datagram_that_is_not_stored(built):
    """The answer is on the wire by then: it ends as a void frame, which a MAC gives a wrong check sequence, and others are not affected."""
    host = HOSTS[0]
    bodies = [bytes([number]) * 1472 for number in range(3)]
    requests = [ethernet(CARD.mac, host.mac, IPV4, ipv4(host.ip, CARD.ip, UDP, udp(host.ip, CARD.ip, body))) for body in bodies]
    requests[1] = requests[1][:-1] + b"x"
    with VirtualCard(built("udp_echo_cut_through"), collect=True) as card:
        for request in requests:
            card.inject(0, request)
        card.run_until_quiet()
        answers = card.collect()
        assert [answer.bad for answer in answers] == [False, True, False]
        assert [answers[0].data[-1472:], answers[2].data[-1472:]] == [bodies[0], bodies[2]]
        counters = card.registers.counters()
        assert counters["udp_rx"]["mark_checksum"] == 1
        card.check_conservation()


def test_the_worked_example_answers_in_capitals(built):
    host = HOSTS[0]
    request = ethernet(CARD.mac, host.mac, IPV4, ipv4(host.ip, CARD.ip, UDP, udp(host.ip, CARD.ip, b"shout, 3 times", destination=7777)))
    with VirtualCard(built("shout", 512), collect=True) as card:
        for _kind, frame, bad in introductions(HOSTS):
            card.inject(0, frame, bad=bad)
        card.run_until_quiet()
        card.collect()
        card.inject(0, request)
        card.run_until_quiet()
        (answer,) = card.collect()
        assert b"SHOUT, 3 TIMES" in answer.data
        card.check_conservation()
