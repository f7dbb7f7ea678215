# SPDX-License-Identifier: Apache-2.0
"""What a trace says of instructions, as objdump writes them."""

import pytest

from girih.firmware.trace import Listing, written


@pytest.mark.parametrize(
    ("instruction", "register"),
    [
        ("addi a0,a1,4", "a0"), ("lw s0,0(a3)", "s0"), ("li t6,-1", "t6"), ("csrr a5,mcause", "a5"), ("csrrw sp,mscratch,sp", "sp"), ("nop", None),
        ("sw a5,0(a3)", None), ("sh a5,2(sp)", None), ("beqz a5,3f0 <main+0xc>", None), ("csrw mepc,a0", None), ("addi zero,a0,1", None), ("mret", None),
        ("jal 1c0 <swap>", "ra"), ("jal t0,1c0 <swap>", "t0"), ("jalr a5", "ra"), ("jalr 8(a5)", "ra"), ("jalr t0,a5", "t0"), ("j 134 <_fault>", None), ("jr a5", None), ("ret", None), ("?", None),
    ],
)  # fmt: skip
def test_the_register_that_an_instruction_writes(instruction, register):
    assert written(instruction) == register


def test_a_listing_between_lines_of_source():
    listing = Listing.parse("00000080 <_start>:\n    la sp, _stack\n  80:\t00008117          \tauipc\tsp,0x8\n  84:\t8082                \tret\n\n00000086 <main>:\n  86:\t4501 \tli\ta0,0\n")
    assert listing.text == {0x80: "auipc sp,0x8", 0x84: "ret", 0x86: "li a0,0"}
    assert [listing.place(at) for at in (0, 0x80, 0x84, 0x86)] == ["", "_start", "_start+0x4", "main"]
