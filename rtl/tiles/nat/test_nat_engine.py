# SPDX-License-Identifier: Apache-2.0
"""nat: whole packets against a model that knows nothing of the table but what the engine has shown of it. scapy computes each checksum
from the bytes."""

from __future__ import annotations

import ipaddress
import random
from collections import Counter
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.packet import Raw

from girih.testing import run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench, check_no_bubbles, config_word, frame_of, random_options
from girih.testing.messages import Message, flits_of

INSIDE, OUTSIDE = 0, 1  # Ethernet ports
TO_INSIDE, TO_OUTSIDE, HAIRPIN, LOCAL, EXPIRED = range(5)
SHARED, OURS = "203.0.113.1", "10.0.0.1"
STATIC = {"10.0.0.250": "203.0.113.250", "10.0.0.251": "203.0.113.251"}
HOSTS = [f"10.0.0.{n}" for n in range(2, 20)]
STRANGERS = [f"198.51.100.{n}" for n in range(1, 9)]
FIRST_PORT, ENTRIES = 0x8000, 1024


@pytest.mark.parametrize("data_width", [512, *(pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024))])
def test_nat_engine(data_width):
    run_cocotb("nat_engine", __file__, data_width=data_width)


def array(addresses) -> int:
    return sum(int(ipaddress.ip_address(address)) << 32 * n for n, address in enumerate(addresses))


def settings(**changed) -> dict[str, Any]:
    values: dict[str, Any] = {
        "outside_ip": SHARED, "inside_ip": OURS, "inside_port": INSIDE, "outside_port": OUTSIDE, "static_inside": array(STATIC),
        "static_outside": array(STATIC.values()), "static_enabled": 0b0011, "first_port": FIRST_PORT, "limit": ENTRIES,
        "secret": 0x0123456789ABCDEF, "tick_cycles": 1 << 30, "udp_timeout": 300, "icmp_timeout": 60, "tcp_timeout": 7440,
        "tcp_transitory": 240,
    }  # fmt: skip
    return values | changed


def message_of(packet: IP, port: int, tagged: bool | None = None) -> Message:
    frame, l3_offset, _ = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    return Message(frame, {"l3_offset": l3_offset, "port": port})


def packet_of(message: Message) -> IP:
    return IP(message.data[message.desc["l3_offset"] :])


def transport(kind: str, sport: int, dport: int, size: int | None = None):
    body = Raw(random.randbytes(random.choice([0, 1, 2, 18, 64, 300]) if size is None else size))
    if kind == "udp":
        return UDP(sport=sport, dport=dport) / body
    if kind == "udp without checksum":
        return UDP(sport=sport, dport=dport, chksum=0) / body
    if kind == "tcp":
        return TCP(sport=sport, dport=dport, seq=random.getrandbits(32), flags="A") / body
    if kind == "syn":
        return TCP(sport=sport, dport=dport, seq=random.getrandbits(32), flags="S")
    return ICMP(type={"ping": 8, "pong": 0}[kind], id=sport if kind == "ping" else dport, seq=random.getrandbits(16)) / body


def head(src: str, dst: str, **fields) -> IP:
    return IP(**{"src": src, "dst": dst, "tos": random.getrandbits(8), "id": random.getrandbits(16), "ttl": random.randint(2, 255)} | fields)


def remade(packet: IP, less_ttl: bool, *, src=None, dst=None, sport=None, dport=None) -> bytes:
    """The packet with other ends, its checksums computed anew from its bytes; a datagram without one has none."""
    packet = IP(bytes(packet))
    none = UDP in packet and packet[UDP].chksum == 0
    packet.src, packet.dst = src or packet.src, dst or packet.dst
    packet.ttl -= less_ttl
    del packet.chksum
    if packet.proto == 17:
        packet[UDP].sport, packet[UDP].dport = sport or packet[UDP].sport, dport or packet[UDP].dport
        packet[UDP].chksum = 0
        if not none:
            del packet[UDP].chksum
    elif packet.proto == 6:
        packet[TCP].sport, packet[TCP].dport = sport or packet[TCP].sport, dport or packet[TCP].dport
        del packet[TCP].chksum
    elif packet.proto == 1:
        packet[ICMP].id = sport or dport or packet[ICMP].id
        del packet[ICMP].chksum
        packet = IP(bytes(packet))
        packet[ICMP].chksum = packet[ICMP].chksum or 0xFFFF  # both are 0; this one is right for a message of zeros, too
    return bytes(packet)


