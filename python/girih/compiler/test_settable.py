# SPDX-License-Identifier: Apache-2.0
"""The settings that are offered for a kind are those that a design file can set."""

from dataclasses import replace

import pytest

from girih.compiler.check.card import check
from girih.compiler.check.fill import settable
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, Scalar, parse
from girih.errors import GirihError
from girih.paths import DESIGNS
from girih.spec.kinds import load_kinds
from tests.commands import girih

KINDS = load_kinds()


def with_every_setting(tile):
    """The tile with a value for all that its kind's files name."""
    kind = KINDS[tile.kind.text]
    names = [item.name for item in (*kind.config, *kind.parameters)]
    return replace(tile, settings=tuple((Scalar(tile.line, name, name), Scalar(tile.line, "1", 1)) for name in names))


@pytest.mark.parametrize("path", sorted(DESIGNS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_design_can_set_what_is_settable_and_nothing_else(path, monkeypatch):
    monkeypatch.setattr("girih.compiler.read.parse.MOST_ERRORS", 10_000)
    report = Report("card.yaml")
    design = read(parse(path.read_text(), report), path.stem, report)
    owned = {int(port.text) for tenant in design.scheduling.tenants for port in tenant.ports}
    with pytest.raises(GirihError):
        check(replace(design, tiles=tuple(map(with_every_setting, design.tiles))), path.name, KINDS, report)
    refused = {error.what for _, error in report.errors}
    for tile in design.tiles:
        kind = KINDS[tile.kind.text]
        for item in (*kind.config, *kind.parameters):
            whats = {f"tile {tile.name} of kind {kind.name} has no setting {item.name}", f"{item.name} of tile {tile.name} follows from its next"}
            of_a_tenant = item.name == "tenant" and "axis_in" in kind.uses and tile.port in owned
            assert bool(whats & refused) == (item.name not in settable(kind) or of_a_tenant), (tile.name, item.name)


def test_list_offers_what_can_be_set():
    text = girih("list").stdout
    rows = [line.split() for line in text[text.index("Parameters of tiles") :].splitlines()]
    shown = [row[1] for row in rows if row[:1] == ["scheduler"] and row[1] != "in"]
    assert shown == [item.name for item in KINDS["scheduler"].parameters if item.name in settable(KINDS["scheduler"])]
    assert "most_queues" in shown and not {"units", "services", "tenants"} & set(shown)
    assert not any(name in text for name in ("unit_node", "inverse_weight"))
