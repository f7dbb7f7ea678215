# SPDX-License-Identifier: Apache-2.0
"""Unbounded proof that tenants' keys are separate, and that the proof notices designs that mix them."""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of

# The key expansion and its time are the same function for all tenants.
OPTIONS = {
    "widths": {"tenant_t": 2},
    "registers_for_memories": True,
    "abstraction": [
        ("aes_pkg", "Rounds = 14", "Rounds = 2"),
        ("aes_pkg", "sub_word[8*i+:8] = Sbox[word[8*i+:8]];", "sub_word[8*i+:8] = ~word[8*i+:8];"),
    ],
}


def test_tenants_are_apart():
    prove("aes_keys_isolation_proof", **OPTIONS)


BROKEN = [
    # One set of staged words for all tenants.
    ("assign stage_tenant = forget ? owner : tenant_q;", "assign stage_tenant = '0;"),
    # A tenant names the owner of a key, as only the operator may.
    ("assign owner = tenant_q == '0 ? meant : tenant_q;", "assign owner = meant;"),
    # A key is loaded although only some words are staged, by whoever.
    ("staged_q[tenant_q] == '1 || expanding_q;", "staged_q != '0 || expanding_q;"),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("aes_keys_isolation_proof", module="aes_keys", old=old, new=new, depth=10, **OPTIONS)
