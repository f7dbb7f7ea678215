# SPDX-License-Identifier: Apache-2.0
"""Cards that can hang are refused, with the circle in words and changes that help; others are not."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from ruamel.yaml import YAML

from girih.cli.main import main
from girih.compiler.check import edits
from girih.compiler.check.card import check, check_file
from girih.compiler.check.deadlock import DeadlockError
from girih.compiler.check.warn import warnings
from girih.compiler.dependencies import Buffer, ControlRing, dependencies
from girih.compiler.draw.cycle import COLOUR, draw_cycle
from girih.compiler.emit.watch import watch
from girih.compiler.explain import lines_of
from girih.compiler.messages import End
from girih.compiler.model import Card, Fabric
from girih.compiler.paths import message_paths, services
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, parse
from girih.compiler.stub_kinds import service_kinds
from girih.compiler.traffic import expected_flows
from girih.errors import GirihError
from girih.paths import DESIGNS, ROOT
from girih.spec.kinds import load_kinds
from girih.topology import IN, OUT, Channel, between

HEAD = "name: card_1\nmac: 02:67:69:72:69:68\nip: 10.77.0.2/24\n"
MISTAKES = YAML(typ="safe").load(Path(__file__).with_name("mistakes_deadlock.yaml"))
mistakes = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["name"])


def card_of(text: str, kinds=None, allow_deadlock=False) -> Card:
    report = Report("card.yaml")
    return check(read(parse(HEAD + text, report), "card_1", report), "card.yaml", kinds or service_kinds(), report, allow_deadlock)


def refused(text: str) -> DeadlockError:
    with pytest.raises(DeadlockError) as caught:
        card_of(text)
    return caught.value


def edges(card: Card) -> set:
    return {(edge.holder, edge.wanted) for edge in dependencies(card).edges}


@mistakes
def test_mistake(mistake):
    assert str(refused(mistake["design"])) == mistake["answer"].rstrip("\n")


@mistakes
def test_what_is_proposed_helps(mistake):
    error = refused(mistake["design"])
    assert error.proposals
    for proposal in error.proposals:
        assert dependencies(proposal.card).shortest_cycle() is None


@mistakes
def test_the_cycle_is_drawn(mistake):
    error = refused(mistake["design"])
    svg = draw_cycle(error.card, error.cycle)
    parts = [part for part in ElementTree.fromstring(svg).iter() if part.get("stroke") == COLOUR]
    links = [edge.holder for edge in error.cycle if isinstance(edge.holder, Channel)]
    tiles = [edge.holder for edge in error.cycle if isinstance(edge.holder, Buffer)]
    assert len([part for part in parts if part.get("stroke-width") == "13"]) == len(links)
    assert len([part for part in parts if part.tag.endswith("rect")]) == len(tiles)
    for line in lines_of(error.card, error.cycle):
        assert line.text.replace(">", "&gt;") in svg


def test_the_page_shows_the_design_that_it_tells_of():
    """./girih check redraws it as build/deadlock/udp_stack.svg."""
    with pytest.raises(DeadlockError) as caught:
        check_file(ROOT / "tests" / "deadlock" / "designs" / "udp_stack.yaml")
    page = (ROOT / "docs" / "deadlock.md").read_text()
    lines = str(caught.value).split(": ", 1)[1].splitlines()
    assert all(line in page for line in lines)
    assert (ROOT / "docs" / "images" / "deadlock.svg").read_text() == draw_cycle(caught.value.card, caught.value.cycle)


def test_mistakes_have_different_names():
    names = [mistake["name"] for mistake in MISTAKES]
    assert len(set(names)) == len(names)


def test_the_command_says_where_the_drawing_is(tmp_path, capsys):
    design = tmp_path / "hangs.yaml"
    design.write_text(HEAD.replace("card_1", "test_hangs") + MISTAKES[0]["design"])
    with pytest.raises(SystemExit) as left:
        main(["check", str(design)])
    said = capsys.readouterr().err.splitlines()
    assert left.value.code == 2
    drawing, _, verb = said[-1].strip().partition(" ")
    assert verb == "shows it"
    assert Path(drawing).name == "test_hangs.svg"
    assert Path(drawing).read_text().startswith("<svg")


def test_a_chain_that_goes_to_a_service_twice():
    text = LOSSLESS.replace("FLAG", "false") + "chains:\n  once: {services: [work, more]}\n  twice: {services: [work, more, work]}\n"
    assert warnings(card_of(text)) == ["chain twice goes to service work at hops 1 and 3: each visit uses a share of a. Is this intended?"]


@pytest.mark.parametrize("design", sorted(DESIGNS.glob("*.yaml")), ids=lambda design: design.stem)
def test_the_designs_that_there_are_cannot_hang(design):
    assert dependencies(check_file(design)).order() is not None


def test_a_card_that_can_hang_is_there_for_who_wants_to_see_it():
    card = card_of(MISTAKES[0]["design"], allow_deadlock=True)
    assert dependencies(card).shortest_cycle() == refused(MISTAKES[0]["design"]).cycle


def test_a_buffer_that_the_fabric_has_no_room_for():
    tiles = (
        "tiles:\n  eth_rx: {kind: eth_rx, next: {ipv4: a}}\n  a: {kind: balancer, next: [b, eth_tx]}\n"
        "  b: {kind: relay, next: a}\n  eth_tx: {kind: eth_tx}\n"
    )
    on_mesh = refused("fabric: {mesh: [2, 2]}\n" + tiles).proposals[0].text
    assert on_mesh == (
        "Put a buffer between a and b, which drops messages for which it has no room: buffer_1: {kind: buffer, at: [0, 2], next: b}, "
        "with next: [buffer_1, eth_tx] in a, on fabric: {mesh: [2, 3]}"
    )
    on_crossbar = refused("fabric: {crossbar: 4}\n" + tiles).proposals[0].text
    assert on_crossbar == (
        "Put a buffer between a and b, which drops messages for which it has no room: buffer_1: {kind: buffer, next: b}, "
        "with next: [buffer_1, eth_tx] in a, on fabric: {crossbar: 5}"
    )


def test_a_fabric_that_cannot_be_larger():
    assert edits.larger(Fabric("mesh", 2, 15)) == Fabric("mesh", 2, 16)
    assert edits.larger(Fabric("mesh", 2, 16)) is edits.larger(Fabric("butterfly", 2, 8, 4)) is edits.larger(Fabric("crossbar", 64)) is None


def test_without_a_proposal_the_way_to_others_is_shown():
    error = refused(MISTAKES[0]["design"])
    none = DeadlockError(error.what, error.where, error.card, error.cycle, ())
    assert str(none).endswith("and so on from 1. No change was found that helps; ./girih place searches all positions together.")


# The edges of the graph, and those that it must not have.

TWO = "fabric: {mesh: [3, 1]}\ntiles:\n  eth_rx: {kind: eth_rx, next: {ipv4: a}}\n  a: {kind: KIND, next: eth_tx}\n  eth_tx: {kind: eth_tx}\n"


def test_a_message_holds_its_way_link_by_link():
    card = card_of(TWO.replace("KIND", "relay"))
    way = [Channel(IN, (0, 0), (0, 0)), between((0, 0), (1, 0)), Channel(OUT, (1, 0), (1, 0)), Buffer("a"), Channel(IN, (1, 0), (1, 0))]
    way += [between((1, 0), (2, 0)), Channel(OUT, (2, 0), (2, 0))]
    assert edges(card) == {*pairwise(way), (Buffer("eth_rx"), way[0])}


@pytest.mark.parametrize(("kind", "waits"), [("relay", True), ("icmp", True), ("buffer", False)])
def test_a_tile_waits_unless_it_drops(kind, waits):
    found = "{ipv4: ip_rx}}\n  ip_rx: {kind: ipv4_rx, ip: 10.77.0.2, next: a}"  # as icmp needs it
    card = card_of(TWO.replace("[3, 1]", "[4, 1]").replace("{ipv4: a}}", found).replace("KIND", kind))
    assert ((Channel(OUT, (2, 0), (2, 0)), Buffer("a")) in edges(card)) == waits


def test_entries_of_a_node_table_that_no_message_meets_are_no_paths():
    """Only messages of port 1 could close the circle, and none of them reach `a`."""
    text = (
        "fabric: crossbar\nports: 2\ntiles:\n  rx_0: {kind: eth_rx, port: 0, next: {ipv4: a}}\n  rx_1: {kind: eth_rx, port: 1, next: {ipv4: NEXT}}\n"
        "  a: {kind: relay, next: {0: tx_0, 1: b}}\n  b: {kind: relay, next: {0: tx_0, 1: a}}\n"
        "  tx_0: {kind: eth_tx, port: 0}\n  tx_1: {kind: eth_tx, port: 1}\n"
    ).replace("  b: {kind: relay, next: {0: tx_0, 1: a}}\n", "  b: {kind: relay, next: {0: a, 1: tx_1}}\n")
    assert dependencies(card_of(text.replace("NEXT", "a"))).order() is not None
    both = text.replace("NEXT", "a").replace("rx_0: {kind: eth_rx, port: 0, next: {ipv4: a}}", "rx_0: {kind: eth_rx, port: 0, next: {ipv4: b}}")
    assert [edge.holder for edge in refused(both.replace("NEXT", "a")).cycle if isinstance(edge.holder, Buffer)] == [Buffer("b"), Buffer("a")]


def made_up(**changes):
    """All kinds, with a modified relay."""
    kinds = service_kinds()
    return kinds | {"relay": replace(kinds["relay"], **changes)}


PING = (
    "fabric: crossbar\ntiles:\n  eth_rx: {kind: eth_rx, next: {ipv4: asks}}\n  asks: {kind: relay, next: answers}\n"
    "  answers: {kind: balancer, next: [ANSWER, eth_tx]}\n  eth_tx: {kind: eth_tx}\n"
)


def test_who_waits_for_a_reply_waits_for_all_of_its_way():
    kinds = made_up(waits=("reply",))
    kinds["asker"] = replace(kinds["relay"], name="asker", buffering="sink")
    text = PING.replace("asks: {kind: relay", "asks: {kind: asker").replace("ANSWER", "asks")
    card = card_of(text, kinds)
    assert (Buffer("asks"), Channel(IN, (2,), (2,))) in edges(card)
    assert (Buffer("asks"), Channel(IN, (0,), (0,))) not in edges(card)  # eth_rx answers nobody
    assert dependencies(card).order() is not None  # it takes replies whatever it waits for
    with pytest.raises(DeadlockError) as caught:
        card_of(text.replace("kind: asker", "kind: relay"), kinds)
    assert [line.text for line in lines_of(caught.value.card, caught.value.cycle)] == [
        "answers > asks (ipv4) holds answers > fabric and waits for fabric > asks",
        "asks takes more only as it sends on (cut-through)",
        "asks sends no more before answers has answered",
    ]


def test_requests_that_cross_between_fabric_and_control_network():
    kinds = service_kinds()
    kinds["reader"] = replace(kinds["relay"], name="reader", waits=("control",))
    kinds["slow"] = replace(kinds["relay"], name="slow", waits=("data",))
    text = (
        "fabric: crossbar\ntiles:\n  eth_rx: {kind: eth_rx, next: {ipv4: first}}\n  first: {kind: FIRST, next: second}\n"
        "  second: {kind: SECOND, next: eth_tx}\n  eth_tx: {kind: eth_tx}\n"
    )
    good = card_of(text.replace("FIRST", "reader").replace("SECOND", "slow"), kinds)
    assert {(Buffer("first"), ControlRing()), (ControlRing(), Buffer("second"))} <= edges(good)
    with pytest.raises(DeadlockError) as caught:
        card_of(text.replace("FIRST", "slow").replace("SECOND", "reader"), kinds)
    assert [line.text for line in lines_of(caught.value.card, caught.value.cycle)] == [
        "first > second (ipv4) holds first > fabric and waits for fabric > second",
        "second takes more only as it sends on (cut-through)",
        "second waits for an answer of the control network",
        "an access to first waits for the messages in it",
        "what first has leaves in order",
    ]


def test_a_control_core_that_holds_messages_waits_for_the_control_network():
    """As a second master of it: it drops messages for which it has no room, except lossless ones, and a slow window could wait for those."""
    kinds = service_kinds()
    kinds["slow"] = replace(kinds["relay"], name="slow", waits=("data",))
    text = (
        "fabric: crossbar\nports: 2\ntiles:\n  wire: {kind: stub_port, port: 0, exit: slow, lossless: FLAG}\n  slow: {kind: slow, next: manager}\n"
        "  manager: {kind: control_core, program: echo.c, control: {read: [slow]}, next: host}\n"
        "  host: {kind: stub_port, port: 1, exit: wire}\n  scheduler: {kind: stub_scheduler}\n  a: {kind: stub_unit}\nservices: {work: [a]}\n"
    )
    good = card_of(text.replace("FLAG", "false"), kinds)
    assert (Buffer("manager"), ControlRing()) in edges(good)
    with pytest.raises(DeadlockError) as caught:
        card_of(text.replace("FLAG", "true"), kinds)
    assert "manager waits for an answer of the control network" in [line.text for line in lines_of(caught.value.card, caught.value.cycle)]


@pytest.mark.parametrize("hops", ["host", "{reply: host, host: dma}"])
def test_requests_of_a_program_may_close_a_circle(hops):
    """They use a link on which lossless messages wait that the program is to take; without requests, or if it may drop these messages, the card cannot hang."""
    kind = "dma_core" if "dma" in hops else "core"
    dma = "  dma: {kind: dma, at: [3, 0], grant_node: [core], grant_rights: [3]}\n" if "dma" in hops else ""
    text = (
        "fabric: {mesh: [4, 2]}\nports: 2\ntiles:\n  wire: {kind: stub_port, at: [0, 0], port: 0, exit: far, lossless: FLAG}\n"
        f"  core: {{kind: {kind}, at: [1, 0], program: echo.c, next: {hops}}}\n  far: {{kind: relay, at: [2, 0], next: core}}\n{dma}"
        "  host: {kind: stub_port, at: [1, 1], port: 1, exit: wire}\n  scheduler: {kind: stub_scheduler, at: [[2, 1], [3, 1]]}\n  a: {kind: stub_unit, at: [0, 1]}\n"
        "services: {work: [a]}\n"
    )
    card_of(text.replace("FLAG", "false"), service_kinds())
    if not dma:
        card_of(text.replace("FLAG", "true"), service_kinds())
        return
    with pytest.raises(DeadlockError) as caught:
        card_of(text.replace("FLAG", "true"), service_kinds())
    assert any("core > dma (host)" in line.text for line in lines_of(caught.value.card, caught.value.cycle))


LOSSLESS = (
    "fabric: crossbar\nports: 2\ntiles:\n  wire: {kind: stub_port, port: 0, exit: host, lossless: FLAG}\n"
    "  host: {kind: stub_port, port: 1, exit: wire}\n  scheduler: {kind: stub_scheduler}\n  a: {kind: stub_unit}\n  b: {kind: stub_unit}\n"
    "services: {work: [a], more: [b]}\n"
)


@pytest.mark.parametrize("flag", ["false", "true"])
@pytest.mark.parametrize("channels", [1, 2])
def test_no_message_waits_at_the_end_of_a_link_to_units_and_scheduler(flag, channels):
    """Lossless or not: each is taken, or dropped and counted."""
    card = card_of(LOSSLESS.replace("FLAG", flag).replace("stub_scheduler}", f"stub_scheduler, channels: {channels}}}") + "chains: {both: [work, more]}\n")
    ends = {place for tile in card.tiles for place in tile.places}
    assert not any(dependencies(card).waits_for(Channel(OUT, place, place)) for place in ends)


BEHIND_AN_EXIT = (
    "fabric: {mesh: [5, 2]}\nports: 2\ntiles:\n  u: {kind: stub_unit, at: [0, 0]}\n  r1: {kind: relay, at: [1, 0], next: wire}\n"
    "  r0: {kind: relay, at: [2, 0], next: {0: host, 1: r1}}\n  wire: {kind: stub_port, port: 0, at: [3, 0], exit: r0}\n"
    "  scheduler: {kind: stub_scheduler, at: [[0, 1], [1, 1]]}\n  host: {kind: stub_port, port: 1, at: [2, 1], exit: r1}\n"
    "services: {s: [u]}\n"
)


@pytest.mark.parametrize("chains", ["chains:\n  c: {services: [s], exit: r0}\n", "chains:\n  c: {services: [s, s], exit: r0}\n"])
def test_messages_are_followed_behind_the_exit_of_their_chain(chains):
    """Messages of port 1 come to r0 only by the chain."""
    assert [edge.holder.tile for edge in refused(BEHIND_AN_EXIT + chains).cycle if isinstance(edge.holder, Buffer)] == ["r0", "r1"]
    assert dependencies(card_of(BEHIND_AN_EXIT)).order() is not None
    other_exit = chains.replace("exit: r0", "exit: wire")
    assert dependencies(card_of(BEHIND_AN_EXIT + other_exit)).order() is not None


def test_the_exit_of_a_port_is_for_chains_that_have_none():
    text = BEHIND_AN_EXIT.replace("host: {kind: stub_port, port: 1, at: [2, 1], exit: r1}", "host: {kind: stub_port, port: 1, at: [2, 1], exit: r0}")
    assert [edge.holder for edge in refused(text).cycle] == [edge.holder for edge in refused(text + "chains: {c: [s]}\n").cycle]


def test_a_tile_that_only_the_exit_of_a_chain_names_is_reached():
    text = BEHIND_AN_EXIT.replace("exit: r1", "exit: wire").replace("{0: host, 1: r1}", "{0: host, 1: wire}")
    with pytest.raises(GirihError, match="no message ever reaches tile r1"):
        card_of(text)
    card = card_of(text + "chains:\n  c: {services: [s], exit: r1}\n")
    assert any("r1" in stop for route in services(card)[1].routes for stop in route)
    assert expected_flows(card)[End("u"), End("r1")] == expected_flows(card)[End("r1"), End("wire")] > 0


@pytest.mark.parametrize("kind", ["relay", "buffer"])
def test_a_circle_that_no_message_leaves_is_refused(kind):
    """Also beyond the exit of a chain, and where the tiles of the circle drop and so cannot hang."""
    text = BEHIND_AN_EXIT.replace("{mesh: [5, 2]}", "crossbar").replace("kind: relay", f"kind: {kind}").replace("next: wire}", "next: {0: wire, 1: r0}}")
    text = re.sub(r", at: (\[\[.*\]\]|\[.*?\])", "", text).replace("exit: r1", "exit: wire")
    with pytest.raises(GirihError) as caught:
        card_of(text + "chains:\n  c: {services: [s], exit: r0}\n")
    assert str(caught.value) == (
        "card.yaml:9: messages of port 1 that reach r0 go round for ever: r0 > r1 > r0. Send them to a tile at a port."
    )


def test_a_lossless_message_is_not_pushed():
    def pushed(flag: str) -> set:
        text = LOSSLESS.replace("FLAG", flag).replace("exit: wire}", f"exit: wire, lossless: {flag}}}") + "chains: {both: [work, more]}\n"
        return {(path.src, path.dst) for path in message_paths(card_of(text))}

    assert ("a", "b") in pushed("false")
    assert ("a", "b") not in pushed("true")
    assert ("a", "scheduler") in pushed("true")


def test_the_watchdog_knows_what_is_behind_the_exit_of_a_chain():
    card = card_of(BEHIND_AN_EXIT + "chains:\n  c: {services: [s], exit: r0}\n", allow_deadlock=True)
    assert watch(card)["waits"]["[1, 0] > [2, 0]"]["fabric > r0"] == ["u > r0"]


# Random designs.

@some.composite
def relays(draw_from):
    """Relays and balancers on a mesh, with random next hops."""
    count = draw_from(some.integers(2, 8))
    names = [f"t{index}" for index in range(count)]
    tiles = [f"eth_rx: {{kind: eth_rx, next: {{ipv4: {names[0]}}}}}", "eth_tx: {kind: eth_tx}"]
    for index, name in enumerate(names):
        after = [*names[index + 1 :], "eth_tx"]
        others = [other for other in names if other != name]
        if draw_from(some.booleans()) and len(after) > 1:
            back = draw_from(some.sampled_from(others if draw_from(some.integers(0, 3)) == 0 else after[1:]))
            kind, leads = "balancer", f"[{after[0]}, {back}]" if back != after[0] else after[0]
            kind = kind if back != after[0] else "relay"
        else:
            kind, leads = "relay", after[0]
        tiles.append(f"{name}: {{kind: {kind}, next: {leads}}}")
    order = draw_from(some.permutations(tiles))
    return "fabric: {mesh: [4, 3]}\ntiles:\n" + "".join(f"  {tile}\n" for tile in order)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(relays())
def test_random_designs_are_proved_or_refused_with_a_reason(text):
    card = card_of(text, allow_deadlock=True)
    graph = dependencies(card)
    cycle = graph.shortest_cycle()
    if cycle is None:
        assert card_of(text) == card
        return
    error = refused(text)
    assert error.cycle == cycle
    there = edges(card)
    assert all((edge.holder, edge.wanted) in there and edge.wanted == after.holder for edge, after in pairwise([*cycle, cycle[0]]))
    assert any(isinstance(edge.holder, Buffer) for edge in cycle)  # the fabric by itself has none
    assert error.proposals
    for proposal in error.proposals:
        assert dependencies(proposal.card).order() is not None


# Warnings.

def test_a_link_that_cannot_carry_what_is_expected():
    text = "clock_mhz: 100\n" + TWO.replace("KIND", "relay")
    assert warnings(card_of(text + "traffic: {ports: {0: 51.2}}\n")) == []
    assert warnings(card_of(text + "traffic: {ports: {0: 60}}\n"))[0] == (
        "eth_rx > fabric is expected to carry 60.0 Gbps, but carries at most 51.2. "
        "Move tiles, spread the traffic over more links, or make the card wider."
    )


def test_the_command_prints_warnings(tmp_path, capsys):
    design = tmp_path / "busy.yaml"
    design.write_text(HEAD + "clock_mhz: 100\ntraffic: {ports: {0: 60}}\n" + TWO.replace("KIND", "relay"))
    with pytest.raises(SystemExit) as left:
        main(["check", str(design)])
    said = capsys.readouterr().out.splitlines()
    assert left.value.code == 0
    assert said[0] == f"{design}: ok"
    assert said[1].startswith(f"{design}: warning: eth_rx > fabric is expected to carry 60.0 Gbps")


@pytest.mark.parametrize("effort", [0, 50])
def test_the_search_for_a_change_ends(monkeypatch, effort):
    """However large the card: it tries as many positions as the effort allows, and no more."""
    from girih.compiler.check import repair

    tried = []
    monkeypatch.setattr(repair, "MOST_EFFORT", effort)
    monkeypatch.setattr(repair._Search, "_cost", lambda _search, _places: tried.append(None) or (len(tried), 0, 0))
    with pytest.raises(GirihError, match="No change was found that helps"):
        card_of(MISTAKES[0]["design"])
    assert len(tried) <= effort // 3 and bool(tried) == bool(effort)


def test_messages_that_come_to_a_tile_again():
    text = (
        "fabric: crossbar\ntiles:\n  eth_rx: {kind: eth_rx, next: {ipv4: a}}\n  a: {kind: buffer, next: b}\n"
        "  b: {kind: balancer, next: [a, eth_tx]}\n  eth_tx: {kind: eth_tx}\n"
    )
    assert warnings(card_of(text)) == [
        "messages of ipv4 can reach a again: a > b > a. Is this intended?"
    ]
    assert warnings(card_of(LOSSLESS.replace("FLAG", "false"))) == []


@pytest.mark.parametrize(("word", "again"), [("hairpin", False), ("local", True), ("expired", True)])
def test_messages_come_to_a_nat_again_by_hairpin_alone(word, again):
    text = (
        "fabric: crossbar\ntiles:\n  eth_rx: {kind: eth_rx, next: {ipv4: ip_rx}}\n  ip_rx: {kind: ipv4_rx, forward: 1, next: nat}\n"
        f"  nat: {{kind: nat, outside_ip: 203.0.113.1, inside_ip: 10.0.0.1, next: {{inside: eth_tx, outside: eth_tx, {word}: back}}}}\n"
        "  back: {kind: buffer, next: nat}\n  eth_tx: {kind: eth_tx}\n"
    )
    found = warnings(card_of(text))
    assert all("again: back > nat > back. Is this intended?" in each for each in found)
    assert bool(found) == again


@pytest.mark.parametrize("design", sorted(DESIGNS.glob("*.yaml")), ids=lambda design: design.stem)
def test_the_designs_that_there_are_give_no_warning(design):
    assert warnings(check_file(design)) == []


INNER = """
fabric: crossbar
tiles:
  wire: {kind: rmt_port, exit: host, lossless: LOSSLESS}
  host: {kind: virtio_net, next: {any: classify}}
  classify: {kind: rmt_inner, exit: EXIT, lossless: LOSSLESS}
  relay: {kind: relay, next: classify}
  scheduler: {kind: scheduler}
  unit: {kind: unit_null}
services:
  one: [unit]
chains:
  a: {services: [one], match: {udp.dst: 7}}
"""


def inner(lossless: bool, exit: str) -> str:
    return INNER.lstrip("\n").replace("LOSSLESS", str(lossless).lower()).replace("EXIT", exit)


@pytest.mark.parametrize("lossless", [False, True])
def test_both_directions_pass_one_scheduler(lossless):
    """Of the chain, messages from the wire go to the host, and those from the host to the wire."""
    text = inner(lossless, "wire").replace("  relay: {kind: relay, next: classify}\n", "")
    card = card_of(text, load_kinds())
    routes = {" > ".join(name for stop in route for name in stop) for service in services(card) if service.name == "chain a" for route in service.routes}
    assert routes == {"wire > scheduler > unit > host", "host > classify > scheduler > unit > wire"}


def test_tables_between_tiles_end_no_circle():
    """What they send to a tile that sends it back to them goes round for ever."""
    with pytest.raises(GirihError, match="go round for ever: relay > classify > relay"):
        card_of(inner(False, "relay"), load_kinds())
