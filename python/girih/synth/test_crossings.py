# SPDX-License-Identifier: Apache-2.0
"""Crossings between clocks are found and checked, and a Tcl interpreter reads the constraints of each."""

import re
from pathlib import Path

import pytest

from girih.build.generate import digest, write_if_changed
from girih.build.sources import modules
from girih.errors import GirihError
from girih.paths import BUILD
from girih.spec.message import CardParams
from girih.synth import synthesize
from girih.synth.constraints import check_format, constraints, write_constraints
from girih.synth.crossings import Crossing, crossings_of

FIFO = [
    Crossing("mem", "data_q", "data", 8),
    Crossing("read_gray_q", "u_read_gray.stage_q", "code", 5),
    Crossing("u_in_clear.again_q", "u_out_clear.u_seen.stage_q", "code", 1),
    Crossing("u_in_clear.phase_q", "u_out_clear.u_seen.stage_q", "code", 2),
    Crossing("u_out_clear.again_q", "u_in_clear.u_seen.stage_q", "code", 1),
    Crossing("u_out_clear.phase_q", "u_in_clear.u_seen.stage_q", "code", 2),
    Crossing("write_gray_q", "u_write_gray.stage_q", "code", 5),
]
RESET = Crossing("", "u_reset.caught_q", "reset", 1)


def changed(module: str, old: str, new: str) -> list[Path]:
    """A folder, below the checkout as Yosys wants it, with a changed copy of a module."""
    text = modules()[module].read_text()
    assert text.count(old) == 1
    folder = BUILD / "crossings" / "tests" / digest(module, old, new)
    write_if_changed(folder / f"{module}.sv", text.replace(old, new))
    return [folder]


def test_the_crossings_of_a_fifo_are_all_of_them():
    assert crossings_of("async_fifo") == FIFO


def test_within_a_clock_nothing_crosses():
    assert crossings_of("fifo") == []


def test_a_synchroniser_is_made_of_flip_flops():
    """And not of shift registers, which cannot settle a value that is neither old nor new."""
    area = synthesize("synchroniser", parameters={"Width": 3, "Stages": 3})
    assert (area.ff, area.lutram, area.lut) == (9, 0, 0)


def test_a_tile_with_a_clock_of_its_own_is_joined_by_fifos():
    found = crossings_of("tile_crossing", CardParams(128))
    fifos = ("gen_in[0].u_fifo", "gen_out[0].u_fifo", "u_into", "u_back")
    assert {crossing.target.rsplit(".", 2)[0] for crossing in found if "gray" in crossing.target} == set(fifos)
    assert {crossing.kind for crossing in found} == {"code", "data"} and len(found) == len(fifos) * len(FIFO)


# The registers of a core have a reset without a clock, which a register of the same clock drives.
SET = """
module set (input logic clk_i, other_i, rst_i, in_i, output logic out_o);
  logic reset_q;
  always_ff @(posedge {clock}) reset_q <= rst_i;
  always_ff @(posedge clk_i or posedge reset_q) if (reset_q) out_o <= 1'b0; else out_o <= in_i;
endmodule
"""


@pytest.mark.parametrize("clock", ["clk_i", "other_i"])
def test_a_reset_by_a_register_of_the_same_clock_does_not_cross(clock):
    file = BUILD / "crossings" / "tests" / f"set_{clock}" / "set.sv"
    write_if_changed(file, SET.replace("{clock}", clock))
    if clock == "clk_i":
        assert crossings_of("set", CardParams(), extra=[file]) == []
    else:
        with pytest.raises(GirihError, match="is set or reset without its clock"):
            crossings_of("set", CardParams(), extra=[file])


NAMED = """
module pair #(parameter int unsigned Ports = 2) (
  input logic a_clk_i, b_clk_i, rst_i, input logic [Ports-1:0] in_valid_i, output logic [Ports-1:0] in_ready_o,
  input logic [7:0] in_data_i[Ports], output logic [Ports-1:0] out_valid_o, output logic [7:0] out_data_o[Ports]);
  logic a_rst, b_rst;
  reset_synchroniser u_a (.clk_i(a_clk_i), .async_rst_i(rst_i), .rst_o(a_rst));
  reset_synchroniser u_b (.clk_i(b_clk_i), .async_rst_i(rst_i), .rst_o(b_rst));
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    async_fifo u_fifo (.in_clk_i(a_clk_i), .in_rst_i(a_rst), .in_valid_i(in_valid_i[p]), .in_ready_o(in_ready_o[p]),
      .in_data_i(in_data_i[p]), .out_clk_i(b_clk_i), .out_rst_i(b_rst), .out_valid_o(out_valid_o[p]), .out_ready_i(1'b1),
      .out_data_o(out_data_o[p]));
  end
endmodule
"""


