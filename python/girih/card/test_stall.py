# SPDX-License-Identifier: Apache-2.0
"""A stalled card in words, on a small one made by hand: a and b send to each other, and a to a port."""

from dataclasses import replace

from girih.card.manifest import Watch
from girih.card.stall import CIRCLE, TILE, WIRE, CardStalled, Waiting, explain

LINKS = ["rx > fabric", "fabric > a", "a > fabric", "fabric > b", "b > fabric", "fabric > tx"]
WATCH = Watch(
    links=LINKS,
    nodes={0: "rx", 1: "a", 2: "b", 3: "tx"},
    wires={"tx": 0},
    waits={
        "rx > fabric": {"fabric > a": ["rx > a"]},
        "tile rx": {"rx > fabric": ["what rx has leaves in order"]},
        "fabric > a": {"tile a": ["a takes more only as it sends on"]},
        "tile a": {"a > fabric": ["what a has leaves in order"]},
        "a > fabric": {"fabric > b": ["a > b"], "fabric > tx": ["a > tx"]},
        "fabric > b": {"tile b": ["b takes no more once its buffer is full"]},
        "tile b": {"b > fabric": ["what b has leaves in order"]},
        "b > fabric": {"fabric > a": ["b > a"]},
    },
)
RX, A, B = Waiting("rx > fabric", "rx", "a"), Waiting("a > fabric", "a", "b"), Waiting("b > fabric", "b", "a")
INTO_A, INTO_B = Waiting("fabric > a", "b", "a"), Waiting("fabric > b", "a", "b")


def test_a_circle_is_told_from_link_to_link():
    stall = explain(WATCH, 20_000, (RX, INTO_A, A, INTO_B, B), frozenset())
    assert stall.kind == CIRCLE
    assert stall.text == (
        "nothing has moved for 20,000 cycles: messages wait for each other in a circle\n"
        "  fabric > a holds b > a: a takes more only as it sends on\n"
        "  tile a waits for a > fabric with a > b\n"
        "  a > fabric holds a > b, which waits for fabric > b\n"
        "  fabric > b holds a > b: b takes no more once its buffer is full\n"
        "  tile b waits for b > fabric with b > a\n"
        "  b > fabric holds b > a, which waits for fabric > a"
    )
    assert str(CardStalled(stall, "pair")).endswith(
        "waits for fabric > a. ./girih check says how the design can be changed so that this cannot happen."
    )


def test_a_message_that_fits_into_a_queue_does_not_show_there_and_is_in_the_circle_all_the_same():
    """b has sent a short message: nothing is left at its link."""
    stall = explain(WATCH, 20_000, (RX, INTO_A, A, INTO_B), frozenset())
    assert stall.kind == CIRCLE
    assert stall.chain == ("fabric > b", "tile b", "b > fabric", "fabric > a", "tile a", "a > fabric")
    assert stall.sentences[2] == "b > fabric holds b > a in its queue, which waits for fabric > a"


def test_who_is_behind_another_sort_of_message_is_said():
    stall = explain(WATCH, 20_000, (RX, Waiting("fabric > a", "rx", "a"), A, INTO_B, B), frozenset())
    assert stall.sentences[-1] == "b > fabric holds b > a, which waits for fabric > a behind rx > a"


def test_a_wire_that_takes_nothing_is_the_end():
    waiting = (RX, INTO_A, Waiting("a > fabric", "a", "tx"), Waiting("fabric > tx", "a", "tx"))
    stall = explain(WATCH, 500, waiting, frozenset({0}))
    assert stall.kind == WIRE
    assert stall.chain == ("rx > fabric", "fabric > a", "tile a", "a > fabric", "fabric > tx")
    assert stall.sentences[-2:] == (
        "a > fabric holds a > tx, which waits for fabric > tx",
        "tx waits for the wire at port 0, which takes nothing",
    )


def test_a_tile_that_takes_nothing_is_the_end():
    waits = {holder: {wanted: why for wanted, why in wants.items() if holder != "tile b"} for holder, wants in WATCH.waits.items()}
    stall = explain(replace(WATCH, waits=waits), 500, (RX, INTO_A, A, INTO_B), frozenset())
    assert stall.kind == TILE
    assert stall.text.splitlines()[0] == "nothing has moved for 500 cycles: 4 links hold messages"
    assert stall.sentences[-1] == "b takes nothing from fabric > b, where a > b is next"
