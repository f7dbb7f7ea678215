# SPDX-License-Identifier: Apache-2.0
"""Modules of others, in folders named `vendor`, are built as they are."""

import pytest

from girih.build.lint import lint
from girih.build.sources import modules, resolve
from girih.build.vendored import waived
from girih.paths import ROOT
from girih.synth.yosys import read_command, run

LEGACY = ROOT / "tests" / "kinds" / "vendor" / "legacy_counter.v"


def test_verilog_with_old_names_and_loose_widths_is_built_as_it_is(tmp_path):
    sources = resolve(["legacy_counter"])
    result = lint("legacy_counter", sources)
    assert result.clean, result.output
    assert not lint("legacy_counter", [LEGACY]).clean, "it has nothing that lint would refuse"
    run(read_command("legacy_counter", sources, {}) + "\nhierarchy -check\nproc\ncheck -assert\n", tmp_path)


def test_what_is_around_it_keeps_the_rules(tmp_path):
    around = tmp_path / "around.sv"
    around.write_text("module around (input logic clk, input logic rst_n, output logic [4:0] y);\n  legacy_counter u (.clk, .rst_n, .bit(1'b1), .do(y));\nendmodule\n")
    result = lint("around", resolve(["around"], extra=[around]))
    assert not result.clean
    assert "around.sv:2" in result.output and "legacy_counter.v" not in result.output


@pytest.mark.parametrize("name", ["broken.v", "broken.sv"])
def test_an_error_names_the_original_and_its_line(name):
    path = ROOT / "build" / "checks" / "vendor" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("module broken (input x, output y);\n\n  assign y = x +;\nendmodule\n")
    result = lint("broken", [waived(path)])
    assert f"{path.relative_to(ROOT)}:3:" in result.output


def test_it_is_no_module_of_the_project():
    assert "legacy_counter" not in modules()
