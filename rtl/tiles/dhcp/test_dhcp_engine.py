# SPDX-License-Identifier: Apache-2.0
"""dhcp: a client between a server, played with scapy, and the registers of other tiles. A second has few cycles."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.dhcp import BOOTP, DHCP
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

from girih.spec.kinds import load_kind
from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.engines import EngineBench, check_no_bubbles, frame_of, udp
from girih.testing.messages import FLIT_BYTES, Message
from girih.testing.ring import ANSWER_FIELDS, REQUEST_FIELDS

MAC, SERVER_MAC = "02:67:69:72:69:68", "02:00:00:00:00:01"
SERVER, OFFERED, GATEWAY = "10.1.0.1", "10.1.0.77", "10.1.0.254"
SECOND = 400 if FLIT_BYTES >= 64 else 800  # cycles: on narrow cards, messages take longer
READ = 450 * SECOND // 400  # cycles in which a frame comes, and is read
CLIENT, PROBE = 0, 1  # keys of the node table
# The registers that the client writes: (what, node, offset).
PLACES = [(1, 3, 0x400), (2, 3, 0x404), (1, 5, 0x408), (2, 5, 0x40C), (3, 5, 0x410)]


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough), pytest.param(1024, marks=pytest.mark.thorough)])
def test_dhcp_engine(data_width):
    run_cocotb("dhcp_engine", __file__, data_width=data_width)


class Registers:
    """Answers every write after a while, and keeps the writes in order."""

    def __init__(self, dut):
        self.dut, self.writes, self.fails = dut, [], False
        dut.control_ready_i.value = dut.control_answer_valid_i.value = 0
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            dut.control_answer_valid_i.value = 0
            if dut.control_ready_i.value == 1 and dut.control_valid_o.value == 1:
                asked = unpack(REQUEST_FIELDS, int(dut.control_request_o.value))
                dut.control_ready_i.value = 0
                assert asked["write"] == 1
                self.writes.append((asked["node"], asked["offset"], asked["data"]))
                await ClockCycles(dut.clk_i, 3)
                dut.control_answer_i.value = pack(ANSWER_FIELDS, {"tag": asked["tag"], "status": 2 if self.fails else 0, "data": 0})
                dut.control_answer_valid_i.value = 1
                continue
            dut.control_ready_i.value = int(random.random() < 0.7)


def number(address: str) -> int:
    return int.from_bytes(bytes(map(int, address.split("."))), "big")


def ones_complement(data: bytes) -> int:
    """The checksum of an IPv4 header."""
    total = sum(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))
    return 0xFFFF - (total % 0xFFFF or 0xFFFF)


def option(packet, name: str):
    return next((value[1] for value in packet[DHCP].options if value[0] == name), None)


def message_of(frame: bytes, **fields) -> Message:
    return Message(bytes(frame), {"l3_offset": 14, "port": 0}, **fields)


def reply(asked, kind: str, **changed) -> bytes:
    """A server's answer; scapy computes lengths and checksums."""
    values = {"address": OFFERED, "server": SERVER, "lease": 16, "netmask": "255.255.0.0", "gateway": GATEWAY, "more": [], "xid": asked[BOOTP].xid,
              "chaddr": bytes.fromhex(MAC.replace(":", "")), "op": 2, "htype": 1, "hlen": 6, "dst": "255.255.255.255"} | changed  # fmt: skip
    options: list = [("message-type", kind), ("server_id", values["server"])]
    if kind != "nak":
        options += ["pad", ("lease_time", values["lease"]), ("subnet_mask", values["netmask"])]
        options += [("router", values["gateway"])] if values["gateway"] else []
    head = {name: values[name] for name in ("op", "htype", "hlen", "xid", "chaddr")}
    bootp = BOOTP(**head, yiaddr="0.0.0.0" if kind == "nak" else values["address"])
    packet = IP(src=SERVER, dst=values["dst"]) / UDP(sport=67, dport=68) / bootp / DHCP(options=[*options, *values["more"], "end"])
    return bytes(Ether(src=SERVER_MAC, dst="ff:ff:ff:ff:ff:ff") / packet)


