# SPDX-License-Identifier: Apache-2.0
"""Unbounded proof that the scheduler's window tells a tenant only about its own queues, and that the proof notices designs that tell more."""

import pytest

from girih.formal import prove, refute

OPTIONS = {"widths": {"tenant_t": 2}, "registers_for_memories": True}


def test_tenants_are_apart():
    prove("scheduler_window_proof", **OPTIONS)


BROKEN = [
    # A tenant reads any queue, or the load of units.
    ("(part inside {QueueState, TenantState, Fates} && 32'(tenant_i) == 32'(owner))", "part inside {QueueState, TenantState, Fates}"),
    ("(part inside {QueueState, TenantState, Fates} && 32'(tenant_i) == 32'(owner))", "part == UnitState"),
    # The answer is that to the previous request.
    ("if (valid_i && !asked_q) begin", "if (valid_i && asked_q) begin"),
    # A tenant changes classes.
    ("part == Classes && tenant_i == '0", "part == Classes"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("scheduler_window_proof", module="scheduler_window", old=old, new=new, depth=8, **OPTIONS)