PROTOCOL = {"udp": 17, "udp without checksum": 17, "tcp": 6, "syn": 6, "ping": 1, "pong": 1}


class Model:
    """What the engine's answers have shown: the outside port of each inside endpoint."""

    def __init__(self, bench: EngineBench):
        self.bench = bench
        self.ports: dict[tuple[int, str, int], int] = {}
        self.owners: dict[int, tuple[int, str, int]] = {}

    async def out(self, messages: list[Message]) -> list[Message]:
        return await self.bench.run(messages)

    def left(self, sent: Message, result: Message) -> None:
        """Checks a packet that left from a host without an address of its own, and remembers its port."""
        before, after = packet_of(sent), packet_of(result)
        is_query = before.proto == 1
        endpoint = (before.proto, before.src, before[ICMP].id if is_query else before.payload.sport)
        port = after[ICMP].id if is_query else after.payload.sport
        assert FIRST_PORT <= port < FIRST_PORT + ENTRIES
        assert self.ports.setdefault(endpoint, port) == port and self.owners.setdefault(port, endpoint) == endpoint
        hairpin = before.dst in (SHARED, *STATIC.values())
        assert bytes(after) == remade(before, not hairpin, src=SHARED, sport=port)
        assert result.key == (HAIRPIN if hairpin else TO_OUTSIDE) and result.desc["port"] == OUTSIDE
        assert result.data[: result.desc["l3_offset"]] == sent.data[: sent.desc["l3_offset"]]


async def started(dut, idle: float = 0.0, stall: float = 0.0, **config) -> EngineBench:
    """A bench whose table has been cleared after the reset."""
    bench = await EngineBench.start(dut, "nat", idle=idle, stall=stall, **config)
    await ClockCycles(dut.clk_i, 600)
    return bench


async def opened(dut, count: int = 60, **changed) -> tuple[EngineBench, Model]:
    """A bench with flows."""
    bench = await started(dut, **settings(**changed))
    model = Model(bench)
    sent = []
    for number in range(count):
        kind = random.choice(["udp", "tcp", "ping"])
        sent.append(message_of(head(random.choice(HOSTS), random.choice(STRANGERS)) / transport(kind, 1000 + number, 53), INSIDE))
    for message, result in zip(sent, await bench.run(sent), strict=True):
        model.left(message, result)
    assert len(model.ports) == count == bench.events["mark_flow"]
    return bench, model


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def flows_go_out_and_come_back(dut, traffic):
    bench = await started(dut, idle=traffic[0], stall=traffic[1], **settings())
    model = Model(bench)
    sent = []
    for _ in range(250):
        kind = random.choice(["udp", "udp without checksum", "tcp", "syn", "ping"])
        packet = head(random.choice(HOSTS), random.choice(STRANGERS)) / transport(kind, random.randint(1, 5), random.randint(1, 65535))
        sent.append(message_of(packet, INSIDE))
        sent[-1].bad = random.random() < 0.1
    out = await bench.run(sent)
    for message, result in zip(sent, out, strict=True):
        model.left(message, result)
        assert result.bad == message.bad
    assert bench.events == {"mark_out": 250, "mark_flow": len(model.ports)}

    sent, expected, lost = [], [], 0
    for _ in range(250):
        port, (protocol, *_) = random.choice(list(model.owners.items()))
        if random.random() < 0.2:
            port ^= random.choice([1, 4, 0x100, 0x4000])
        kind = random.choice([kind for kind in PROTOCOL if PROTOCOL[kind] == protocol and kind != "ping"])
        packet = head(random.choice(STRANGERS), SHARED) / transport(kind, random.randint(1, 65535), port)
        sent.append(message_of(packet, OUTSIDE))
        owner = model.owners.get(port)
        if owner and owner[0] == protocol:
            expected.append((sent[-1], remade(packet, True, dst=owner[1], dport=owner[2])))
        else:
            lost += 1
    out = await bench.run(sent)
    for result, (message, wanted) in zip(out, expected, strict=True):
        assert bytes(packet_of(result)) == wanted and result.key == TO_INSIDE and result.desc.get("port", 0) == INSIDE
        assert result.data[: result.desc["l3_offset"]] == message.data[: message.desc["l3_offset"]]
    assert bench.events["drop_no_mapping"] == lost > 0 and bench.events["mark_in"] == len(expected)