class Bench:
    def __init__(self, dut, engine: EngineBench, registers: Registers):
        self.dut, self.engine, self.registers, self.read, self.raised = dut, engine, registers, 0, Counter()
        cocotb.start_soon(self._interrupts())

    @classmethod
    async def start(cls, dut, stall: float = 0.7, **changed) -> Bench:
        places = sum((what << 24 | node << 16 | at) << 32 * index for index, (what, node, at) in enumerate(PLACES))
        config = {"mac": int(MAC.replace(":", ""), 16), "ethernet_port": 0, "second_cycles": SECOND, "seed": 7, "places": places} | changed
        dut.control_ready_i.value = dut.control_answer_valid_i.value = 0
        dut.control_answer_i.value = 0
        engine = await EngineBench.start(dut, "dhcp", stall=stall, **config)
        return cls(dut, engine, Registers(dut))

    async def _interrupts(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            raised = int(self.dut.interrupt_o.value)
            self.raised.update(name for bit, name in enumerate(load_kind("dhcp").interrupts) if raised >> bit & 1)

    async def said(self, seconds: float = 80) -> Message:
        """The client's next message."""
        for _ in range(int(seconds * SECOND)):
            while self.read < len(self.engine.sink.messages):
                message = self.engine.sink.messages[self.read]
                self.read += 1
                if message.key in (CLIENT, PROBE):
                    return message
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"nothing was said in {seconds} seconds")

    async def asked(self, kind: str, seconds: float = 80):
        """The client's next message to a server, parsed by scapy and checked."""
        message = await self.said(seconds)
        assert message.key == CLIENT and len(message.data) == 342 == message.desc["length"] and message.desc["l3_offset"] == 14
        packet = Ether(message.data)
        again = packet.copy()
        del again[UDP].chksum
        assert bytes(again[UDP])[6:8] == bytes(packet[UDP])[6:8], "the checksum of UDP"
        assert (packet[UDP].sport, packet[UDP].dport, packet[UDP].len) == (68, 67, 308) and packet[IP].len == 328
        assert (packet[BOOTP].op, packet[BOOTP].htype, packet[BOOTP].hlen) == (1, 1, 6) and packet[BOOTP].chaddr[:6] == bytes.fromhex(MAC.replace(":", ""))
        assert option(packet, "message-type") == {"discover": 1, "request": 3, "decline": 4}[kind], packet[DHCP].options
        assert packet[IP].src == packet[BOOTP].ciaddr and packet[BOOTP].flags == (0x8000 if packet[IP].src == "0.0.0.0" else 0)
        packet.time = message.first
        return packet

    async def answer(self, asked, kind: str, **changed) -> None:
        self.engine.source.send(message_of(reply(asked, kind, **changed)))

    async def probes(self) -> None:
        before = None
        for _ in range(3):
            message = await self.said()
            assert before is None or SECOND * 0.9 < message.first - before < 2.1 * SECOND
            before = message.first
            arp = Ether(message.data)[ARP]
            assert message.key == PROBE and len(message.data) == 42
            assert (arp.op, arp.hwsrc, arp.psrc, arp.hwdst, arp.pdst) == (1, MAC, "0.0.0.0", "00:00:00:00:00:00", OFFERED)

    async def bind(self, **changed):
        discover = await self.asked("discover")
        await self.answer(discover, "offer", **changed)
        request = await self.asked("request")
        await self.answer(request, "ack", **changed)
        await self.probes()
        await self.written()
        return request

    async def written(self) -> list[tuple[int, int, int]]:
        """The writes of one change."""
        for _ in range(5 * SECOND):
            if len(self.registers.writes) == len(PLACES) + 2:
                break
            await RisingEdge(self.dut.clk_i)
        await ClockCycles(self.dut.clk_i, 100)
        writes, self.registers.writes = self.registers.writes, []
        return writes

    @property
    def events(self) -> dict[str, int]:
        return self.engine.events


def writes_of(address: str, netmask: str, gateway: str) -> list[tuple[int, int, int]]:
    """The address is cleared first and written last."""
    of = {1: number(address), 2: number(netmask), 3: number(gateway)}
    clear = [(node, at, 0) for what, node, at in PLACES if what == 1]
    network = [(node, at, of[what]) for what, node, at in PLACES if what != 1]
    return clear + network + [(node, at, of[1]) for what, node, at in PLACES if what == 1]


