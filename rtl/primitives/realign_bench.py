# SPDX-License-Identifier: Apache-2.0
"""Common parts of the realigners' tests: byte streams to beats and back, with random idles and stalls."""

from __future__ import annotations

import random

import cocotb
from cocotb.triggers import RisingEdge

from girih.testing.clock import start_clock


def sizes(width: int) -> list[int]:
    """The edges of a beat, and of the numbers of bytes that can be asked for, and sizes around them."""
    beat = width // 8
    return [1, 2, beat - 1, beat, beat + 1, 2 * beat - 1, 2 * beat, 2 * beat + 1, 255, 256, 5 * beat + 3]


class Bench:
    """Drives `in` and collects `out`. A job is a stream and the values of the other inputs at its first beat."""

    def __init__(self, dut):
        self.dut = dut
        self.idle = self.stall = 0.0
        self.jobs: list[tuple[bytes, dict[str, int]]] = []
        self.beat_bytes = len(dut.in_data_i) // 8
        self.got: list[bytes] = []
        self.taken_at: list[int] = []  # cycle of each beat
        self.given_at: list[int] = []

    async def start(self) -> None:
        dut = self.dut
        dut.rst_i.value = 1
        dut.in_valid_i.value = 0
        dut.out_ready_i.value = 0
        start_clock(dut)
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0
        cocotb.start_soon(self._run())

    def _beats(self, stream: bytes, beside: dict[str, int]):
        size = self.beat_bytes
        for at in range(0, max(len(stream), 1), size):
            chunk = stream[at : at + size]
            beat = {
                "in_data_i": int.from_bytes(chunk + random.randbytes(size - len(chunk)), "little"),
                "in_last_i": int(at + size >= len(stream)),
                "in_empty_i": (size - len(chunk)) % size,
            }
            # These inputs count at a first beat alone: random at later ones.
            for name, value in beside.items():
                beat[name] = value if at == 0 else random.getrandbits(len(getattr(self.dut, name)))
            if hasattr(self.dut, "in_none_i"):
                beat["in_none_i"] = int(not stream)
            yield beat

    async def _run(self) -> None:
        dut = self.dut
        beats, offered, cycle, collected, held = iter(()), False, 0, b"", None
        while True:
            await RisingEdge(dut.clk_i)
            cycle += 1
            if offered and dut.in_ready_o.value == 1:
                self.taken_at.append(cycle)
                offered = False
            if dut.out_valid_o.value == 1:
                beat = tuple(int(getattr(dut, f"out_{f}_o").value) for f in ("data", "empty", "none", "last"))
                assert held in (None, beat), "a beat changed while it was held back"
                held = beat
                if dut.out_ready_i.value == 1:
                    held = None
                    data, empty, none, last = beat
                    self.given_at.append(cycle)
                    assert last or not (empty or none), "only a last beat may have invalid bytes"
                    assert not (none and collected), "none beside bytes of the stream"
                    collected += b"" if none else data.to_bytes(self.beat_bytes, "little")[: self.beat_bytes - empty]
                    if last:
                        self.got.append(collected)
                        collected = b""
            else:
                assert held is None, "valid was withdrawn"
            if not offered and random.random() >= self.idle:
                beat = next(beats, None)
                if beat is None and self.jobs:
                    beats = self._beats(*self.jobs.pop(0))
                    beat = next(beats)
                offered = beat is not None
                for name, value in beat.items() if beat else ():
                    getattr(dut, name).value = value
            dut.in_valid_i.value = int(offered)
            dut.out_ready_i.value = int(random.random() >= self.stall)

    async def run(self, jobs: list[tuple[bytes, dict[str, int]]]) -> list[bytes]:
        """Sends the jobs; returns as many streams as went in."""
        self.got.clear()
        self.taken_at.clear()
        self.given_at.clear()
        self.jobs = list(jobs)
        for _ in range(100_000):
            await RisingEdge(self.dut.clk_i)
            if len(self.got) == len(jobs):
                return list(self.got)
        raise AssertionError(f"only {len(self.got)} of {len(jobs)} streams came out")
