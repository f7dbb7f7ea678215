# SPDX-License-Identifier: Apache-2.0
"""A port of designs/panic.yaml at 94 % of its link's bits per cycle: traffic that visits no service, and traffic within the throughput of its
services, loses nothing. The rest is dropped by the scheduler or at the port, and counted for its tenant."""

from __future__ import annotations

import pytest

from girih.experiments.shared_aes import CLASSES, open_shared, run_phase

pytestmark = pytest.mark.slow


def quietly(_what: str) -> None:
    pass


@pytest.fixture(scope="module")
def card():
    with open_shared(quietly) as card:
        levels = [{"class": number, "level": number} for number in CLASSES.values()]
        for service in ("aes", "sha"):
            card.services.set_policy(service, "strict", levels, share=False)
        yield card


# Two SHA units give IPSec 52 Gbit/s, and two AES units 64 to both together.
@pytest.mark.parametrize(
    ("offered", "whole"),
    [
        ({"ipsec": 50, "video": 45, "background": 5}, {"ipsec", "background"}),
        ({"ipsec": 60, "video": 50, "background": 10}, {"background"}),
        ({"ipsec": 70, "video": 1, "background": 50}, {"video", "background"}),
    ],
    ids=["line_rate", "120", "121"],
)
def test_only_those_that_ask_for_too_much_lose(card, offered, whole, record_property):
    before = card.registers.counters()
    done, _, _ = run_phase(card, offered)  # run_phase accounts for every packet
    found = dict(zip(offered, done.flows, strict=True))
    record_property("received", {name: f"{flow.received} of {flow.sent}" for name, flow in found.items()})
    assert {name for name, flow in found.items() if flow.received == flow.sent} == whole
    after = card.registers.counters()["wire"]
    lost = {name: after[name] - before["wire"][name] for name in after if name.startswith("drop_") and after[name] != before["wire"][name]}
    assert set(lost) <= {"drop_busy_1", "drop_busy_2"}, "only IPSec's and video's own frames are dropped at the port"