def test_each_instance_has_its_own():
    file = BUILD / "crossings" / "tests" / "pair.sv"
    write_if_changed(file, NAMED)
    expected = [Crossing("", f"{name}.caught_q", "reset", 1) for name in ("u_a", "u_b")]
    for port in range(2):
        prefix = f"gen_port[{port}].u_fifo."
        expected += [Crossing(prefix + c.source, prefix + c.target, c.kind, c.width) for c in FIFO]
    assert crossings_of("pair", CardParams(), extra=[file]) == sorted(expected)


@pytest.mark.parametrize(
    ("module", "old", "new", "what"),
    [
        (
            "async_fifo",
            ".in_i (write_gray_q)",
            ".in_i (write_ptr_q ^ (write_ptr_q >> 1))",
            "u_write_gray.stage_q takes write_ptr_q, of another clock, through logic",
        ),
        (
            "async_fifo",
            '(* crossing = "data" *)',
            "",
            "data_q takes mem, of another clock, and is not marked as a crossing",
        ),
        (
            "async_fifo",
            "assign pop = out_open",
            "assign pop = ready_q && out_open",
            "valid_q takes ready_q, of another clock, and is not marked as a crossing",
        ),
        (
            "reset_synchroniser",
            'crossing = "reset", ',
            "",
            "caught_q is set or reset without its clock, and is not marked as a crossing of the kind reset",
        ),
    ],
)
def test_a_crossing_that_is_none_is_an_error(module, old, new, what):
    with pytest.raises(GirihError, match=re.escape(f"{what}. Use the modules of rtl/cdc, straight from a register.")):
        crossings_of(module, generated=changed(module, old, new))


def run_tcl(text: str, registers: list[str]) -> list[tuple]:
    """The commands of a file of constraints; patterns become the registers that they match as Tcl matches."""
    tcl = pytest.importorskip("tkinter").Tcl()
    commands: list[tuple] = []

    def get_cells(pattern: str) -> str:
        found = [register for register in registers if int(tcl.call("string", "match", pattern, register))]
        assert found, f"{pattern} matches no register"
        return " ".join(found)

    tcl.createcommand("get_cells", get_cells)
    tcl.createcommand("get_clocks", lambda _of, cells: f"clock of {cells}")
    tcl.createcommand("get_property", lambda _least, _period, clocks: f"period of {clocks}")
    for name in ("set_max_delay", "set_bus_skew", "set_false_path"):
        tcl.createcommand(name, lambda *words, name=name: commands.append((name, *words)))
    tcl.setvar("girih_period", "3.103")
    tcl.eval(text)
    return commands


# What Vivado calls the registers of two ports, and one that no pattern may match.
PORTS = [
    Crossing(f"gen_port[{port}].u_fifo.write_gray_q", f"gen_port[{port}].u_fifo.u_write_gray.stage_q", "code", 5)
    for port in (0, 1)
]
REGISTERS = [
    *(
        f"gen_port[{port}].u_fifo/{name}"
        for port in (0, 1)
        for name in ("write_gray_q_reg[0]", "u_write_gray/stage_q_reg[0][0]")
    ),
    "u_reset/caught_q_reg",
    "gen_port0.u_fifo/write_gray_q_reg[0]",
]


def test_vivado_reads_the_constraints():
    found = run_tcl(constraints("pair", [RESET, *PORTS], ".xdc"), REGISTERS)
    assert found[0] == ("set_false_path", "-to", "u_reset/caught_q_reg")
    for port in (0, 1):
        source, target = REGISTERS[2 * port : 2 * port + 2]
        way = ("-from", source, "-to", target, f"period of clock of {source}")
        assert found[1 + 2 * port : 3 + 2 * port] == [("set_max_delay", "-datapath_only", *way), ("set_bus_skew", *way)]
    assert len(found) == 5


def test_other_tools_read_the_constraints():
    found = run_tcl(
        constraints("pair", [RESET, PORTS[0], Crossing(*REGISTERS[:0], "a_q", "b_q", "data", 8)], ".sdc"),
        [*REGISTERS, "a_q_reg", "b_q_reg"],
    )
    way = ("-from", REGISTERS[0], "-to", REGISTERS[1])
    other = ("-from", "a_q_reg", "-to", "b_q_reg")
    assert found == [
        ("set_false_path", "-to", "u_reset/caught_q_reg"),
        *(
            command
            for w in (way, other)
            for command in (("set_max_delay", "3.103", *w), ("set_false_path", "-hold", *w))
        ),
    ]


def test_a_design_without_crossings_has_an_empty_file(tmp_path):
    write_constraints(tmp_path / "card.xdc", "udp_echo", [])
    assert (tmp_path / "card.xdc").read_text().endswith("# It has none.\n")


def test_an_unknown_format_is_refused():
    with pytest.raises(GirihError, match="Give the file one of the ends"):
        check_format(".txt")
