# SPDX-License-Identifier: Apache-2.0
"""pifo against a model, for all operations of the first cycles after it is cleared; and that breaking it is noticed.

Bounded: the first operation is in cycle 9, and the solver's time grows fast with each cycle after it.
`pifo_random.cpp` covers long runs.
"""

from girih.formal import prove, refute


def test_any_operations():
    prove("pifo_proof", mode="bmc", depth=14, parameters={"RankMask": "4'b0101"})


def test_operations_in_every_cycle():
    prove("pifo_proof", mode="bmc", depth=15, parameters={"RankMask": "4'b0101", "Circular": 0, "Fill": 2})


def test_broken_design_is_noticed():
    broken = {"module": "pifo_ram", "old": "bypass ? written_q :", "new": ""}
    refute("pifo_proof", depth=16, parameters={"RankMask": "4'b0101", "Circular": 0, "Fill": 1}, **broken)