@cocotb.test()
async def hosts_with_an_address_of_their_own(dut):
    """Their ports stay, and any protocol passes."""
    bench = await started(dut, **settings())
    for inside, outside in STATIC.items():
        for kind in ("udp", "udp without checksum", "tcp", "ping", "pong", "other"):
            for tagged in (False, True):
                body = Raw(random.randbytes(40)) if kind == "other" else transport(kind, 7, 9)
                fields = {"proto": 47} if kind == "other" else {}
                stranger = random.choice(STRANGERS)
                packets = (head(inside, stranger, **fields) / body, head(stranger, outside, **fields) / body)
                sent = [message_of(packet, port, tagged) for packet, port in zip(packets, (INSIDE, OUTSIDE), strict=True)]
                there, back = await bench.run(sent)
                assert bytes(packet_of(there)) == remade(packets[0], True, src=outside)
                assert bytes(packet_of(back)) == remade(packets[1], True, dst=inside)
                assert (there.key, back.key) == (TO_OUTSIDE, TO_INSIDE)
    assert "mark_flow" not in bench.events


@cocotb.test()
async def addresses_change_between_two_packets(dut):
    """Two hosts with an address of their own exchange their places in the table and get other addresses, all in one cycle, under full
    traffic: each packet has its host's address from before or from after a change, never the other host's, and none is lost."""
    first, second = STATIC
    others = {second: "203.0.113.77", first: "203.0.113.66"}
    bench = await started(dut, **settings())
    sent = [message_of(head(random.choice((first, second)), "8.8.8.8") / transport(random.choice(("udp", "tcp", "ping")), 7, 9), INSIDE, False) for _ in range(400)]
    bench.source.send(*sent)
    for turn in range(120):
        await ClockCycles(dut.clk_i, random.randint(1, 12))
        table = STATIC if turn % 2 else others
        dut.cfg_i.value = config_word("nat", **settings(static_inside=array(table), static_outside=array(table.values())))
    await bench.run([])
    assert len(bench.sink.messages) == len(sent)
    seen = set()
    for message, result in zip(sent, bench.sink.messages, strict=True):
        before, after = packet_of(message), packet_of(result)
        assert after.src in (STATIC[before.src], others[before.src])
        assert bytes(after) == remade(before, True, src=after.src)
        seen.add(after.src)
    assert seen == {*STATIC.values(), *others.values()}


def about(packet: IP, router: str, dst: str, kind: int = 3, code: int = 3, room: int = 8) -> IP:
    """An ICMP error about a packet, with `room` bytes behind its header."""
    return head(router, dst) / ICMP(type=kind, code=code) / Raw(bytes(packet)[: 20 + room])


