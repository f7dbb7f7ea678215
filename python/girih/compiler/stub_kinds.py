# SPDX-License-Identifier: Apache-2.0
"""Kinds of tiles for cards with services, only for the tests of the compiler: they have no RTL."""

from __future__ import annotations

from dataclasses import replace

from girih.spec.kinds import ConfigField, EngineParameter, Kind, NodeTable, load_kinds


def _array(name: str, width: int, count: int, default: int = 0) -> ConfigField:
    return ConfigField(name, width, "number", default, name, 0x100, count)


def service_kinds() -> dict[str, Kind]:
    """All kinds, and `stub_port`, `stub_scheduler` and `stub_unit`."""
    echo = replace(load_kinds()["echo"], needs=())
    port = replace(
        echo,
        name="stub_port",
        uses=("axis_in", "axis_out", "window"),
        writes=("chain",),
        buffering="sink",
        lossless="lossless",
        holds=None,
        revisits=(),
        next=NodeTable("stop", 2, {"scheduler": 1}),
        parameters=(
            EngineParameter("kind_0", 0, 0, 2, "of the first table"),
            EngineParameter("key_halves_0", 3, 1, 10, "of its key"),
            EngineParameter("entries_0", 16, 16, 64, "of the first table"),
            EngineParameter("stages", 1, 1, 4, "tables"),
        ),
        config=(
            ConfigField("exit", 8, "node", None, "where messages without a chain go", 0x14),
            ConfigField("tenant", 4, "number", 0, "whose the port's traffic is", 0x10),
            ConfigField("lossless", 1, "flag", 0, "whether it is held back rather than dropped", 0x18),
        ),
    )
    scheduler = replace(
        echo,
        name="stub_scheduler",
        uses=("credits_in",),
        reads=("chain",),
        buffering="drops",
        fabric_ports="channels",
        next=None,
        parameters=(
            EngineParameter("channels", 2, 1, 4, "fabric ports"),
            EngineParameter("units", 8, 1, 16, "units"),
            EngineParameter("services", 8, 1, 16, "services"),
            EngineParameter("tenants", 4, 1, 32, "tenants"),
            EngineParameter("most_queues", 64, 2, 64, "queues"),
            EngineParameter("cells", 1024, 16, 4096, "cells of each channel"),
            EngineParameter("lossless_slots", 2, 1, 8, "lossless messages that a unit is sent"),
        ),
        config=(
            *[_array(name, 8, 16) for name in ("unit_credits", "unit_service", "unit_node", "policy", "push", "affinity")],
            *[_array(name, 16, 16) for name in ("rights", "guaranteed_cells", "limit", "inverse_weight")],
            _array("spare", 8, 3, 9),
        ),
    )
    unit = replace(
        echo,
        name="stub_unit",
        uses=("credits_out",),
        reads=("chain",),
        buffering="drops",
        next=NodeTable("stop", 2, {"scheduler": 1}),
        parameters=(EngineParameter("lossless_slots", 2, 1, 8, "lossless messages that it has room for"),),
    )
    return dict(load_kinds()) | {kind.name: kind for kind in (port, scheduler, unit)}
