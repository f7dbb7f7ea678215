# SPDX-License-Identifier: Apache-2.0
"""A saved configuration is restored exactly, in changes that a controller accepts, and nothing else is changed."""

import os
import random

import pytest

from girih.card.manifest import Manifest
from girih.card.registers import Bus, Registers
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.management.configuration import restore, save, settings
from girih.paths import DESIGNS
from tests.commands import full_disk


class Words(Bus):
    """A card whose words keep what is written."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.changes: list[list[tuple[int, int]]] = []

    def read32(self, address: int) -> int:
        return self.words.setdefault(address, random.getrandbits(1))

    def write32(self, address: int, value: int) -> None:
        raise AssertionError("not in a change")

    def change(self, writes) -> None:
        self.changes.append(list(writes))
        self.words.update(writes)


@pytest.fixture(scope="module")
def manifest(tmp_path_factory) -> Manifest:
    return Manifest.load(compile_design(DESIGNS / "managed.yaml", tmp_path_factory.mktemp("managed")))


def test_what_was_saved_comes_back(manifest, tmp_path):
    registers = Registers(manifest, Words())
    count = save(registers, tmp_path / "good.yaml")
    before = settings(registers)
    assert count == len(before) and {"balancer.by_flow", "eth_rx.mac", "balancer.next_hop[0]"} <= set(before)
    assert not [name for name in before if ".right" in name or ".interrupt" in name]
    changed = random.sample(sorted(before), 20)
    for name in changed:
        registers.bus.changes.clear()
        registers.write_many({name: before[name] ^ 1})
    registers.bus.changes.clear()
    assert sorted(restore(registers, tmp_path / "good.yaml")) == sorted(changed)
    assert settings(registers) == before
    assert all(1 <= len(change) <= 8 for change in registers.bus.changes) and len(registers.bus.changes) <= 6
    registers.bus.changes.clear()
    assert restore(registers, tmp_path / "good.yaml") == [] and not registers.bus.changes


@pytest.mark.parametrize("before", [None, "good: 1\n" * 100])
def test_a_file_that_cannot_be_written_whole_is_left_as_it_was(before, manifest, tmp_path):
    path = tmp_path / "good.yaml"
    if before:
        path.write_text(before)
    with full_disk(), pytest.raises(GirihError, match="the file cannot be written"):
        save(Registers(manifest, Words()), path)
    assert [each.read_text() for each in tmp_path.iterdir()] == ([before] if before else [])


def test_what_is_no_file_is_written_to(manifest, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with open(os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)) as reader:
        count = save(Registers(manifest, Words()), tmp_path / "pipe")
        assert len(reader.read().splitlines()) == count + 1 and (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("text", [None, "", "- 1", "a: [", "balancer.by_flaw: 1", "controller.right[0]: 1", "balancer.by_flow: yes please", "\x00"])
def test_a_file_that_is_none_changes_nothing(text, manifest, tmp_path):
    path = tmp_path / "file.yaml"
    if text is not None:
        path.write_text(text)
    registers = Registers(manifest, Words())
    with pytest.raises(GirihError, match="ctl save"):
        restore(registers, path)
    assert not registers.bus.changes
