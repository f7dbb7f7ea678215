# SPDX-License-Identifier: Apache-2.0
"""Random programs that trap, for tests of a core (The RISC-V Instruction Set Manual, volume II, chapter 3: machine and user mode, physical memory protection).
They go between both modes, meet instructions that do not exist, registers of other modes, memory that is protected or not there, and note each trap: its
cause, address and value, and mstatus.

    image = trapping_program(200, devices=0x30000000, stop=0x44, good=0x600d)
    traps(memory)  # what it has noted, once it has run
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from rtl.tiles.core.random_code import (
    DATA,
    END,
    FREE,
    MIDDLE,
    POINTERS,
    REACH,
    RESULTS,
    SPECIAL,
    START,
    TABLE,
    body,
    branch,
    immediate,
    register,
    short,
)

HANDLER = END + 0x40
SAVED = RESULTS + 0x80  # four registers of the program, the address of the next note
NOTES = SAVED + 0x20
NOTE_BYTES = 16
LANDINGS = DATA + 0x180  # returns, in memory that is protected at random
NOWHERE = (0x40000, 0x41004, 0x80000000)  # where neither memory nor devices are

LINK, SCRATCH = 1, 5
MSTATUS, MEPC, MCAUSE, MTVAL, MSCRATCH, PMPCFG0, PMPADDR0 = 0x300, 0x341, 0x342, 0x343, 0x340, 0x3A0, 0x3B0
MPRV, MPP = 1 << 17, 3 << 11
READABLE = (MSTATUS, MEPC, MCAUSE, MTVAL, PMPCFG0, *range(PMPADDR0, PMPADDR0 + 4), 0xF14, 0xF11)
NONE_SUCH = (0x100, 0x105, 0x180, 0x141, 0x5C0, 0x7B0, 0x7B1, 0x9FF)
ECALL, EBREAK, MRET = 0x73, 0x100073, 0x30200073
BREAKPOINT = 3
ILLEGAL = (
    0x00000000, 0x1005202F, 0x0000302F, 0x00003003, 0x00003023, 0x02000053, 0x00002007, 0x00002027, 0x04000033, 0x40001033, 0x02001013, 0x42005013,
    0x00002063, 0x00003063, 0x00001067, 0x7B200073, 0x10200073, 0x12000073, 0x00200073, 0x0000400F, 0x20002000, 0x80028002, 0x61016101, 0x62816281,
)  # fmt: skip


def _word(*words: int) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def _i(opcode: int, function: int, to: int, base: int, value: int) -> int:
    return (value & 0xFFF) << 20 | base << 15 | function << 12 | to << 7 | opcode


def _store(base: int, value: int, at: int, function: int = 2) -> int:
    return (at >> 5 & 0x7F) << 25 | value << 20 | base << 15 | function << 12 | (at & 0x1F) << 7 | 0x23


def _load(to: int, base: int, at: int, function: int = 2) -> int:
    return _i(0x03, function, to, base, at)


def _csr(function: int, to: int, csr: int, source: int) -> int:
    return _i(0x73, function, to, source, csr)


def _constant(to: int, value: int) -> list[int]:
    upper = value + 0x800 & 0xFFFFF000
    return [upper | to << 7 | 0x37, _i(0x13, 0, to, to, value - upper)]


def _memory() -> bytes:
    """A load or a store of data: aligned, since a core may make an access that is not in two parts, of which one is denied."""
    function = random.choice((0, 1, 2, 4, 5))
    size = 1 << (function & 3)
    at = random.randrange(-REACH, REACH) // size * size
    base = random.choice(POINTERS)
    if random.random() < 0.5:
        return _word(_load(random.choice(FREE), base, at, function))
    return _word(_store(base, random.randrange(32), at, function & 3))


def _nowhere() -> bytes:
    address = random.choice(NOWHERE) + 4 * random.randrange(64)
    use = random.choice((_load(random.choice(FREE), SCRATCH, 0), _store(SCRATCH, 0, 0), _i(0x67, 0, LINK, SCRATCH, 0)))
    return _word(*_constant(SCRATCH, address), use)


def _landing() -> bytes:
    return _word(_i(0x67, 0, LINK, POINTERS[0], LANDINGS - MIDDLE + 4 * random.randrange(32)))


def _read_csr() -> bytes:
    return _word(_csr(2, random.choice(FREE), random.choice(READABLE), 0))


def _write_csr() -> bytes:
    """With five bits, which all of these registers keep."""
    return _word(_csr(random.choice((5, 6, 7)), random.choice(FREE), random.choice((MEPC, MCAUSE, MTVAL)), random.randrange(32)))


def _status() -> bytes:
    """Accesses to data as in the mode before, or no longer; and the mode before."""
    return _word(*_constant(SCRATCH, random.choice((MPRV, MPRV, MPP))), _csr(random.choice((2, 3)), random.choice(FREE), MSTATUS, SCRATCH))


def _protect() -> bytes:
    return _word(*_constant(SCRATCH, _place()), _csr(1, random.choice(FREE), PMPADDR0 + random.randrange(3), SCRATCH))


def _return() -> bytes:
    return _word(SCRATCH << 7 | 0x17, _i(0x13, 0, SCRATCH, SCRATCH, 16), _csr(1, 0, MEPC, SCRATCH), MRET)


def _illegal() -> bytes:
    return _word(random.choice((random.choice(ILLEGAL), _csr(random.choice((1, 2)), 9, random.choice(NONE_SUCH), 9), _csr(1, 0, 0xF14, 1))))


def _call() -> bytes:
    return _word(random.choice((ECALL, ECALL, ECALL, EBREAK)))


PIECES: tuple[tuple[Callable[[], bytes], int], ...] = (
    (register, 2), (immediate, 2), (short, 2), (_memory, 9), (_nowhere, 1), (_landing, 3), (_read_csr, 2), (_write_csr, 1), (_status, 2), (_protect, 1), (_return, 1), (_illegal, 2), (_call, 3),
)  # fmt: skip


def _place() -> int:
    """What a register of memory protection has for some of the data: a word, or an aligned part of 8 to 128 bytes."""
    at = random.randrange(DATA, RESULTS) >> 2
    ones = random.randrange(6)
    return at if ones == 0 else at >> ones << ones | (1 << ones - 1) - 1


def _handler() -> list[int]:
    """Notes the trap, and goes on after its instruction; to the caller of one that could not be fetched. A call of the environment changes the mode. The value
    of the trap is cleared, since that of a breakpoint may be its address or 0."""
    base, one, two, three = 31, 30, 29, 28
    return [
        _csr(1, base, MSCRATCH, base), _store(base, one, 0), _store(base, two, 4), _store(base, three, 8), _csr(2, one, MSCRATCH, 0), _store(base, one, 12), _load(two, base, 16),
        *(word for index, csr in enumerate((MCAUSE, MEPC, MTVAL, MSTATUS)) for word in (_csr(2, one, csr, 0), _store(two, one, 4 * index))),
        _i(0x13, 0, two, two, NOTE_BYTES), _store(base, two, 16),
        _csr(2, one, MCAUSE, 0), _csr(2, three, MEPC, 0), _i(0x13, 0, three, three, 4), _i(0x13, 0, two, 0, 1), int.from_bytes(branch(8, 1, one, two), "little"), _i(0x13, 0, three, LINK, 0),
        _csr(1, 0, MEPC, three), _csr(1, 0, MTVAL, 0), *_constant(three, MPP),
        _i(0x13, 0, two, one, -8), int.from_bytes(branch(8, 1, two, 0), "little"), _csr(2, 0, MSTATUS, three),
        _i(0x13, 0, two, one, -11), int.from_bytes(branch(8, 1, two, 0), "little"), _csr(3, 0, MSTATUS, three),
        _load(three, base, 8), _load(two, base, 4), _load(one, base, 12), _csr(1, 0, MSCRATCH, one), _load(one, base, 0), _csr(1, base, MSCRATCH, base), MRET,
    ]  # fmt: skip


def _head() -> list[int]:
    """Three regions of the data, some of them locked, and one of everything; then machine mode."""
    regions, before = 0, False
    words = []
    for region in range(3):
        kind = random.choice((0, 1, 2, 3, 3) if before else (0, 2, 3, 3))
        rights = random.choice((0, 1, 3, 4, 5, 7))
        locked = random.random() < 0.25
        regions |= (locked << 7 | kind << 3 | rights) << 8 * region
        words += [*_constant(SCRATCH, _place()), _csr(1, 0, PMPADDR0 + region, SCRATCH)]
        before = True
    words += [*_constant(SCRATCH, 0xFFFFFFFF), _csr(1, 0, PMPADDR0 + 3, SCRATCH), *_constant(SCRATCH, regions | 0x1F << 24), _csr(1, 0, PMPCFG0, SCRATCH)]
    words += [*_constant(SCRATCH, SAVED), _csr(1, 0, MSCRATCH, SCRATCH)]
    words += [_csr(1, 0, csr, 0) for csr in (MSTATUS, MEPC, MCAUSE, MTVAL)]
    return [*words, TABLE & 0xFFFFF000 | 31 << 7 | 0x37, *(_load(number, 31, 4 * number) for number in range(1, 32))]


def trapping_program(count: int, devices: int, stop: int, good: int) -> bytes:
    """A program of some `count` random instructions, with its data, from address 0. It stops the core by a write of `good` to devices + stop."""
    image = bytearray(NOTES)
    for at in range(0, START, 4):
        over = HANDLER - at
        struct.pack_into("<I", image, at, (over >> 1 & 0x3FF) << 21 | (over >> 11 & 1) << 20 | 0x6F)
    code = _word(*_head()) + body(count, PIECES) + _word(*(_store(31, number, 4 * number + RESULTS - MIDDLE) for number in range(1, 31)))
    over = END - START - len(code)
    assert 0 < over < 0x1000, "the program is too long"
    code += _word((over >> 1 & 0x3FF) << 21 | (over >> 11 & 1) << 20 | 0x6F)
    image[START : START + len(code)] = code
    ending = _word(*_constant(1, devices), *_constant(2, good), _store(1, 2, stop), 0x6F)
    image[END : END + len(ending)] = ending
    handler = _word(*_handler())
    image[HANDLER : HANDLER + len(handler)] = handler
    assert HANDLER + len(handler) <= TABLE
    values = [random.choice(SPECIAL) if random.random() < 0.4 else random.getrandbits(32) for _ in range(32)]
    for pointer in POINTERS:
        values[pointer] = MIDDLE
    struct.pack_into("<32I", image, TABLE, *values)
    image[DATA:LANDINGS] = random.randbytes(LANDINGS - DATA)
    image[LANDINGS:RESULTS] = _word(_i(0x67, 0, 0, LINK, 0)) * ((RESULTS - LANDINGS) // 4)
    struct.pack_into("<I", image, SAVED + 16, NOTES)
    return bytes(image)


def traps(memory: bytes) -> list[tuple[int, int, int, int]]:
    """The traps that a program has noted: cause, address, value, mstatus. That of a breakpoint has no value."""
    (end,) = struct.unpack_from("<I", memory, SAVED + 16)
    end = min(end, len(memory))
    found = [struct.unpack_from("<IIII", memory, at) for at in range(NOTES, end, NOTE_BYTES)]
    return [(cause, address, 0 if cause == BREAKPOINT else value, status) for cause, address, value, status in found]
