# SPDX-License-Identifier: Apache-2.0
"""host_gate, unbounded (induction): no access outside what the host has granted; and that the proof notices broken designs."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# What is proved depends on no number of bits, bytes or regions.
SIZES = {"HostAddrBits": (64, 8), "HostIdBits": (6, 2), "HostPageBytes": (4096, 16), "HostRegions": (8, 2)}
SMALL = [("host_access_pkg", f"{name} = {full};", f"{name} = {small};") for name, (full, small) in SIZES.items()]
OPTIONS = {"abstraction": SMALL, "solver": QUICK_ON_QUEUES}


def test_no_access_outside_what_is_granted():
    prove("host_gate_proof", **OPTIONS)


BROKEN = [
    ("regions_i[r].valid && ", ""),
    ("access.first >= regions_i[r].first", "access.first > regions_i[r].first"),
    ("!compared.wraps && contained", "!compared.wraps && compared.from != '0 && compared.to != '0"),
    ("granted: granted", "granted: 1'b1"),
]
BROKEN_LATER = [
    ("compared_valid && compared_ready && !granted", "compared_valid && !granted"),
    ("access.last <= regions_i[r].last", "access.first <= regions_i[r].last"),
    ("+ addr_t'(waiting[i].bytes) - 1'b1", "+ addr_t'(waiting[i].bytes)"),
    ("&& compared.access.id == id_t'(i)", ""),
    ("picked.id |= id_t'(i);", ""),
    ("grant & {Clients{picked_ready}}", "grant"),
    ("flit_addr = {compared.access.first[HostAddrBits-1:EmptyWidth], EmptyWidth'(0)}", "flit_addr = compared.access.first"),
]


@pytest.mark.parametrize(("old", "new"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATER)])
def test_broken_design_is_noticed(old, new):
    refute("host_gate_proof", module="host_gate", old=old, new=new, depth=16, **OPTIONS)
