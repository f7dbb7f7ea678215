# SPDX-License-Identifier: Apache-2.0
"""Cards of the experiments that no design file describes: experiments/cards/<name>/card.sv.

They run on the virtual card like every other card, with the same compiler and checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from girih.build.generate import digest, write_if_changed
from girih.card import VirtualCard
from girih.compiler.compile import simulated
from girih.experiments import CLOCK_MHZ, FOLDER, Progress
from girih.paths import BUILD
from girih.spec.message import MEMORY as MEMORY_GROUP
from girih.spec.message import CardParams

# Of experiments/cards/pipeline, as of designs/udp_echo.yaml.
ADDRESSES = {"mac": "02:67:69:72:69:68", "ip": "10.77.0.2", "udp": [{"port": 7, "tile": "echo"}]}


MEMORY = {"memory_load"}  # those with a port for external memory


def card_folder(name: str, data_width: int = 512, constants: Mapping[str, int] | None = None) -> Path:
    """The folder of the card `name`, with its manifest, as the compiler would make it.

    constants: of its package `card_pkg`, for a card that comes in several sizes.
    """
    params = CardParams.with_groups(data_width, groups=[MEMORY_GROUP] if name in MEMORY else [])
    tops = [FOLDER / "cards" / name / "card.sv"]
    if constants:
        package = _package(name, constants)
        tops.append(BUILD / "generated" / digest(package) / "card_pkg.sv")
        write_if_changed(tops[-1], package)
    sources = simulated(tops, params, ports=1, memory=name in MEMORY)
    key = digest(*[path.read_bytes() for path in sources])
    manifest = {
        "name": name,
        "design": f"experiments/cards/{name}",
        "digest": key,
        "data_width": data_width,
        "ports": 1,
        "clock_mhz": CLOCK_MHZ,
        "max_frame": params.max_frame,
        "route_hops": params.route_hops,
        "addresses": ADDRESSES,
        "links": [],
        "tiles": [],
        **({"memory": {}} if name in MEMORY else {}),
        "sources": [str(path) for path in sources],
    }
    folder = BUILD / "designs" / f"{name}-{key}"
    write_if_changed(folder / "card.json", json.dumps(manifest, indent=1) + "\n")
    return folder


def _package(name: str, constants: Mapping[str, int]) -> str:
    lines = [f"  localparam int unsigned {constant} = {value};" for constant, value in constants.items()]
    heading = ["// SPDX-License-Identifier: Apache-2.0", f"// Generated for experiments/cards/{name}; do not edit."]
    return "\n".join([*heading, "package card_pkg;", *lines, "endpackage", ""])


@contextmanager
def open_special(
    name: str, progress: Progress, data_width: int = 512, constants: Mapping[str, int] | None = None
) -> Iterator[VirtualCard]:
    """Builds the card `name` (a minute or two, if it is new) and opens it."""
    progress(f"building {name}")
    with VirtualCard(card_folder(name, data_width, constants)) as card:
        yield card
