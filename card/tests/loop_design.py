# SPDX-License-Identifier: Apache-2.0
"""Makes the loop card's folder as the compiler would: sources and a manifest."""

import json
from pathlib import Path

from girih.build.generate import digest, generated_rtl, write_if_changed
from girih.build.sources import resolve
from girih.paths import BUILD, ROOT
from girih.spec.message import CardParams

HERE = Path(__file__).parent / "loop"


def loop_design(data_width: int = 512) -> Path:
    """The folder of the built loop card: two ports, one tile `loop` at node 1."""
    params = CardParams(data_width=data_width)
    extra = [HERE / "card.sv", HERE / "card_sim.sv", ROOT / "card" / "sim" / "link_probe.sv"]
    sources = resolve(["card_sim"], [generated_rtl(params)], extra)
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
        "links": ["loop.in", "loop.out"],
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
