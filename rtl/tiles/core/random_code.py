# SPDX-License-Identifier: Apache-2.0
"""Random programs of RV32IMC (The RISC-V Instruction Set Manual, volume I, chapters 2, 7, 16) for tests of a core. They end, and their data show what
they did: `image, listing = program(200, devices=0x30000000, stop=0x44, good=0x600d)`."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

MEMORY_BYTES = 32768
START, END = 0x80, 0x0F00  # the start of the program, and of its last steps, which stop the core
TABLE, DATA = 0x1000, 0x1080  # the initial registers; the data that loads and stores reach
RESULTS = DATA + 0x200  # the final registers
POINTERS = (2, 15, 31)  # they point to the middle of the data and never change; compressed loads and stores use x15 and x2
MIDDLE = DATA + 0x80
REACH = 0x60
SPECIAL = (0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xFFFF8000, 0x8000, 31, 32)
MSCRATCH = 0x340
FREE = tuple(register for register in range(1, 31) if register not in POINTERS)
SHORT = (8, 9, 10, 11, 12, 13, 14)  # x8 to x15 without the pointer


def _any() -> int:
    return random.randrange(32)


def _to() -> int:
    return random.choice((0, *FREE))


def _r(opcode: int, function: int, high: int) -> int:
    return high << 25 | _any() << 20 | _any() << 15 | function << 12 | _to() << 7 | opcode


def _i(opcode: int, function: int, value: int, base: int | None = None) -> int:
    return (value & 0xFFF) << 20 | (_any() if base is None else base) << 15 | function << 12 | _to() << 7 | opcode


def register() -> bytes:
    function = random.randrange(8)
    high = random.choice((0, 1, 1, 0x20 if function in (0, 5) else 0))  # multiplication and division as well
    return struct.pack("<I", _r(0x33, function, high))


def immediate() -> bytes:
    function = random.randrange(8)
    value = random.getrandbits(12)
    if function in (1, 5):
        value = value & 0x1F | (0x400 if function == 5 and random.random() < 0.5 else 0)
    return struct.pack("<I", _i(0x13, function, value))


def _upper() -> bytes:
    return struct.pack("<I", random.getrandbits(20) << 12 | _to() << 7 | random.choice((0x37, 0x17)))


def _load() -> bytes:
    return struct.pack("<I", _i(0x03, random.choice((0, 1, 2, 4, 5)), random.randrange(-REACH, REACH), random.choice(POINTERS)))


def _store() -> bytes:
    at = random.randrange(-REACH, REACH)  # aligned or not
    return struct.pack("<I", (at >> 5 & 0x7F) << 25 | _any() << 20 | random.choice(POINTERS) << 15 | random.randrange(3) << 12 | (at & 0x1F) << 7 | 0x23)


def _status() -> bytes:
    return struct.pack("<I", _i(0x73, random.choice((1, 2, 3, 5, 6, 7)), MSCRATCH))


def _fence() -> bytes:
    return struct.pack("<I", random.choice((0x0FF0000F, 0x0000100F)))


def short() -> bytes:
    """A compressed arithmetic instruction."""
    to, value = random.choice(FREE), random.choice([*range(1, 32), *range(33, 64)])
    small, other = random.choice(SHORT) - 8, random.randrange(8)
    bits = (value >> 5) << 12 | (value & 0x1F) << 2
    return struct.pack("<H", random.choice((
        0x0001 | to << 7 | bits,  # c.addi
        0x4001 | to << 7 | bits,  # c.li
        0x6001 | to << 7 | bits,  # c.lui
        0x8001 | small << 7 | (value & 0x1F or 1) << 2,  # c.srli
        0x8401 | small << 7 | (value & 0x1F or 1) << 2,  # c.srai
        0x8801 | small << 7 | bits,  # c.andi
        0x8C01 | small << 7 | random.randrange(4) << 5 | other << 2,  # c.sub, c.xor, c.or, c.and
        0x0002 | to << 7 | (value & 0x1F or 1) << 2,  # c.slli
        0x8002 | to << 7 | random.randrange(1, 32) << 2,  # c.mv
        0x9002 | to << 7 | random.randrange(1, 32) << 2,  # c.add
        0x0000 | random.randrange(1, 256) << 5 | small << 2,  # c.addi4spn
    )))  # fmt: skip


def _short_memory() -> bytes:
    word, small = random.randrange(REACH // 4), random.choice(SHORT) - 8
    low = (word & 1) << 6 | (word >> 4 & 1) << 5 | (word >> 1 & 7) << 10  # of c.lw and c.sw: bits 2, 6, 5 to 3 of the distance
    return struct.pack("<H", random.choice((
        0x4000 | low | (15 - 8) << 7 | small << 2,  # c.lw
        0xC000 | low | (15 - 8) << 7 | small << 2,  # c.sw
        0x4002 | random.choice(FREE) << 7 | (word >> 3 & 1) << 12 | (word & 7) << 4 | (word >> 4 & 3) << 2,  # c.lwsp
        0xC002 | (word & 15) << 9 | (word >> 4 & 3) << 7 | _any() << 2,  # c.swsp
    )))  # fmt: skip


def branch(over: int, function: int, left: int, right: int) -> bytes:
    return struct.pack("<I", (over >> 5 & 0x3F) << 25 | right << 20 | left << 15 | function << 12 | (over >> 1 & 0xF) << 8 | 0x63)


def _any_branch(over: int) -> bytes:
    return branch(over, random.choice((0, 1, 4, 5, 6, 7)), _any(), _any())


def _jump(over: int) -> bytes:
    return struct.pack("<I", (over >> 1 & 0x3FF) << 21 | _to() << 7 | 0x6F)


def _indirect(over: int) -> bytes:
    """auipc, jalr: from the first of them."""
    base = random.choice(FREE)
    return struct.pack("<II", base << 7 | 0x17, over << 20 | base << 15 | _to() << 7 | 0x67)


def _short_branch(over: int) -> bytes:
    bits = (over >> 3 & 3) << 10 | (over >> 6 & 3) << 5 | (over >> 1 & 3) << 3 | (over >> 5 & 1) << 2
    return struct.pack("<H", random.choice((0xC001, 0xE001)) | (random.choice(SHORT) - 8) << 7 | bits)


PLAIN: tuple[tuple[Callable[[], bytes], int], ...] = (
    (register, 8), (immediate, 5), (_upper, 1), (_load, 4), (_store, 4), (_status, 1), (_fence, 1), (short, 8), (_short_memory, 3),
)  # fmt: skip
FORWARD: tuple[Callable[[int], bytes], ...] = (_any_branch, _any_branch, _short_branch, _jump, _indirect)


def body(count: int, pieces: tuple[tuple[Callable[[], bytes], int], ...]) -> bytes:
    """Random instructions; jumps and branches skip instructions behind them."""
    code = bytearray()
    makers, weights = zip(*pieces, strict=True)
    while count > 0:
        piece = b"".join(maker() for maker in random.choices(makers, weights, k=random.randrange(1, 5)))
        if random.random() < 0.3:
            jump = random.choice(FORWARD)
            code += jump(len(jump(0)) + len(piece))
        code += piece
        count -= 4
    return bytes(code)


def program(count: int, devices: int, stop: int, good: int) -> tuple[bytes, str]:
    """A program of about `count` random instructions, with its data, from address 0, and its body in hexadecimal. It stops the core by writing `good`
    to devices + stop, or 0x100 plus the cause after an exception."""
    image = bytearray(RESULTS + 128)
    out = devices | 1 << 7 | 0x37  # lui x1, devices
    for at in range(0, START, 4):  # at every vector
        struct.pack_into("<I", image, at, (END + 0x40 - at >> 1 & 0x3FF) << 21 | (END + 0x40 - at >> 11 & 1) << 20 | 0x6F)
    head = [TABLE & 0xFFFFF000 | 31 << 7 | 0x37, *((4 * i) << 20 | 31 << 15 | 2 << 12 | i << 7 | 0x03 for i in range(1, 32))]
    main = body(count, PLAIN)
    code = b"".join(struct.pack("<I", word) for word in head) + main
    tail = [((4 * i + RESULTS - MIDDLE) >> 5) << 25 | i << 20 | 31 << 15 | 2 << 12 | (4 * i + RESULTS - MIDDLE & 0x1F) << 7 | 0x23 for i in range(1, 31)]
    code += b"".join(struct.pack("<I", word) for word in tail)
    over = END - START - len(code)
    assert 0 < over < 0x1000, "the program is too long or too short"
    code += struct.pack("<I", (over >> 1 & 0x3FF) << 21 | (over >> 11 & 1) << 20 | 0x6F)
    image[START : START + len(code)] = code
    store = (stop >> 5) << 25 | 2 << 20 | 1 << 15 | 2 << 12 | (stop & 0x1F) << 7 | 0x23  # sw x2, stop(x1)
    upper = good + 0x800 & 0xFFFFF000
    for at, words in (
        (END, [out, upper | 2 << 7 | 0x37, (good - upper & 0xFFF) << 20 | 2 << 15 | 2 << 7 | 0x13, store, 0x6F]),
        (END + 0x40, [out, 0x342 << 20 | 2 << 12 | 2 << 7 | 0x73, 0x100 << 20 | 2 << 15 | 2 << 7 | 0x13, store, 0x6F]),
    ):
        struct.pack_into(f"<{len(words)}I", image, at, *words)
    values = [random.choice(SPECIAL) if random.random() < 0.4 else random.getrandbits(32) for _ in range(32)]
    for pointer in POINTERS:
        values[pointer] = MIDDLE
    struct.pack_into("<32I", image, TABLE, *values)
    image[DATA:RESULTS] = random.randbytes(RESULTS - DATA)
    return bytes(image), main.hex(" ", 2)
