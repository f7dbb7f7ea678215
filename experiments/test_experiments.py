# SPDX-License-Identifier: Apache-2.0
"""The registry of exhibits and their reports. The exhibits themselves take minutes each and are not run."""

import json

import pytest

from girih.errors import GirihError
from girih.experiments import Exhibit, Row, identifiers, load, load_all
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