@cocotb.test()
async def errors_about_flows_find_their_host(dut):
    """Both ways; the packet in them is the one that the host knows, to the byte as far as its checksum is there."""
    bench, model = await opened(dut)
    for endpoint, port in model.ports.items():
        protocol, host, inside = endpoint
        kind = {17: random.choice(["udp", "udp without checksum"]), 6: "tcp", 1: "ping"}[protocol]
        stranger, router, icmp = random.choice(STRANGERS), "192.0.2.77", random.choice([3, 11, 12])
        mine = head(host, stranger) / transport(kind, inside, 53, 30)
        gone = IP(remade(mine, False, src=SHARED, sport=port))
        room = 8 if protocol == 6 else random.choice([8, 9, 30])
        (result,) = await bench.run([message_of(about(gone, router, SHARED, icmp, room=room), OUTSIDE)])
        found = packet_of(result)
        assert found.dst == host and found.src == router and result.key == TO_INSIDE
        assert bytes(found)[28:56] == bytes(mine)[:28]
        good = IP(bytes(found))
        del good.chksum, good[ICMP].chksum
        assert bytes(good) == bytes(found)

        # And a host's error about what came for it.
        reply = "pong" if protocol == 1 else kind
        came = head(stranger, SHARED) / transport(reply, 53, port, 30)
        seen = IP(remade(came, False, dst=host, dport=inside))
        (result,) = await bench.run([message_of(about(seen, host, stranger, icmp, room=8), INSIDE)])
        found = packet_of(result)
        assert found.src == SHARED and found.dst == stranger and result.key == TO_OUTSIDE
        assert bytes(found)[28:56] == bytes(came)[:28]
        good = IP(bytes(found))
        del good.chksum, good[ICMP].chksum
        assert bytes(good) == bytes(found)
    stray = head(STRANGERS[0], SHARED) / UDP(sport=9, dport=FIRST_PORT - 1)
    assert not await bench.run([message_of(about(stray, OURS, STRANGERS[0]), INSIDE)])
    assert not await bench.run([message_of(about(head(SHARED, STRANGERS[0]) / UDP(sport=5, dport=5), "192.0.2.77", SHARED), OUTSIDE)])
    assert bench.events["drop_no_mapping"] == 2 and bench.events["mark_flow"] == len(model.ports)


@cocotb.test()
async def hosts_reach_each_other_by_outside_addresses(dut):
    """What leaves by `hairpin` comes in again as it is."""
    bench, model = await opened(dut)
    bench.sink.stall = 0.4
    for (protocol, host, inside), port in list(model.ports.items()):
        if protocol == 1:
            continue
        packet = head("10.0.0.33", SHARED) / transport({17: "udp", 6: "tcp"}[protocol], 4444, port)
        (half,) = await bench.run([message := message_of(packet, INSIDE)])
        model.left(message, half)
        (whole,) = await bench.run([Message(half.data, {"l3_offset": half.desc["l3_offset"], "port": half.desc["port"]})])
        assert bytes(packet_of(whole)) == remade(packet, True, src=SHARED, sport=model.ports[protocol, "10.0.0.33", 4444], dst=host, dport=inside)
        assert whole.key == TO_INSIDE
    assert bench.events["mark_hairpin"] > 0


@cocotb.test()
async def a_full_table_refuses_new_flows_and_keeps_old_ones(dut):
    bench, model = await opened(dut)
    bench.sink.stall = 0.1
    old = dict(model.ports)
    count = 5000
    sent = [message_of(head(f"10.1.{n >> 8}.{n & 255}", "8.8.8.8", id=n) / UDP(sport=n + 1, dport=1), INSIDE, False) for n in range(count)]
    for result in await bench.run(sent):
        model.left(sent[packet_of(result).id], result)
    assert bench.events["mark_flow"] == len(model.ports) == ENTRIES and bench.events["drop_full"] == count + len(old) - ENTRIES
    for (protocol, host, inside), port in old.items():
        kind = {17: "udp", 6: "tcp", 1: "pong"}[protocol]
        (result,) = await bench.run([message_of(packet := head(STRANGERS[0], SHARED) / transport(kind, 53, port), OUTSIDE)])
        assert bytes(packet_of(result)) == remade(packet, True, dst=host, dport=inside)


