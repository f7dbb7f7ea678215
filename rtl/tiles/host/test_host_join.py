# SPDX-License-Identifier: Apache-2.0
"""Two tiles at one port to the host: each gets its own answers, data of writes stay with their addresses, and each has half of the beats
when both want them."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, reset

MOST_READS = 8  # that the host has under way
WHOSE = 5  # the bit of an ID that says whose access it is


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_join(data_width):
    run_cocotb("host_join", __file__, data_width=data_width)


class Bench:
    """Two tiles that write and read words of their own, and a host that answers after `late` cycles. beats: of each tile's accesses; none:
    it is silent. Each write has its tile and number in every beat; each read is answered with its address."""

    def __init__(self, dut, beats, late: int = 20, stall: float = 0.0, idle: float = 0.0):
        self.dut, self.beats, self.late, self.stall, self.idle = dut, beats, late, stall, idle
        self.taken = {"aw": [0, 0], "ar": [0, 0]}  # beats of each tile, as the host sees them
        self.answers = {"b": [0, 0], "r": [0, 0]}
        self.asked: dict[str, list[deque]] = {"aw": [deque(), deque()], "ar": [deque(), deque()]}  # that have not been answered: number, beats left
        self.offers: dict[str, list] = {"aw": [None, None], "ar": [None, None]}
        self.data: list[deque] = [deque(), deque()]  # of writes, that the tiles have still to give
        self.shown = [False, False]
        self.numbers = [0, 0]

    @classmethod
    async def start(cls, dut, *arguments, **more) -> "Bench":
        await reset(dut, s_axi_host_arvalid=0, s_axi_host_awvalid=0, s_axi_host_wvalid=0, s_axi_host_rready=3, s_axi_host_bready=3, m_axi_host_rvalid=0, m_axi_host_bvalid=0)
        bench = cls(dut, *arguments, **more)
        cocotb.start_soon(bench.run())
        return bench

    def vector(self, name: str, values: list[int], width: int) -> None:
        getattr(self.dut, f"s_axi_host_{name}").value = values[0] | values[1] << width

    def drive(self) -> None:
        """The tiles: an address that is offered stays; the data of a write follow its address, or come with it."""
        for channel in ("aw", "ar"):
            for tile in (0, 1):
                if self.offers[channel][tile] is None and self.beats[tile]() and random.random() >= self.idle:
                    self.numbers[tile] += 1
                    count = self.beats[tile]()
                    self.offers[channel][tile] = (self.numbers[tile], count)
                    if channel == "aw":
                        self.data[tile] += [(self.numbers[tile], index == count - 1) for index in range(count)]
            offers = [offer or (0, 1) for offer in self.offers[channel]]
            self.vector(f"{channel}valid", [int(offer is not None) for offer in self.offers[channel]], 1)
            self.vector(f"{channel}addr", [number for number, _ in offers], 64)
            self.vector(f"{channel}len", [count - 1 for _, count in offers], 8)
            self.vector(f"{channel}id", [number % 32 for number, _ in offers], 6)
        self.shown = [shown or (bool(data) and random.random() >= self.idle) for shown, data in zip(self.shown, self.data, strict=True)]
        front = [data[0] if shown else (0, False) for shown, data in zip(self.shown, self.data, strict=True)]
        self.vector("wvalid", [int(shown) for shown in self.shown], 1)
        self.vector("wlast", [int(last) for _, last in front], 1)
        self.vector("wdata", [number << 1 | tile for tile, (number, _) in enumerate(front)], 8 * FLIT_BYTES)

    async def run(self) -> None:
        dut = self.dut
        get = lambda name: int(getattr(dut, name).value)  # noqa: E731
        cycle, addresses, beats, came, reads, writes = 0, deque(), 0, deque(), deque(), deque()
        read = written = None
        while True:
            self.drive()
            for channel in ("ar", "aw", "w"):
                room = channel != "ar" or len(reads) < MOST_READS
                getattr(dut, f"m_axi_host_{channel}ready").value = int(room and random.random() >= self.stall)
            read = reads[0] if reads and reads[0][0] <= cycle else None
            dut.m_axi_host_rvalid.value = int(read is not None)
            if read:
                _, name, address, left = read
                dut.m_axi_host_rid.value, dut.m_axi_host_rdata.value, dut.m_axi_host_rlast.value, dut.m_axi_host_rresp.value = name, address, int(left == 1), 0
            written = writes[0] if writes and writes[0][0] <= cycle else None
            dut.m_axi_host_bvalid.value = int(written is not None)
            if written:
                dut.m_axi_host_bid.value, dut.m_axi_host_bresp.value = written[1], 0
            await RisingEdge(dut.clk_i)
            cycle += 1
            # What the tiles have got, and given.
            for tile in (0, 1):
                for channel in ("aw", "ar"):
                    if self.offers[channel][tile] and get(f"s_axi_host_{channel}ready") >> tile & 1:
                        self.asked[channel][tile].append(list(self.offers[channel][tile]))
                        self.offers[channel][tile] = None
                if self.shown[tile] and get("s_axi_host_wready") >> tile & 1:
                    self.data[tile].popleft()
                    self.shown[tile] = False
                if get("s_axi_host_rvalid") >> tile & 1:
                    oldest = self.asked["ar"][tile][0]
                    assert get("s_axi_host_rdata") >> 8 * FLIT_BYTES * tile & (1 << 64) - 1 == oldest[0]
                    assert get("s_axi_host_rid") >> 6 * tile & 63 == oldest[0] % 32
                    oldest[1] -= 1
                    assert bool(get("s_axi_host_rlast") >> tile & 1) == (oldest[1] == 0)
                    self.answers["r"][tile] += 1
                    if not oldest[1]:
                        self.asked["ar"][tile].popleft()
                if get("s_axi_host_bvalid") >> tile & 1:
                    assert get("s_axi_host_bid") >> 6 * tile & 63 == self.asked["aw"][tile].popleft()[0] % 32
                    self.answers["b"][tile] += 1
            if read:
                reads[0][3] -= 1
                if not reads[0][3]:
                    reads.popleft()
            if written:
                writes.popleft()
            # What the host has got.
            if get("m_axi_host_arvalid") and get("m_axi_host_arready"):
                name, count = get("m_axi_host_arid"), get("m_axi_host_arlen") + 1
                reads.append([cycle + self.late, name, get("m_axi_host_araddr"), count])
                self.taken["ar"][name >> WHOSE] += count
            if get("m_axi_host_awvalid") and get("m_axi_host_awready"):
                addresses.append((get("m_axi_host_awid"), get("m_axi_host_awaddr"), get("m_axi_host_awlen") + 1))
            if get("m_axi_host_wvalid") and get("m_axi_host_wready"):
                came.append((get("m_axi_host_wdata"), bool(get("m_axi_host_wlast"))))
            while addresses and came:  # a beat may be there before its address, as AXI4 allows
                name, number, count = addresses[0]
                beats += 1
                assert came.popleft() == (number << 1 | name >> WHOSE, beats == count), "a beat of another write"
                self.taken["aw"][name >> WHOSE] += 1
                if beats == count:
                    addresses.popleft()
                    writes.append((cycle + self.late, name))
                    beats = 0


async def cycles(dut, count: int) -> None:
    for _ in range(count):
        await RisingEdge(dut.clk_i)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], stall=[0.0, 0.4])
async def each_gets_its_own(dut, idle, stall):
    sizes = [lambda: random.choice((1, 1, 2, 5)), lambda: random.choice((1, 3, 16))]
    bench = await Bench.start(dut, sizes, idle=idle, stall=stall)
    await cycles(dut, 800)
    bench.beats = [lambda: 0, lambda: 0]
    await cycles(dut, 700)
    assert not any(bench.asked["aw"] + bench.asked["ar"] + bench.data)
    assert min(bench.answers["b"] + bench.answers["r"]) > 20
    assert bench.taken["ar"] == bench.answers["r"]


@cocotb.test()
@cocotb.parametrize(other=[1, 16, 64])
async def each_has_half_of_the_beats(dut, other):
    """Whatever the sizes of their accesses."""
    bench = await Bench.start(dut, [lambda: 4, lambda: other])
    await cycles(dut, 2500)
    first, second = bench.taken["aw"]
    assert abs(first - second) <= 0.06 * (first + second), bench.taken
    assert first + second > 0.9 * 2500


@cocotb.test()
async def one_alone_has_all_and_is_not_paid_back_for_long(dut):
    """A write of a beat in every cycle; the other then has a few hundred beats first, and half from then on."""
    bench = await Bench.start(dut, [lambda: 1, lambda: 0])
    await cycles(dut, 2000)
    assert bench.taken["aw"][0] > 1950 and not bench.taken["aw"][1]
    bench.beats[1] = lambda: 1
    await cycles(dut, 400)
    before = list(bench.taken["aw"])
    await cycles(dut, 1000)
    first, second = (now - then for now, then in zip(bench.taken["aw"], before, strict=True))
    assert abs(first - second) < 60
