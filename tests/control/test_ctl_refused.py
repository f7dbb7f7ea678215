# SPDX-License-Identifier: Apache-2.0
"""Commands that `./girih ctl` must refuse: the message says why, and the card is unchanged."""

import pytest

from girih.card import ControlClient, VirtualCard
from girih.errors import GirihError
from tests.control.running import everything, running

LATE = ["chain", "add", "late", "--pattern", "udp dst is 6000", "--actions", "queue sha / port_id host"]


@pytest.fixture(scope="module")
def left():
    """What the last test has left on the shared card, in a list; nothing before the first test."""
    return []


@pytest.fixture
def unchanged(shared, left, ctl):
    """Everything on the shared card; the test must leave it as it is."""
    before = left.pop() if left else everything(ctl, shared)
    yield before
    left.append(everything(ctl, shared))
    assert left[0] == before


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "words, complaint",
    [
        (["chain", "del", "decrypt"], "does not let tenant video delete chain decrypt"),
        (["chain", "del", "theirs"], "does not let tenant video delete chain theirs"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue aes"], "does not let tenant video add chain x"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue sha / queue aes"], "does not let tenant video add chain x"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue sha / tenant ipsec"], "does not let tenant video add chain x"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue sha / port_id host"], "does not let tenant video add chain x"),
        (["chain", "add", "theirs", "--pattern", "udp dst is 9", "--actions", "queue sha"], "there is a chain theirs already"),
        (["table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions", "rank 0"], "does not let tenant video add this entry"),
        (["table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions", "count 0"], "does not let tenant video add this entry"),
        (["table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions", "meter 0"], "does not let tenant video add this entry"),
        (["table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions", "modify_field udp.dst set 1"], "does not let tenant video"),
        (["tenant", "list"], "does not let tenant video read what tenants have"),
        (["tenant", "set", "video", "--weight", "200"], "does not let tenant video change tenant video"),
        (["tenant", "set", "video", "--services", "aes,sha"], "does not let tenant video change tenant video"),
        (["policy", "list"], "does not let tenant video read policies"),
        (["policy", "set", "sha", "fair"], "does not let tenant video set the policy of sha"),
    ],
)
def test_a_tenant_touches_nothing_that_is_not_its_own(shared, girih, words, complaint):
    code, output, errors = girih(shared, "ctl", *words, "--tenant", "video")
    assert code == 2 and complaint in errors and output == ""


