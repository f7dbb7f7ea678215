# SPDX-License-Identifier: Apache-2.0
"""Names of tiles: an accepted name is valid in every language in which a card is emitted, and collides with nothing."""

import builtins
import itertools
import re
import subprocess

import pytest

from girih.compiler import values
from girih.compiler.check.card import check_file
from girih.compiler.compile import compile_design
from girih.compiler.emit.card import constant, emit_card
from girih.paths import DESIGNS
from girih.testing.designs import lint_design

SYSTEMVERILOG = (  # IEEE 1800-2017, annex B
    "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins binsof bit break buf bufif0 "
    "bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context continue cover covergroup coverpoint cross "
    "deassign default defparam design disable dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup "
    "endinterface endmodule endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect export "
    "extends extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins "
    "illegal_bins implements implies import incdir include initial inout input inside instance int integer interconnect interface intersect join "
    "join_any join_none large let liblist library local localparam logic longint macromodule matches medium modport module nand negedge nettype new "
    "nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program property "
    "protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg "
    "reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared "
    "sequence shortint shortreal showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 "
    "supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand "
    "trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak "
    "weak0 weak1 while wildcard wire with within wor xnor xor"
).split()
C = (
    "auto restrict inline alignas alignof constexpr nullptr static_assert thread_local typeof asm bool catch char char16_t concept const_cast delete "
    "double dynamic_cast explicit extern false float friend goto mutable namespace noexcept operator private public register reinterpret_cast "
    "requires short sizeof static_cast switch template throw true try typeid typename using volatile wchar_t and_eq bitand bitor compl not_eq or_eq "
    "xor_eq co_await co_return co_yield consteval constinit decltype char8_t linux unix i386 main errno stdin stdint uint32_t size_t"
).split()
# Names in the emitted top, its packages and tools.
TOP = (
    "card card_sim fabric fabric_in fabric_out ctrl ctrl_bridge now credits link_stall unused nodes node tiles ports links digest rst_i clk_i flit_t w "
    "u_card u_fabric u_ctrl_bridge u_echo echo_in echo_out echo_in_in echo_node echo_node1 mesh crossbar router girih girih_card girih_pkg any name desc"
).split()
CLOSE = "echo echo1 echo_1 echo__1 echo_ echo__ e1 e_1 e_1_ ip_rx iprx i_prx ip_r_x".split()
WORDS = sorted({*SYSTEMVERILOG, *C, *TOP, *CLOSE, *(word.lower() for word in dir(builtins))} - {"eth_rx", "eth_tx"})
GOOD = [word for word in WORDS if values.name_fault(word) is None]


def design(names) -> str:
    """A card of relays with these names, one after the other."""
    names = list(names)
    ways = itertools.pairwise([*names, "eth_tx"])
    tiles = "".join(f"  {name}: {{kind: relay, next: {to}}}\n" for name, to in ways)
    head = "fabric: {mesh: [16, 16]}\nmac: 02:00:00:00:00:01\ntiles:\n"
    return f"{head}  eth_rx: {{kind: eth_rx, next: {names[0]}}}\n{tiles}  eth_tx: {{kind: eth_tx}}\n"


@pytest.mark.parametrize("names", [GOOD[start : start + 240] for start in range(0, len(GOOD), 240)], ids=lambda names: names[0])
def test_every_name_that_is_accepted_is_good_in_every_language(names, tmp_path):
    path = tmp_path / "names.yaml"
    path.write_text(design(names))
    folder = compile_design(path, tmp_path / "card")
    use = tmp_path / "use.c"
    members = "".join(f"int at_{name} = offsetof(girih_card_t, {name});\n" for name in names)
    use.write_text(f'#include <stddef.h>\n#include "card.h"\n{members}')
    for compiler, standard in (("gcc", "gnu11"), ("g++", "gnu++20")):
        subprocess.run([compiler, f"-std={standard}", "-x", "c" if compiler == "gcc" else "c++", "-c", use, "-o", tmp_path / "use.o", "-I", folder], check=True)
    found: dict = {}
    exec((folder / "card_registers.py").read_text(), found)
    assert all(found[name].BASE for name in names)
    declared = re.findall(r"^  (?:logic|flit_t|ctrl_t|timestamp_t|localparam (?:int unsigned|node_t|logic)) (?:\[.*?\] )?(\w+(?:, \w+)*)", (folder / "card.sv").read_text(), re.MULTILINE)
    flat = [name for names in declared for name in names.split(", ")]
    instances = re.findall(r"\b(u_\w+) \($", (folder / "card.sv").read_text(), re.MULTILINE)
    assert len(flat) == len(set(flat))
    assert len(instances) == len(set(instances)) == len(names) + 4


def test_names_that_differ_have_constants_that_differ():
    words = ["".join(letters) for length in range(1, 6) for letters in itertools.product("a1_", repeat=length) if letters[0] == "a"]
    assert len({constant(word) for word in words}) == len(words)


def test_what_the_top_calls_its_own_parts_is_no_name():
    """The names of an instance `u_x` without a tile x, and of a net such as a tile x would have, are reserved."""
    for path in sorted(DESIGNS.glob("*.yaml")):
        card = check_file(path)
        text = emit_card(card, "0")
        tiles = {tile.name for tile in card.tiles}
        own = set(re.findall(r"\bu_(\w+) \($", text, re.MULTILINE)) | set(re.findall(r"\b(\w+)_(?:in|out)_(?:valid|ready|flit)\b", text))
        assert all(values.name_fault(name) for name in own - tiles)


def test_names_are_clean_systemverilog():
    names = [name for name in [*CLOSE, *TOP, "module", "wire", "begin", "logic", "interface"] if values.name_fault(name) is None][:40]
    result = lint_design("names", design(names).replace("[16, 16]", "[7, 6]"))
    assert result.clean, result.output
