# SPDX-License-Identifier: Apache-2.0
"""axi_check: is quiet on legal traffic, and stops the simulation on each breach of a rule."""

import os
import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BYTES, reset

ALL = (1 << FLIT_BYTES) - 1
PAGE = 4096

# What the simulator says of each breach.
SAID = {
    "ar_withdrawn": "u_ar",
    "aw_changed": "u_aw",
    "w_changed": "u_w",
    "page": "a burst crosses a page",
    "write_page": "a burst crosses a page",
    "read_id": "a read has ID 3, which is in use",
    "write_id": "a write has ID 3, which is in use",
    "last_early": "beat 0 of a write of 1 is the last",
    "last_late": "beat 0 of a write of 0 is not the last",
    "gap": "bytes are missing in the middle of a write",
    "r_unknown": "the slave answers what was not read, with ID 5",
    "r_long": "the slave answers what was not read, with ID 3",
    "b_unknown": "the slave answers what was not written, with ID 5",
    "b_early": "the slave answers what was not written, with ID 3",
}


def run(testcase: str, **environment: str) -> None:
    run_cocotb("axi_check", __file__, groups=["memory"], testcase=testcase, environment=environment)


def test_legal_traffic():
    run("legal_traffic_passes")


@pytest.mark.parametrize("breach", SAID)
def test_breach_is_caught(breach, capfd):
    with pytest.raises((AssertionError, RuntimeError)):  # the simulation stops
        run("breach", BREACH=breach)
    said = " ".join(capfd.readouterr().out.split())
    assert SAID[breach] in said


def address(name: int, addr: int = 0, beats: int = 1) -> int:
    return (name << 40 | addr) << 8 | beats - 1


def data(last: int = 1, strobe: int = ALL, word: int = 0) -> int:
    return (last << FLIT_BYTES | strobe) << 8 * FLIT_BYTES | word


async def show(dut, ready: int = 1, **channels: Any) -> None:
    """A cycle in which these channels are valid: ar, aw and w with their payload, r with ID and last, b with ID."""
    for channel, value in channels.items():
        getattr(dut, f"{channel}_valid_i").value = 1
        getattr(dut, f"{channel}_ready_i").value = ready
        if channel == "r":
            dut.r_id_i.value, dut.r_last_i.value = value
        else:
            getattr(dut, {"b": "b_id_i"}.get(channel, f"{channel}_i")).value = value
    await RisingEdge(dut.clk_i)
    for channel in channels:
        getattr(dut, f"{channel}_valid_i").value = 0


async def begin(dut) -> None:
    await reset(dut, **{f"{channel}_{end}_i": 0 for channel in ("ar", "aw", "w", "r", "b") for end in ("valid", "ready")})


@cocotb.test()
async def legal_traffic_passes(dut):
    """Reads answered in any order and interleaved; writes whose data are ahead of their address or behind it."""
    await begin(dut)
    reading: dict[int, int] = {}
    writing: list[int] = []
    for _ in range(400):
        kind, beats = random.random(), random.randint(1, 4)
        name, addr = random.randrange(256), random.randrange(1 << 28) * PAGE + random.randint(0, PAGE // FLIT_BYTES - 4) * FLIT_BYTES
        free = name not in reading and name not in writing
        if kind < 0.3 and free:
            for ready in (*[0] * random.choice((0, 0, 2)), 1):
                await show(dut, ready, ar=address(name, addr, beats))
            reading[name] = beats
        elif kind < 0.6 and free:
            beats_of = [data(int(i == beats - 1), random.getrandbits(FLIT_BYTES) if i in (0, beats - 1) else ALL) for i in range(beats)]
            ahead = random.choice((0, beats))
            for beat in beats_of[:ahead]:
                await show(dut, w=beat)
            await show(dut, aw=address(name, addr, beats))
            for beat in beats_of[ahead:]:
                await show(dut, w=beat)
            writing.append(name)
        elif kind < 0.85 and reading:
            other = random.choice(list(reading))
            reading[other] -= 1
            await show(dut, r=(other, int(reading[other] == 0)))
            if not reading[other]:
                del reading[other]
        elif writing:
            await show(dut, b=writing.pop(random.randrange(len(writing))))


@cocotb.test()
async def breach(dut):
    kind = os.environ["BREACH"]
    await begin(dut)
    steps: dict[str, list[dict]] = {
        "ar_withdrawn": [{"ready": 0, "ar": address(3)}, {}],
        "aw_changed": [{"ready": 0, "aw": address(3)}, {"aw": address(4)}],
        "w_changed": [{"ready": 0, "w": data()}, {"w": data(word=1)}],
        "page": [{"ar": address(3, PAGE - FLIT_BYTES, 2)}],
        "write_page": [{"aw": address(3, PAGE - FLIT_BYTES, 2)}],
        "read_id": [{"ar": address(3)}, {"ar": address(3)}],
        "write_id": [{"ar": address(3)}, {"aw": address(3)}],
        "last_early": [{"aw": address(3, 0, 2)}, {"w": data()}],
        "last_late": [{"aw": address(3)}, {"w": data(0)}],
        "gap": [{"aw": address(3, 0, 3)}, {"w": data(0)}, {"w": data(0, ALL - 1)}],
        "r_unknown": [{"ar": address(3)}, {"r": (5, 1)}],
        "r_long": [{"ar": address(3)}, {"r": (3, 0)}],
        "b_unknown": [{"aw": address(3)}, {"w": data()}, {"b": 5}],
        "b_early": [{"aw": address(3)}, {"b": 3}],
    }
    for step in steps[kind]:
        await show(dut, **step)
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
