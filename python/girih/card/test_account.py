# SPDX-License-Identifier: Apache-2.0
"""Messages that are held, missing or made of nothing, found from the counters of tiles."""

from dataclasses import replace
from pathlib import Path

import pytest

from girih.card.account import account
from girih.card.manifest import Manifest, Tile
from girih.errors import GirihError

PLAIN = Tile("plain", "echo", 0, 0, {}, {}, None, None)
HOLDER = replace(PLAIN, name="holder", holds="the address of a neighbour")
MANIFEST = Manifest(Path(), "card", "0", 512, 1, 250, 9018, [], [PLAIN, HOLDER], [], None, 5, 0, {}, {})
EVEN = {"in_messages": 5, "made_reply": 2, "out_messages": 5, "drop_bad": 1, "used_up": 1, "mark_hit": 9}


def counters(**changed: dict[str, int]) -> dict[str, dict[str, int]]:
    return {tile.name: EVEN | changed.get(tile.name, {}) for tile in MANIFEST.tiles}


def test_an_account_that_is_even():
    found = account(MANIFEST, counters())
    found.judge()
    assert found.text == "Every message is accounted for in every tile."


def test_a_tile_may_hold_what_its_kind_may_hold():
    found = account(MANIFEST, counters(holder={"in_messages": 8}, plain={"in_messages": 2, "made_reply": 5}))
    found.judge()
    assert found.text == "Every other message is accounted for: holder holds 3, waiting for the address of a neighbour."


def test_what_is_held_is_told_apart_from_a_fault():
    found = account(MANIFEST, counters(holder={"in_messages": 8}, plain={"in_messages": 2, "made_reply": 5}))
    with pytest.raises(GirihError, match="tile holder still holds 3 messages, waiting for the address of a neighbour"):
        found.judge_all()
    account(MANIFEST, counters()).judge_all()


@pytest.mark.parametrize("changed", [{"plain": {"in_messages": 6}}, {"plain": {"out_messages": 6}}, {"holder": {"out_messages": 6}}])
def test_what_is_missing_or_made_of_nothing_is_a_fault(changed):
    found = account(MANIFEST, counters(**changed))
    with pytest.raises(GirihError, match=next(iter(changed))):
        found.judge()


def test_messages_under_way_are_no_fault():
    found = account(MANIFEST, counters(plain={"in_messages": 6}), rested=False)
    found.judge()
    assert found.text == "The card did not come to rest in time: messages were still under way, so it was not checked whether all are accounted for."
