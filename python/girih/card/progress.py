# SPDX-License-Identifier: Apache-2.0
"""The state of a card's run that its clients see and change."""

from __future__ import annotations

from dataclasses import dataclass

from girih.card.stall import Stall
from girih.card.virtual import VirtualCard


@dataclass
class Progress:
    """The state of a card's run. paused, stopped: may be set between two slices. stall: why messages wait for ever, if they do.
    busy_cycles, busy_seconds: totals of the slices that had work."""

    card: VirtualCard
    paused: bool = False
    stopped: bool = False
    stall: Stall | None = None
    busy_seconds: float = 0.0
    busy_cycles: int = 0

    @property
    def cycles_per_second(self) -> float:
        """Simulated cycles per second while there was work."""
        return self.busy_cycles / self.busy_seconds if self.busy_seconds else 0.0
