# SPDX-License-Identifier: Apache-2.0
"""A tile with its routers, as it stands on a mesh."""

import pytest

from girih.build.generate import generated_rtl
from girih.build.sources import resolve
from girih.errors import GirihError
from girih.paths import BUILD
from girih.spec.kinds import load_kinds
from girih.spec.message import CardParams
from girih.synth.design import module_timing
from girih.synth.seams import MESH, seam, seam_file
from girih.synth.yosys import read_command, run

SEAMS = {name: kind for name, kind in load_kinds().items() if kind.has_input or kind.has_output}


@pytest.mark.parametrize(
    "kinds", [("echo", "eth_rx", "eth_tx"), pytest.param(tuple(SEAMS), marks=pytest.mark.thorough)], ids=["some", "all"]
)
def test_open_synthesis_reads_seams(kinds):
    """Tiles that receive, send or do both, at ports of the card or with many fabric ports. Each net has one driver."""
    generated = generated_rtl(CardParams.chained(128))
    script = []
    for name in kinds:
        sources = resolve([f"seam_{name}"], [generated], [seam_file(name)])
        script += [read_command(f"seam_{name}", sources, {}), "hierarchy -check", "proc", "check -assert", "design -reset"]
    run("\n".join(script), BUILD / "synth" / f"seams-{len(kinds)}")


def test_a_tile_is_at_a_node_and_sends_to_the_others():
    text = seam(SEAMS["echo"])
    assert ".Node(8'h01)" in text and f".Nodes(256'h{MESH & ~2:x})" in text
    assert ".PortNodes({8'h11, 8'h01})" in seam(SEAMS["scheduler"])


@pytest.mark.parametrize("kind", ["router", "pipeline_nic", ""])
def test_what_has_no_router(kind):
    with pytest.raises(GirihError, match="no kind of tile that has a router"):
        seam_file(kind)


@pytest.mark.thorough
def test_paths_go_on_from_the_tile_into_the_router():
    paths = module_timing("echo", CardParams(512), seam=True).registers.paths
    assert any(
        path.end.startswith("u_router_0.") and any(point.net.startswith("echo_engine.sv:") for point in path.through)
        for path in paths
    )
