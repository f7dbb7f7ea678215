# SPDX-License-Identifier: Apache-2.0
"""The longest paths of every kind of tile and of the parts of fabric and scheduler, estimated before placement."""

from __future__ import annotations

from girih.experiments import Exhibit, Progress, Row

WIDTH = 512
# Beside the kinds of tiles: the module and its parameters, by the name that the results have.
PARTS: dict[str, tuple[str, dict[str, object]]] = {
    "router": ("router", {}),
    "crossbar_8": ("crossbar", {"Ports": 8}),
    "scheduler_core": ("scheduler_core", {}),
    "pifo": ("pifo", {}),
    "rmt_pipeline": ("rmt_pipeline", {}),
}


def run(progress: Progress) -> list[Row]:
    from girih.bootstrap import ensure
    from girih.spec.kinds import load_kinds
    from girih.spec.message import CardParams
    from girih.synth.design import module_timing
    from girih.synth.report import rows

    ensure(("synth",))
    kinds: dict[str, tuple[str, dict[str, object]]] = {name: (name, {}) for name, kind in load_kinds().items() if WIDTH in kind.widths}
    found = []
    for name, (module, parameters) in (PARTS | kinds).items():
        found += rows(name, WIDTH, module_timing(module, CardParams(WIDTH), parameters))
        progress(f"{name} done")
    return found


EXHIBIT = Exhibit(
    id="timing",
    title="longest paths and the clock that they leave",
    source="no published exhibit; the clocks of other projects are in docs/timing.md",
    differs=(
        "an estimate before placement, ± 30 %, for a -2 UltraScale+ part: each module by itself with its own defaults, from register "
        "to register. levels: LUTs, reads of LUTRAM and carry chains. endpoints_over: inputs of registers that a signal reaches after 4.0 ns."
    ),
    run=run,
)
