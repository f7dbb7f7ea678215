# SPDX-License-Identifier: Apache-2.0
"""Engines with plain AXI4-Stream ports: a kind whose `.yaml` names a `stream` is that engine behind `udp_stream`.

What all such kinds share is in `rtl/tiles/stream/stream.yaml`, and the module that joins an engine to UDP is generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from girih.paths import RTL
from girih.spec.parameters import merged

STREAM = RTL / "tiles" / "stream" / "stream.yaml"
KEYS = ("module", "width", "tid", "tuser")


@dataclass(frozen=True)
class Stream:
    """The engine of such a kind.

    module: its SystemVerilog module. width: its parameter for the data width, which is set to the card's; None: it has none.
    tid: it takes the sender of each datagram (address, port) as s_axis_tid. tuser: it can declare an answer void, by
    m_axis_tuser. parameters: its other parameters, by their names in the design file.
    """

    module: str
    width: str | None
    tid: bool
    tuser: bool
    parameters: tuple[str, ...]


def completed(facts: Mapping[str, Any]) -> tuple[dict[str, Any], Stream | None]:
    """The facts of a kind, with those that all such kinds share, and its engine. A kind without a stream is returned unchanged. Raises ValueError."""
    if "stream" not in facts:
        return dict(facts), None
    if (unknown := sorted({*facts["stream"]} - {*KEYS})) or "module" not in facts["stream"]:
        raise ValueError(f"kind {facts['kind']}: stream {f'has {unknown[0]}' if unknown else 'has no module'}; it has a module, and may have {', '.join(KEYS[1:])}")
    shared, stream, own = YAML(typ="safe").load(STREAM.read_text()), facts["stream"], facts.get("parameters", {})
    whole = {**shared, **facts, "engine": f"{facts['kind']}_engine", "parameters": merged(shared["parameters"], own)}
    return whole, Stream(
        module=stream["module"],
        width=stream.get("width"),
        tid=stream.get("tid", False),
        tuser=stream.get("tuser", False),
        parameters=tuple(name for name in own if name not in shared["parameters"]),
    )


def inputs() -> list[Path]:
    """The files from which the engines of such kinds are generated."""
    return [STREAM, Path(__file__)]
