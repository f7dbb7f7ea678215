# SPDX-License-Identifier: Apache-2.0
"""The lint of a design: what it finds, and when the result of an earlier run is used again."""

import subprocess

import pytest

from girih.build import lint as under_test
from girih.build.lint import lint

CLEAN = "module top #(parameter int unsigned N = 1) (input logic [N-1:0] a_i, output logic y_o);\n  assign y_o = ^a_i;\nendmodule\n"
UNUSED = CLEAN.replace("  assign", "  logic [2:0] never;\n  assign")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The list of Verilator's runs; results are kept in a folder of the test's own."""
    commands = []

    def counted(command, **options):
        commands.append(command)
        return run(command, **options)

    run = subprocess.run
    monkeypatch.setattr(under_test, "BUILD", tmp_path / "build")
    monkeypatch.setattr(under_test.subprocess, "run", counted)
    return commands


def test_a_result_is_kept_for_the_same_input_alone(tmp_path, runs):
    source = tmp_path / "top.sv"
    for text, clean, wanted in ((CLEAN, True, 1), (UNUSED, False, 2), (CLEAN, True, 2), (UNUSED, False, 2)):
        source.write_text(text)
        result = lint("top", [source])
        assert (result.clean, len(runs)) == (clean, wanted)
        assert ("never" in result.output) == (not clean)
    other = tmp_path / "elsewhere" / "top.sv"
    other.parent.mkdir()
    other.write_text(CLEAN)
    assert lint("top", [other]).clean and len(runs) == 2
    assert lint("top", [other], "-GN=3").clean and len(runs) == 3
    package = tmp_path / "some_pkg.sv"
    package.write_text("package some_pkg;\nendpackage\n")
    lint("top", [package, other])
    assert len(runs) == 4


def test_a_verilator_that_crashes_has_found_nothing(tmp_path, monkeypatch):
    (tmp_path / "top.sv").write_text(CLEAN)
    monkeypatch.setattr(under_test, "BUILD", tmp_path / "build")
    crashed = subprocess.CompletedProcess([], 10, "", "%Error: Verilator internal fault, sorry.")
    monkeypatch.setattr(under_test.subprocess, "run", lambda *_, **__: crashed)
    with pytest.raises(RuntimeError, match="internal fault"):
        lint("top", [tmp_path / "top.sv"])
    assert not list(tmp_path.glob("build/**/*.json"))
