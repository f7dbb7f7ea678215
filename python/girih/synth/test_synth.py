# SPDX-License-Identifier: Apache-2.0
"""Synthesis: the figures that are counted, and that results are kept."""

import gzip
import itertools
import json
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
        (folder / "netlist.json").write_text('{"modules": {}}')
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


def test_a_design_that_is_given_as_a_module():
    with pytest.raises(GirihError, match=r"demo is a design, and no module\. Leave out --module: \./girih synth demo$"):
        module_area("demo", CardParams())


def test_what_yosys_refuses_is_an_error_with_its_words():
    file = BUILD / "synth" / "tests" / "refused.sv"
    write_if_changed(file, "module refused(output logic q_o); assign q_o = not_declared; endmodule\n")
    with pytest.raises(GirihError, match=r"yosys.log: Yosys failed \(.*not_declared.*\)\. That file"):
        synthesize("refused", CardParams(), extra=[file])


# Of the kept net, bit 3 is an input, and bit 2 is inverted twice. The instance that is kept is mapped by itself.
KEPT = """
module chosen (
    input  logic       of_odd_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic       o
);
  assign o = of_odd_i ? a_i : b_i;
endmodule

module kept (
    input  logic       odd_i,
    input  logic [2:0] behind_i,
    input  logic [3:0] a_i,
    input  logic [3:0] b_i,
    output logic [3:0] o
);
  (* keep *) logic [3:0] of_odd;
  assign of_odd = {4{odd_i}} ^ {1'b0, behind_i};
  for (genvar i = 0; i < 4; i++) begin : gen_chosen
    (* keep_hierarchy *) chosen u_chosen (.of_odd_i(of_odd[i]), .a_i(a_i[i]), .b_i(b_i[i]), .o(o[i]));
  end
endmodule
"""


def test_what_is_mapped_computes_what_the_source_does():
    file = BUILD / "synth" / "tests" / "kept.sv"
    write_if_changed(file, KEPT)
    with gzip.open(synth._synthesized("kept", CardParams(), None, [], [file]) / "netlist.json.gz") as packed:
        module = json.load(packed)["modules"]["kept"]
    tables = [(int(cell["parameters"]["INIT"], 2), cell["connections"]) for cell in module["cells"].values()]
    assert all(cell["type"].startswith("LUT") for cell in module["cells"].values())
    for odd, behind, a, b in itertools.product(range(2), range(8), range(16), (0, 5, 10, 15)):
        values = {"0": 0, "1": 1}
        for port, value in {"odd_i": odd, "behind_i": behind, "a_i": a, "b_i": b}.items():
            values |= {bit: value >> index & 1 for index, bit in enumerate(module["ports"][port]["bits"])}
        while any(bit not in values for bit in module["ports"]["o"]["bits"]):
            known = len(values)
            for init, wires in tables:
                pins = [wires[f"I{pin}"][0] for pin in range(len(wires) - 1)]
                if all(bit in values for bit in pins):
                    values[wires["O"][0]] = init >> sum(values[bit] << pin for pin, bit in enumerate(pins)) & 1
            assert len(values) > known, "a table has an input that nothing drives"
        chosen = (15 * odd) ^ behind
        assert sum(values[bit] << index for index, bit in enumerate(module["ports"]["o"]["bits"])) == (a & chosen) | (b & ~chosen & 15)


def test_a_kept_net_without_a_driver_is_an_error(monkeypatch, tmp_path):
    def run(_script: str, folder: Path) -> None:
        lost, constant = {"bits": [2, "x"], "attributes": {"keep": "1"}}, {"bits": [2, "0"], "attributes": {"keep": "1"}}
        unused = {"bits": ["x"], "attributes": {}}
        (folder / "netlist.json").write_text(json.dumps({"modules": {"fifo": {"netnames": {"constant": constant, "unused": unused, "ends": lost}}}}))
        (folder / "partial.json").write_text('{"design": {}}')

    monkeypatch.setattr(synth, "run", run)
    monkeypatch.setattr(synth, "BUILD", tmp_path)
    for _ in range(2):  # nor is it kept as a result
        with pytest.raises(GirihError, match="fifo: synthesis lost the driver of ends, which is marked keep"):
            synthesize("fifo")


@pytest.mark.parametrize("fabric", ["mesh: [3, 2]", "butterfly: [2, 2, 2]", "crossbar: 6"])
def test_the_fabric_of_a_card_has_its_classes(fabric, tmp_path):
    """A card with two message classes has routers, or a crossbar, with two."""
    path, text = tmp_path / "card.yaml", (DESIGNS / "memory.yaml").read_text()
    path.write_text(re.sub(r"(?m)^fabric: .*$", f"fabric: {{{fabric}}}", re.sub(r", at: \[[^]]*\]", "", text)))
    jobs = [job for name, job in parts(check_file(path)).items() if name.startswith(("router", "crossbar"))]
    assert jobs and all(job["parameters"]["Classes"] == 2 for job in jobs)
    assert not any("Classes" in job["parameters"] for job in parts(check_file(DESIGNS / "udp_echo.yaml")).values())
