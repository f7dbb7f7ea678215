# SPDX-License-Identifier: Apache-2.0
"""Every engine handles each message under a single configuration, whenever its configuration changes."""

import os

import cocotb
import pytest

from girih.spec.kind import Kind
from girih.spec.kinds import load_kinds
from girih.testing import run_cocotb
from girih.testing.configuration import check_one_configuration_each


def one_message_each(kind: Kind) -> bool:
    """Whether each message that a kind sends follows from one message that it received. The output of other kinds also depends on load, on a
    peer, a program, a host, a lease, interrupts of another tile, or a connection, so there is nothing to compare it with."""
    links = kind.has_input or kind.has_output or "axis_in" in kind.uses
    others = {"credits_in", "credits_out", "host", "interrupts"} & set(kind.uses) or "stream" in kind.groups
    return links and kind.replies == "none" and not kind.programs and not kind.leases and not others


KINDS = [name for name, kind in load_kinds().items() if kind.config and one_message_each(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_handled_under_one_configuration(kind):
    found = load_kinds()[kind]
    run_cocotb(found.engine, __file__, chained=found.chained, environment={"GIRIH_KIND": kind})


@cocotb.test()
async def one_configuration_each(dut):
    await check_one_configuration_each(dut, load_kinds()[os.environ["GIRIH_KIND"]])