@cocotb.test()
async def a_card_gets_an_address_while_others_pass(dut):
    bench = await Bench.start(dut, stall=0.2)
    passing = [message_of(frame_of(udp(random.randbytes(random.randint(0, 300))))[0]) for _ in range(60)]
    bench.engine.source.send(*passing[:30])  # the card has no address yet, so that they are for nobody
    discover = await bench.asked("discover")
    assert (discover[IP].src, discover[IP].dst) == ("0.0.0.0", "255.255.255.255")
    assert option(discover, "requested_addr") is None and option(discover, "server_id") is None and option(discover, "param_req_list") == [1, 3]
    await bench.answer(discover, "offer")
    request = await bench.asked("request")
    assert request[BOOTP].xid == discover[BOOTP].xid and (request[IP].src, request[IP].dst) == ("0.0.0.0", "255.255.255.255")
    assert (option(request, "requested_addr"), option(request, "server_id")) == (OFFERED, SERVER)
    await bench.answer(request, "ack")
    assert bench.registers.writes == []
    await bench.probes()
    assert await bench.written() == writes_of(OFFERED, "255.255.0.0", GATEWAY)
    assert bench.events == {"used_reply": 2, "made_request": 2, "made_probe": 3, "mark_bound": 1, "drop_no_address": 30}
    passed = await bench.engine.run(passing[30:])
    assert [message.data for message in passed if message.key == 0x0800] == [message.data for message in passing[30:]]
    assert (await bench.asked("request", 12))[IP].dst == SERVER


@cocotb.test()
async def an_address_is_renewed_rebound_and_given_up(dut):
    bench = await Bench.start(dut)
    await bench.bind()
    renewal = await bench.asked("request", 10)
    assert (renewal[IP].src, renewal[IP].dst) == (OFFERED, SERVER)
    assert option(renewal, "requested_addr") is None and option(renewal, "server_id") is None
    for kind in ("ack", "nak"):
        await bench.answer(renewal, kind, server="10.1.0.9")  # not the server that was asked
        await ClockCycles(dut.clk_i, READ)
    assert bench.events["drop_unexpected"] == 2 and bench.registers.writes == []
    await bench.answer(renewal, "ack", lease=16, more=[("renewal_time", 4), ("rebinding_time", 8)])
    again = await bench.asked("request", 7)
    assert again[BOOTP].xid != renewal[BOOTP].xid and again[IP].dst == SERVER
    assert 2 * SECOND < again.time - renewal.time < 6 * SECOND, "T1 is that of the server"
    rebinding = await bench.asked("request", 7)
    assert (rebinding[IP].src, rebinding[IP].dst) == (OFFERED, "255.255.255.255") and 3 * SECOND < rebinding.time - again.time < 6 * SECOND
    assert bench.events["mark_renewed"] == 1 and bench.registers.writes == []
    await bench.answer(again, "ack")  # too late: another request has been sent since
    discover = await bench.asked("discover", 30)
    assert await bench.written() == writes_of("0.0.0.0", "255.255.255.255", "0.0.0.0")
    assert discover.time - renewal.time > 10 * SECOND and bench.events["mark_lost"] == bench.events["drop_not_ours"] == 1
    assert bench.raised == {"bound": 1, "lost": 1}


@cocotb.test()
async def what_confirms_a_request_is_not_taken_for_the_next_one(dut):
    """The answer comes at any moment around that at which the next request is made: times count from the request that was confirmed."""
    wait, outcomes = 0.0, set()
    for early in (None, 800, 600, 560, 500, 400, 250):
        bench = await Bench.start(dut, stall=0.0)
        await bench.bind()
        renewal = await bench.asked("request", 10)
        await bench.answer(renewal, "ack", lease=16, more=[("renewal_time", 4), ("rebinding_time", 8)])
        again = await bench.asked("request", 7)
        if early is None:
            wait = (await bench.asked("request", 7)).time - again.time
            continue
        before = bench.events["made_request"]
        await ClockCycles(dut.clk_i, int(wait) - early)
        await bench.answer(again, "ack", lease=1000)
        await ClockCycles(dut.clk_i, 3 * SECOND)
        made, renewed = bench.events["made_request"] - before, bench.events["mark_renewed"] - 1
        outcomes.add((made, renewed))
        assert (made, renewed) in ((0, 1), (1, 0)), f"{early} cycles before: {made} requests, {renewed} renewals"
    assert len(outcomes) == 2, "all answers were too early, or too late"


@cocotb.test()
async def another_server_takes_over(dut):
    bench = await Bench.start(dut)
    await bench.bind()
    await bench.asked("request", 10)
    rebinding = await bench.asked("request", 10)
    assert rebinding[IP].dst == "255.255.255.255"
    await bench.answer(rebinding, "ack", server="10.1.0.9")
    assert (await bench.asked("request", 12))[IP].dst == "10.1.0.9"
    assert bench.events["mark_renewed"] == 1 and bench.registers.writes == [] and "mark_lost" not in bench.events


