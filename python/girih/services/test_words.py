# SPDX-License-Identifier: Apache-2.0
"""rte_flow's words: their meaning, the way back to the same words, and errors."""

from types import SimpleNamespace
from typing import cast

import pytest

from girih.card.manifest import Manifest
from girih.errors import GirihError
from girih.rmt import action as actions
from girih.services.chains import bits_of, key_for, match_fields, shipped_program
from girih.services.facts import Facts
from girih.services.words import (
    ACTIONS,
    action_text,
    entry_headers,
    entry_pattern,
    parse_actions,
    parse_pattern,
    pattern_text,
)


@pytest.fixture(scope="module")
def facts() -> Facts:
    tiles = [SimpleNamespace(name=name, node=node) for node, name in enumerate(("wire", "host", "scheduler", "aes_0", "sha_0", "ddr"))]
    manifest = SimpleNamespace(
        name="card",
        chain_hops=8,
        tiles=tiles,
        tile=lambda name: next(tile for tile in tiles if tile.name == name),
        scheduling={
            "scheduler": "scheduler",
            "memory": {"cell_bytes": 128, "cells": 2048, "entries": 1024},
            "services": [{"name": "aes", "number": 0}, {"name": "sha", "number": 1}],
            "units": [{"name": "aes_0"}, {"name": "sha_0"}],
            "tenants": [{"name": "video", "number": 2}],
            "chains": [],
            "exits": ["wire", "host"],
            "ports": [{"tile": "wire", "port": 0}, {"tile": "host", "port": 1}],
        },
    )
    return Facts(cast(Manifest, manifest))


@pytest.mark.parametrize(
    "text, values, masks",
    [
        ("udp dst is 4500", {"udp.dst": 4500}, {}),
        ("udp.dst=0x1194", {"udp.dst": 4500}, {}),
        (" ipv4 dst is 10.0.0.1 / udp  dst is 7 / end", {"ipv4.dst": 0x0A000001, "udp.dst": 7}, {}),
        ("ipv4.src=10.1.2.3/8", {"ipv4.src": 0x0A000000}, {"ipv4.src": 0xFF000000}),
        ("inner.ethernet dst is 02:00:00:00:00:01", {"inner.ethernet.dst": 0x020000000001}, {}),
        ("ipv6 dst is fe80::1", {"ipv6.dst": 0xFE80 << 112 | 1}, {}),
    ],
)
def test_a_pattern_is_read(text, values, masks):
    pattern = parse_pattern(text)
    assert (pattern.values, pattern.masks) == (values, masks)
    again = parse_pattern(pattern_text(pattern.values, pattern.masks))
    assert again == pattern


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "matches nothing"),
        ("end", "matches nothing"),
        ("udp", "cannot be read"),
        ("udp dst 4500", "cannot be read"),
        ("udp dest is 4500", "no match on udp.dest. Did you mean udp.dst"),
        ("udp dst is 65536", "udp.dst is 65536"),
        ("udp dst is -1", "udp.dst is -1"),
        ("udp dst is 10.0.0.1", "It has 16 bits"),
        ("ipv4 dst is 10.0.0.256", "It has 32 bits"),
        ("ipv4 dst is 10.0.0.1/33", "prefix of 33"),
        ("udp dst is 1 / udp.dst=2", "matched twice"),
    ],
)
def test_what_is_no_pattern_is_refused(text, complaint):
    with pytest.raises(GirihError, match=complaint):
        parse_pattern(text)


@pytest.mark.parametrize("name", sorted(match_fields()))
def test_the_pattern_of_an_entry_is_what_was_asked_for(name):
    """Fields that share bits, such as those of a tag, may come back under the other's name."""
    bits = match_fields()[name]
    values = {name: (1 << bits) - 2 if bits > 1 else 1}
    key = key_for([bits_of(values)], 10)
    entry = key.entry(bits_of(values), {}, owner=0, order=0)
    back = parse_pattern(entry_pattern(key, entry.key, entry.mask))
    assert bits_of(back.values, back.masks).halves == bits_of(values).halves


def test_a_prefix_of_an_entry_comes_back():
    pattern = parse_pattern("ipv4 dst is 10.32.0.0/11 / udp dst is 9")
    bits = bits_of(pattern.values, pattern.masks)
    key = key_for([bits_of({"ipv4.dst": 0, "udp.dst": 0})], 8)
    entry = key.entry(bits, {}, owner=0, order=0)
    assert parse_pattern(entry_pattern(key, entry.key, entry.mask)) == pattern


