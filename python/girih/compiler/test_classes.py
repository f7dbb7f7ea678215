# SPDX-License-Identifier: Apache-2.0
"""Message classes: which cards have two, the RTL emitted for them, which tiles may send requests, and their place in the proof."""

import re
from dataclasses import replace

import pytest

from girih.compiler.check.deadlock import DeadlockError
from girih.compiler.dependencies import Buffer, Requests, dependencies
from girih.compiler.emit.card import emit_card
from girih.compiler.emit.sim import emit_sim
from girih.compiler.emit.watch import watch, watched
from girih.compiler.explain import name_of
from girih.compiler.messages import walk
from girih.compiler.paths import services
from girih.compiler.test_deadlock import card_of, edges
from girih.errors import GirihError, GirihErrors
from girih.spec.kinds import load_kinds
from girih.topology import IN, OUT, Channel, between

ASKS = """\
fabric: {mesh: [3, 2]}
tiles:
  eth_rx: {kind: eth_rx, at: [0, 0], next: asker}
  asker: {kind: requester, at: [1, 0], next: {requests: answerer, replies: eth_tx}}
  answerer: {kind: responder, at: [2, 0]}
  eth_tx: {kind: eth_tx, at: [1, 1]}
"""
PLAIN = """\
fabric: {mesh: [3, 2]}
tiles:
  eth_rx: {kind: eth_rx, at: [0, 0], next: relay}
  relay: {kind: relay, at: [1, 0], next: eth_tx}
  eth_tx: {kind: eth_tx, at: [1, 1]}
"""
CROSSBAR = ASKS.replace("{mesh: [3, 2]}", "crossbar").replace(", at: [0, 0]", "").replace(", at: [1, 0]", "").replace(", at: [2, 0]", "").replace(", at: [1, 1]", "")


def test_a_card_with_one_class_has_nothing_of_a_second():
    card = card_of(PLAIN)
    assert card.classes == 1
    text = emit_card(card, "0") + emit_sim(card)
    assert "Classes" not in text and "reply" not in text and "Repl" not in text
    assert "logic [FabricPorts-1:0] fabric_in_valid, fabric_in_ready;" in text
    assert all(channel.message_class == 0 for channel in watched(card))


def test_a_tile_that_answers_gives_the_card_a_second_class():
    card = card_of(ASKS)
    assert card.classes == 2
    text = emit_card(card, "0")
    assert ".Classes(2)" in text and "replies apart from requests" in text
    # Asker has port 1 and answerer port 2; links for replies follow the six for requests.
    assert "assign asker_in_reply_valid = fabric_out_valid[7];" in text
    assert "assign fabric_in_valid[8] = answerer_out_reply_valid;" in text
    assert "(256'(1) << AskerNode);" in text[text.index("ReplyNodes =") :]
    assert ".ReplyNodes(ReplyNodes & ~(256'(1) << AnswererNode))" in text


def test_replies_come_back_to_who_asked():
    card = card_of(ASKS)
    steps = [(step.path.src, step.path.dst, step.after.reply) for step in walk(card).steps]
    assert steps == [("eth_rx", "asker", False), ("asker", "answerer", False), ("answerer", "asker", True), ("asker", "eth_tx", False)]
    assert [service.name for service in services(card)] == ["requests / replies"]


def test_replies_have_channels_of_their_own():
    found = edges(card_of(ASKS))
    there, back = between((1, 0), (2, 0)), between((2, 0), (1, 0))
    asked, answered = Channel(OUT, (2, 0), (2, 0)), Channel(IN, (2, 0), (2, 0), 1)
    assert {(there, asked), (asked, Buffer("answerer")), (Buffer("answerer"), answered), (answered, back.of_replies)} <= found
    end = Channel(OUT, (1, 0), (1, 0), 1)
    assert (back.of_replies, end) in found
    assert not any(holder == end for holder, _ in found)  # asker takes all replies
    assert (Buffer("asker"), answered) in found  # and takes no more requests until they have come


def test_a_request_never_waits_for_a_reply_that_waits_for_it():
    """With the queues of one class for both, the same card can hang."""
    graph = dependencies(card_of(ASKS.replace("[0, 0]", "[2, 1]")))
    assert graph.order() is not None
    merged = type(graph)()
    for edge in graph.edges:
        ends = [replace(end, message_class=0) if isinstance(end, Channel) else end for end in (edge.holder, edge.wanted)]
        merged.wait(*ends, edge.reasons[0])
    merged.wait(Channel(OUT, (1, 0), (1, 0)), Buffer("asker"), "what comes in by one link is taken in order")
    assert merged.order() is None


