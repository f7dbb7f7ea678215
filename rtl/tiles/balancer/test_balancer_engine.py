# SPDX-License-Identifier: Apache-2.0
"""balancer: messages pass unchanged, round robin or by flow; a flow stays with its replica, and flows spread evenly."""

import random
from collections import Counter

import cocotb
import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import (
    TRAFFIC,
    EngineBench,
    addresses,
    check_no_bubbles,
    config_word,
    frame_of,
    random_options,
    random_size,
    udp,
)
from girih.testing.messages import Message, flits_of


@pytest.mark.parametrize("data_width", WIDTHS)
def test_balancer_engine(data_width):
    run_cocotb("balancer_engine", __file__, data_width=data_width)


def message_of(packet: IP, *, tagged=None, known=None) -> Message:
    """known: whether the descriptor says where the network header is."""
    frame, l3_offset, _ = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    known = random.random() < 0.5 if known is None else known
    return Message(frame.ljust(60, b"\0"), {"l3_offset": l3_offset if known else 0, "port": random.getrandbits(4)})


def some_ip() -> Message:
    payload = random.randbytes(random_size())
    return message_of(random.choice([udp, segment])(payload, options=random_options()))


def segment(payload: bytes, *, options=None, **fields) -> IP:
    return IP(**addresses(), options=options or []) / TCP(sport=random.getrandbits(16), dport=80) / payload


def no_ip() -> Message:
    kind = random.choice(["arp", "ipv6", "runt", "cut"])
    if kind == "arp":
        return Message(bytes(Ether(dst="ff:ff:ff:ff:ff:ff", src="02:00:00:00:00:01") / ARP()).ljust(60, b"\0"))
    if kind == "ipv6":
        return Message(random.randbytes(12) + b"\x86\xdd\x45" + random.randbytes(60))
    message = message_of(udp(b""), known=False)
    message.data = message.data[: random.randint(1, 13 if kind == "runt" else 33)]
    return message


async def keys_of(bench: EngineBench, messages: list[Message]) -> list[int]:
    out = await bench.run(messages)
    assert [(m.data, m.bad) for m in out] == [(m.data, m.bad) for m in messages]
    assert all(result.desc == result.desc | message.desc for message, result in zip(messages, out, strict=True))
    return [m.key for m in out]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def in_turn(dut, traffic):
    bench = await EngineBench.start(dut, "balancer", idle=traffic[0], stall=traffic[1], replicas=3, by_flow=0)
    sent = [random.choice([some_ip, some_ip, no_ip])() for _ in range(200)]
    for message in sent:
        message.bad = random.random() < 0.1
    turn, expected, strangers = 0, [], 0
    keys = await keys_of(bench, sent)
    for message in sent:
        if is_ip(message):
            expected.append(turn)
            turn = (turn + 1) % 3
        else:
            expected.append(0)
            strangers += 1
    assert keys == expected
    assert bench.events == {"mark_non_ip": strangers}


def is_ip(message: Message) -> bool:
    """The model: IPv4 with all fields that identify a flow."""
    data = message.data
    l3_offset = message.desc.get("l3_offset") or (18 if data[12:14] == b"\x81\0" else 14)
    if not message.desc.get("l3_offset") and data[l3_offset - 2 : l3_offset] != b"\x08\0":
        return False
    packet = data[l3_offset:]
    return len(packet) >= 20 and packet[0] >> 4 == 4 and len(packet) >= 4 * (packet[0] & 15) + 4


@cocotb.test()
async def a_flow_stays_on_its_replica(dut):
    bench = await EngineBench.start(dut, "balancer", idle=0.2, stall=0.2, replicas=7, by_flow=1)
    flows = [(addresses(), {"sport": random.getrandbits(16), "dport": random.getrandbits(16)}) for _ in range(40)]
    sent = []
    for _ in range(400):
        flow = random.randrange(len(flows))
        hosts, ports = flows[flow]
        packet = IP(**hosts, options=random_options(), id=random.getrandbits(16)) / UDP(**ports)
        sent.append((flow, message_of(packet / random.randbytes(random.randint(0, 300)))))
    keys = await keys_of(bench, [message for _, message in sent])
    seen = {}
    for (flow, _), key in zip(sent, keys, strict=True):
        assert seen.setdefault(flow, key) == key < 7
    assert len(set(seen.values())) == 7


@cocotb.test()
async def fragments_and_other_protocols_go_by_their_addresses(dut):
    bench = await EngineBench.start(dut, "balancer", replicas=15, by_flow=1)
    hosts = addresses()
    fragments = [IP(**hosts, proto=17, flags=f, frag=o) / random.randbytes(40) for f, o in [("MF", 0), ("MF", 9), (0, 9)]]
    pings = [IP(**hosts) / ICMP(id=random.getrandbits(16)) for _ in range(5)]
    keys = await keys_of(bench, [message_of(p) for p in [*fragments, *pings]])
    assert len(set(keys[:3])) == 1 and len(set(keys[3:])) == 1


@cocotb.test()
async def flows_spread_evenly(dut):
    """Consecutive ports, consecutive hosts and both, as real clients have; within 6 % for any number of replicas."""
    bench = await EngineBench.start(dut, "balancer", replicas=2, by_flow=1)

    def frames(hosts: int, ports: int) -> list[Message]:
        template = bytearray(frame_of(udp(b"", src="10.0.0.1", dst="10.0.0.2", dport=7))[0].ljust(60, b"\0"))
        out = []
        for host in range(hosts):
            for port in range(ports):
                template[28:30] = (host + 1).to_bytes(2, "big")
                template[34:36] = (40000 + port).to_bytes(2, "big")
                out.append(Message(bytes(template), {"l3_offset": 14}))
        return out

    for replicas in (2, 3, 5, 8, 15):
        dut.cfg_i.value = config_word("balancer", replicas=replicas, by_flow=1)
        for hosts, ports in ((1, 1500), (1500, 1), (50, 30)):
            count = Counter(await keys_of(bench, frames(hosts, ports)))
            fair = hosts * ports / replicas
            assert len(count) == replicas
            assert max(abs(n - fair) for n in count.values()) <= 0.06 * fair + 3, (replicas, hosts, ports, count)


@cocotb.test()
async def the_number_of_replicas_may_change_or_be_zero(dut):
    bench = await EngineBench.start(dut, "balancer", replicas=15, by_flow=0)
    assert await keys_of(bench, [some_ip() for _ in range(14)]) == list(range(14))
    dut.cfg_i.value = config_word("balancer", replicas=2, by_flow=0)
    assert max(await keys_of(bench, [some_ip() for _ in range(20)])) == 1
    for by_flow in (0, 1):
        dut.cfg_i.value = config_word("balancer", replicas=0, by_flow=by_flow)
        assert set(await keys_of(bench, [some_ip() for _ in range(20)])) == {0}


@cocotb.test()
async def three_cycles_and_one_message_per_cycle(dut):
    bench = await EngineBench.start(dut, "balancer", replicas=4, by_flow=1)
    for size in (1, 22, 86, 470, 1472, 8972):
        sent = [message_of(udp(random.randbytes(size)), tagged=False) for _ in range(20)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        # The window waits for the ports, 38 bytes, which are more than a flit at small widths.
        assert out[0].first - sent[0].first == flits_of(bytes(38)) + 2
