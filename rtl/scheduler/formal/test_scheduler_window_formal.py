# SPDX-License-Identifier: Apache-2.0
"""Proof, unbounded, that the scheduler's window tells a tenant of its own alone; and that it notices what would tell more."""

import pytest

from girih.formal import prove, refute

OPTIONS = {"widths": {"tenant_t": 2}, "registers_for_memories": True}


def test_tenants_are_apart():
    prove("scheduler_window_proof", **OPTIONS)


BROKEN = [
    # A tenant reads any queue, or the load of units.
    ("(part inside {QueueState, TenantState, Fates} && tenant_i == owner)", "part inside {QueueState, TenantState, Fates}"),
    ("(part inside {QueueState, TenantState, Fates} && tenant_i == owner)", "part == UnitState"),
    # An answer is the one to the request before.
    ("if (valid_i && !asked_q) data_q <= data_d;", "if (valid_i && asked_q) data_q <= data_d;"),
    # A tenant changes classes.
    ("part == Classes && tenant_i == '0", "part == Classes"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("scheduler_window_proof", module="scheduler_window", old=old, new=new, depth=8, **OPTIONS)
