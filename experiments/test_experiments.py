# SPDX-License-Identifier: Apache-2.0
"""The registry of exhibits and their reports. The exhibits themselves take minutes each and are not run."""

import json

import pytest

from girih.build.lint import lint
from girih.errors import GirihError
from girih.experiments import FOLDER, Exhibit, Row, identifiers, load, load_all
from girih.experiments.cards import card_folder
from girih.experiments.report import table, write_json
from girih.paths import ROOT


def test_every_exhibit_loads_and_says_how_it_differs():
    exhibits = load_all()
    assert [exhibit.id for exhibit in exhibits] == identifiers()
    assert {"beehive-lat", "beehive-f7", "beehive-scale", "beehive-t5", "sim-speed"} <= set(identifiers())
    assert all(exhibit.title and exhibit.source and exhibit.differs for exhibit in exhibits)


@pytest.mark.parametrize("identifier", identifiers())
def test_every_exhibit_has_its_section(identifier):
    assert f"## `{identifier}`" in (ROOT / "docs" / "experiments.md").read_text()


@pytest.mark.parametrize("name", sorted(path.parent.name for path in (FOLDER / "cards").glob("*/card.sv")))
def test_the_cards_without_a_design_are_clean_systemverilog(name):
    """They are built by hand around engines and fabrics, whose ports and settings they must follow."""
    constants = {"Mesh": 0, "Butterfly": 1, "Crossbar": 2, "Topology": 1, "X": 2, "Y": 2, "Tiles": 2, "Classes": 2} if name == "fabric_load" else None
    sources = json.loads((card_folder(name, constants=constants) / "card.json").read_text())["sources"]
    result = lint("card_sim", sources)
    assert result.clean, result.output


def test_an_unknown_exhibit_is_refused_with_the_known_ones():
    with pytest.raises(GirihError, match="beehive-lat"):
        load("beehive-f77")


def test_json_holds_the_paper_figure_and_ours_only(tmp_path):
    row = Row("latency_cycles_first", {"payload": 1}, "cycles", paper=92, measured=25, peer=94, note="x")
    exhibit = Exhibit("some-id", "title", "source", "differs", run=lambda progress: [row])
    write_json(exhibit, [row], tmp_path / "new" / "out.json")
    assert json.loads((tmp_path / "new" / "out.json").read_text()) == {
        "exhibit": "some-id",
        "rows": [
            {"metric": "latency_cycles_first", "params": {"payload": 1}, "unit": "cycles", "paper": 92, "measured": 25}
        ],
    }
    assert table(exhibit, [row]).row_count == 1