@cocotb.test()
async def a_host_has_so_many_flows_and_others_have_theirs(dut):
    bench = await started(dut, **settings(limit=20))
    for host, base in (("10.0.0.5", 0), ("10.0.0.6", 0), ("10.0.0.5", 0), ("10.0.0.5", 500)):
        await bench.run([message_of(head(host, "8.8.8.8") / UDP(sport=base + n + 1, dport=1), INSIDE) for n in range(40)])
    assert bench.events == {"mark_flow": 40, "drop_limit": 20 + 20 + 20 + 40, "mark_out": 60}


@cocotb.test()
async def flows_end_when_their_time_is_over(dut):
    """Each protocol's own time, and a packet from inside (of TCP from either side) begins it anew. The host's count goes down again."""
    tick = 400
    times = {"udp_timeout": 6, "icmp_timeout": 3, "tcp_timeout": 20, "tcp_transitory": 10}
    bench = await started(dut, **settings(tick_cycles=tick, limit=4, **times))
    model = Model(bench)

    async def go(kind: str, sport: int) -> bool:
        out = await bench.run([message := message_of(head("10.0.0.9", "8.8.8.8") / transport(kind, sport, 53), INSIDE)])
        for result in out:
            model.left(message, result)
        return bool(out)

    async def comes(kind: str, endpoint: tuple) -> bool:
        return bool(await bench.run([message_of(head("8.8.8.8", SHARED) / transport(kind, 53, model.ports[endpoint]), OUTSIDE)]))

    names = {"udp": (17, "10.0.0.9", 1), "ping": (1, "10.0.0.9", 2), "syn": (6, "10.0.0.9", 3), "tcp": (6, "10.0.0.9", 4)}
    for number, kind in enumerate(names):
        assert await go(kind, number + 1)
    assert await comes("tcp", names["tcp"])
    assert not await go("udp", 99)  # the host has all its flows
    alive = {}
    for ticks in range(1, 24):
        await ClockCycles(dut.clk_i, tick)
        for kind, expects in (("ping", "pong"), ("udp", "udp")):
            if kind not in alive and not await comes(expects, names[kind]):
                alive[kind] = ticks
        if "ping" in alive and "again" not in alive:
            alive["again"] = ticks
            model.owners.pop(model.ports[names["ping"]])
            assert await go("udp", 99)  # there is room again
        if bench.events.get("mark_flow_end", 0) >= 4 and "syn" not in alive:
            alive["syn"] = ticks
    ended = bench.events["mark_flow_end"]
    assert ended == bench.events["mark_flow"] == 5
    assert 3 <= alive["ping"] <= 5 and 6 <= alive["udp"] <= 9


@cocotb.test()
async def a_packet_that_comes_with_the_end_of_the_reset_keeps_its_flow(dut):
    """It waits until the table has been cleared."""
    bench = await EngineBench.start(dut, "nat", **settings())
    bench.source.send(message_of(head(HOSTS[0], "8.8.8.8") / transport("udp", 1, 53, 0), INSIDE))
    await ClockCycles(dut.clk_i, 600)
    (there,) = bench.sink.messages
    assert await bench.run([message_of(head("8.8.8.8", SHARED) / transport("udp", 53, packet_of(there).sport), OUTSIDE)])
    assert bench.events == {"mark_flow": 1, "mark_out": 1, "mark_in": 1}


