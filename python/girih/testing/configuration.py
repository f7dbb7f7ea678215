# SPDX-License-Identifier: Apache-2.0
"""Whether an engine handles each message under one configuration.

    The configuration changes at random while the output stalls. Offered flits must not change, and each message that comes out
    must be one that the engine makes of some message under a single configuration.

An engine's links are found by the names of its ports: `in_`, `out_`, `s_axis_`, `m_axis_`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import ARP, Ether

from girih.spec.kinds import Kind
from girih.testing.engines import echo_request, frame_of, random_options, udp
from girih.testing.messages import FLIT_BYTES, FirstPort, Message, Sink, Source, reset

CONFIGURATIONS = 3
MACS = [f"02:00:00:00:00:{16 * n:02x}" for n in range(CONFIGURATIONS)]
ADDRESSES = [f"10.0.0.{n + 1}" for n in range(CONFIGURATIONS)]
NUMBER_BITS = 8  # bits of random numbers in a configuration: times must stay short
MESSAGES = 40
QUIET = 300  # cycles without a message after which an engine is taken to be idle
CHANGES = 0.3  # probability in each cycle that the configuration changes


def number_of(address: str) -> int:
    return int.from_bytes(bytes(map(int, address.split("."))), "big")


# The first two decide for which address a message waits. A waiting message keeps them, so they do not change. With `announce` an engine
# sends by itself whenever its address changes.
SETTLED = {"netmask": number_of("255.255.255.0"), "gateway": number_of("10.0.0.254"), "announce": 0}


def configuration(kind: Kind, index: int) -> int:
    """Value number `index` of `cfg_i`. Each has its own addresses, which the traffic uses, too."""
    word = 0
    for field in kind.config:
        for _ in range(field.count or 1):
            if field.name in SETTLED:
                value = SETTLED[field.name]
            elif field.format == "mac":
                value = int(MACS[index].replace(":", ""), 16)
            elif field.format == "ipv4":
                value = number_of(ADDRESSES[index])
            else:
                value = random.getrandbits(min(field.width, NUMBER_BITS))
            word = word << field.width | value
    return word


def too_big(payload: bytes, **fields: Any) -> IP:
    """An error about a segment of TCP that was too big for a path (RFC 1191)."""
    quoted = IP(src=random.choice(ADDRESSES), dst="10.0.0.9", flags="DF") / TCP(sport=7, dport=1024, seq=random.getrandbits(32)) / payload
    return IP(**fields) / ICMP(type=3, code=4, nexthopmtu=random.randint(68, 1400)) / quoted


def random_messages() -> list[Message]:
    """UDP, echo requests, errors of a path that a packet was too big for, also in packets of a tunnel, and ARP between the addresses that
    configurations use, of one flit and of more."""
    messages = []
    for _ in range(MESSAGES):
        src, dst = random.choice(["10.0.0.9", "0.0.0.0"]), random.choice([*ADDRESSES, "10.0.0.9", "192.0.2.1"])
        if random.random() < 0.3:
            ether = Ether(src="06:00:00:00:00:07", dst="ff:ff:ff:ff:ff:ff")
            frame = bytes(ether / ARP(op=random.choice([1, 2]), psrc=src, pdst=dst, hwsrc="06:00:00:00:00:07")).ljust(60, b"\0")
            l3_offset, l4_offset = 14, 34
        else:
            make = random.choice([udp, udp, echo_request, too_big])
            packet = make(random.randbytes(random.choice([0, 18, 3 * FLIT_BYTES])), src=src, dst=dst, options=random_options())
            if random.random() < 0.3:
                packet = IP(src=random.choice(ADDRESSES), dst=dst, proto=4, tos=random.getrandbits(8)) / packet
            frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3)
            frame = bytes.fromhex(random.choice(MACS).replace(":", "")) + frame[6:]
        offsets = {"l3_offset": l3_offset, "l4_offset": l4_offset, "payload_offset": l4_offset + 8}
        messages.append(Message(frame, offsets | {"length": len(frame), "port": random.getrandbits(4)}))
    return messages


class AxisSource:
    """Drives `s_axis_` with frames."""

    def __init__(self, dut):
        self._dut, self._frames = dut, []
        dut.s_axis_tvalid.value = 0
        cocotb.start_soon(self._run())

    def send(self, *messages: Message) -> None:
        self._frames += [message.data for message in messages]

    @property
    def busy(self) -> bool:
        return bool(self._frames)

    async def _run(self) -> None:
        dut = self._dut
        while True:
            await RisingEdge(dut.clk_i)
            if not self._frames:
                continue
            beats = [self._frames[0][i : i + FLIT_BYTES] for i in range(0, len(self._frames[0]), FLIT_BYTES)]
            for index, beat in enumerate(beats):
                dut.s_axis_tvalid.value, dut.s_axis_tlast.value = 1, int(index == len(beats) - 1)
                dut.s_axis_tdata.value, dut.s_axis_tkeep.value = int.from_bytes(beat, "little"), (1 << len(beat)) - 1
                dut.s_axis_tuser.value = 0
                await RisingEdge(dut.clk_i)
                while dut.s_axis_tready.value != 1:
                    await RisingEdge(dut.clk_i)
                dut.s_axis_tvalid.value = 0
            self._frames.pop(0)


class AxisSink:
    """Collects the frames of `m_axis_`, and checks that a beat that waits does not change."""

    def __init__(self, dut, stall: float):
        self._dut, self.stall = dut, stall
        self.messages: list[Message] = []
        cocotb.start_soon(self._run())

    @property
    def busy(self) -> bool:
        return self._dut.m_axis_tvalid.value == 1

    async def _run(self) -> None:
        dut, held, data = self._dut, None, b""
        while True:
            await RisingEdge(dut.clk_i)
            beat = None
            if dut.m_axis_tvalid.value == 1 and dut.rst_i.value == 0:
                beat = tuple(int(getattr(dut, f"m_axis_{name}").value) for name in ("tdata", "tkeep", "tlast", "tuser"))
            assert held in (None, beat), "a beat changed, or was withdrawn, while it was held back"
            held = beat
            if beat is not None and dut.m_axis_tready.value == 1:
                held = None
                data += beat[0].to_bytes(FLIT_BYTES, "little")[: beat[1].bit_count()]
                if beat[2]:
                    self.messages.append(Message(data, bad=bool(beat[3])))
                    data = b""
            dut.m_axis_tready.value = int(random.random() >= self.stall)


@dataclass
class Links:
    """All data links of an engine."""

    dut: Any
    sources: list[Source | AxisSource]
    sinks: list[Sink | AxisSink]

    @classmethod
    async def start(cls, dut) -> Links:
        idle = ("in_valid_i", "out_ready_i", "s_axis_tvalid", "m_axis_tready", "window_valid_i", "now_i")
        await reset(dut, **{name: 0 for name in idle if hasattr(dut, name)})
        sources: list[Source | AxisSource] = [Source(dut)] if hasattr(dut, "in_valid_i") else []
        sinks: list[Sink | AxisSink] = [Sink(dut)] if hasattr(dut, "out_valid_o") else []
        sources += [AxisSource(dut)] if hasattr(dut, "s_axis_tvalid") else []
        sinks += [AxisSink(dut, 0.0)] if hasattr(dut, "m_axis_tvalid") else []
        return cls(dut, sources, sinks)

    def stall(self, probability: float) -> None:
        for sink in self.sinks:
            sink.stall = probability

    async def restart(self, word: int) -> None:
        self.dut.cfg_i.value = word
        self.dut.rst_i.value = 1
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_i.value = 0

    async def run(self, *messages: Message) -> set[tuple]:
        """Sends the messages and returns those that come out, as values that can be compared."""
        for source in self.sources:
            source.send(*messages)
        quiet = 0
        while quiet < (QUIET if len(messages) > 1 else QUIET // 4):
            await RisingEdge(self.dut.clk_i)
            quiet = 0 if any(end.busy for end in self.sources + self.sinks) else quiet + 1
        out = {
            (message.data, message.bad, message.key, str({k: v for k, v in message.desc.items() if not k.startswith("timestamp")}))
            for sink in self.sinks
            for message in sink.messages
        }
        for sink in self.sinks:
            sink.messages.clear()
        return out


async def check_one_configuration_each(dut, kind: Kind) -> None:
    """Runs the engine under each of several configurations by itself, then under all of them in turn."""
    dut = FirstPort(dut) if kind.many_ports else dut
    words = [configuration(kind, index) for index in range(CONFIGURATIONS)]
    messages = random_messages()
    dut.cfg_i.value = words[0]
    links = await Links.start(dut)
    possible = set()
    for word in words:
        await links.restart(word)
        possible |= await links.run(*messages)
        for message in messages:  # as the first one after a reset, too
            await links.restart(word)
            possible |= await links.run(message)
    assert possible, "the engine sends nothing under any configuration"

    changing = cocotb.start_soon(_change(dut, words))
    for stall in (0.0, 0.5, 0.9):
        await links.restart(words[0])
        links.stall(stall)
        mixed = (await links.run(*messages)) - possible
        assert not mixed, f"{len(mixed)} messages are not what any single configuration makes; the first: {next(iter(mixed))}"
    changing.cancel()


async def _change(dut, words: list[int]) -> None:
    while True:
        await RisingEdge(dut.clk_i)
        if random.random() < CHANGES:
            dut.cfg_i.value = random.choice(words)
