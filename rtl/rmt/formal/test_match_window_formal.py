# SPDX-License-Identifier: Apache-2.0
"""Unbounded proof that a stage's window keeps tenants apart, and that the proof notices designs that do not."""

import pytest

from girih.formal import prove, refute

# Four tenants. Which actions are refused is the same function for all tenants.
SMALL = [
    ("action_rights", "foreign_q <= foreign_service && step_i == 3'd0 && tenant_i != '0;", "foreign_q <= 1'b0;"),
    ("action_rights", "beyond_q  <= valid_i && (nonsense_q || (tenant_i != '0 && beyond));", "beyond_q  <= valid_i && action_i[0] != rights_i[0];"),
]
OPTIONS = {"widths": {"tenant_t": 2}, "chained": True}

# Near reset: the window is not cleared word by word, which takes hundreds of cycles, but starts with zeros.
CLEAR = [
    ("match_window", "if (step_q == '1 && tenant_q == '1) state_q <= Idle;", "state_q <= Idle;"),
    ("match_window", "logic [31:0] rights_mem[8*Tenants];", "logic [31:0] rights_mem[8*Tenants] = '{default: '0};"),
    ("match_window", "range_t entries_mem[Tenants];", "range_t entries_mem[Tenants] = '{default: '0};"),
    ("ram_simple_dual", "T mem[Depth];", "T mem[Depth] = '{default: '0};"),
]


@pytest.mark.thorough
def test_tenants_are_apart():
    prove("match_window_proof", abstraction=SMALL, **OPTIONS)


BROKEN = [
    # One set of staged words for all tenants.
    ("stage_tenant = window_i.tenant;", "stage_tenant = '0;"),
    # A tenant grants itself rights, or entries.
    ("(start && is_rights && window_i.write && operator)", "(start && is_rights && window_i.write)"),
    ("start && is_entries && window_i.write && operator && given_good", "start && is_entries && window_i.write && given_good"),
    # A tenant reads and writes entries, or objects, beyond its range.
    ("(index_q < own_entries.first || index_q >= own_entries.stop)", "(index_q < own_entries.first)"),
    ("(index_q < rights_q[15:0] || index_q >= rights_q[31:16])", "(index_q < rights_q[15:0])"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("match_window_proof", module="match_window", old=old, new=new, depth=12, abstraction=[*SMALL, *CLEAR], **OPTIONS)
