# SPDX-License-Identifier: Apache-2.0
"""host_filter against what virtio 1.2 (5.1.6.5.1 to 5.1.6.5.3) says a driver receives; also while the driver changes its mind and messages wait."""

import random
import struct
from dataclasses import dataclass, field

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import Message, Sink, Source, reset, settle

ADDRESSES = 3
BROADCAST = b"\xff" * 6
VLANS = {0, 1, 5, 0x800, 0xFFF}  # that have been added
OTHER_VLANS = (2, 4, 0x7FF, 0xFFE)
MODES = ("receive", "promiscuous", "all_multicast", "many_unicast", "many_multicast", "vlan", "vlans_known")  # bit 0 first


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_filter(data_width):
    run_cocotb("host_filter", __file__, data_width=data_width, parameters={"Addresses": ADDRESSES})


def address(group: bool) -> bytes:
    return bytes([random.getrandbits(8) & 0xFE | group]) + random.randbytes(5)


STATIONS = [address(group) for group in (False, False, False, True, True, True)] + [BROADCAST]


@dataclass
class Wish:
    """What a driver has said."""

    modes: set[str] = field(default_factory=set)
    mine: bytes = STATIONS[0]
    table: list[bytes] = field(default_factory=list)

    @classmethod
    def any(cls) -> "Wish":
        modes = {mode for mode in MODES if random.random() < (0.85 if mode in ("receive", "vlan", "vlans_known") else 0.2)}
        return cls(modes, random.choice(STATIONS[:3]), random.sample(STATIONS[:-1], random.randint(0, ADDRESSES)))

    def gets(self, to: bytes, vlan: int | None) -> bool:
        if "promiscuous" in self.modes:
            return True
        if vlan is not None and "vlan" in self.modes and ("vlans_known" not in self.modes or vlan not in VLANS):
            return False
        if "receive" not in self.modes or to in (BROADCAST, self.mine, *self.table):
            return True
        all_of_sort = ("all_multicast", "many_multicast") if to[0] & 1 else ("many_unicast",)
        return any(mode in self.modes for mode in all_of_sort)

    def say(self, dut) -> None:
        dut.modes_i.value = sum(1 << bit for bit, mode in enumerate(MODES) if mode in self.modes)
        dut.mac_i.value = int.from_bytes(self.mine, "little")
        rest = [random.choice(STATIONS) for _ in range(ADDRESSES - len(self.table))]  # what is there beyond those that count
        dut.known_i.value = (1 << len(self.table)) - 1
        dut.addresses_i.value = sum(int.from_bytes(one, "little") << 48 * at for at, one in enumerate([*self.table, *rest]))


class Filter:
    """host_filter with the VLANs that have been added, the drops that it tells, and who sends to it and receives."""

    def __init__(self, dut, idle: float, stall: float):
        self.dut, self.drops = dut, {"address": 0, "vlan": 0}
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        cocotb.start_soon(self._count())

    @classmethod
    async def start(cls, dut, idle: float, stall: float) -> "Filter":
        await reset(dut, in_valid_i=0, out_ready_i=0, modes_i=0, mac_i=0, known_i=0, addresses_i=0, vlan_write_i=0, vlan_i=0, vlan_pass_i=0)
        dut.vlan_write_i.value = 1
        for vlan in range(4096):
            dut.vlan_i.value, dut.vlan_pass_i.value = vlan, int(vlan in VLANS)
            await RisingEdge(dut.clk_i)
        dut.vlan_write_i.value = 0
        return cls(dut, idle, stall)

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            for reason in self.drops:
                self.drops[reason] += int(getattr(self.dut, f"drop_{reason}_o").value)


def frames(count: int) -> list[tuple[bytes, int | None, bytes]]:
    """To whom, of which VLAN, the frame; all different."""
    made = []
    for number in range(count):
        to, vlan = random.choice(STATIONS), random.choice((None, None, *VLANS, *OTHER_VLANS))
        tag = b"" if vlan is None else struct.pack(">HH", 0x8100, random.randrange(16) << 12 | vlan)
        made.append((to, vlan, to + bytes(6) + tag + struct.pack(">HI", 0x88B5, number) + random.randbytes(random.choice((0, 30, 46, 47, 300)))))
    return made


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], stall=[0.0, 0.4])
async def those_that_are_wanted_come(dut, idle, stall):
    """In their order; each of the others is counted once."""
    host, expected = await Filter.start(dut, idle, stall), []
    others = {"address": 0, "vlan": 0}
    for _ in range(25):
        wish = Wish.any()
        wish.say(dut)
        some = frames(15)
        host.source.send(*(Message(data) for *_, data in some))
        await settle(dut, host.source, host.sink)
        expected += [data for to, vlan, data in some if wish.gets(to, vlan)]
        for to, vlan, _ in some:
            if not wish.gets(to, vlan):
                others["vlan" if wish.gets(to, None) else "address"] += 1
    assert [message.data for message in host.sink.messages] == expected
    assert host.drops == others and all(others.values())


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], stall=[0.0, 0.8])
async def vlans_that_come_and_go_are_in_no_frames_way(dut, idle, stall):
    """The driver adds and removes VLANs while frames of others pass: these are judged as before, and none is lost or comes twice."""
    host, wish = await Filter.start(dut, idle, stall), Wish({"vlan", "vlans_known"})
    wish.say(dut)
    some = frames(300)
    host.source.send(*(Message(data) for *_, data in some))
    while host.source.busy:
        dut.vlan_write_i.value, dut.vlan_i.value, dut.vlan_pass_i.value = int(random.random() < 0.4), random.randrange(100, 200), random.getrandbits(1)
        await RisingEdge(dut.clk_i)
    dut.vlan_write_i.value = 0
    await settle(dut, host.source, host.sink)
    wanted = [data for to, vlan, data in some if wish.gets(to, vlan)]
    assert [message.data for message in host.sink.messages] == wanted
    assert host.drops == {"address": 0, "vlan": len(some) - len(wanted)} and len(wanted) < len(some)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], stall=[0.0, 0.8])
async def a_frame_is_judged_by_one_wish(dut, idle, stall):
    """While the driver changes between two in any cycle, what both want comes, and what neither wants does not: never is half of one used with half of the other."""
    host = await Filter.start(dut, idle, stall)
    for _ in range(25):
        wishes = [Wish.any(), Wish.any()]
        wishes[0].say(dut)
        some, before = frames(40), len(host.sink.messages)
        host.source.send(*(Message(data) for *_, data in some))
        while host.source.busy:
            await RisingEdge(dut.clk_i)
            if random.random() < 0.3:
                random.choice(wishes).say(dut)
        for _ in range(8):
            random.choice(wishes).say(dut)
            await RisingEdge(dut.clk_i)
        await settle(dut, host.source, host.sink)
        came = [message.data for message in host.sink.messages[before:]]
        for to, vlan, data in some:
            both = {wish.gets(to, vlan) for wish in wishes}
            assert len(both) == 2 or both == {data in came}, (wishes, to.hex(), vlan)
