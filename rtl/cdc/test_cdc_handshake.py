# SPDX-License-Identifier: Apache-2.0
"""cdc_handshake: nothing is lost, duplicated or reordered at random ratios of clocks, even with flip-flops that take the old or the new value; either
side may be reset at any time; and how long a value takes."""

import cocotb
import pytest

from rtl.cdc.cdc_bench import cross, rates, run_crossing

CROSSES = ["nothing_is_lost_at_any_ratio", "either_side_may_be_reset_at_any_time"]


def test_cdc_handshake():
    run_crossing("cdc_handshake", __file__, sure=True)


def test_with_flip_flops_that_take_old_or_new():
    run_crossing("cdc_handshake", __file__, testcase=CROSSES)


@pytest.mark.thorough
def test_broken_design_is_noticed():
    broken = [("cdc_handshake", "given_d == taken_seen", "!(given_d && taken_seen)")]
    with pytest.raises(AssertionError):
        run_crossing("cdc_handshake", __file__, broken=broken, testcase=CROSSES)


@cocotb.test()
async def nothing_is_lost_at_any_ratio(dut):
    link = await cross(dut, rounds=60, resets=False)
    assert len(link.taken) == len(link.given) > 200


@cocotb.test()
async def either_side_may_be_reset_at_any_time(dut):
    link = await cross(dut, rounds=80, resets=True)
    assert len(link.given) > len(link.taken) > 200


@cocotb.test()
async def a_value_takes_the_way_there_and_back(dut):
    found = await rates(dut, ((4_000, 4_001), (2_000, 16_000), (16_000, 2_000)))
    assert 0.16 < found[4_000, 4_001] < 0.17, f"values per cycle, by periods in ps: {found}"
    assert min(found.values()) > 0.16
