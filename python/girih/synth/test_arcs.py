# SPDX-License-Identifier: Apache-2.0
"""What each kind of cell adds to a path."""

import pytest

from girih.errors import GirihError
from girih.synth.timing import timing_of
from girih.testing.netlists import ARRIVE, CLOCK, LEAVE, WIRE, Module

OTHER_CLOCK = 3


def ns(value: float):
    return pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("loads, wire", [(2, 0.19), (8, 0.27), (64, 0.39)])
def test_wires_by_their_loads(loads, wire):
    module = Module()
    source = module.flip_flop("0", "source_q")
    module.pin("seen_o", "output", source)  # a load, as a cell is
    for _ in range(loads - 1):
        module.flip_flop(source)
    timing = timing_of(module.read())
    assert timing.worst_ns == ns(LEAVE + wire + ARRIVE)
    assert timing.registers.paths[0].through[0].loads == loads


def test_a_cell_that_reads_a_net_twice_is_one_load():
    module = Module()
    source = module.flip_flop("0")
    module.flip_flop(module.lut(source, source))
    assert timing_of(module.read()).worst_ns == ns(LEAVE + WIRE + 0.09 + WIRE + ARRIVE)


def test_control_inputs_are_endpoints():
    module = Module()
    source = module.flip_flop("0")
    module.flip_flop("0", "held_q", enable=source)
    (path,) = timing_of(module.read()).registers.paths
    assert path.end == "held_q.CE"
    assert path.ns == ns(LEAVE + WIRE + 0.05 + 0.07)


class TestCarryChains:
    def test_a_chain_is_one_level_however_long(self):
        """LUT and chain share a slice: from carry to carry there is no wire."""
        module = Module()
        first = module.lut(module.flip_flop("0"))
        _sums, carries = module.carry(s=(first, "0", "0", "0"), src="rtl/net/sum.sv:12.3-14.5|/share/map.v:1.1")
        _sums, carries = module.carry(ci=carries[3])
        sums, _carries = module.carry(ci=carries[3])
        module.flip_flop(sums[3], "sum_q")
        timing = timing_of(module.read())
        along = 2 * (0.02 + 0.0024 * 3) - (0.02 + 0.0024 * 3) + (0.10 + 0.012 * 3)
        assert timing.worst_ns == ns(LEAVE + WIRE + 0.09 + 0.02 + 0.20 + 0.012 * 3 + along + WIRE + ARRIVE)
        assert timing.levels == 1
        assert timing.registers.paths[0].through[0].net == "sum.sv:12"

    @pytest.mark.parametrize("pin", ["s", "di", "ci"])
    def test_entered_from_a_register(self, pin):
        module = Module()
        source = module.flip_flop("0")
        entry = {"ci": {"ci": source}, "s": {"s": ("0", source, "0", "0")}, "di": {"di": ("0", source, "0", "0")}}[pin]
        _sums, carries = module.carry(**entry)
        module.flip_flop(carries[2])
        timing = timing_of(module.read())
        assert timing.worst_ns == ns(
            LEAVE + WIRE + (0.02 + 0.0024 * 2 if pin == "ci" else 0.20 + 0.012) + WIRE + ARRIVE
        )
        assert timing.levels == 1

    def test_a_lut_with_other_readers_needs_a_wire_to_the_chain(self):
        module = Module()
        made = module.lut(module.flip_flop("0"))
        sums, _carries = module.carry(s=(made, "0", "0", "0"))
        module.flip_flop(sums[0])
        module.flip_flop(made)
        timing = timing_of(module.read())
        assert timing.worst_ns == ns(LEAVE + WIRE + 0.09 + 0.19 + 0.20 + WIRE + ARRIVE)
        assert timing.levels == 2

    def test_what_no_bit_depends_on(self):
        """A sum depends on the bits up to its own, but not on its own DI."""
        module = Module()
        sums, carries = module.carry(
            s=("0", "0", module.flip_flop("0"), "0"), di=("0", module.flip_flop("0"), "0", "0")
        )
        module.flip_flop(carries[0])
        module.flip_flop(sums[1])
        assert timing_of(module.read()).registers.endpoints == 0


