# SPDX-License-Identifier: Apache-2.0
"""A tile with its routers, as it stands on a mesh."""

import pytest

from girih.build.generate import generated_rtl
from girih.build.lint import lint
from girih.build.sources import resolve
from girih.errors import GirihError
from girih.spec.kinds import load_kinds
from girih.spec.message import CHAIN, CardParams
from girih.synth.design import module_timing
from girih.synth.seams import MESH, has_seam, seam, seam_file

SEAMS = {name: kind for name, kind in load_kinds().items() if has_seam(kind)}


CHEAP = ("echo", "eth_rx", "eth_tx", "tcp_memory")  # to and from the fabric, only to it, only from it, with replies and a port for requests


@pytest.mark.parametrize("kind", [k if k in CHEAP else pytest.param(k, marks=pytest.mark.thorough) for k in SEAMS])
def test_a_seam_is_clean_under_lint(kind):
    """Every pin is connected and every net is driven."""
    params = CardParams.with_groups(128, groups={CHAIN, *SEAMS[kind].groups})
    sources = resolve([f"seam_{kind}"], [generated_rtl(params)], [seam_file(kind)])
    result = lint(f"seam_{kind}", sources)
    assert result.clean, result.output


def test_a_tile_is_at_a_node_and_sends_to_the_others():
    text = seam(SEAMS["echo"])
    assert ".Node(8'h01)" in text and f".Nodes(256'h{MESH & ~2:x})" in text
    assert ".PortNodes({8'h11, 8'h01})" in seam(SEAMS["scheduler"])


def test_replies_have_links_of_their_own():
    """An answering tile sends them as class 1; one with a port for its requests gets them there, and takes messages at the other."""
    answers, asks = seam(SEAMS["dma"]), seam(SEAMS["tcp_memory"])
    assert ".in_valid_i(taken_valid_0[0])" in answers and ".reply_out_flit_o(sent_flit_0[1])" in answers
    assert f".ReplyNodes(256'h{MESH & ~2:x})" in answers and ".Nodes(" not in answers
    assert ".in_flit_i(taken_flit_0[0])" in asks and ".reply_in_flit_i(taken_flit_1[1])" in asks and ".RequestNode(8'h11)" in asks


@pytest.mark.parametrize("kind", ["router", "pipeline_nic", ""])
def test_what_has_no_router(kind):
    with pytest.raises(GirihError, match="is not a kind of tile with a router"):
        seam_file(kind)


@pytest.mark.thorough
def test_paths_go_on_from_the_tile_into_the_router():
    paths = module_timing("echo", CardParams(512, timing="relaxed"), seam=True).registers.paths  # without a register between
    assert any(
        path.end.startswith("u_router_0.") and any(point.net.startswith("udp_reply.sv:") for point in path.through)
        for path in paths
    )
