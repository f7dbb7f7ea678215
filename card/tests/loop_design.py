# SPDX-License-Identifier: Apache-2.0
"""Makes the loop card's folder as the compiler would: sources and a manifest."""

import json
from dataclasses import replace
from pathlib import Path

from girih.build.generate import digest, write_if_changed
from girih.compiler.compile import simulated
from girih.compiler.emit.sim import Nets
from girih.paths import BUILD
from girih.spec.message import CardParams

HERE = Path(__file__).parent / "loop"
LINKS = [
    Nets("loop.in", "s_axis_tvalid[0]", "s_axis_tready[0]", "u_card.in_flit"),
    Nets("loop.out", "m_axis_tvalid[0]", "m_axis_tready[0]", "u_card.out_flit"),
]


def loop_design(data_width: int = 512) -> Path:
    """The folder of the built loop card: two ports, one tile `loop` at node 1."""
    params = CardParams(data_width=data_width)
    sources = simulated([HERE / "card.sv"], params, ports=2, probed=LINKS, watched=[replace(link, flit="u_card.watched_flit") for link in LINKS])
    key = digest(*[path.read_bytes() for path in sources])
    register = {"width": 32, "access": "rw"}
    manifest = {
        "name": "loop",
        "digest": key,
        "data_width": data_width,
        "ports": 2,
        "clock_mhz": 250,
        "max_frame": params.max_frame,
        "sources": [str(path) for path in sources],
        "tiles": [
            {
                "name": "loop",
                "kind": "loop",
                "node": 1,
                "base": 1 << 16,
                "registers": {
                    "scratch": {"offset": 0, "doc": "holds what was written", **register},
                    "break": {"offset": 4, "doc": "bit 0: lose frames; bit 1: fail", **register},
                },
                "counters": {"in_messages": 0x8000, "out_messages": 0x8008},
                "histogram": None,
            }
        ],
        "links": [link.name for link in LINKS],
        "watch": {
            "links": ["fabric > loop", "loop > fabric"],
            "nodes": {"1": "loop"},
            "wires": {},
            "waits": {
                "fabric > loop": {"tile loop": ["loop takes no more once its buffer is full"]},
                "tile loop": {"loop > fabric": ["what loop has leaves in order"]},
            },
        },
    }
    folder = BUILD / "designs" / f"loop-{key}"
    write_if_changed(folder / "card.json", json.dumps(manifest, indent=2) + "\n")
    return folder
