# SPDX-License-Identifier: Apache-2.0
"""Timing budgets of modules, from budgets.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

from girih.synth.timing import Timing

FILE = Path(__file__).with_suffix(".yaml")
WIDTH = 512  # of the data path, in bits


@dataclass(frozen=True)
class Budget:
    """ns: of the slowest path between registers. levels: the most on any. over: per cent of endpoints over 4 ns, by tenths."""

    ns: float
    levels: int
    over: float

    @property
    def clock_mhz(self) -> float:
        """The clock that the slowest path allows."""
        return 1000 / self.ns

    def exceeded(self, timing: Timing) -> list[str]:
        """A sentence for each figure that is above its budget."""
        figures = {
            "ns": (round(timing.worst_ns, 2), self.ns),
            "levels": (timing.levels, self.levels),
            "% of the endpoints over 4 ns": (round(100 * timing.registers.share_over, 1), self.over),
        }
        return [f"{value:g} {unit}, the budget is {most:g}" for unit, (value, most) in figures.items() if value > most]


def load_budgets(section: str) -> dict[str, Budget]:
    """By module, or kind of tile. section: "modules", or "seams" for tiles with their routers."""
    return {module: Budget(**figures) for module, figures in YAML(typ="safe").load(FILE.read_text())[section].items()}