@cocotb.test()
async def another_host_with_the_cards_address_is_counted(dut):
    bench = await Bench.start(dut)
    await bench.bind()
    for arp in (ARP(op=1, hwsrc=SERVER_MAC, psrc=OFFERED, pdst=OFFERED), ARP(op=1, hwsrc=MAC, psrc=OFFERED, pdst=OFFERED), ARP(op=1, hwsrc=SERVER_MAC, psrc=GATEWAY, pdst=OFFERED)):  # fmt: skip
        bench.engine.source.send(message_of(bytes(Ether(src=SERVER_MAC, dst=MAC) / arp)))
    await ClockCycles(dut.clk_i, SECOND)
    assert bench.events["mark_conflict"] == 1 and "mark_declined" not in bench.events
    assert sum(message.key == 0x0806 for message in bench.engine.sink.messages) == 3 and bench.raised == {"bound": 1, "conflict": 1}


@cocotb.test()
async def another_gateway_comes_with_a_renewal(dut):
    bench = await Bench.start(dut)
    await bench.bind()
    await bench.answer(await bench.asked("request", 10), "ack", gateway="10.1.0.253", lease=0xFFFFFFFF)
    assert await bench.written() == writes_of(OFFERED, "255.255.0.0", "10.1.0.253")
    await ClockCycles(dut.clk_i, 40 * SECOND)
    assert bench.events["made_request"] == 3, "an address for ever is not renewed"


@cocotb.test()
async def a_refusal_begins_anew(dut):
    bench = await Bench.start(dut)
    discover = await bench.asked("discover")
    await bench.answer(discover, "offer")
    await bench.answer(await bench.asked("request"), "nak")
    request = await bench.bind()
    assert request[BOOTP].xid != discover[BOOTP].xid
    await bench.answer(await bench.asked("request", 10), "nak")
    assert await bench.written() == writes_of("0.0.0.0", "255.255.255.255", "0.0.0.0")
    await bench.asked("discover")
    assert bench.events["mark_refused"] == 2 and bench.events["mark_bound"] == 1
    assert bench.raised == {"bound": 1, "refused": 2}


@cocotb.test()
async def an_address_that_another_host_has_is_declined(dut):
    bench = await Bench.start(dut)
    for arp in (ARP(op=2, hwsrc=SERVER_MAC, psrc=OFFERED, pdst=GATEWAY), ARP(op=1, hwsrc=SERVER_MAC, psrc="0.0.0.0", pdst=OFFERED)):
        await bench.answer(await bench.asked("discover"), "offer")
        request = await bench.asked("request")
        await bench.answer(request, "ack")
        assert (await bench.said()).key == PROBE
        frame = bytes(Ether(src=SERVER_MAC, dst=MAC) / arp)
        bench.engine.source.send(message_of(frame))
        decline = await bench.asked("decline", 5)
        assert (option(decline, "requested_addr"), option(decline, "server_id")) == (OFFERED, SERVER)
        assert option(decline, "param_req_list") is None and decline[BOOTP].xid == request[BOOTP].xid
        assert not any(message.key == 0x0806 for message in bench.engine.sink.messages)
    assert (await bench.asked("discover", 40)).time - decline.time > 9.5 * SECOND
    assert bench.events["mark_declined"] == 2 and "mark_bound" not in bench.events and bench.registers.writes == []
    assert bench.raised == {"declined": 2}


@cocotb.test()
async def without_a_server_it_asks_less_and_less_often(dut):
    bench = await Bench.start(dut)
    asked = [await bench.asked("discover") for _ in range(4)]
    for number, (before, after) in enumerate(itertools.pairwise(asked)):
        assert (4 << number) - 1.5 < (after.time - before.time) / SECOND < (4 << number) + 1.5
    assert len({packet[BOOTP].xid for packet in asked}) == 1
    await bench.answer(asked[-1], "offer")
    requests = [await bench.asked("request") for _ in range(4)]
    assert len({packet[BOOTP].xid for packet in [*asked, *requests]}) == 1
    assert (await bench.asked("discover"))[BOOTP].xid != asked[0][BOOTP].xid