@pytest.mark.parametrize(
    "text",
    [
        "queue aes",
        "queue aes class 1 / queue sha meta 9 / port_id host / tenant video",
        "drop / count 3",
        "mark 5 / rank 7 / flow 9 / lossless / meter 2 / sample wire",
        " / ".join(["queue sha"] * 8),
        "register 3 add length",
        "register 0 increment to mark",
        "register 2 keep to rank predicate",
        "register 1 max ipv4.src if ipv4.src at_least 7 else increment to flow new",
        "register 8 by flow 3 set 1000 if register less 1000 else subtract mark drop_if_true",
        "register 255 min 9 if register not_equal 9 drop_if_false",
    ],
)
def test_actions_come_back_from_an_entry(facts, text):
    """From one that the card holds, whose enums are numbers, and from one that was just made, whose enums are words."""
    action = parse_actions(text, facts)
    for entry in (actions.decode(actions.encode(action)), action):
        assert sorted(action_text(entry, facts).split(" / ")) == sorted(text.split(" / "))


OPERANDS = ("5", "length", "mark", "flow", "tcp.src", "ipv4.dst")
UPDATES = ("keep", "increment", *(f"{update} {operand}" for update in ("set", "add", "subtract", "max", "min") for operand in OPERANDS))
RESULTS = ("", *(f" to {target}{result}" for target in ("rank", "flow", "mark") for result in ("", " new", " predicate")))
ENDS = ("", " else increment", " drop_if_true", " else subtract 5 drop_if_false")
NUMBERS = ("keep", "increment", "set 5", "add 5")
PREDICATES = [(update, f" if {sides}{end}") for update in NUMBERS for sides in ("register equal 5", "register not_equal 5", "register less 5", "register at_least 5") for end in ENDS]
PREDICATES += [("set length", " if register less length"), ("max length", " if length at_least 7 else set length to mark")]


def test_every_operation_on_a_register_comes_back(facts):
    """Two fields at one place of a packet have one name there, so none of those is here."""
    for place in ("0", "8 by tcp.dst 3", "255 by flow 8"):
        for update, more in [*((update, result) for update in UPDATES for result in RESULTS), *PREDICATES]:
            text = f"register {place} {update}{more}"
            action = parse_actions(text, facts)
            assert action_text(action, facts) == action_text(actions.decode(actions.encode(action)), facts) == text


FIELDS = shipped_program().fields
EDITABLE = [name for name in match_fields() if len(FIELDS[name]) <= 2 and not any(piece.low % 16 or (piece.high + 1) % 16 for piece in FIELDS[name])]
ONE_OF_EACH = {
    "drop": ("drop",),
    "queue": ("queue aes", "queue sha class 15 meta 255"),
    "port_id": ("port_id wire", "port_id host"),
    "tenant": ("tenant video", "tenant operator"),
    "mark": ("mark 0", "mark 4294967295"),
    "rank": ("rank 0", "rank 2047"),
    "flow": ("flow 0", "flow 65535"),
    "lossless": ("lossless",),
    "count": ("count 0", "count 255"),
    "meter": ("meter 0", "meter 255"),
    "register": ("register 255 by flow 8 add length if register less 1000 to mark new",),
    "sample": ("sample wire",),
    "modify_field": (
        *(f"modify_field {name} set {value}" for name in EDITABLE for value in (0, 1, (1 << match_fields()[name]) - 2)),
        *(f"modify_field {name} add {value}" for name in EDITABLE for value in (1, (1 << match_fields()[name]) - 1) if len(FIELDS[name]) == 1),
    ),
}


def test_every_action_is_in_a_form_that_can_be_given_again(facts):
    """What ctl table list shows is what ctl table add takes, and makes the same entry of."""
    assert set(ONE_OF_EACH) == set(ACTIONS)
    for text in [text for texts in ONE_OF_EACH.values() for text in texts]:
        word = actions.encode(parse_actions(text, facts))
        for headers in ((), {"ethernet", "ipv4", "udp"}, {"ethernet", "ipv6", "tcp"}):
            shown = action_text(actions.decode(word), facts, headers)
            assert actions.encode(parse_actions(shown, facts)) == word, (text, shown)


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("modify_field udp.dst set 9", {"ethernet", "ipv4", "udp"}),
        ("modify_field tcp.dst add 9", {"ethernet", "ipv4", "tcp"}),
        ("modify_field ipv4.dst set 10.0.0.1 / modify_field udp.dst set 4500", {"udp"}),
        ("modify_field udp.src set 1 / modify_field udp.dst set 2", {"udp"}),
        ("modify_field ethernet.dst set 02:00:00:00:00:01", ()),
        ("modify_field inner.ethernet.dst set 02:00:00:00:00:01", {"inner.ethernet"}),
        ("modify_field esp.sequence set 1 / modify_field ethernet.ethertype set 2048", {"ethernet", "esp"}),
        ("modify_field esp.spi add 1 / modify_field ipv4.identification set 7", {"ipv4", "esp"}),
    ],
)
def test_an_edit_is_shown_as_that_of_a_field_that_the_packets_have(facts, text, headers):
    action = parse_actions(text, facts)
    assert action_text(action, facts, headers) == action_text(actions.decode(actions.encode(action)), facts, headers) == text