def test_names_of_links_tell_the_class():
    card = card_of(ASKS)
    names = [name_of(card, channel) for channel in watched(card)]
    assert names == watch(card)["links"]
    assert {"answerer > fabric (replies)", "fabric > asker (replies)", "[2, 0] > [1, 0] (replies)"} <= set(names)
    assert len(names) == len(set(names)) == len(card.links) + 2 * len(list(card.fabric.shape.links()))
    assert [link.name for link in card.links] == ["eth_rx.out", "asker.in", "asker.out", "asker.reply_in", "answerer.in", "answerer.reply_out", "eth_tx.in"]


def test_an_output_of_a_crossbar_is_there_for_either_class():
    kinds = dict(load_kinds())
    kinds["source"] = replace(kinds["requester"], name="source", fabric="out", waits=())
    text = CROSSBAR.replace("next: asker", "next: eth_tx").replace("kind: requester", "kind: source").replace(", replies: eth_tx", "")
    card = card_of(text, kinds)
    assert ".Outputs(FabricPorts'(Nodes | ReplyNodes))" in emit_card(card, "0")
    assert [step.path.src for step in walk(card).steps if step.before.at.tile == "asker"] == ["asker"]  # it asks by itself, and a reply ends there


def test_a_copy_asks_a_memory():
    with pytest.raises((GirihError, GirihErrors), match=r"tile copy sends requests to eth_tx; a eth_tx never answers. Send them to a tile of kind .*memory"):
        card_of(PLAIN + "  copy: {kind: copy, at: [0, 1], next: eth_tx}\n")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("next: asker", "next: answerer", "tile eth_rx sends to answerer, which answers; a eth_rx takes no replies"),
        ("replies: eth_tx}", "reply: eth_tx}", "reply in next of tile asker is not a valid message"),
        ("requests: answerer", "requests: eth_tx", "tile asker sends requests to eth_tx; a eth_tx never answers. Send them to a tile of kind .*responder.*, next: {requests: a_tile, replies: a_tile}"),
        ("{requests: answerer, replies: eth_tx}", "eth_tx", "tile asker sends requests to eth_tx; a eth_tx never answers"),
        ("{requests: answerer, replies: eth_tx}", "answerer", "tile asker sends to answerer requests and what it makes of replies. Name a tile for each, next: {requests: a_tile, replies: a_tile}"),
        ("requests: answerer, ", "", "tile asker of kind requester takes replies, and its next names no tile for its requests. Name a tile of kind .*responder"),
    ],
)
def test_who_may_not_ask(old, new, complaint):
    with pytest.raises((GirihError, GirihErrors), match=complaint):
        card_of(ASKS.replace(old, new))


def test_a_tile_that_answers_may_ask_first():
    """Two such tiles that ask each other before they answer anything can hang."""
    kinds = dict(load_kinds())
    kinds["proxy"] = replace(kinds["requester"], name="proxy", replies="both", writes=("route",))
    text = """\
ports: 2
fabric: {mesh: [3, 3]}
tiles:
  eth_rx: {kind: eth_rx, at: [0, 0], next: asker}
  asker: {kind: requester, at: [1, 0], next: {requests: proxy, replies: eth_tx}}
  proxy: {kind: proxy, at: [2, 0], next: {requests: answerer}}
  answerer: {kind: responder, at: [2, 2]}
  eth_tx: {kind: eth_tx, at: [1, 1]}
  eth_rx_1: {kind: eth_rx, at: [0, 1], port: 1, next: asker_1}
  asker_1: {kind: requester, at: [1, 2], next: {requests: proxy_1, replies: eth_tx_1}}
  proxy_1: {kind: proxy, at: [2, 1], next: {requests: answerer}}
  eth_tx_1: {kind: eth_tx, at: [0, 2], port: 1}
"""
    found = {(step.path.src, step.path.dst, step.after.reply) for step in walk(card_of(text, kinds)).steps}
    assert {("proxy", "answerer", False), ("answerer", "proxy", True), ("proxy", "asker", True)} <= found
    each_other = text.replace("at: [2, 0], next: {requests: answerer}", "at: [2, 0], next: {requests: proxy_1}")
    each_other = each_other.replace("at: [2, 1], next: {requests: answerer}", "at: [2, 1], next: {requests: proxy}")
    each_other = each_other.replace("  answerer: {kind: responder, at: [2, 2]}\n", "")
    with pytest.raises(DeadlockError, match=r"p\w+ > p\w+ \(requests\) holds"):
        card_of(each_other, kinds)


PROGRAM = """\
fabric: {mesh: [3, 2]}
tiles:
  eth_rx: {kind: eth_rx, at: [0, 0], next: core}
  core: {kind: dma_core, at: [1, 0], program: echo.c, next: {any: eth_tx, host: dma}}
  dma: {kind: dma, at: [2, 0], grant_node: [core], grant_rights: [3]}
  eth_tx: {kind: eth_tx, at: [1, 1]}
"""