@cocotb.test()
async def a_flow_that_is_renewed_while_its_end_is_decided_goes_on(dut):
    """A packet comes in each cycle around the one in which its flow would end: it renews the flow, or begins another one; either is there for the answer."""

    async def opened() -> tuple[EngineBench, Message]:
        bench = await started(dut, **settings(tick_cycles=200, udp_timeout=2))
        message = message_of(head("10.0.0.9", "8.8.8.8") / transport("udp", 1, 53, 0), INSIDE, False)
        await bench.run([message])
        return bench, message

    bench, _ = await opened()
    cycles = 0
    while not bench.events.get("mark_flow_end"):
        await ClockCycles(dut.clk_i, 1)
        cycles += 1
    begun = []
    for early in range(16):
        bench, message = await opened()
        await ClockCycles(dut.clk_i, cycles - early)
        (there,) = await bench.run([message])
        answer = head("8.8.8.8", SHARED) / transport("udp", 53, packet_of(there).sport, 0)
        assert len(await bench.run([message_of(answer, OUTSIDE, False)])) == 1, f"{early} cycles before: the flow has ended"
        begun.append(bench.events["mark_flow"] - 1)
    assert begun == sorted(begun, reverse=True) and set(begun) == {0, 1}


@cocotb.test()
async def flows_end_while_another_one_changes_in_most_cycles(dut):
    """A host begins and ends a connection in turns at the full rate; the flows of others end in time all the same."""
    bench = await started(dut, **settings(tick_cycles=200, udp_timeout=2))
    (opened,) = await bench.run([message_of(head("10.0.0.9", "8.8.8.8") / transport("udp", 1, 53, 0), INSIDE, False)])
    segments = [message_of(head("10.0.0.5", "8.8.8.8") / TCP(sport=7, flags=flags), INSIDE, False) for flags in ("S", "F", "A")]
    late = message_of(head("8.8.8.8", SHARED) / transport("udp", 53, packet_of(opened).sport, 0), OUTSIDE, False)
    out = await bench.run([*segments * 1000, late])
    assert out[-1].last - out[0].first < 3000 * flits_of(segments[0].data) + 10, "not at the full rate"
    assert len(out) == 3000 and bench.events["mark_flow_end"] == bench.events["drop_no_mapping"] == 1


@cocotb.test()
async def flows_end_while_another_one_changes_in_every_cycle(dut):
    """A host begins and ends a connection with every packet, so that each of them writes to the table; the flows of others end in time all the same."""
    bench = await started(dut, **settings(tick_cycles=200, udp_timeout=2))
    (opened,) = await bench.run([message_of(head("10.0.0.9", "8.8.8.8") / transport("udp", 1, 53, 0), INSIDE, False)])
    segments = [message_of(head("10.0.0.5", "8.8.8.8") / TCP(sport=7, flags=flags), INSIDE, False) for flags in ("S", "F")]
    late = message_of(head("8.8.8.8", SHARED) / transport("udp", 53, packet_of(opened).sport, 0), OUTSIDE, False)
    out = await bench.run([*segments * 1500, late])
    assert out[-1].last - out[0].first < 3000 * flits_of(segments[0].data) + 10, "not at the full rate"
    assert len(out) == 3000 and bench.events["mark_flow_end"] == bench.events["drop_no_mapping"] == 1


