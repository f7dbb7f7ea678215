# SPDX-License-Identifier: Apache-2.0
"""Tiles that are masters of the control network: what a design may state about them, and the resulting card."""

import re
from dataclasses import replace

import pytest

from girih.compiler.check.card import check_file
from girih.compiler.emit.card import emit_card
from girih.compiler.test_errors import GOOD, answer
from girih.spec.kinds import load_kinds

ECHO = "echo: {kind: echo, at: [3, 0], next: udp_tx}"
RIGHTS = "control: {tenant: 2, read: [udp_rx, eth_tx], write: eth_tx}"


def kinds():
    """All kinds; tiles of kind echo make requests on the control network."""
    return dict(load_kinds()) | {"echo": replace(load_kinds()["echo"], uses=("control",), rights=3)}


def design(control: str = RIGHTS) -> str:
    return GOOD.replace(ECHO, ECHO.replace("next", f"{control}, next"))


def test_a_master_has_a_number_a_tenant_and_rights(tmp_path):
    path = tmp_path / "card.yaml"
    path.write_text(design())
    card = check_file(path, kinds())
    control = card.tile("echo").control
    assert control.tenant == 2
    node = {tile.name: tile.node for tile in card.tiles}
    assert {(right.node, right.read, right.write) for right in control.rights} == {
        (node["udp_rx"], True, False),
        (node["eth_tx"], True, True),
    }
    text = emit_card(card, "0" * 16)
    echo = re.search(r"  echo #\((.*?)\) u_echo", text, re.DOTALL)[1]
    assert ".ControlMaster(1)" in echo and ".ControlTenant(2)" in echo
    nodes = int(re.search(r"\.ControlNodes\(24'h([0-9a-f]+)\)", echo)[1], 16)
    reads = int(re.search(r"\.ControlReads\(3'h([0-9a-f]+)\)", echo)[1], 16)
    writes = int(re.search(r"\.ControlWrites\(3'h([0-9a-f]+)\)", echo)[1], 16)
    may = {nodes >> 8 * i & 0xFF: (reads >> i & 1, writes >> i & 1) for i in range(3)}
    assert may == {node["udp_rx"]: (1, 0), node["eth_tx"]: (1, 1), 0: (0, 0)}
    assert text.count(".SharedControl(1'b1)") == len(card.tiles) == 7
    assert ".Alone(1'b0)" in text and ".Pad(0)" in text  # 7 nodes and 2 masters' stops: room for 8 requests


def test_a_ring_has_a_register_for_each_request(tmp_path):
    path = tmp_path / "card.yaml"
    path.write_text(design().replace(
        "  udp_tx: {", f"  echo_1: {{kind: echo, {RIGHTS}, next: udp_tx}}\n  udp_tx: {{").replace("{7: echo}", "{7: echo, 8: echo_1}"))
    text = emit_card(check_file(path, kinds()), "0" * 16)
    assert ".Pad(1)" in text  # 8 nodes and 3 masters' stops for 12 requests
    assert ".ControlMaster(1)" in text and ".ControlMaster(2)" in text


def test_a_card_with_one_master_is_as_before(tmp_path):
    path = tmp_path / "card.yaml"
    path.write_text(GOOD)
    text = emit_card(check_file(path), "0" * 16)
    assert "Control" not in text and "Alone" not in text


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (RIGHTS + ", ", "", "the design does not say which tiles echo may reach on the control network. Write control: {read: [echo], write: [echo]}"),
        (RIGHTS, "control: 7", "the design does not say which tiles echo may reach on the control network. Write control: {read: [echo], write: [echo]}"),
        ("udp_rx, eth_tx]", "udp_rx, eth_tz]", "read of control of tile echo names eth_tz, which is not a tile. Did you mean eth_tx?"),
        ("udp_rx, eth_tx]", "udp_rx, eth_rx, ip_tx]", "control of tile echo names 4 tiles; kind echo can have rights for 3. Name fewer."),
        ("tenant: 2", "tenant: 16", "tenant of control of tile echo is 16, out of range."),
        ("tenant: 2", "tenants: 2", "control of tile echo has no key tenants. Did you mean tenant?"),
        ("reflect: true", "reflect: true, control: {read: echo}", "tile eth_tx of kind eth_tx makes no requests on the control network. Remove control."),
    ],
)  # fmt: skip
def test_mistakes(old, new, complaint, tmp_path):
    assert old in design()
    assert complaint in answer(tmp_path, design().replace(old, new, 1).encode(), kinds())


def test_there_are_three_masters_besides_the_host(tmp_path):
    more = "".join(f"  echo_{i}: {{kind: echo, {RIGHTS}, next: udp_tx}}\n" for i in range(3))
    text = GOOD.replace("[4, 2]", "[4, 3]").replace(ECHO + "\n", design()[design().index("echo: {"):].split("\n")[0] + "\n" + more)
    text = text.replace("{7: echo}", "{7: echo, 8: echo_0, 9: echo_1, 10: echo_2}")
    complaint = "card.yaml:12: the card has 4 tiles that make requests on the control network. It may have 3."
    assert complaint in answer(tmp_path, text.encode(), kinds())