def test_a_program_asks_by_itself_and_sends_messages_on():
    """Its messages never go to the tile that answers it, and its requests nowhere else; while it waits for a reply, messages may wait for it."""
    card = card_of(PROGRAM)
    steps = {(step.path.src, step.path.dst, step.path.label, step.before.new, step.after.reply) for step in walk(card).steps}
    assert steps == {
        ("eth_rx", "core", "any", True, False), ("core", "eth_tx", "any", False, False),
        ("core", "dma", "host", True, False), ("dma", "core", "reply", False, True),
    }  # fmt: skip
    assert dict(card.tile("core").config)["spaces"] == 2
    both = PROGRAM.replace("host: dma", "host: dma, memory: memory") + "  memory: {kind: memory, at: [0, 1]}\n"
    assert dict(card_of(both).tile("core").config)["spaces"] == 3
    found = edges(card)
    asked, answered = Channel(OUT, (2, 0), (2, 0)), Channel(IN, (2, 0), (2, 0), 1)
    assert {(Buffer("core"), Channel(IN, (1, 0), (1, 0))), (between((1, 0), (2, 0)), asked), (Buffer("core"), answered)} <= found
    assert (Channel(OUT, (1, 0), (1, 0)), Buffer("core")) not in found  # it drops messages for which it has no room


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("host: dma", "3: dma", "tile core of kind dma_core takes replies, and its next names no tile for its requests. Name a tile of kind .*dma.*, next: {memory: a_tile, host: a_tile}"),
        ("host: dma", "host: dma, 3: dma", "tile core sends messages to dma, which takes requests only. Name it for requests, next: {memory: a_tile, host: a_tile}"),
        ("any: eth_tx, host: dma", "host: eth_tx", "host in next of tile core leads to eth_tx of kind eth_tx; it must lead to a tile of kind dma. Write host: dma"),
        ("{any: eth_tx, host: dma}", "dma", "tile core sends messages to dma, which takes requests only"),
        ("any: eth_tx", "256: eth_tx", "exit of the program 256 in next of tile core is out of range"),
    ],
)  # fmt: skip
def test_what_a_program_cannot_ask(old, new, complaint):
    with pytest.raises((GirihError, GirihErrors), match=complaint):
        card_of(PROGRAM.replace(old, new))


STACK = """\
fabric: {mesh: [4, 3]}
tiles:
  eth_rx: {kind: eth_rx, at: [0, 0], next: {ipv4: ip_rx, arp: arp}}
  ip_rx: {kind: ipv4_rx, at: [1, 0], next: {tcp: tcp}}
  tcp: {kind: tcp_memory, at: [[2, 1], [3, 1]], connections: 16, window: 2048, listen: [7], next: {network: ip_tx, 7: echo, memory: memory}}
  echo: {kind: tcp_echo, at: [2, 0], next: tcp}
  arp: {kind: arp, at: [0, 1], next: eth_tx}
  eth_tx: {kind: eth_tx, at: [0, 2]}
  ip_tx: {kind: ipv4_tx, at: [1, 2], next: arp}
  memory: {kind: memory, at: [3, 0], grant_node: [tcp], grant_last: [15], grant_rights: [3]}
"""


def test_requests_with_a_port_of_their_own():
    """They leave by it alone, and replies come to it. What comes waits for them, but for no other message of the tile."""
    card = card_of(STACK)
    starts = {(step.path.dst, step.start.port) for step in walk(card).steps if step.start.tile == "tcp"}
    assert starts == {("ip_tx", 0), ("echo", 0), ("memory", 1)}
    found = edges(card)
    tcp, apart, memory = (2, 1), (3, 1), (3, 0)
    requests = Requests("tcp")
    assert {(Channel(OUT, tcp, tcp), requests), (requests, Channel(IN, apart, apart)), (requests, Channel(IN, memory, memory, 1))} <= found
    assert {wanted for holder, wanted in found if holder == requests} == {Channel(IN, apart, apart), Channel(IN, memory, memory, 1)}
    assert (Channel(OUT, tcp, tcp), Buffer("tcp")) not in found
    assert [link.name for link in card.links if link.tile.name == "tcp"] == ["tcp.in", "tcp.out", "tcp.request_out", "tcp.reply_in"]


def test_requests_must_not_share_a_link_with_messages_to_applications():
    """Such a message may wait for the application, which waits for the tile, which waits for its requests: behind that message."""
    shared = STACK.replace("[[2, 1], [3, 1]]", "[[2, 1], [1, 1]]").replace("tcp_echo, at: [2, 0]", "tcp_echo, at: [3, 1]")
    with pytest.raises(DeadlockError, match=r"tcp > memory \(memory\) holds tcp.1 > fabric, \[1, 1\] > \[2, 1\] and waits for \[2, 1\] > \[3, 1\]"):
        card_of(shared)
    crossbar = re.sub(r", at: \[[\[\], 0-9]+\]", "", shared).replace("{mesh: [4, 3]}", "crossbar")
    assert "at:" not in crossbar
    card_of(crossbar)  # a link to each tile, and so none that they share