@cocotb.test()
@cocotb.parametrize(traffic=(TRAFFIC[0], TRAFFIC[3]))
async def flows_that_begin_and_end_all_the_time_keep_their_hosts(dut, traffic):
    """What comes back goes to who sent last from that port, or nowhere; and each host's count of flows ends where it began."""
    tick, times = 20, dict.fromkeys(("udp_timeout", "icmp_timeout", "tcp_timeout", "tcp_transitory"), 1)
    bench = await started(dut, *traffic, **settings(tick_cycles=tick, limit=6, **times))
    owners: dict[int, tuple[int, str, int]] = {}
    there = back = soon = 0
    for _ in range(16):
        sent, used = [], {}
        for number in range(150):
            if owners and random.random() < 0.4:
                port, (protocol, *_) = random.choice(list(owners.items())[-20:])
                packet = head("8.8.8.8", SHARED, id=number) / transport({17: "udp", 6: "tcp", 1: "pong"}[protocol], 53, port, 0)
                sent.append(message_of(packet, OUTSIDE, False))
            else:
                segment = TCP(sport=random.randint(1, 3), dport=53, flags=random.choice(["S", "A", "F", "R"]))
                body = random.choice([segment, transport(random.choice(["udp", "ping"]), random.randint(1, 3), 53, 0)])
                sent.append(message_of(head(f"10.0.0.{random.randint(2, 4)}", "8.8.8.8", id=number) / body, INSIDE, False))
        came = {packet_of(result).id: packet_of(result) for result in await bench.run(sent)}
        for number, message in enumerate(sent):
            before, result = packet_of(message), came.get(number)
            is_query, inside = before.proto == 1, message.desc["port"] == INSIDE
            if inside and result:
                there += 1
                port = result[ICMP].id if is_query else result.sport
                owners.pop(port, None)
                owners[port] = before.proto, before.src, before[ICMP].id if is_query else before.sport
                used[port] = message.first
                assert bytes(result) == remade(before, True, src=SHARED, sport=port)
            elif not inside:
                port = before[ICMP].id if is_query else before.dport
                protocol, host, endpoint = owners[port]
                if port in used and message.first - used[port] < tick and protocol == before.proto:
                    soon += 1
                    assert result, "a flow ended that had just been renewed"
                if result:
                    back += 1
                    assert bytes(result) == remade(before, True, dst=host, dport=endpoint)
    await ClockCycles(dut.clk_i, 5000)
    assert there > 400 and back > 100 and soon > 20 and bench.events["mark_flow"] == bench.events["mark_flow_end"] > 30
    dut.cfg_i.value = config_word("nat", **settings(limit=6))
    for host in range(2, 5):
        assert len(await bench.run([message_of(head(f"10.0.0.{host}", "8.8.8.8") / UDP(sport=n), INSIDE) for n in range(1, 9)])) == 6


@cocotb.test()
async def replies_of_zeros_keep_a_checksum_that_is_right(dut):
    """The sum over a message of zeros is 0, and its complement 0xffff: a receiver takes 0 for wrong."""
    bench, zeros = await started(dut, **settings()), ICMP(type=0, id=0, seq=0) / Raw(bytes(26))
    (there,) = await bench.run([message_of(head(HOSTS[0], "8.8.8.8") / ICMP(type=8, id=0, seq=0) / Raw(bytes(26)), INSIDE)])
    (inside, outside), *_ = STATIC.items()
    for packet, port, ends in (
        (head("8.8.8.8", SHARED) / ICMP(type=0, id=packet_of(there)[ICMP].id, seq=0) / Raw(bytes(26)), OUTSIDE, {"dst": HOSTS[0]}),
        (head(inside, "8.8.8.8") / zeros, INSIDE, {"src": outside}),
        (head("8.8.8.8", outside) / zeros, OUTSIDE, {"dst": inside}),
    ):
        (result,) = await bench.run([message_of(packet, port)])
        wanted = IP(bytes(packet))
        wanted.ttl -= 1
        for name, address in ends.items():
            setattr(wanted, name, address)
        wanted[ICMP].id = 0
        del wanted.chksum, wanted[ICMP].chksum
        assert bytes(packet_of(result)) == bytes(wanted) and packet_of(result)[ICMP].chksum == 0xFFFF