def test_an_edit_of_what_is_no_field_is_named(facts):
    """Such as a driver other than ours may have written."""
    assert action_text({"edit": [{"op": "add", "number": 2, "halves": 2, "value": 1 << 16}]}, facts) == "word 2 halves 2 add 0x10000"


def test_the_headers_of_an_entry():
    bits = bits_of({"ipv4.dst": 1, "udp.dst": 9})
    key = key_for([bits], 10)
    entry = key.entry(bits, {}, owner=0, order=0)
    assert entry_headers(key, entry.key, entry.mask) >= {"ipv4", "udp"} and "tcp" not in entry_headers(key, entry.key, entry.mask)


def test_a_register_is_chosen_and_changed_by_fields(facts):
    state = parse_actions("register 16 by udp.dst 4 set udp.src", facts)["state"]
    udp = bits_of({"udp.dst": 1}).halves
    assert (state["index"], state["index_bits"], state["atom"]["if_true"]) == (16, 4, "operand") and state["index_half"] in udp
    assert (state["source"], state["part"]) == (state["index_half"] // 2, "high")


def test_a_field_is_rewritten_where_it_is(facts):
    edit = parse_actions("modify_field udp.dst set 9", facts)["edit"]
    bits = bits_of({"udp.dst": 9}).halves
    assert [edit[0][name] for name in ("op", "halves", "value")] == ["set", 1, 9] and 2 * edit[0]["number"] in bits


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "there are no actions"),
        ("quue aes", "no action is called quue. Did you mean queue"),
        ("queue", "cannot be read"),
        ("queue md5", "md5 is not among the services"),
        ("queue aes class", "cannot be read"),
        ("queue aes class 16", "do not fit"),
        ("queue aes class -1", "cannot be read"),
        ("queue aes colour 1", "cannot be read"),
        (" / ".join(["queue sha"] * 9), "a chain of 9 services"),
        ("port_id scheduler", "no chain can end at scheduler"),
        ("port_id aes_0", "no chain can end at aes_0"),
        ("port_id ddr", "no chain can end at ddr. Name a tile that takes finished messages: wire, host."),
        ("port_id wire / port_id host", "set twice"),
        ("tenant nobody", "nobody is not among the tenants"),
        ("count 256", "do not fit"),
        ("drop it", "cannot be read"),
        ("modify_field udp.dst mul 3", "cannot be read"),
        ("modify_field ipv4.ttl add 1", "cannot be changed alone"),
        ("modify_field udp.dst set 65536", "It has 16 bits"),
        ("register", "cannot be read"),
        ("register 3", "cannot be read"),
        ("register 3 double length", "cannot be read"),
        ("register 3 add", "cannot be read"),
        ("register 256 increment", "do not fit"),
        ("register 3 add lenght", "there is no field lenght. Did you mean length"),
        ("register 3 add ipv4.ttl", "ipv4.ttl does not have 16 or 32 bits"),
        ("register 3 add 5 if register less 6", "changed with 5 and 6"),
        ("register 3 add length if register less mark", "two values of the packet"),
        ("register 3 keep if 5 less register", "5 is not compared with register"),
        ("register 3 keep if register under 5", "cannot be read"),
        ("register 3 increment to port", "cannot be read"),
        ("register 3 increment to mark again", "do not fit"),
        ("register 3 increment drop_if_true now", "cannot be read"),
        ("register 3 increment / register 4 increment", "an entry changes at most one register"),
    ],
)
def test_what_is_no_action_is_refused(facts, text, complaint):
    with pytest.raises(GirihError, match=complaint):
        parse_actions(text, facts)


def test_a_chain_longer_than_descriptors_of_the_card_can_hold_is_refused(facts, monkeypatch):
    monkeypatch.setattr(facts.manifest, "chain_hops", 2)
    assert parse_actions("queue sha / queue aes", facts)["chain_count"] == 2
    with pytest.raises(GirihError) as refused:
        parse_actions("queue sha / queue aes / queue sha", facts)
    assert str(refused.value) == (
        "actions: a chain of 3 services. On this card it may have 1 to 2. For longer ones write chain_hops: 3 in its design, and build it again."
    )
