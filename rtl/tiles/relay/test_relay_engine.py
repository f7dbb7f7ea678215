# SPDX-License-Identifier: Apache-2.0
"""relay: messages pass unchanged, in order, without bubbles; the key is the port by which they arrived."""

import random

import cocotb
import pytest

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench, check_no_bubbles, random_size
from girih.testing.messages import Message


@pytest.mark.parametrize("data_width", WIDTHS)
def test_relay_engine(data_width):
    run_cocotb("relay_engine", __file__, data_width=data_width)


def some_message() -> Message:
    desc = {"port": random.getrandbits(4), "lossless": random.getrandbits(1), "l3_offset": 14}
    return Message(random.randbytes(60 + random_size()), desc, bad=random.random() < 0.2)


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def everything_passes(dut, traffic):
    bench = await EngineBench.start(dut, "relay", idle=traffic[0], stall=traffic[1])
    sent = [some_message() for _ in range(100)]
    out = await bench.run(sent)
    assert bench.events == {"mark_void": sum(message.bad for message in sent)}
    assert [(m.data, m.bad, m.key) for m in out] == [(m.data, m.bad, m.desc["port"]) for m in sent]
    assert all(result.desc == result.desc | message.desc for message, result in zip(sent, out, strict=True))
    if traffic == (0.0, 0.0):
        check_no_bubbles(out)
        assert out[0].first - sent[0].first == 1
