# SPDX-License-Identifier: Apache-2.0
"""More traffic than a unit can process: with a scheduler flow 1 is not affected; in a pipeline all flows suffer alike."""

import pytest

from girih.experiments.competing import SIZE, SLOW, compete, open_nic, set_credits
from girih.experiments.panic import CLOCK_MHZ, percentile

COUNT = 500
OVERLOAD = 2.0
SERVICE = SIZE * 8 / SLOW / 1000 * CLOCK_MHZ  # cycles
pytestmark = pytest.mark.thorough  # two cards of their own


def quietly(_what: str) -> None:
    pass


def test_flow_1_waits_for_one_packet_at_most_and_loses_none():
    with open_nic("girih", quietly) as card:
        for credits, packets in ((1, 1), (2, 2)):
            set_credits(card, credits)
            alone = compete(card, OVERLOAD, count=COUNT, flows=[1])[1]
            found = compete(card, OVERLOAD, count=COUNT)
            assert found[1].received == found[1].sent and found[2].received < found[2].sent
            added = percentile(found[1].latencies, 99) - percentile(alone.latencies, 99)
            assert added <= packets * SERVICE + 10


def test_a_pipeline_drops_and_delays_both_flows_alike():
    with open_nic("pipeline", quietly) as card:
        found = compete(card, OVERLOAD, count=COUNT)
        means = [sum(share.latencies) / len(share.latencies) for share in found.values()]
        assert abs(means[0] / means[1] - 1) < 0.01 and means[0] > 20 * SERVICE
        assert all(0.3 < share.received / share.sent < 0.8 for share in found.values())
        assert abs(sum(share.gbps for share in found.values()) / SLOW - 1) < 0.02


def test_nobody_waits_below_saturation():
    for nic in ("girih", "pipeline"):
        with open_nic(nic, quietly) as card:
            found = compete(card, 0.8, count=200)
            for share in found.values():
                assert share.received == share.sent and max(share.latencies) - min(share.latencies) <= 2
