# SPDX-License-Identifier: Apache-2.0
"""The options of a SYN against a reader of bytes, and how long they take."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

MOST, STAMP_BYTES = 40, 12
END, PAD, MSS, SCALE, PERMIT, STAMP = b"\0", b"\1", b"\2\4", b"\3\3", b"\4\2", b"\x08\x0a"
DEFAULT_MSS, LEAST_MSS, HEADERS = 536, 64, 54


def test_tcp_syn():
    run_cocotb("tcp_syn", __file__)


def read(options: bytes) -> dict[str, Any]:
    """What the options say: the last one of a kind counts, and one with a wrong length ends them."""
    found: dict[str, Any] = {"mss": DEFAULT_MSS, "sacks": False, "scaled": False, "shift": 0, "stamp": None}
    while options and options[0]:
        if options[0] == 1:
            options = options[1:]
            continue
        if len(options) < 2 or not 2 <= options[1] <= len(options):
            break
        option, options = options[: options[1]], options[options[1] :]
        if option[:2] == MSS:
            found["mss"] = min(max(int.from_bytes(option[2:], "big"), LEAST_MSS), int(os.environ["GIRIH_MAX_FRAME"]) - HEADERS)
        elif option[:2] == PERMIT:
            found["sacks"] = True
        elif option[:2] == SCALE:
            found |= {"scaled": True, "shift": min(option[2], 14)}
        elif option[:2] == STAMP:
            found["stamp"] = int.from_bytes(option[2:], "big")
    return found


class Syn:
    def __init__(self, dut):
        self.dut = dut

    @classmethod
    async def start(cls, dut) -> Syn:
        dut.start_i.value, dut.waits_i.value = 0, 0
        start_clock(dut)
        return cls(dut)

    async def parsed(self, options: bytes) -> int:
        """Checks what the module finds; its cycles. Bytes behind the options are those of something else."""
        dut = self.dut
        assert len(options) % 4 == 0
        bare = options[STAMP_BYTES:] if options.startswith(PAD + PAD + STAMP) and len(options) >= STAMP_BYTES else options
        trail = random.choice((random.randbytes(MOST), PAD + PAD + PERMIT + STAMP * 20, (PAD + SCALE + b"\5") * 10))
        await RisingEdge(dut.clk_i)
        dut.start_i.value, dut.waits_i.value = 1, 0
        dut.options_i.value = int.from_bytes((options + trail)[:MOST], "little")
        dut.options_words_i.value = len(options) // 4
        dut.rest_bytes_i.value = len(bare)
        window = int.from_bytes((bare + trail)[:MOST], "little")
        await RisingEdge(dut.clk_i)
        dut.start_i.value, dut.waits_i.value = 0, 1
        stamp = read(options[:STAMP_BYTES])["stamp"] if bare is not options else None
        dut.stamp_i.value = 0 if stamp is None else 1 << 64 | stamp
        cycles, done = 0, False
        while not done and cycles < MOST + 4:
            cycles += 1
            dut.window_i.value = window & ((1 << 80) - 1)
            await FallingEdge(dut.clk_i)
            walks, done = bool(dut.walks_o.value), bool(dut.done_o.value)
            if not done:
                await RisingEdge(dut.clk_i)
                window >>= 8 * walks
        assert done and not walks
        got = {"mss": int(dut.mss_o.value), "sacks": bool(dut.sacks_o.value), "scaled": bool(dut.scaled_o.value)}
        stamp_o = int(dut.stamp_o.value)
        got |= {"shift": int(dut.shift_o.value) if got["scaled"] else 0, "stamp": stamp_o & ((1 << 64) - 1) if stamp_o >> 64 else None}
        assert got == read(options), options.hex(" ")
        return cycles


@cocotb.test()
async def options_of_known_stacks_take_a_cycle(dut):
    syn = await Syn.start(dut)
    for _ in range(300):
        mss = MSS + random.choice((b"\x05\xb4", b"\0\0", random.randbytes(2)))
        stamp = STAMP + random.choice((random.randbytes(8), (PAD + SCALE + b"\7") * 2, PAD + PAD + STAMP + PAD + PAD + PERMIT))
        scale = PAD + SCALE + bytes([random.choice((0, 7, 14, 15, 255))])
        permit = PAD + PAD + PERMIT
        layouts = {
            "none": b"",
            "MSS alone": mss,
            "Linux": mss + PERMIT + stamp + scale,
            "Linux without time stamps": mss + permit + scale,
            "Linux without SACK": mss + PAD + PAD + stamp + scale,
            "Windows": mss + scale + permit,
            "FreeBSD": mss + scale + PERMIT + stamp,
            "macOS": mss + scale + PAD + PAD + stamp + PERMIT + END + END,
            "macOS without time stamps": mss + scale + PERMIT + END + END,
            "this card": mss + PAD + PAD + stamp + permit + scale,
        }
        for name, options in layouts.items():
            assert await syn.parsed(options) == 1, name


@cocotb.test()
async def any_options_are_read(dut):
    """Well formed ones in any order and number, ones that are cut, whose lengths are wrong, or with stray bytes: at most two cycles more than bytes."""
    syn = await Syn.start(dut)
    quick = 0
    for _ in range(4000):
        parts = []
        for _ in range(random.randrange(9)):
            part = random.choice(
                (MSS + random.randbytes(2), PERMIT, SCALE + random.randbytes(1), STAMP + random.randbytes(8), PAD, PAD + PAD, END, b"\xc8\x05abc", PAD + SCALE + random.randbytes(1),
                 PAD + PAD + PERMIT, PAD + PAD + STAMP + random.randbytes(8), PERMIT + STAMP + random.randbytes(8), random.randbytes(random.randrange(1, 4)),
                 random.choice((b"\2", b"\3", b"\4", b"\x08")) + random.choice((b"\0", b"\1", b"\2", b"\3", b"\4", b"\x0a", b"\x14")))
            )  # fmt: skip
            parts.append(part)
        if random.random() < 0.5:
            parts.insert(0, MSS + random.randbytes(2))
        options = b"".join(parts)[:MOST]
        options += random.choice((PAD, END)) * (-len(options) % 4)
        cycles = await syn.parsed(options)
        assert cycles == 1 or cycles <= len(options) + 2
        quick += cycles == 1
    assert quick > 300


@cocotb.test()
async def words_that_look_alike_are_told_apart(dut):
    """Every sequence of up to four of the words that the quick reader knows, and their likes, and then some."""
    syn = await Syn.start(dut)
    words = [MSS + b"\4\0", PAD + PAD + PERMIT, PERMIT + PAD + PAD, PERMIT + STAMP, PAD + PAD + STAMP, PAD + SCALE + b"\2", PERMIT + END + END, SCALE + b"\3" + PAD, END * 4]
    for first in words:
        for second in words:
            for third in words:
                for fourth in words:
                    rest = b"".join(random.choice(words) for _ in range(random.randrange(7)))
                    await syn.parsed((first + second + third + fourth + rest)[: 4 * random.randrange(1, 11)])
