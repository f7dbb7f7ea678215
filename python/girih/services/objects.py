# SPDX-License-Identifier: Apache-2.0
"""Meters, counters and registers of the match-action stages, which actions name by number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from girih.errors import GirihError
from girih.rmt import action as actions
from girih.rmt import stage
from girih.rmt.stage import MeterRates, Refused
from girih.services.stages import Stages

MOST_BURST = (1 << actions.size("MeterBurstWidth")) - 1
MOST_WORD = (1 << 32) - 1
MBIT = 1e6


class Objects:
    """Access by the operator or one tenant's controller, which sees and changes its own."""

    def __init__(self, stages: Stages, clock_mhz: float):
        self._stages = stages
        self._clock_hz = clock_mhz * 1e6

    def meters(self, port: str, number: int) -> list[dict]:
        """The configured meters: rates in Mbit/s, bursts in bytes, with the names of RFC 2698."""
        meters = self._stages.shape(port, number).meters
        found = [(i, words) for i, words in self._each(port, number, meters, stage.read_meter) if any(words)]
        rates = [(i, MeterRates.from_words(words, meters, self._clock_hz)) for i, words in found]
        return [
            {
                "index": i,
                "cir": round(rate.committed_rate / MBIT, 3),
                "cbs": rate.committed_burst,
                "pir": round(rate.peak_rate / MBIT, 3),
                "pbs": rate.peak_burst,
            }
            for i, rate in rates
        ]

    def set_meter(self, port: str, number: int, index: int, *, cir: float, cbs: int, pir: float, pbs: int) -> None:
        where, meters = f"meter {index} of stage {number} of {port}", self._stages.shape(port, number).meters
        _check(where, "the meter", index, meters - 1)
        for name, value in (("cbs", cbs), ("pbs", pbs)):
            _check(where, name, value, MOST_BURST)
        most = MOST_WORD * MeterRates.rate_unit(meters, self._clock_hz) / MBIT
        for name, rate in (("cir", cir), ("pir", pir)):
            if not isinstance(rate, int | float) or not 0 <= rate <= most:
                raise GirihError(f"{name} is {rate}", where, f"It may be 0 to {most:.0f} Mbit/s.")
        if pir < cir:
            raise GirihError(f"pir {pir:g} is below cir {cir:g}", where, "Give a peak rate of at least the committed rate.")
        words = MeterRates(cir * MBIT, cbs, pir * MBIT, pbs).words(meters, self._clock_hz)
        self._stages.run(port, number, stage.write_meter(index, words))

    def counters(self, port: str, number: int) -> list[dict]:
        """The counters that are not 0."""
        found = self._each(port, number, self._stages.shape(port, number).counters, stage.read_counter)
        return [{"index": i, "packets": packets, "bytes": size} for i, (packets, size) in found if packets]

    def registers(self, port: str, number: int) -> list[dict]:
        """The registers that are not 0."""
        found = self._each(port, number, self._stages.shape(port, number).registers, stage.read_register)
        return [{"index": i, "value": value} for i, value in found if value]

    def set_register(self, port: str, number: int, index: int, value: int) -> None:
        where = f"register {index} of stage {number} of {port}"
        _check(where, "the register", index, self._stages.shape(port, number).registers - 1)
        _check(where, "the value", value, MOST_WORD)
        self._stages.run(port, number, stage.write_register(index, value))

    def _each(self, port: str, number: int, count: int, read: Callable[[int], stage.Steps]) -> Iterator[tuple[int, Any]]:
        """Each object that may be read; the card refuses those of others."""
        for index in range(count):
            try:
                yield index, self._stages.run(port, number, read(index))
            except Refused:
                continue


def _check(where: str, what: str, value: object, most: int) -> None:
    if not isinstance(value, int) or not 0 <= value <= most:
        raise GirihError(f"{what} is {value}", where, f"It may be 0 to {most}.")
