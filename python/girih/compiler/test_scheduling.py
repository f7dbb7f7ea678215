# SPDX-License-Identifier: Apache-2.0
"""Services, tenants and chains of a design: what the compiler makes of them, and every mistake in them."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from girih.compiler.check.card import check_file
from girih.compiler.draw.card import draw
from girih.compiler.emit.card import emit_card
from girih.compiler.emit.manifest import emit_tables
from girih.compiler.emit.scheduling import describe
from girih.compiler.emit.sim import emit_sim
from girih.compiler.messages import End, walk
from girih.compiler.paths import message_paths, services
from girih.compiler.stub_kinds import service_kinds
from girih.compiler.values import listing
from girih.errors import GirihError
from girih.paths import DESIGNS
from girih.services.chains import match_fields

GOOD = """\
name: card_1
fabric: crossbar
width: 512
ports: 2
tiles:
  wire: {kind: stub_port, port: 0, exit: host}
  host: {kind: stub_port, port: 1, exit: wire}
  queue: {kind: stub_scheduler}
  aes_0: {kind: stub_unit}
  aes_1: {kind: stub_unit}
  sha_0: {kind: stub_unit}
services:
  aes: {units: [aes_0, aes_1], policy: {fair: {0: 2, 1: 1}}, credits: 8}
  sha: [sha_0]
tenants:
  video: {weight: 2, guarantee: 32768, services: [aes, sha], ports: [0]}
  other: {id: 3, services: [sha]}
chains:
  ipsec: {services: [{aes: {class: 1}}, sha], tenant: video, exit: host, match: {udp.dst: 4500}}
  sums: [sha]
