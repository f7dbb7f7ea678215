# SPDX-License-Identifier: Apache-2.0
"""Synthesis: the figures that are counted, and that results are kept."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from girih import synth
from girih.build.generate import write_if_changed
from girih.compiler.check.card import check_file
from girih.errors import GirihError
from girih.paths import BUILD, DESIGNS
from girih.spec.message import CardParams
from girih.synth import Area, synthesize, total
from girih.synth.area import area_of
from girih.synth.design import module_area, parts


def test_counts_tables_and_memory_apart():
    area = area_of({"LUT6": 3, "LUT2": 1, "INV": 5, "CARRY4": 2, "RAM32M16": 2, "FDRE": 7, "RAMB18E2": 1})
    assert (area.lut, area.lutram, area.ff, area.bram) == (4, 16, 7, 0.5)
    assert total([area, area]).cells["INV"] == 10
    assert total([]) == Area()


def test_fifo_is_small_and_kept():
    area = synthesize("fifo", parameters={"Depth": 16})
    assert area.lutram == 8  # 16 x 8 bits: one RAM32M16
    assert 13 <= area.ff <= 17  # two pointers of five bits, three flags; Yosys may copy the read address
    assert 0 < area.lut < 40
    assert synthesize("fifo", parameters={"Depth": 16}) == area


def test_two_who_want_the_same_wait_for_one_synthesis(monkeypatch, tmp_path):
    started = []

    def run(_script: str, folder: Path) -> None:
        started.append(folder)
        time.sleep(0.2)
        (folder / "netlist.json").write_text("{}")
        (folder / "partial.json").write_text('{"design": {"num_cells_by_type": {"LUT6": 3}}}')

    monkeypatch.setattr(synth, "run", run)
    monkeypatch.setattr(synth, "BUILD", tmp_path)
    with ThreadPoolExecutor(4) as pool:
        areas = list(pool.map(lambda _: synthesize("fifo"), range(4)))
    assert [area.lut for area in areas] == [3] * 4
    assert len(started) == 1


@pytest.mark.parametrize("module", ["router", "fifo_block", "credit_meter", pytest.param("unit_null", marks=pytest.mark.thorough), "echo"])
def test_any_module_can_be_synthesized_by_its_name(module):
    """Including modules of cards with services, whatever the card."""
    assert module_area(module, CardParams()).lut > 0


@pytest.mark.parametrize("module", ["ruter", "girih_pkg", "x y", ""])
def test_a_module_that_is_not_there(module):
    with pytest.raises(GirihError, match="there is no module"):
        module_area(module, CardParams())


def test_what_yosys_refuses_is_an_error_with_its_words():
    file = BUILD / "synth" / "tests" / "refused.sv"
    write_if_changed(file, "module refused(output logic q_o); assign q_o = not_declared; endmodule\n")
    with pytest.raises(GirihError, match=r"yosys.log: Yosys failed \(.*not_declared.*\)\. That file"):
        synthesize("refused", CardParams(), extra=[file])


@pytest.mark.parametrize("fabric", ["mesh: [3, 2]", "butterfly: [2, 2, 2]", "crossbar: 6"])
def test_the_fabric_of_a_card_has_its_classes(fabric, tmp_path):
    """A card with two message classes has routers, or a crossbar, with two."""
    path, text = tmp_path / "card.yaml", (DESIGNS / "memory.yaml").read_text()
    path.write_text(re.sub(r"(?m)^fabric: .*$", f"fabric: {{{fabric}}}", re.sub(r", at: \[[^]]*\]", "", text)))
    jobs = [job for name, job in parts(check_file(path)).items() if name.startswith(("router", "crossbar"))]
    assert jobs and all(job["parameters"]["Classes"] == 2 for job in jobs)
    assert not any("Classes" in job["parameters"] for job in parts(check_file(DESIGNS / "udp_echo.yaml")).values())
