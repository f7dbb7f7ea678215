# SPDX-License-Identifier: Apache-2.0
"""Every module of the card: clean under lint at every width, readable by open synthesis, and each
parameter check refuses what it should."""

import subprocess

import pytest

from girih.build.generate import generated_rtl
from girih.build.sources import resolve
from girih.build.tools import tool_environment, verilator_root
from girih.paths import BUILD, RTL
from girih.spec.message import SUPPORTED_WIDTHS, CardParams
from girih.synth.yosys import read_command, run
from girih.testing import VERILATOR_ARGS

MODULES = sorted(
    path.stem for path in RTL.rglob("*.sv") if not path.stem.endswith("_pkg") and path.parent.name != "formal"
)

# Module, parameter, a value that it must refuse, and the sentence that says so.
REFUSED = [
    ("fifo", "Depth", 3, "fifo: Depth is 3; it must be a power of two, at least 2"),
]


def lint(module: str, width: int, *arguments: str) -> subprocess.CompletedProcess:
    sources = resolve([module], [generated_rtl(CardParams(data_width=width))])
    program = verilator_root() / "bin" / "verilator"
    return subprocess.run(
        [program, "--lint-only", *VERILATOR_ARGS, *arguments, "--top-module", module, *sources],
        env=tool_environment(),
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("width", SUPPORTED_WIDTHS)
def test_lint_has_nothing_to_say(width):
    complaints = {module: result.stderr for module in MODULES if (result := lint(module, width)).returncode}
    assert not complaints, "\n".join(complaints.values())


def test_every_parameter_check_is_here():
    with_check = {path.stem for path in RTL.rglob("*.sv") if "$fatal" in path.read_text()}
    assert with_check == {module for module, *_ in REFUSED}


@pytest.mark.parametrize("module, parameter, value, sentence", REFUSED)
def test_parameter_check(module, parameter, value, sentence):
    result = lint(module, 512, f"-G{parameter}={value}")
    assert result.returncode != 0
    assert sentence in result.stderr


def test_open_synthesis_reads_every_module():
    script = []
    for module in MODULES:
        sources = resolve([module], [generated_rtl(CardParams())])
        script += [read_command(module, sources, {}), "hierarchy -check", "proc", "check -assert", "design -reset"]
    run("\n".join(script), BUILD / "synth" / "every-module")