"""
MISTAKES = YAML(typ="safe").load(Path(__file__).with_name("mistakes_services.yaml"))


def card_of(folder: Path, text: str):
    path = folder / "card.yaml"
    path.write_text(text)
    return check_file(path, service_kinds())


@pytest.fixture
def card(tmp_path):
    return card_of(tmp_path, GOOD)


def test_a_card_may_have_no_service_yet(tmp_path):
    """What the compiler proposes for ports and a scheduler without units."""
    text = "".join(line for line in GOOD[: GOOD.index("services:")].splitlines(keepends=True) if "stub_unit" not in line)
    assert card_of(tmp_path, text + "services: {}\n").scheduling.services == ()


@pytest.mark.parametrize(("field", "text", "value"), [("ethernet.dst", "02:00:00:00:00:01", 0x020000000001), ("ipv4.dst", "10.0.0.1", 0x0A000001), ("ipv6.dst", '"::1"', 1), ("ipv6.src", '"2001:db8::"', 0x20010DB8 << 96), ("ipv6.src", "7", 7)])
def test_a_match_takes_addresses_as_text(tmp_path, field, text, value):
    wide = GOOD.replace("kind: stub_port", "kind: stub_port, key_halves_0: 10")
    card = card_of(tmp_path, wide.replace("udp.dst: 4500", f"{field}: {text}"))
    assert card.scheduling.chains[0].match == ((field, value),)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["name"])
def test_mistake(mistake, tmp_path):
    text = GOOD
    for old, new in mistake["change"]:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(GirihError) as caught:
        card_of(tmp_path, text)
    expected = "\n".join(mistake["answer"]).replace("FIELDS", f"Did you mean udp.src? It may be {listing(match_fields())}.")
    assert str(caught.value).replace(f"{tmp_path}/", "") == expected


def test_mistakes_have_different_names():
    names = [mistake["name"] for mistake in MISTAKES]
    assert len(set(names)) == len(names)


def test_the_descriptor_has_a_chain_and_a_route_along_it(card):
    assert (card.params.chain_hops, card.params.route_hops, card.params.service_bits) == (2, 3, 1)


def test_messages_leave_a_port_by_its_lanes():
    card = check_file(DESIGNS / "panic.yaml")
    steps = [step for step in walk(card).steps if step.start.tile == "wire"]
    assert {(step.start.port, step.after.at) for step in steps} == {(0, End("host")), (1, End("scheduler", 0)), (2, End("scheduler", 1))}
    assert all((step.start.port == 0) == (step.before.chain is None) for step in steps)
    nodes = emit_card(card, "0").split("localparam logic [255:0] Nodes =")[1].split(";")[0]
    assert "WireNode)" in nodes and "WireNode1" not in nodes and "SchedulerNode1" in nodes, "messages come by the first lane only"


def test_the_scheduler_has_a_node_for_each_port(card):
    queue = card.tile("queue")
    assert queue.nodes == (2, 3) and card.fabric.ports == 7
    text = emit_card(card, "0")
    assert ".PortNodes({QueueNode1, QueueNode})" in text
    assert "256'(1) << QueueNode1" in text
    assert "assign fabric_in_flit[3] = queue_out_flit[1];" in text
    assert [link.name for link in card.links if link.tile is queue] == ["queue.in", "queue.in_1", "queue.out", "queue.out_1"]
    assert ".flit_i(u_card.queue_out_flit[1])" in emit_sim(card)


@pytest.mark.parametrize(
    "fabric, at, nodes",
    [
        ("{crossbar: 8}", "6", (6, 7)),
        ("{crossbar: 8}", "[7, 4]", (7, 4)),
        ("{mesh: [3, 3]}", "[[2, 0], [0, 2]]", (0x02, 0x20)),
    ],
)
def test_places_of_a_tile_with_two_ports(fabric, at, nodes, tmp_path):
    text = GOOD.replace("crossbar", fabric).replace("stub_scheduler}", f"stub_scheduler, at: {at}}}")
    card = card_of(tmp_path, text)
    assert card.tile("queue").nodes == nodes
    assert len({node for tile in card.tiles for node in tile.nodes}) == 7


def test_the_scheduler_knows_units_services_and_tenants(card):
    config, parameters = dict(card.tile("queue").config), dict(card.tile("queue").parameters)
    units = [card.tile(name) for name in ("aes_0", "aes_1", "sha_0")]
    assert config["unit_node"][:4] == (*[unit.node for unit in units], 0)
    assert config["unit_service"][:3] == (0, 0, 1)
    assert config["unit_credits"][:4] == (8, 8, 16, 0)
    assert config["policy"][:2] == (1, 0)
    assert config["rights"][:5] == (0, 0b11, 0, 0b10, 0)  # a tenant that is not named has no rights
    assert config["guaranteed_cells"][:2] == (0, 256)
    assert config["inverse_weight"][1] * 2 == config["inverse_weight"][3]
    assert config["spare"] == (9, 9, 9)
    assert parameters == {"units": 3, "services": 2, "tenants": 4}


def test_without_tenants_everybody_may_use_everything(tmp_path):
    text = GOOD[: GOOD.index("tenants:")] + "chains:\n  sums: [sha]\n"
    assert dict(card_of(tmp_path, text).tile("queue").config)["rights"] == (0b11,) * 16


def test_units_and_ports_use_the_ports_of_the_scheduler_in_turn(card):
    ports = {tile.name: [hop.port for hop in tile.hops if hop.to == "queue"] for tile in card.tiles}
    assert ports == {"wire": [0], "host": [1], "queue": [], "aes_0": [0], "aes_1": [1], "sha_0": [0]}
    assert "node: QueueNode1, key: 16'd1" in emit_card(card, "0")


def test_credits_are_wired_in_the_order_of_the_units(card):
    text = emit_card(card, "0")
    assert "sched_pkg::credit_t credits[3];" in text and ".credit_i(credits)" in text
    assert [text.index(f".credit_o(credits[{index}])") for index in range(3)] == sorted(
        text.index(f".credit_o(credits[{index}])") for index in range(3)
    )


def test_a_port_stamps_its_tenant(card):
    assert dict(card.tile("wire").config)["tenant"] == 1 and dict(card.tile("host").config)["tenant"] == 0


def test_the_manifest_has_numbers_by_name(card):
    found = describe(card)
    assert (found["scheduler"], found["exits"]) == ("queue", ["wire", "host"])
    assert [(unit["name"], unit["number"]) for unit in found["units"]] == [("aes_0", 0), ("aes_1", 1), ("sha_0", 2)]
    assert [(tenant["name"], tenant["number"]) for tenant in found["tenants"]] == [("video", 1), ("other", 3)]
    assert found["services"][0]["policy"]["classes"] == [{"class": 0, "weight": 2}, {"class": 1, "weight": 1}]
    ipsec, sums = found["chains"]
    assert ipsec["hops"][0] == {"service": "aes", "number": 0, "class": 1, "meta": 0}
    assert (ipsec["tenant_number"], ipsec["exit_node"], ipsec["match"]) == (1, card.tile("host").node, {"udp.dst": 4500})
    assert (sums["tenant"], sums["exit"], sums["match"]) == (None, None, {})


def test_no_chain_ends_at_a_memory(tmp_path):
    text = (DESIGNS / "panic.yaml").read_text().replace("crossbar: 12", "crossbar: 14")
    text = text.replace("services:", "  copy: {kind: copy, next: memory}\n  memory: {kind: memory, grant_node: [copy], grant_rights: [3], grant_last: [9]}\n\nservices:", 1)
    (tmp_path / "card.yaml").write_text(text)
    assert describe(check_file(tmp_path / "card.yaml"))["exits"] == ["wire", "host"]


def test_paths_follow_the_chains(card):
    paths = {(path.src, path.dst) for path in message_paths(card) if path.label == "chain ipsec"}
    assert paths == {
        ("wire", "queue"), ("host", "queue"), ("queue", "aes_0"), ("queue", "aes_1"), ("aes_0", "sha_0"), ("aes_1", "sha_0"),
        ("sha_0", "host"), ("queue", "sha_0"),  # what sha_0 had no room for
    }  # fmt: skip
    assert [service.name for service in services(card)] == ["exit", "chain ipsec", "chain sums"]


def test_a_chain_that_is_not_pushed_goes_over_the_scheduler(tmp_path):
    card = card_of(tmp_path, GOOD.replace("sha: [sha_0]", "sha: {units: sha_0, push: never}"))
    paths = {(path.src, path.dst) for path in message_paths(card) if path.label == "chain ipsec"}
    assert ("aes_0", "queue") in paths and ("queue", "sha_0") in paths and ("aes_0", "sha_0") not in paths


def test_a_service_can_be_visited_twice(tmp_path):
    assert len(card_of(tmp_path, GOOD.replace("sums: [sha]", "sums: [sha, aes, sha]")).scheduling.chains[1].hops) == 3


@pytest.mark.parametrize("fabric", ["crossbar", "{mesh: [4, 2]}"])
def test_the_same_text_gives_the_same_card(fabric, tmp_path):
    first, second = (card_of(tmp_path, GOOD.replace("crossbar", fabric)) for _ in range(2))
    for emit in (lambda card: emit_card(card, "0"), emit_tables, draw, describe):
        assert emit(first) == emit(second)
    assert draw(first).count("its fabric port 1") == 1
