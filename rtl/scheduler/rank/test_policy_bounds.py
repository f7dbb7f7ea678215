# SPDX-License-Identifier: Apache-2.0
"""policy_bounds: shifts out of range are clamped, and the level is that of the clamped shift; nothing else changes."""

import random

import cocotb
from cocotb.triggers import Timer

from girih.testing import run_cocotb

SERVICES = 4
STRICT, FAIR, SLACK, SHAPED = range(4)
LEAST, MOST = 4, 13  # docs/scheduler.md, with 1,024 entries


def test_policy_bounds():
    run_cocotb("policy_bounds", __file__, chained=True, parameters={"Services": SERVICES})


@cocotb.test()
async def shifts_stay_within_their_bounds(dut):
    for shift in range(16):
        for turn in range(4):
            policies = [(service + turn) % 4 for service in range(SERVICES)]
            others = [random.randrange(8) for _ in policies]
            now = random.getrandbits(24)
            dut.now_i.value = now
            for service, (policy, rest) in enumerate(zip(policies, others)):
                dut.policy_i[service].value = rest << 6 | shift << 2 | policy
            await Timer(1, "ns")
            for service, (policy, rest) in enumerate(zip(policies, others)):
                clamped = min(max(shift, LEAST if policy in (SLACK, SHAPED) else 0), MOST)
                assert dut.policy_o[service].value == rest << 6 | clamped << 2 | policy
                levels = len(dut.now_level_o[service])
                assert dut.now_level_o[service].value == now >> clamped & (1 << levels) - 1
