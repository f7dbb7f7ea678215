# SPDX-License-Identifier: Apache-2.0
"""Programs that misbehave on a cluster or on a control core take nothing from another tenant's core: its packets leave in the very same cycles, with the same
bytes, and the host reaches its registers as before."""

import pytest

from girih.experiments.rogue_tiles import CLUSTER, COUNT, MANAGER, OFFERED, ROGUE_PROGRAMS, WARMUP, beside

BEATS = 16  # cycles that the beats of requests on the ring may add to a host's access
EARLIER = 2  # requests that a program has in flight, and that may be served first: its own, and that of its watches
pytestmark = pytest.mark.thorough  # test_rogue_core.py has the same for a core
QUIET = ("good", "floods")  # they do nothing that restarts a program


@pytest.fixture(scope="module")
def alone():
    return beside()


@pytest.mark.parametrize(("tile", "program"), [(tile, program) for tile in (CLUSTER, MANAGER) for program in ROGUE_PROGRAMS[tile]])
def test_a_program_takes_nothing_from_another_tenant(alone, tile, program):
    found = beside(tile, program)
    assert len(found.echoes) == COUNT - WARMUP and len({data for _, data in found.echoes}) == COUNT - WARMUP
    assert found.echoes == alone.echoes
    # The program has done what it is here for.
    counters = found.counters
    assert counters["in_messages"] == OFFERED or (program == "makes" and counters["in_messages"] > OFFERED / 2)  # whose slots are full
    assert found.restarts == 0 if program in QUIET else found.restarts > 3
    if program == "makes":
        assert counters["made_messages"] > 300
    if program == "mails":
        assert counters["mark_mail_refused"] > 1000
    if program == "asks":
        assert counters["mark_control_refused"] > 50 and counters["mark_requests"] > 300
        # A counter takes up to a sweep of the counters, a cycle for each (rtl/control/README.md).
        assert max(alone.reads) < max(found.reads) <= max(alone.reads) + BEATS + EARLIER * found.sweep
    else:
        assert found.reads == alone.reads
    if program in QUIET:
        assert counters["out_messages"] > 100 and counters["out_messages"] + sum(counters.get(name, 0) for name in ("drop_no_room", "drop_overrun")) == OFFERED
