# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed with a driver, unbounded (induction): every descriptor once, in order, as it was offered.

It assumes what virtqueue_packed_walk_proof shows, which has the invariants of the walk, and the broken designs.
"""

import pytest

from girih.formal import prove
from rtl.tiles.host.formal.test_virtqueue_packed_walk_formal import options

SHOWN = ["virtqueue_packed_walk_proof", "virtqueue_packed", "virtqueue_packed_chains", "fifo"]


@pytest.mark.thorough  # a minute and more
def test_descriptors_are_those_that_were_offered():
    prove("virtqueue_packed_driver_proof", assumed=SHOWN, **options(), timeout=1200)
