# SPDX-License-Identifier: Apache-2.0
"""Compute units: a kind whose `.yaml` names a `core` is that engine behind a traffic manager.

Whoever adds a unit writes the core and says what is its own; what all units are is in `rtl/compute/unit.yaml`,
and the module that joins the core to its traffic manager is generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from girih.paths import RTL

UNIT = RTL / "compute" / "unit.yaml"
SLOTS = "slots"  # of a unit's configuration, what is the traffic manager's; the rest is the core's


@dataclass(frozen=True)
class Core:
    """The engine of a compute unit.

    module: its SystemVerilog module. payload_only: it sees payloads, and headers go round it. answers_void: it can
    declare a message void. in_flight: how many messages may be within it, an expression; None: the traffic
    manager's default. parameters: of the kind's, those of the core, by their names in the design file.
    """

    module: str
    payload_only: bool
    answers_void: bool
    in_flight: str | None
    parameters: tuple[str, ...]


def completed(facts: Mapping[str, Any]) -> tuple[dict[str, Any], Core | None]:
    """The facts of a kind with those that all units share, and its core; a kind without a core as it is."""
    if "core" not in facts:
        return dict(facts), None
    unit, core, own = YAML(typ="safe").load(UNIT.read_text()), facts["core"], facts.get("parameters", {})
    shared = unit["parameters"] | (unit.pop("payload_only_parameters") if core.get("payload_only") else {})
    parameters = {name: shared.get(name, {}) | own.get(name, {}) for name in (*shared, *(name for name in own if name not in shared))}
    whole = {
        **unit,
        **facts,
        "engine": f"{facts['kind']}_engine",
        "uses": [*unit["uses"], *facts.get("uses", [])],
        "parameters": parameters,
    }
    return whole, Core(
        module=core["module"],
        payload_only=core.get("payload_only", False),
        answers_void=core.get("answers_void", False),
        in_flight=core.get("in_flight"),
        parameters=tuple(name for name in own if name not in shared),
    )


def inputs() -> list[Path]:
    """The files that decide what a unit is made of."""
    here = Path(__file__).parent
    return [UNIT, here / "units.py"]