@cocotb.test()
async def what_is_not_for_it_or_makes_no_sense_is_counted(dut):
    bench = await Bench.start(dut)
    discover = await bench.asked("discover")
    good = reply(discover, "offer")
    ip_sum, udp_sum, cookie, inner = bytearray(good), bytearray(good), bytearray(good), bytearray(good)
    ip_sum[24] ^= 1
    udp_sum[300] ^= 4
    cookie[278] ^= 1
    cookie[40:42] = bytes(2)
    inner[38:40] = (int.from_bytes(good[38:40], "big") - 1).to_bytes(2, "big")
    cases = [
        ("drop_checksum", bytes(ip_sum)), ("drop_checksum", bytes(udp_sum)), ("drop_malformed", bytes(cookie)), ("drop_malformed", bytes(inner)),
        ("drop_malformed", good[:-8]), ("drop_malformed", good[:200]),
        ("drop_malformed", reply(discover, "offer", more=[("hostname", b"x" * 40)])[:-20]),
        ("drop_not_ours", reply(discover, "offer", xid=discover[BOOTP].xid ^ 1)), ("drop_not_ours", reply(discover, "offer", op=1)),
        ("drop_not_ours", reply(discover, "offer", htype=6)), ("drop_not_ours", reply(discover, "offer", hlen=16)),
        ("drop_not_ours", reply(discover, "offer", chaddr=b"\2\0\0\0\0\7")), ("drop_long", good + bytes(1000)),
        ("drop_unexpected", reply(discover, "ack")), ("drop_unexpected", reply(discover, "nak")), ("drop_unexpected", reply(discover, "offer", address="224.0.0.1")),
        ("drop_unexpected", reply(discover, "offer", address="127.0.0.1")), ("drop_unexpected", reply(discover, "offer", lease=0)),
        ("drop_unexpected", reply(discover, "offer", address="10.1.0.0")), ("drop_unexpected", reply(discover, "offer", address="10.1.255.255")),
        ("drop_unexpected", reply(discover, "offer", address="10.1.0.79", netmask="255.255.255.252")),
        ("drop_unexpected", reply(discover, "offer", server="0.0.0.0")), ("drop_unexpected", reply(discover, "release")),
    ]  # fmt: skip
    # Options of a wrong length. Behind them comes what could be taken for the rest of a value.
    wrong = [(code, size) for code in (1, 51, 54, 58, 59) for size in (0, 1, 3, 5, 8)] + [(3, size) for size in (0, 1, 3, 5, 7)] + [(53, 0), (53, 2), (53, 4)]
    cases += [("drop_malformed", reply(discover, "offer", more=[(code, bytes([2] * size)), "pad", "pad", "pad"])) for code, size in wrong]
    for counter, frame in cases:
        before = bench.events.get(counter, 0)
        bench.engine.source.send(message_of(frame))
        await ClockCycles(dut.clk_i, READ)
        assert bench.events.get(counter, 0) == before + 1, (counter, bench.events)
    void = message_of(good)
    void.bad = True
    bench.engine.source.send(*[void] * 4)
    await ClockCycles(dut.clk_i, READ)
    assert bench.events["drop_aborted"] == 4 and "drop_busy" not in bench.events
    bench.engine.source.send(message_of(cases[7][1]), message_of(good))
    await ClockCycles(dut.clk_i, READ)
    assert bench.events["drop_aborted"] == 4 and bench.events["drop_busy"] == 1 and "used_reply" not in bench.events
    without = bytearray(good)
    without[40:42] = bytes(2)
    bench.engine.source.send(message_of(bytes(without) + bytes(30)))
    for _ in range(9):
        if "used_reply" in bench.events:
            break
        await ClockCycles(dut.clk_i, 100)
    assert bench.events["used_reply"] == 1, "a datagram without a checksum, in a frame with bytes behind it, is good"


@cocotb.test()
async def the_first_of_several_routers_is_the_gateway(dut):
    bench = await Bench.start(dut)
    routers = b"".join(bytes(map(int, address.split("."))) for address in (GATEWAY, "10.1.0.253", "10.1.0.252"))
    discover = await bench.asked("discover")
    await bench.answer(discover, "offer", gateway=None, more=[(3, routers)])
    await bench.answer(await bench.asked("request"), "ack", gateway=None, more=[(3, routers)])
    await bench.probes()
    assert await bench.written() == writes_of(OFFERED, "255.255.0.0", GATEWAY)


@cocotb.test()
async def a_seed_that_cancels_the_address_still_gives_random_numbers(dut):
    """The generator of transaction numbers would stay at 0."""
    mac = int(MAC.replace(":", ""), 16)
    seed = mac & 0xFFFFFFFF ^ mac >> 32 << 16
    numbers = set()
    for _ in range(3):
        bench = await Bench.start(dut, seed=seed)
        numbers.add((await bench.asked("discover"))[BOOTP].xid)
    assert 0 not in numbers


