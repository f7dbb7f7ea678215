# SPDX-License-Identifier: Apache-2.0
"""Every engine with a configuration handles each message under one, whenever it is changed."""

import os

import cocotb
import pytest

from girih.spec.kinds import load_kinds
from girih.testing import run_cocotb
from girih.testing.configuration import check_one_configuration_each

# What schedulers and units send depends on their load, too, what asks or answers needs another end, and a core sends nothing without a
# program; their own tests change their configuration.
KINDS = [
    name for name, kind in load_kinds().items() if kind.config and kind.replies == "none" and not kind.programs and not {"credits_in", "credits_out"} & set(kind.uses)
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_handled_under_one_configuration(kind):
    found = load_kinds()[kind]
    run_cocotb(found.engine, __file__, chained=found.chained, environment={"GIRIH_KIND": kind})


@cocotb.test()
async def one_configuration_each(dut):
    await check_one_configuration_each(dut, load_kinds()[os.environ["GIRIH_KIND"]])