@cocotb.test()
async def what_cannot_be_translated_is_counted(dut):
    bench = await started(dut, **settings())
    why: Counter = Counter()

    async def drops(packet: IP, port: int, counter: str) -> None:
        assert not await bench.run([message_of(packet, port)]), counter
        why[counter] += 1
        assert bench.events == why

    await drops(head(HOSTS[0], "8.8.8.8", options=random_options(2)) / UDP(), INSIDE, "drop_options")
    await drops(head(HOSTS[0], "8.8.8.8", proto=47) / Raw(bytes(40)), INSIDE, "drop_unsupported")
    for kind in (4, 5, 9, 13, 15, 17):
        await drops(head(HOSTS[0], "8.8.8.8") / ICMP(type=kind) / Raw(bytes(40)), INSIDE, "drop_unsupported")
    await drops(head(HOSTS[0], "8.8.8.8") / transport("pong", 5, 5), INSIDE, "drop_unsupported")
    for inner in (IP(src=SHARED, ihl=6) / UDP(), IP(src=SHARED, frag=5) / UDP(), IP(src=SHARED, proto=47) / Raw(bytes(9)), IP(src=SHARED, version=6) / UDP()):
        await drops(about(inner, "8.8.8.8", SHARED), OUTSIDE, "drop_unsupported")
    await drops(head("8.8.8.8", "203.0.113.9") / UDP(dport=FIRST_PORT), OUTSIDE, "drop_no_mapping")
    await drops(head("8.8.8.8", SHARED) / UDP(dport=FIRST_PORT), OUTSIDE, "drop_no_mapping")
    for kind in ("udp", "tcp", "ping"):
        message = message_of(head(HOSTS[0], "8.8.8.8") / transport(kind, 1, 2, 0), INSIDE, False)
        room = {"udp": 8, "tcp": 18, "ping": 8}[kind]
        for keep in {1, 20, 34, 34 + room - 1}:
            message = Message(message.data[:keep], message.desc)
            assert not await bench.run([message])
            why["drop_short"] += 1
    assert bench.events == why


@cocotb.test()
async def the_card_s_own_and_what_has_come_too_far(dut):
    """They leave as they are, by a way of their own, and begin no flow."""
    bench = await started(dut, **settings())
    for packet, port, key in (
        (head(HOSTS[0], OURS) / transport("ping", 1, 1), INSIDE, LOCAL),
        (head(HOSTS[0], OURS) / transport("udp", 1, 1), INSIDE, LOCAL),
        (head("8.8.8.8", SHARED) / transport("ping", 1, 1), OUTSIDE, LOCAL),
        (head(HOSTS[0], SHARED) / transport("ping", 1, 1), INSIDE, LOCAL),
        (head(next(iter(STATIC)), SHARED) / transport("ping", 1, 1), INSIDE, LOCAL),
        (head(HOSTS[0], "8.8.8.8", ttl=1) / transport("udp", 1, 1), INSIDE, EXPIRED),
        (head(HOSTS[0], "8.8.8.8", ttl=0) / transport("udp", 1, 1), INSIDE, EXPIRED),
        (head("8.8.8.8", SHARED, ttl=1) / transport("udp", 1, FIRST_PORT), OUTSIDE, EXPIRED),
    ):
        (result,) = await bench.run([message := message_of(packet, port)])
        assert result.data == message.data and result.key == key and result.desc.get("port", 0) == port
    assert bench.events == {}


@cocotb.test()
async def random_bytes_never_hang_it(dut):
    bench = await started(dut, idle=0.1, stall=0.1, **settings())
    junk = []
    for _ in range(300):
        data = bytearray(random.randbytes(random.randint(1, 200)))
        if len(data) > 24 and random.random() < 0.8:
            data[14], data[23] = 0x45, random.choice([1, 6, 17])
        desc = {"l3_offset": random.choice([14, 14, 18, random.getrandbits(8)]), "port": random.getrandbits(1)}
        junk.append(Message(bytes(data), desc))
    out = await bench.run(junk)
    assert len(out) + sum(n for name, n in bench.events.items() if name.startswith("drop")) == len(junk)
    assert await bench.run([message_of(head(HOSTS[0], "8.8.8.8") / transport("udp", 1, 2), INSIDE)])


@cocotb.test()
async def four_cycles_and_no_bubbles(dut):
    bench = await started(dut, **settings())
    for size in (18, 86, 470, 1472, 7900):
        sent = [message_of(head(HOSTS[0], "8.8.8.8") / transport("udp", n + 1, 2, size), INSIDE, False) for n in range(6)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        assert out[0].first - sent[0].first == 4 + flits_of(bytes(42)) - 1
