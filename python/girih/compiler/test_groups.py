# SPDX-License-Identifier: Apache-2.0
"""Groups of the descriptor's fields: a card has those that its kinds touch, and another kind writes each that a kind reads."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from girih.compiler.check.card import check_file
from girih.compiler.test_errors import GOOD, answer
from girih.paths import DESIGNS
from girih.spec.kinds import load_kinds
from girih.spec.message import CardParams, descriptor_fields, package

BARE = """\
fabric: crossbar
mac: 02:67:69:72:69:68
tiles:
  rx: {kind: eth_rx, next: {any: middle}}
  middle: {kind: relay, next: tx}
  tx: {kind: eth_tx}
"""


def card_of(folder: Path, text: str, kinds=None):
    path = folder / "card.yaml"
    path.write_text(text)
    return check_file(path, kinds)


def kinds_where(**changes):
    """The kinds, some of them changed."""
    known = dict(load_kinds())
    return known | {name: replace(known[name], **change) for name, change in changes.items()}


@pytest.mark.parametrize(
    ("design", "groups"),
    [
        ("udp_echo", ("network", "transport", "payload_sum", "timing")),
        ("shout", ("network", "transport", "payload", "payload_sum", "timing")),
        ("panic", ("route", "chain", "meta", "payload", "timing")),
        ("panic_delay", ("route", "chain", "timing")),
    ],
)
def test_groups_of_a_design(design, groups):
    assert check_file(DESIGNS / f"{design}.yaml").params.groups == groups


def test_a_group_that_no_tile_touches_is_not_in_the_descriptor(tmp_path):
    params = card_of(tmp_path, BARE).params
    assert params.groups == ("timing",)
    names = [field.name for field in descriptor_fields(params)]
    assert names == ["dst", "src", "port", "tenant", "lossless", "length", "timestamp_valid", "timestamp"]
    assert "payload_offset" not in package(params)


def test_a_group_that_a_tile_may_read_is_there_even_if_nobody_writes_it(tmp_path):
    kinds = kinds_where(eth_rx={"writes": ()})
    assert card_of(tmp_path, BARE, kinds).params.groups == ("timing",)


def test_a_tile_that_reads_what_nobody_writes(tmp_path):
    kinds = kinds_where(relay={"reads": ("payload_sum",)})
    assert answer(tmp_path, BARE.encode(), kinds) == (
        "card.yaml:5: tile middle of kind relay reads payload_sum (the sum of the payload), which no tile of the card writes. "
        "Add a tile of kind udp_rx or udp_rx_cut_through, or remove middle."
    )


def test_what_no_kind_writes(tmp_path):
    kinds = kinds_where(udp_tx={"reads": ("payload_sum",)}, udp_rx={"writes": ()}, udp_rx_cut_through={"writes": ()})
    assert answer(tmp_path, GOOD.encode(), kinds) == (
        "card.yaml:10: tile udp_tx of kind udp_tx reads payload_sum (the sum of the payload), which no tile of the card writes. "
        "No kind writes it: remove udp_tx."
    )


def test_offsets_that_a_kind_gives_are_written(tmp_path):
    kinds = kinds_where(echo={"reads": ("payload",)})
    assert "payload" not in card_of(tmp_path, GOOD).params.groups
    assert "payload" in card_of(tmp_path, GOOD, kinds).params.groups


def test_unknown_groups_are_refused():
    with pytest.raises(ValueError, match=re.escape("there is no group of fields wings; the groups are route, ")):
        CardParams.with_groups(groups=["wings"])
    with pytest.raises(ValueError, match=re.escape("chain_hops 0: it must be 0 without the group chain, and only then")):
        package(CardParams(groups=("chain",)))
