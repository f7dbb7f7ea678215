# SPDX-License-Identifier: Apache-2.0
"""The state of a card from a model of its registers: the numbers are right even if counters wrap or change between two reads."""

import io
from types import SimpleNamespace
from typing import cast

import pytest
from rich.console import Console

from girih.card.registers import Registers
from girih.cli.top import page
from girih.services.monitor import FATE_NAMES, Monitor, nearest
from girih.spec.windows import windows

SCHEDULING = {
    "scheduler": "scheduler",
    "memory": {"cell_bytes": 128, "cells": 2048, "entries": 1024},
    "services": [{"name": "sha", "number": 1, "units": []}],
    "units": [],
    "tenants": [{"name": "video", "number": 0}],
    "chains": [],
    "exits": [],
    "ports": [],
}
MOST = 1 << 32


class Scheduler:
    """The window of a scheduler with one service and one tenant, whose packets each wait `each` cycles. per_read: packets that
    are dispatched between two reads. As in the card, counts and bins of waits have 32 bits."""

    def __init__(self, packets: int, each: int, per_read: int = 0):
        self.packets, self.each, self.per_read, self.high = packets, each, per_read, 0
        manifest = SimpleNamespace(name="card", scheduling=SCHEDULING, tiles=[], clock_mhz=250)
        self.registers = cast(Registers, SimpleNamespace(manifest=manifest, read_window=self.read, read_window_words=self.words, counters=dict))

    def read(self, _tile: str, offset: int) -> int:
        word = self._word(offset)
        self.packets += self.per_read
        return word

    def words(self, tile: str, offset: int, words: int) -> list[int]:
        return [self.read(tile, offset + 4 * word) for word in range(words)]

    def _word(self, offset: int) -> int:
        parts = windows()["scheduler_window"]
        (name,) = (name for name, part in parts.items() if part.at <= offset < part.at + part.size)
        index = (offset - parts[name].at) // 4
        if name == "fates":
            if index & 1:
                return self.high
            self.high, low = divmod(self.packets * (index >> 1 & 7 == FATE_NAMES.index("dispatched") and index >> 4 & 7 == 1), MOST)
            return low
        if name != "waits":
            return 0
        total = self.packets * self.each
        head = [self.packets % MOST, total % MOST, total // MOST, self.each]
        bins = [self.packets % MOST if self.each.bit_length() == number else 0 for number in range(25)]
        return [*head, *bins, 0, 0, 0][index & 31]

    def state(self, cycle: int) -> dict:
        return {"cycle": cycle, "clock_mhz": 250, "pins": [], **Monitor(self.registers).state()}


def shown(state: dict, before: dict) -> list[str]:
    """The row of the service in `./girih top`."""
    out = io.StringIO()
    Console(file=out, width=200).print(page(state, before))
    return next(line for line in out.getvalue().splitlines() if line.startswith("sha")).split()


@pytest.mark.parametrize("bits", [4, 32])
def test_the_nearest_number_with_these_low_bits(bits):
    span = 1 << bits
    for number in (0, 5, span - 1, span, 7 * span + 3):
        for distance in (0, 1, -1, span // 2 - 1, -(span // 2)):
            assert nearest((number + distance) % span, bits, number) == number + distance


@pytest.mark.parametrize("packets", [0, 9, MOST - 1, MOST, 3 * MOST + 7])
def test_means_since_the_start_hold_beyond_the_end_of_a_count(packets):
    (service,) = Scheduler(packets, 100).state(1)["services"]
    assert (service["dispatched"], service["waits"], service["wait_sum"]) == (packets, packets, 100 * packets)
    assert service["wait_mean"] == (100 if packets else 0)
    assert service["wait_p99"] == (None if packets >= MOST else 100 if packets else 0)


def test_top_across_the_end_of_a_count():
    card = Scheduler(MOST - 500, 100)
    before = card.state(1000)
    card.packets += 2000
    row = shown(card.state(5000), before)
    assert row == ["sha", "0", "125.00", "100.0", "-", "100", "0", str(MOST + 1500), "0"]


def test_a_sum_that_overflows_into_its_high_word_between_two_reads():
    for packets in range(MOST // 100 - 60, MOST // 100 + 5):
        (service,) = Scheduler(packets, 100, per_read=1).state(1)["services"]
        assert 0 <= service["wait_sum"] - 100 * packets < 100 * 400
