# SPDX-License-Identifier: Apache-2.0
"""Windows, and requests in a tenant's name, over a bus that is a dictionary."""

from pathlib import Path

import pytest

from girih.card.manifest import Manifest, Register, Tile
from girih.card.registers import Bus, Registers
from girih.errors import GirihError


class Memory(Bus):
    def __init__(self):
        self.words: dict[int, int] = {}

    def read32(self, address: int) -> int:
        return self.words[address]

    def write32(self, address: int, value: int) -> None:
        self.words[address] = value


def card(memory: Memory) -> Registers:
    tiles = [
        Tile("rmt", "rmt_port", 2, 0x20000, {}, {}, None, window=0x4000, window_bytes=0x4000),
        Tile("scheduler", "scheduler", 4, 0x40000, {}, {}, None, window=0x4000, window_bytes=0x40000),
        Tile("echo", "echo", 3, 0x30000, {}, {}, None, window=None),
    ]
    return Registers(Manifest(Path("."), "card", "0", 512, 1, 250, 9018, [], tiles, [], None, 9, 8, {}, {}), memory)


def test_a_request_carries_its_tenant():
    memory = Memory()
    card(memory).write_window("rmt", 0x10, 1)
    card(memory).as_tenant(5).write_window("rmt", 0x10, 2)
    assert memory.words == {0x024010: 1, 0x5024010: 2}
    assert card(memory).as_tenant(5).read_window("rmt", 0x10) == 2


def test_a_large_window_is_reached_directly_and_by_its_index():
    memory = Memory()
    for registers, tenant in ((card(memory), 0), (card(memory).as_tenant(5), 0x5000000)):
        registers.write_window("scheduler", 0x3FEC, 1)
        registers.write_window("scheduler", 0x3FF0, 2)
        assert (memory.words[tenant | 0x47FF0], memory.words[tenant | 0x47FF4]) == (0x3FF0, 2)
        assert registers.read_window("scheduler", 0x3FFFC) == 2 and memory.words[tenant | 0x47FF0] == 0x3FFFC
        assert registers.window_address("scheduler", 0x3FEC) == 0x47FEC
        with pytest.raises(GirihError, match="is accessed by an index"):
            registers.window_address("scheduler", 0x3FF0)
    card(memory).write_window("rmt", 0x3FFC, 3)
    assert memory.words[0x27FFC] == 3, "a window of that size has no index"


@pytest.mark.parametrize("tenant", [-1, 16])
def test_a_tenant_that_cannot_be(tenant):
    with pytest.raises(GirihError, match=f"there is no tenant {tenant}"):
        card(Memory()).as_tenant(tenant)


@pytest.mark.parametrize(
    "tile, offset, sentence",
    [
        ("echo", 0, "tile echo has no window. Tiles with a window: rmt, scheduler."),
        ("rmt", 0x4000, "offset 16384 is not in a window"),
        ("scheduler", 0x40000, "offset 262144 is not in a window. Give a multiple of 4 below 262144."),
        ("rmt", 2, "offset 2 is not in a window"),
    ],
)
def test_what_is_no_word_of_a_window(tile, offset, sentence):
    with pytest.raises(GirihError) as caught:
        card(Memory()).read_window(tile, offset)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("value", [-1, 256])
def test_a_value_that_does_not_fit_its_register(value):
    registers = card(Memory())
    registers.manifest.tile("echo").registers["level"] = Register(0x100, 8, "rw", "")
    with pytest.raises(GirihError, match=rf"echo\.level: {value} does not fit 8 bits\. It may be 0 to 255\."):
        registers.write("echo.level", value)