class TestMemories:
    @staticmethod
    def lutram(
        module: Module, read: int | str, write: int | str = "0", data: int | str = "0", enable: int | str = "0"
    ) -> int:
        out = module.net()
        inputs: dict[str, list] = {
            "ADDRA": [read, "0", "0", "0", "0"],
            "ADDRH": [write, "0", "0", "0", "0"],
            "DIA": [data, "x"],
            "WE": [enable],
            "WCLK": [CLOCK],
        }
        module.cell("RAM32M16", {"DOA": [out]}, inputs, name="u_fifo.mem.0.0")
        return out

    def test_lutram_from_a_write_and_from_its_address(self):
        module = Module()
        module.flip_flop(self.lutram(module, module.chain(module.flip_flop("0"), 3)), "out_q")
        timing = timing_of(module.read())
        assert timing.worst_ns == ns(LEAVE + 4 * (WIRE + 0.09) + WIRE + ARRIVE)
        assert timing.levels == 4
        module = Module()
        module.flip_flop(self.lutram(module, module.flip_flop("0")), "out_q")
        timing = timing_of(module.read())
        assert timing.worst_ns == ns(0.55 + WIRE + ARRIVE)
        assert timing.registers.paths[0].start == "u_fifo.mem.0.0"
        assert timing.registers.paths[0].levels == 0
        assert timing.levels == 1  # of the faster way through its address

    def test_lutram_is_written_at_the_edge_and_read_at_once(self):
        module = Module()
        self.lutram(module, *(module.flip_flop("0") for _ in range(4)))
        registers = timing_of(module.read()).registers
        assert registers.endpoints == 3  # write address, data, enable; the read address leads on
        assert registers.worst_ns == ns(LEAVE + WIRE + 0.15 + 0.07)

    @pytest.mark.parametrize(
        "kind, outputs, read, endpoints",
        [
            ("RAM64X1D", ("SPO", "DPO"), ("A3", "DPRA3"), 1),
            ("RAM32X1S", ("O",), ("A3",), 1),
            ("RAM256X1S", ("O",), ("A",), 1),
        ],
    )
    def test_lutram_of_one_bit(self, kind, outputs, read, endpoints):
        """Only the address that is also written is an endpoint. Each output follows its own address."""
        module = Module()
        out = [module.net() for _ in outputs]
        sources = [module.chain(module.flip_flop("0"), 5 * (index + 1)) for index in range(len(read))]
        module.cell(
            kind,
            {pin: [net] for pin, net in zip(outputs, out)},
            {pin: [net] for pin, net in zip(read, sources)} | {"WCLK": [CLOCK]},
        )
        assert timing_of(module.read()).registers.endpoints == endpoints
        for net in out:
            module.flip_flop(net)
        registers = timing_of(module.read()).registers
        assert registers.endpoints == endpoints + len(out)
        assert registers.levels == 5 * len(out) + 1

    @pytest.mark.parametrize("kind", ["RAMB18E2", "RAMB36E2"])
    def test_block_ram(self, kind):
        module = Module()
        address, out = module.flip_flop("0"), module.net()
        module.cell(
            kind,
            {"DOUTADOUT": [out]},
            {"ADDRARDADDR": [address], "CLKARDCLK": [CLOCK], "CLKBWRCLK": [CLOCK]},
            name="u_ram.mem.0.0",
        )
        module.flip_flop(out, "out_q")
        slowest, other = timing_of(module.read()).registers.paths
        assert (slowest.start, slowest.end, slowest.ns) == ("u_ram.mem.0.0", "out_q", ns(0.95 + WIRE + ARRIVE))
        assert (other.end, other.ns) == ("u_ram.mem.0.0.ADDRARDADDR", ns(LEAVE + WIRE + 0.25 + 0.07))

    def test_a_shift_register(self):
        module = Module()
        out = module.net()
        inputs = {
            "D": [module.flip_flop("0")],
            "CE": ["1"],
            "CLK": [CLOCK],
            "A0": [module.chain(module.flip_flop("0"), 4)],
        }
        module.cell("SRL16E", {"Q": [out]}, inputs)
        module.flip_flop(out)
        timing = timing_of(module.read())
        assert timing.worst_ns == ns(LEAVE + 5 * (WIRE + 0.09) + WIRE + ARRIVE)
        assert (timing.levels, timing.registers.endpoints) == (5, 2)


def test_a_wide_multiplexer_is_in_the_slice_of_its_luts_and_an_inverter_in_the_cell_behind_it():
    module = Module()
    muxed, inverted = module.net(), module.net()
    module.cell("MUXF7", {"O": [muxed]}, {"I0": [module.lut(module.flip_flop("0"))], "I1": ["0"], "S": ["0"]})
    module.cell("INV", {"O": [inverted]}, {"I": [muxed]})
    module.flip_flop(inverted)
    timing = timing_of(module.read())
    assert timing.worst_ns == ns(LEAVE + WIRE + 0.09 + 0.02 + 0.08 + WIRE + ARRIVE)
    assert timing.levels == 1


@pytest.mark.parametrize("kind", ["FIFO36E2", "FDRE_1", "LDCE"])
def test_cells_whose_timing_is_not_known_are_refused(kind):
    module = Module()
    module.cell(kind, {"Q": [module.net()]}, {"D": ["0"]})
    with pytest.raises(GirihError, match=f"sample: .*not known: 1 {kind}"):
        timing_of(module.read())


def test_a_multiplier_without_registers():
    module = Module()
    products = [module.net() for _ in range(3)]
    module.cell("DSP48E2", {"P": products}, {"A": ["0", module.flip_flop("0")], "B": [module.flip_flop("0")]})
    module.flip_flop(products[2])
    timing = timing_of(module.read())
    assert timing.worst_ns == ns(LEAVE + WIRE + 1.6 + WIRE + ARRIVE)
    assert timing.levels == 1


def test_a_multiplier_with_registers_is_refused():
    module = Module()
    module.cell("DSP48E2", {"P": [module.net()]}, {"A": [module.flip_flop("0")], "CLK": [CLOCK]})
    with pytest.raises(GirihError, match="DSP48E2, has registers"):
        timing_of(module.read())


def test_a_memory_with_two_clocks_is_refused():
    module = Module()
    module.cell("RAMB18E2", {"DOUTADOUT": [module.net()]}, {"CLKARDCLK": [CLOCK], "CLKBWRCLK": [OTHER_CLOCK]})
    with pytest.raises(GirihError, match="two clocks"):
        timing_of(module.read())
