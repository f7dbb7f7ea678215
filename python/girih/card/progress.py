# SPDX-License-Identifier: Apache-2.0
"""What the clients of a running card see and change of its run."""

from __future__ import annotations

from dataclasses import dataclass

from girih.card.stall import Stall
from girih.card.virtual import VirtualCard


@dataclass
class Progress:
    """How a card's run goes. paused, stopped: may be set between two slices. stall: why messages wait for ever, if they do.
    busy_cycles, busy_seconds: of the slices that had work."""

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
