# SPDX-License-Identifier: Apache-2.0
"""The longest paths of every kind of tile, alone and with its routers, and of the parts of fabric and scheduler."""

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
    from girih.synth.seams import has_seam

    ensure(("synth",))
    params = CardParams(WIDTH)
    found = []
    for name, (module, parameters) in PARTS.items():
        found += rows(name, WIDTH, module_timing(module, params, parameters))
        progress(f"{name} done")
    for name, kind in load_kinds().items():
        if WIDTH not in kind.widths:
            continue
        found += rows(name, WIDTH, module_timing(name, params))
        if has_seam(kind):
            found += rows(f"{name} with router", WIDTH, module_timing(name, params, seam=True))
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