def test_a_tenant_deletes_no_entry_that_is_not_its_own(shared, unchanged, girih):
    for entry in unchanged[0]:
        code, _, errors = girih(shared, "ctl", "table", "del", entry["index"], "--port", "wire", "--tenant", "video")
        assert code == 2 and f"does not let tenant video delete entry {entry['index']}" in errors


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "words, complaint",
    [
        (["chain", "add", "decrypt", *LATE[3:]], "there is a chain decrypt already"),
        (["chain", "add", "x", "--pattern", "udp dst is 4500", "--actions", "queue sha"], "already matches these packets"),
        (["chain", "add", "x", "--pattern", "udp dst is 70000", "--actions", "queue sha"], "udp.dst is 70000"),
        (["chain", "add", "x", "--pattern", "udp dst is 9/8", "--actions", "queue sha"], "the table compares other fields, too"),
        (["chain", "add", "x", "--pattern", "ipv4 dst is 10.0.0.1", "--actions", "queue sha"], "lacks a field of the match"),
        (["chain", "add", "x", "--pattern", "nonsense", "--actions", "queue sha"], "cannot be read"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue md5"], "md5 is not among the services"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue sha class 16"], "do not fit"),
        (["meter", "set", "64", "--port", "wire", "--cir", "1", "--cbs", "9"], "the meter is 64"),
        (["meter", "set", "1", "--port", "wire", "--cir", "9", "--cbs", "9", "--pir", "1"], "pir 1 is below cir 9"),
        (["meter", "set", "1", "--port", "wire", "--cir", "1", "--cbs", "1048576"], "cbs is 1048576"),
        (["meter", "list", "--port", "wire", "--stage", "2"], "there is no stage 2"),
        (["register", "set", "256", "1", "--port", "wire"], "the register is 256"),
        (["register", "set", "1", "4294967296", "--port", "wire"], "the value is 4294967296"),
        (["counter", "list", "--port", "sha_0"], "sha_0 is not among the ports"),
        (["tenant", "set", "video", "--meters", "9-2"], "meters 9-2"),
        (["tenant", "set", "video", "--counters", "0-64"], "counters 0-64"),
        (["tenant", "set", "video", "--registers", "some"], "the range 'some' cannot be read"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "drop"], "at least one queue"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue sha / port_id aes_0"], "no chain can end at aes_0"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue sha / port_id nobody"], "no tile 'nobody'"),
        (["chain", "del", "nonsense"], "there is no chain nonsense"),
        (["chain", "list", "--tenant", "nobody"], "nobody is not among the tenants"),
        (["tenant", "set", "nobody", "--weight", "1"], "nobody is not among the tenants"),
        (["tenant", "set", "video"], "nothing to change"),
        (["tenant", "set", "video", "--weight", "0"], "It may be 1 to 255"),
        (["tenant", "set", "video", "--weight", "256"], "It may be 1 to 255"),
        (["tenant", "set", "video", "--guarantee", "-1"], "guarantee -1"),
        (["tenant", "set", "video", "--guarantee", "262144"], "It may be 0 to 229376"),  # ipsec has 32 KiB
        (["tenant", "set", "video", "--limit", "1000"], "below the guarantee"),
        (["tenant", "set", "video", "--services", "sha,md5"], "md5 is not among the services"),
        (["policy", "set", "md5", "strict"], "md5 is not among the services"),
        (["policy", "set", "sha", "random"], "there is no policy random"),
        (["policy", "set", "sha", "fair", "--class", "16:weight=1"], "16 is not a traffic class"),
        (["policy", "set", "sha", "fair", "--class", "0:weight=0"], "weight 0 of class 0"),
        (["policy", "set", "sha", "fair", "--class", "0:rate=5"], "a class of fair has no mbps"),
        (["policy", "set", "sha", "fair", "--class", "0 weight 5"], "cannot be read"),
        (["policy", "set", "sha", "fair", "--class", "0:weight=1", "--class", "0:weight=2"], "the same number twice"),
        (["policy", "set", "sha", "shaped", "--class", "0:burst=100"], "has a burst and no rate"),
        (["table", "list", "--port", "aes_0"], "aes_0 is not among the ports"),
        (["table", "list", "--port", "wire", "--stage", "1"], "there is no stage 1"),
        (["table", "list", "--port", "wire", "--stage", "-1"], "there is no stage -1"),
        (["table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions", "count 64"], "does not let the operator"),
        (["table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions", "drop", "--priority", "65536"], "priority 65536"),
        (["table", "del", "0", "--port", "wire"], "there is no entry 0"),
        (["table", "del", "9999", "--port", "wire"], "there is no entry 9999"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(shared, girih, words, complaint):
    code, output, errors = girih(shared, "ctl", *words)
    assert code == 2 and complaint in errors and output == ""
    assert errors.rstrip().endswith((".", " list")) and ": " in errors, "what, where, and what to do"


def test_an_entry_of_a_chain_is_deleted_with_its_chain_only(shared, unchanged, girih):
    for entry in unchanged[0]:
        code, _, errors = girih(shared, "ctl", "table", "del", entry["index"], "--port", "wire")
        assert code == 2 and f"./girih ctl chain del {entry['chain']}" in errors


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "request_",
    [
        {"call": "install"},
        {"call": "_insert", "args": [{}]},
        {"call": "add_chain"},
        {"call": "add_chain", "args": ["x", 5], "named": {"match": {"udp.dst": 9}}},
        {"call": "add_chain", "args": ["x", ["sha"]], "named": {"match": {"udp.dst": "9"}}},
        {"call": "add_chain", "args": ["x", [{"service": "sha", "class": 99}]], "named": {"match": {"udp.dst": 9}}},
        {"call": "add_chain", "args": ["x", [{"class": 1}]], "named": {"match": {"udp.dst": 9}}},
        {"call": "set_tenant", "args": ["video"], "named": {"weight": "many"}},
        {"call": "set_policy", "args": ["sha", "fair", [{"weight": 1}]]},
        {"call": "set_policy", "args": ["sha", "fair"], "named": {"nonsense": True}},
        {"call": "delete_entry", "args": ["wire", "first"]},
        {"call": "list_chains", "as_tenant": 5},
    ],
)
def test_a_request_that_makes_no_sense_changes_nothing(shared, request_):
    with ControlClient(shared) as client, pytest.raises(GirihError):
        client.call("services", **request_)


def test_a_card_without_services_says_so(built, girih):
    with VirtualCard(built("udp_echo")) as card, running(card) as path:
        code, _, errors = girih(path, "ctl", "chain", "list")
        assert code == 2 and "the card has no services" in errors and "designs/panic.yaml" in errors
