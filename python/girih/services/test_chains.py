# SPDX-License-Identifier: Apache-2.0
"""Chains as table entries: the bits that a match asks for, keys that hold them, actions."""

import pytest

from girih.errors import GirihError
from girih.rmt import action as actions
from girih.rmt import program
from girih.services.chains import HEADERS_HALF, bits_of, chain_action, key_for, match_fields, shipped_program

UDP_HALF = 2 * 14  # the low half of the word that has the ports


def headers(*names: str) -> int:
    return sum(1 << shipped_program().headers[name] for name in names)


def test_the_words_of_the_header_vector_come_before_the_other_sources():
    assert actions.size("SourceMark") == program.size("Words")


def test_a_field_and_its_header_are_matched():
    halves = bits_of({"udp.dst": 4500}).halves
    assert halves[UDP_HALF] == (0xFFFF, 4500)
    mask, value = halves[HEADERS_HALF]
    assert value == headers("udp") and mask & headers("udp")


def test_a_header_that_takes_the_place_of_a_field_must_be_absent():
    hidden = {name: others for name, others in shipped_program().hides.items() if others}
    assert hidden
    for name, others in hidden.items():
        mask, value = bits_of({name: 0}).halves[HEADERS_HALF]
        assert mask & headers(*others) == headers(*others) and not value & headers(*others)


def test_a_field_of_several_words():
    halves = bits_of({"ethernet.dst": 0x0123_4567_89AB}).halves
    assert [halves[half] for half in (1, 0, 3)] == [(0xFFFF, 0x0123), (0xFFFF, 0x4567), (0xFFFF, 0x89AB)]
    assert 2 not in halves


@pytest.mark.parametrize("name", sorted(match_fields()))
def test_every_field_asks_for_all_its_bits(name):
    value = (1 << match_fields()[name]) - 1
    halves = {half: bits for half, bits in bits_of({name: value}).halves.items() if half != HEADERS_HALF}
    assert sum(mask.bit_count() for mask, _ in halves.values()) == match_fields()[name]
    assert all(mask == bits for mask, bits in halves.values())
    zero = {half: bits for half, bits in bits_of({name: 0}).halves.items() if half != HEADERS_HALF}
    assert all(bits == 0 for _, bits in zero.values())


def test_a_key_has_the_halves_of_all_chains():
    udp, ip = bits_of({"udp.dst": 7}), bits_of({"ipv4.dst": 0x0A000001})
    key = key_for([udp, ip], 8)
    assert len(key.halves) == 4
    entry = key.entry(udp, {}, owner=0, order=3)
    places = [half for half, _ in key.halves]
    at = 16 * (7 - places.index(UDP_HALF))
    assert entry.key >> at & 0xFFFF == 7 and entry.mask >> at & 0xFFFF == 0xFFFF
    assert entry.mask & (1 << 64) - 1 == 0, "halves that the key does not use"
    assert entry.key & ~entry.mask == 0


def test_what_does_not_fit_the_key_is_refused():
    with pytest.raises(GirihError, match="match 3 halfwords"):
        key_for([bits_of({"ipv4.dst": 1})], 2)
    key = key_for([bits_of({"udp.dst": 1})], 4)
    with pytest.raises(GirihError, match="lacks a field"):
        key.entry(bits_of({"udp.src": 1}), {}, owner=0, order=0)


def test_the_action_is_one_that_a_stage_takes():
    hop = {"service": "aes", "number": 3, "class": 2, "meta": 9}
    action = chain_action({"hops": [hop, hop | {"number": 1}], "tenant_number": 5, "exit_node": 7})
    decoded = actions.decode(actions.encode(action))
    assert (decoded["chain_count"], decoded["tenant"], decoded["exit"]) == (2, 5, 7)
    assert [decoded["chain"][i]["service"] for i in (0, 1)] == [3, 1]
    plain = actions.decode(actions.encode(chain_action({"hops": [hop]})))
    assert (plain["tenant_set"], plain["exit_set"], plain["chain_set"]) == (0, 0, 1)
