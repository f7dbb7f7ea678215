# SPDX-License-Identifier: Apache-2.0
"""Compute units: a kind whose `.yaml` names a `core` is that engine behind a traffic manager.

The author of a unit writes its core and the facts that are particular to it. What all units share is in
`rtl/compute/unit.yaml`, and the module that joins a core to its traffic manager is generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from girih.paths import RTL
from girih.spec.parameters import merged

UNIT = RTL / "compute" / "unit.yaml"
SLOTS = "slots"  # the traffic manager's part of a unit's configuration; the rest is the core's


@dataclass(frozen=True)
class Core:
    """The engine of a compute unit.

    module: its SystemVerilog module. payload_only: it sees only payloads; headers go around it. answers_void: it can
    declare a message void. in_flight: an expression for the number of messages that it may hold; None:
    the traffic manager's default. parameters: the parameters of the core, by their names in the design file.
    """

    module: str
    payload_only: bool
    answers_void: bool
    in_flight: str | None
    parameters: tuple[str, ...]


def completed(facts: Mapping[str, Any]) -> tuple[dict[str, Any], Core | None]:
    """The facts of a kind, with those that all units share, and its core. A kind without a core is returned unchanged."""
    if "core" not in facts:
        return dict(facts), None
    unit, core, own = YAML(typ="safe").load(UNIT.read_text()), facts["core"], facts.get("parameters", {})
    payload_only = unit.pop("payload_only")
    shared = unit["parameters"] | (payload_only["parameters"] if core.get("payload_only") else {})
    whole = {
        **unit,
        **facts,
        "engine": f"{facts['kind']}_engine",
        "uses": [*unit["uses"], *facts.get("uses", ())],
        "reads": [*unit["reads"], *(payload_only["reads"] if core.get("payload_only") else ()), *facts.get("reads", ())],
        "parameters": merged(shared, own),
    }
    return whole, Core(
        module=core["module"],
        payload_only=core.get("payload_only", False),
        answers_void=core.get("answers_void", False),
        in_flight=core.get("in_flight"),
        parameters=tuple(name for name in own if name not in shared),
    )


def inputs() -> list[Path]:
    """The files from which units are generated."""
    here = Path(__file__).parent
    return [UNIT, here / "units.py"]
