# SPDX-License-Identifier: Apache-2.0
"""What the tests of the crossings share: two unrelated clocks, flip-flops that may take the old or the new value of an input that changes near their
edge, and a source, a sink and resets in clock domains of their own."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time

from girih.build.generate import digest, write_if_changed
from girih.build.sources import modules
from girih.paths import BUILD
from girih.testing import run_cocotb

LEAST_PS = 2_000  # any period, jitter included
SLOWEST_PS = 24_000
SPARE_PS = 20 * SLOWEST_PS
MOODS = [0, 0.3, 0.9]

# Each bit that crosses arrives at the first flip-flop of its synchroniser up to 0.6 periods of its own clock late, a different delay for each bit, as
# the constraints allow. So the flip-flop takes the old or the new value of an input that changes near its edge, at random. It has to know the
# source's clock, so copies of the modules pass it on.
UNSURE = [
    ("synchroniser", "    input logic clk_i,\n", "    input logic clk_i, from_clk_i,\n"),
    (
        "synchroniser",
        "    stage_q[0] <= in_i;\n",
        "    for (int unsigned b = 0; b < Width; b++)\n      stage_q[0][b] <= in_i[b] ^ ($realtime < arrives[b]);\n",
    ),
    (
        "synchroniser",
        "  assign out_o",
        """\
  /* verilator lint_off BLKSEQ */
  realtime arrives[Width], edge_at, period;
  logic [Width-1:0] was;
  always @(posedge from_clk_i) begin
    period = $realtime - edge_at;
    edge_at = $realtime;
  end
  always @(in_i) begin
    for (int unsigned b = 0; b < Width; b++)
      arrives[b] = in_i[b] != was[b] ? $realtime + 0.0006 * period * $urandom_range(1000) : 0;
    was = in_i;
  end
  /* verilator lint_on BLKSEQ */

  assign out_o""",
    ),
    ("cdc_clear", "    input logic rst_i,\n", "    input logic rst_i, from_clk_i,\n"),
    ("cdc_clear", ".in_i (", ".from_clk_i, .in_i ("),
]
# The signals that cross, and the side each comes from.
FROM = {"read_gray_q": "out", "write_gray_q": "in", "taken_q": "out", "given_q": "in"}


def unsure(top: str) -> list[tuple[str, str, str]]:
    """The edits that make the synchronisers of a crossing unsure: (module, old text, new text). Each old text occurs once."""
    text = modules()[top].read_text()
    pins = [(f".in_i ({name})", side) for name, side in FROM.items() if f".in_i ({name})" in text]
    pins += [(f".state_i({side}_state)", side) for side in ("in", "out")]
    return [*UNSURE, *((top, pin, f".from_clk_i({side}_clk_i), {pin}") for pin, side in pins)]


def run_crossing(
    top: str,
    test_file: str,
    *,
    stages: int = 2,
    parameters: dict[str, object] | None = None,
    sure: bool = False,
    broken: Sequence[tuple[str, str, str]] = (),
    testcase: str | list[str] | None = None,
    inside: bool = False,
) -> None:
    """`run_cocotb` with unsure synchronisers, or ordinary ones if `sure`. broken: further edits, (module, old text, new text), of text that occurs
    once."""
    changes = [*([] if sure else unsure(top)), *broken]
    generated = [copies(top, changes)] if changes else []
    run_cocotb(
        top,
        test_file,
        parameters={"Stages": stages, **(parameters or {})},
        generated=generated,
        testcase=testcase,
        inside=inside,
        environment={"GIRIH_STAGES": str(stages)},
    )


def copies(top: str, changes: Sequence[tuple[str, str, str]]) -> Path:
    """A folder with changed copies of the modules of a crossing."""
    names = ("synchroniser", "cdc_clear", top)
    texts = {name: f"/* verilator lint_off SYNCASYNCNET */\n{modules()[name].read_text()}" for name in names}
    for module, old, new in changes:
        if texts[module].count(old) != 1:
            raise ValueError(
                f"{module}.sv holds {old!r} {texts[module].count(old)} times, so it cannot be changed there"
            )
        texts[module] = texts[module].replace(old, new)
    folder = BUILD / "cdc" / digest(*texts.values())
    for module, text in texts.items():
        write_if_changed(folder / f"{module}.sv", text)
    return folder


def now() -> int:
    """The time in ps."""
    return int(get_sim_time("ps"))


class Clock:
    """A clock with uniformly distributed jitter; `period` and `jitter`, in ps, may change while it runs."""

    def __init__(self, signal, period: int, jitter: int = 0) -> None:
        self.signal, self.period, self.jitter = signal, period, jitter
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        await Timer(random.randint(1, self.period), unit="ps")
        while True:
            for level in (1, 0):
                self.signal.value = level
                half = self.period // 2 + random.randint(0, self.jitter // 2)
                await Timer(max(half, LEAST_PS // 2), unit="ps")

    def draw(self) -> None:
        """Draws another period and jitter, possibly none: 2 to 16 ns, so that ratios reach 8."""
        self.period = random.choice([LEAST_PS, 2_500, 3_103, 4_000, 4_001, 5_000, 6_206, 7_777, 16_000])
        self.jitter = random.choice([0, 0, 100, self.period // 2])


@dataclass
class Link:
    """What passed, in order, as (time in ps, entry), and when resets of each side began."""

    given: list[tuple[int, int]] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)
    resets: list[int] = field(default_factory=list)
    idle: float = 0
    stall: float = 0


async def source(dut, link: Link) -> None:
    """Offers entries that count up, endlessly; each stays until it is taken or its side is reset."""
    entry, offered = 0, False
    while True:
        await RisingEdge(dut.in_clk_i)
        if dut.in_rst_i.value == 1:
            offered = False
        elif offered and dut.in_ready_o.value == 1:
            link.given.append((now(), entry))
            entry, offered = entry + 1, False
        offered = offered or random.random() >= link.idle
        dut.in_valid_i.value = int(offered)
        dut.in_data_i.value = entry & 0xFF


async def sink(dut, link: Link) -> None:
    """Takes entries endlessly, and checks that an offer holds until it is taken or its side is reset."""
    offered = None
    while True:
        await RisingEdge(dut.out_clk_i)
        if dut.out_rst_i.value == 1:
            offered = None
        elif dut.out_valid_o.value == 1:
            entry = int(dut.out_data_o.value)
            assert offered in (None, entry), "the data of a waiting entry changed"
            offered = entry
            if dut.out_ready_i.value == 1:
                link.taken.append((now(), entry))
                offered = None
        else:
            assert offered is None, "a waiting entry vanished"
        dut.out_ready_i.value = int(random.random() >= link.stall)


async def reset(dut, side: str, cycles: int, link: Link | None = None) -> None:
    """Resets one side (`in` or `out`), synchronous to its clock."""
    clk, rst = getattr(dut, f"{side}_clk_i"), getattr(dut, f"{side}_rst_i")
    await RisingEdge(clk)
    if link:
        link.resets.append(now())
    rst.value = 1
    for _ in range(cycles):
        await RisingEdge(clk)
    rst.value = 0


async def reset_while_reset(dut, stages: int, link: Link) -> None:
    """Resets one side for so long that `judge` excuses nothing that is lost after the end, and the other one briefly meanwhile, in any phase."""
    longer, other = random.sample(["in", "out"], 2)
    running = cocotb.start_soon(reset(dut, longer, (settling_ps(stages, 2 * SLOWEST_PS) + SPARE_PS) // LEAST_PS, link))
    for _ in range(random.randint(1, 3)):
        await Timer(random.randint(1, settling_ps(stages, SLOWEST_PS) // 2), unit="ps")
        await reset(dut, other, random.choice([1, 2, 5]), link)
    await running


async def start(dut, in_ps: int, out_ps: int) -> tuple[Clock, Clock]:
    """Starts both clocks and releases both resets, each at a time of its own."""
    dut.in_rst_i.value = dut.out_rst_i.value = 1
    dut.in_clk_i.value = dut.out_clk_i.value = 0
    dut.in_valid_i.value = dut.out_ready_i.value = 0
    clocks = Clock(dut.in_clk_i, in_ps), Clock(dut.out_clk_i, out_ps)
    sides = [cocotb.start_soon(reset(dut, side, random.randint(20, 60))) for side in ("in", "out")]
    for side in sides:
        await side
    return clocks


def settling(stages: int, *clocks: Clock) -> int:
    """The time in ps in which both sides of a crossing are open again after a reset: five phases there and back."""
    return settling_ps(stages, sum(clock.period + clock.jitter for clock in clocks))


def settling_ps(stages: int, periods_ps: int) -> int:
    """The same for a sum of both periods."""
    return 5 * (stages + 2) * periods_ps


def judge(link: Link, settle: int) -> None:
    """What was taken is what was given, in order and once. Only a reset drops entries, and those form one run: given before the reset, or up to
    `settle` ps after it began."""
    gaps, place = [], 0
    for when, entry in link.taken:
        first = place
        while place < len(link.given) and link.given[place][1] & 0xFF != entry:
            place += 1
        assert place < len(link.given) and link.given[place][0] < when, (
            f"entry {entry} at {when} ps was not given, or came twice"
        )
        if place != first:
            gaps.append((first, place, when))
        place += 1
    if place != len(link.given):
        gaps.append((place, len(link.given), now()))
    for first, last, when in gaps:
        given = link.given[last - 1][0]
        assert any(begin <= when and given <= begin + settle for begin in link.resets), (
            f"{first} to {last - 1} were lost at {when} ps"
        )


async def cross(dut, *, rounds: int, resets: bool) -> Link:
    """Entries cross at random ratios of clocks, idles and stalls; with resets of either side or both, short and long."""
    stages, link = int(os.environ["GIRIH_STAGES"]), Link()
    clocks = await start(dut, 4_000, 4_000)
    cocotb.start_soon(source(dut, link))
    cocotb.start_soon(sink(dut, link))
    for _ in range(rounds):
        link.idle, link.stall = random.choice(MOODS), random.choice(MOODS)
        for clock in clocks:
            clock.draw()
        settle = settling(stages, *clocks)
        await Timer(random.randint(settle, 2 * settle), unit="ps")
        if resets:
            before = len(link.given), len(link.taken)
            sides = random.choice([["in"], ["out"], ["in", "out"]])
            running = [cocotb.start_soon(reset(dut, side, random.choice([1, 2, 30]), link)) for side in sides]
            for one in running:
                await one
            if random.random() < 0.2:
                await reset_while_reset(dut, stages, link)
            elif random.random() < 0.3:  # a second reset before the round has ended
                await Timer(random.randint(1, settle), unit="ps")
                await reset(dut, random.choice(["in", "out"]), 1, link)
            await Timer(settle, unit="ps")
            link.idle = link.stall = 0
            await Timer(settle, unit="ps")
            assert len(link.given) > before[0] and len(link.taken) > before[1], "it does not open again"
    link.idle, link.stall = 1, 0
    await Timer(2 * settling(stages, *clocks) + SPARE_PS, unit="ps")
    judge(link, settling(stages, *clocks) + SPARE_PS)
    return link


async def rates(dut, periods: Sequence[tuple[int, int]], *, cycles: int = 400) -> dict[tuple[int, int], float]:
    """Entries per cycle of the slower clock when they are always offered and always taken, for each pair of periods in ps."""
    link, found = Link(), {}
    clocks = await start(dut, 4_000, 4_000)
    cocotb.start_soon(source(dut, link))
    cocotb.start_soon(sink(dut, link))
    for pair in periods:
        for clock, period in zip(clocks, pair, strict=True):
            clock.period = period
        await Timer(50 * max(pair), unit="ps")
        before = len(link.taken)
        await Timer(cycles * max(pair), unit="ps")
        found[pair] = (len(link.taken) - before) / cycles
    return found