@cocotb.test()
async def a_length_beyond_any_frame_makes_no_sense(dut):
    """Even a length that adding Ethernet's header in 16 bits would wrap to less than the frame's. The client then goes on reading."""
    bench = await Bench.start(dut)
    discover = await bench.asked("discover")
    good = reply(discover, "offer")
    lengths = [0x7FFF, *range(0xFFF0, 0x10000)]
    for length in lengths:
        frame = bytearray(good)
        frame[16:18] = length.to_bytes(2, "big")
        frame[38:40] = (length - 20).to_bytes(2, "big")
        frame[40:42] = bytes(2)
        frame[24:26] = bytes(2)
        frame[24:26] = ones_complement(frame[14:34]).to_bytes(2, "big")
        bench.engine.source.send(message_of(bytes(frame)))
        await ClockCycles(dut.clk_i, 1500)
    assert bench.events["drop_malformed"] == len(lengths), bench.events
    bench.engine.source.send(message_of(good))
    await ClockCycles(dut.clk_i, READ)
    assert bench.events["used_reply"] == 1


@cocotb.test()
async def a_network_of_two_addresses_has_no_other_ones(dut):
    for address, netmask in (("10.1.0.76", "255.255.255.254"), ("10.1.0.77", "255.255.255.254"), ("10.1.0.0", "255.255.255.255")):
        bench = await Bench.start(dut)
        await bench.answer(await bench.asked("discover"), "offer", address=address, netmask=netmask)
        assert option(await bench.asked("request"), "requested_addr") == address


@cocotb.test()
async def a_lease_that_ends_while_its_address_is_probed_is_not_used(dut):
    """Probing takes four seconds at least."""
    bench = await Bench.start(dut)
    await bench.answer(await bench.asked("discover"), "offer", lease=4)
    await bench.answer(await bench.asked("request"), "ack", lease=4)
    for _ in range(3):
        assert (await bench.said()).key == PROBE
    assert await bench.asked("discover", 20)
    assert bench.registers.writes == [] and bench.events["mark_lost"] == 1 and "mark_bound" not in bench.events


@cocotb.test()
async def the_first_request_depends_on_when_frames_came(dut):
    numbers = set()
    for wait in (50, 51, 120):
        bench = await Bench.start(dut)
        await ClockCycles(dut.clk_i, wait)
        bench.engine.source.send(message_of(frame_of(udp(bytes(20)))[0]))
        numbers.add((await bench.asked("discover"))[BOOTP].xid)
    assert len(numbers) == 3


@cocotb.test()
async def a_renewal_begins_before_any_server_is_asked(dut):
    """The server gives an early T2 and no T1: half of the lease would be later than T2."""
    bench = await Bench.start(dut)
    request = await bench.bind(lease=40, more=[("rebinding_time", 12)])
    renewal = await bench.asked("request", 12)
    assert renewal[IP].dst == SERVER and renewal.time - request.time < 9 * SECOND


@cocotb.test()
async def random_messages_never_hang_it(dut):
    bench = await Bench.start(dut)
    discover = await bench.asked("discover")
    good = reply(discover, "offer", lease=3)
    count = 40
    for _ in range(count):
        data = bytearray(good)
        for _ in range(random.choice([1, 3, 30])):
            data[random.randrange(42, len(data))] = random.getrandbits(8)
        data[40:42] = bytes(2)
        bench.engine.source.send(message_of(bytes(data[: random.choice([len(data), random.randint(43, len(data))])])))
        await ClockCycles(dut.clk_i, 400)
    await ClockCycles(dut.clk_i, 400)
    assert sum(n for name, n in bench.events.items() if name.startswith(("drop", "used"))) == count, bench.events
    assert await bench.asked("discover", 80)


@cocotb.test()
async def a_register_that_cannot_be_written_is_counted(dut):
    bench = await Bench.start(dut)
    bench.registers.fails = True
    await bench.bind()
    assert bench.events["mark_write_failed"] == len(PLACES) + 2 == bench.raised["write_failed"]


@cocotb.test()
async def one_cycle_and_no_bubbles(dut):
    bench = await Bench.start(dut, stall=0.0)
    await bench.bind(lease=0xFFFFFFFF)
    for size in (18, 86, 470, 1472):
        sent = [message_of(frame_of(udp(bytes(size)))[0]) for _ in range(6)]
        out = await bench.engine.run(sent)
        check_no_bubbles(out)
        assert [message.key for message in out] == [0x0800] * 6
