# SPDX-License-Identifier: Apache-2.0
"""What `./girih synth --timing` prints and writes."""

import io
import json

import pytest
from rich.console import Console

from girih.compiler.check.card import check_file
from girih.paths import DESIGNS
from girih.synth import design
from girih.synth.report import print_timings, rows
from girih.synth.timing import timing_of
from girih.testing.netlists import Module
from tests.commands import girih


def chain(luts: int) -> Module:
    module = Module()
    module.flip_flop(module.chain(module.flip_flop("0", "first_q[0]"), luts), "last_q")
    return module


def test_figures_of_a_module():
    found = {row.metric: (row.measured, row.unit) for row in rows("chain", 128, timing_of(chain(20).read()))}
    assert found == {
        "worst_ns": (5.13, "ns"),  # 0.08 + 20 * 0.24 + 0.25
        "levels": (20, "levels"),
        "endpoints": (1, "endpoints"),
        "endpoints_over": (1, "endpoints"),
        "clock_mhz": (195, "MHz"),
    }
    assert all(row.params == {"module": "chain", "width": 128} for row in rows("chain", 128, timing_of(chain(1).read())))


def test_the_slowest_paths_of_all_modules_are_printed_by_name():
    console = Console(width=140, record=True, file=io.StringIO())
    print_timings(console, 512, {f"chain_{luts}": timing_of(chain(luts).read()) for luts in (1, 20, 3, 7)})
    text = console.export_text()
    assert "chain_20: 5.13 ns, 20 levels, first_q[0] > last_q\n    first_q[0] at 0.08 (1)" in text
    assert "The slowest part, chain_20, allows 195 MHz." in text
    assert text.index("chain_20: ") < text.index("chain_7: ") < text.index("chain_3: ") and "chain_1: " not in text


def test_the_slowest_part_is_named_for_each_clock():
    console = Console(width=140, record=True, file=io.StringIO())
    timings = {f"chain_{luts}": timing_of(chain(luts).read()) for luts in (1, 20, 3, 7)}
    print_timings(console, 512, timings, {"chain_1": 250, "chain_20": 125, "chain_3": 250, "chain_7": 125})
    text = console.export_text()
    assert "The slowest part in the clock of 250 MHz, chain_3, allows 952 MHz.\nThe slowest part in the clock of 125 MHz, chain_20, allows 195 MHz." in text
    assert "its clock" in text


def test_the_parts_of_a_card_have_the_clock_of_their_tiles(tmp_path):
    path = tmp_path / "core.yaml"
    path.write_text("clocks: {ports: 322, cores: 125}\n" + (DESIGNS / "core.yaml").read_text())
    found = design.clocks(check_file(path))
    assert found == {name: 125 if name in ("tile echo", "tile firewall") else 322 if name in ("edge receive", "edge transmit") else 250 for name in found}
    assert {"tile echo", "tile udp_rx", "edge receive", "edge time", "edge tile echo", "edge tile firewall", "control"} <= found.keys()
    assert set(design.clocks(check_file(DESIGNS / "core.yaml")).values()) == {250}


def test_the_command_for_a_module(tmp_path):
    done = girih("synth", "--module", "echo", "--timing", "--json", tmp_path / "timing.json")
    assert done.returncode == 0, done.stderr
    assert "± 30 %" in done.stdout
    record = json.loads((tmp_path / "timing.json").read_text())
    figures = {row["metric"]: row["measured"] for row in record["rows"]}
    assert figures["clock_mhz"] == pytest.approx(1000 / figures["worst_ns"], rel=0.01)
    assert record["rows"][0]["params"] == {"module": "echo", "width": 512}
    assert f"{figures['worst_ns']:.2f} ns" in done.stdout


@pytest.mark.parametrize("words, sentence", [((), "neither a design nor a module"), (("udp_echo", "--json", "x"), "without --timing"), (("udp_echo", "--whole"), "without a design and --timing")])
def test_the_command_without_what_it_needs(words, sentence):
    done = girih("synth", *words)
    assert done.returncode == 2 and sentence in done.stderr


def test_each_part_of_a_card_has_its_timing(monkeypatch):
    asked = []
    monkeypatch.setattr(design, "netlist", lambda top, **job: asked.append((top, job)) or chain(len(asked)).read())
    timings = design.card_timings(DESIGNS / "udp_echo.yaml")
    assert [timing.levels for timing in timings.values()] == list(range(1, len(timings) + 1))
    assert {"tile eth_rx", "control"} <= timings.keys() and any(name.startswith("router ") for name in timings)
    assert all(job["params"].data_width == 512 for _top, job in asked)


def test_a_card_without_tiles_on_the_fabric_has_no_fabric(monkeypatch):
    monkeypatch.setattr(design, "netlist", lambda top, **job: chain(1).read())
    assert set(design.card_timings(DESIGNS / "panic_pipeline.yaml")) == {"tile nic", "control"}
