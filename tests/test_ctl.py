# SPDX-License-Identifier: Apache-2.0
"""`./girih ctl` and `./girih top` against a running card: chains come and go under traffic, tenants reach nothing
that is not theirs, what cannot be done is said and changes nothing, and the numbers shown are the registers'."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from girih.card import ControlClient, Session, VirtualCard
from girih.cli import main as cli
from girih.errors import GirihError
from girih.paths import ROOT
from tests.frames import Host, ethernet, ipv4, udp
from tests.oracle import IPV4, UDP

HOST = Host(bytes([2, 0, 0, 0, 0, 1]), bytes([10, 77, 0, 1]))
OTHER = Host(bytes([2, 0, 0, 0, 0, 9]), bytes([10, 77, 0, 9]))
SECONDS = 60  # for what must come about sometime
LATE = ["chain", "add", "late", "--pattern", "udp dst is 6000", "--actions", "queue sha / port_id host"]
MINE = ["chain", "add", "mine", "--pattern", "udp dst is 6001", "--actions", "queue sha"]


def frame(port: int, size: int = 100) -> bytes:
    """A datagram to a UDP port; what is in it does not matter here."""
    datagram = udp(HOST.ip, OTHER.ip, bytes(size), destination=port)
    return ethernet(OTHER.mac, HOST.mac, IPV4, ipv4(HOST.ip, OTHER.ip, UDP, datagram))


@pytest.fixture
def card(built):
    with VirtualCard(built("panic"), collect=True) as card:
        yield card


@contextmanager
def running(card: VirtualCard):
    """The card runs and answers at its control socket, whose path this gives; the test leaves it alone meanwhile."""
    session, stopped = Session(card), threading.Event()
    thread = threading.Thread(target=session.serve, kwargs={"until": stopped.is_set})
    thread.start()
    try:
        yield session.server.path
    finally:
        stopped.set()
        thread.join()
        session.server.close()


@pytest.fixture
def girih(capsys):
    """`girih(path, "ctl", ...)`: exit code, what was printed, what was complained of."""

    def call(path, *words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as done:
            cli.main([*map(str, words), "--socket", str(path)])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return done.value.code, printed.out, printed.err

    return call


@pytest.fixture
def ctl(girih):
    """`ctl(path, "chain", "list")`: what it answers as JSON. The command succeeds."""

    def call(path, *words: object):
        code, output, errors = girih(path, "ctl", *words, "--json")
        assert code == 0, errors
        return json.loads(output)

    return call


def everything(ctl, path) -> list:
    """What commands can change, as the card has it."""
    tables = [ctl(path, "table", "list", "--port", port) for port in ("wire", "host")]
    return [*tables, *(ctl(path, what, "list") for what in ("chain", "tenant", "policy"))]


def visits(card: VirtualCard, service: str) -> int:
    """Packets that have been to a service's units."""
    return sum(card.registers.counters(unit)[unit]["in_messages"] for unit in (f"{service}_0", f"{service}_1"))


@pytest.fixture
def top(girih):
    """`top(path)`: the numbers that `./girih top --json` gives."""

    def call(path) -> dict:
        code, output, errors = girih(path, "top", "--json")
        assert code == 0, errors
        return json.loads(output)

    return call


def wait_for(look, enough):
    """What `look` gives once it is `enough`."""
    deadline = time.monotonic() + SECONDS
    while not enough(found := look()):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def in_units(state: dict, service: str) -> int:
    return sum(unit["in_messages"] for unit in state["units"] if unit["service"] == service)


# ---- chains ----


def test_packets_take_a_chain_that_comes_and_goes_while_they_flow(card, ctl, top):
    count = 4000
    for number in range(count):
        card.inject(0, frame(6000), cycle=card.cycle + 40 * number)
    with running(card) as path:
        ctl(path, *LATE)
        wait_for(lambda: top(path), lambda state: in_units(state, "sha") >= 20)
        ctl(path, "chain", "del", "late")
        assert [chain["name"] for chain in ctl(path, "chain", "list")] == ["decrypt", "digest"]
    card.check_conservation()
    taken = visits(card, "sha")
    assert 20 <= taken < count and visits(card, "aes") == 0
    assert len(card.collect(1)) == count, "a packet was lost on the way"
    card.inject(0, frame(6000))
    card.run_until_quiet()
    assert visits(card, "sha") == taken


def test_a_chain_is_listed_as_it_was_given(card, ctl):
    words = "queue sha class 1 meta 1 / port_id host / tenant ipsec"
    with running(card) as path:
        ctl(path, "chain", "add", "other", "--pattern", "udp.dst=7", "--actions", words)
        (chain,) = [chain for chain in ctl(path, "chain", "list") if chain["name"] == "other"]
        assert (chain["owner"], chain["pattern"], chain["actions"]) == ("operator", "udp dst is 7", words)
        (entry,) = [entry for entry in ctl(path, "table", "list", "--port", "host") if entry["chain"] == "other"]
        assert (entry["pattern"], sorted(entry["actions"].split(" / "))) == ("udp dst is 7", sorted(words.split(" / ")))


def test_the_tables_of_all_ports_change_or_none(card, ctl, girih):
    """The second port's table has an entry for the same packets, so the chain is in no table."""
    with running(card) as path:
        ctl(path, "table", "add", "--port", "host", "--pattern", "udp dst is 6000", "--actions", "drop")
        before = everything(ctl, path)
        code, _, errors = girih(path, "ctl", *LATE)
        assert code == 2 and "matches these packets already" in errors
        assert everything(ctl, path) == before


def test_reset_brings_the_designs_chains_back(card, ctl):
    with running(card) as path:
        before = everything(ctl, path)
        ctl(path, *LATE)
    card.reset()
    with running(card) as path:
        assert everything(ctl, path) == before


def test_a_table_that_is_full_says_so_and_keeps_what_it_has(card, ctl, girih):
    with pytest.raises(GirihError, match="are taken"):
        for number in range(256):
            card.services.add_chain(f"chain_{number}", ["sha"], match={"udp.dst": 10000 + number})
    assert number >= 0.85 * 256
    with running(card) as path:
        before = everything(ctl, path)
        code, _, errors = girih(path, "ctl", "chain", "add", "more", "--pattern", f"udp.dst={10000 + number}", "--actions", "queue sha")
        assert code == 2 and "delete one first" in errors
        assert everything(ctl, path) == before and len(before[2]) == number + 2
    for each in range(number + 1):
        card.inject(0, frame(10000 + each), cycle=card.cycle + 60 * each)
    card.check_conservation()
    assert visits(card, "sha") == number


# ---- tenants ----


def test_a_tenants_controller_rules_over_its_own_packets_alone(card, ctl):
    card.registers.write("wire.tenant", 2)  # what comes in by this port is video's, by the other nobody's
    with running(card) as path:
        ctl(path, *MINE, "--tenant", "video")
        assert [chain["name"] for chain in ctl(path, "chain", "list", "--tenant", "video")] == ["mine"]
        assert [entry["chain"] for entry in ctl(path, "table", "list", "--port", "wire", "--tenant", "video")] == ["mine"]
        assert ctl(path, "chain", "list", "--tenant", "ipsec") == []
        assert [chain["owner"] for chain in ctl(path, "chain", "list")] == ["operator", "operator", "video"]
    for _ in range(5):
        card.inject(0, frame(6001))
        card.inject(1, frame(6001))
    card.run_until_quiet()
    assert visits(card, "sha") == 5
    with running(card) as path:
        ctl(path, "chain", "del", "mine", "--tenant", "video")
    card.inject(0, frame(6001))
    card.check_conservation()
    assert visits(card, "sha") == 5


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
def test_a_tenant_touches_nothing_that_is_not_its_own(shared, ctl, girih, words, complaint):
    before = everything(ctl, shared)
    code, output, errors = girih(shared, "ctl", *words, "--tenant", "video")
    assert code == 2 and complaint in errors and output == ""
    assert everything(ctl, shared) == before


def test_a_tenant_deletes_no_entry_that_is_not_its_own(shared, ctl, girih):
    before = everything(ctl, shared)
    for entry in before[0]:
        code, _, errors = girih(shared, "ctl", "table", "del", entry["index"], "--port", "wire", "--tenant", "video")
        assert code == 2 and f"does not let tenant video delete entry {entry['index']}" in errors
    assert everything(ctl, shared) == before


def test_what_a_tenant_has_can_be_changed(card, ctl):
    with running(card) as path:
        ctl(path, "tenant", "set", "video", "--weight", "4", "--guarantee", "1000", "--limit", "65536", "--services", "aes")
        (video,) = [tenant for tenant in ctl(path, "tenant", "list") if tenant["name"] == "video"]
    assert (video["weight"], video["guarantee"], video["limit"], video["services"]) == (4, 1024, 65536, ["aes"])  # whole cells
    scheduler = [card.registers.read(f"scheduler.{name}[2]") for name in ("rights", "guaranteed_cells", "limit", "inverse_weight")]
    assert scheduler == [1, 8, 512, 512]
    with running(card) as path:  # its controller's rights have changed as well
        ctl(path, "chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue aes", "--tenant", "video")


def test_a_right_that_is_taken_away_ends_at_once_and_drops_are_shown(card, ctl, top, girih):
    with running(card) as path:
        ctl(path, "tenant", "set", "video", "--services", "aes")
    for _ in range(7):
        card.inject(0, frame(5004))
    card.run_until_quiet()
    assert visits(card, "sha") == 0
    with running(card) as path:
        assert top(path)["drops"] == [{"tenant": "video", "service": "sha", "reason": "no_right", "packets": 7}]
        assert "no_right" in girih(path, "top", "--once")[1]
    card.check_conservation()


# ---- policies ----


def test_the_card_starts_with_the_policies_of_its_design(card):
    aes, sha = card.services.list_policies()
    assert (aes["policy"], aes["share"], aes["classes"]) == ("fair", True, [{"class": 0, "weight": 2}])
    assert (sha["policy"], sha["share"], sha["classes"]) == ("strict", False, [])  # level n for class n goes without saying


@pytest.mark.parametrize(
    "kind, classes, shown",
    [
        ("strict", ["0:priority=5", "1:level=2"], [{"class": 0, "level": 5}, {"class": 1, "level": 2}]),
        ("fair", ["0:weight=4", "1:weight=1"], [{"class": 0, "weight": 4}]),
        ("slack", ["0:slack=500"], [{"class": 0, "cycles": 500}]),
        ("shaped", ["1:rate=16000,burst=3000"], [{"class": 1, "mbps": 16000, "burst": 3000}]),
    ],
)
def test_a_policy_changes_while_packets_wait_for_it(card, ctl, kind, classes, shown):
    count = 250  # fewer than a channel has room for
    for _ in range(count):
        card.inject(0, frame(5004, 300))
    with running(card) as path:
        ctl(path, "policy", "set", "sha", kind, "--share", *(word for text in classes for word in ("--class", text)))
        sha = next(policy for policy in ctl(path, "policy", "list") if policy["service"] == "sha")
    assert (sha["policy"], sha["share"], sha["classes"]) == (kind, True, shown)
    card.check_conservation(quiet=50_000)  # for an old rank that is taken for a time not yet come
    assert len(card.collect(1)) == visits(card, "sha") == count


# ---- tables ----


def test_an_entry_comes_counts_and_goes(card, ctl):
    with running(card) as path:
        index = ctl(path, "table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions", "drop / count 3")["index"]
        (entry,) = [entry for entry in ctl(path, "table", "list", "--port", "wire") if entry["index"] == index]
        assert (entry["pattern"], entry["actions"], entry["chain"]) == ("udp dst is 9", "drop / count 3", None)
    for _ in range(3):
        card.inject(0, frame(9))
    card.run_until_quiet()
    assert card.registers.counters("wire")["wire"]["drop_action"] == 3 and card.collect(1) == []
    with running(card) as path:
        ctl(path, "table", "del", index, "--port", "wire")
        assert index not in [entry["index"] for entry in ctl(path, "table", "list", "--port", "wire")]
    card.inject(0, frame(9))
    card.check_conservation()
    assert len(card.collect(1)) == 1


# ---- what cannot be done ----


@pytest.fixture(scope="module")
def shared(built):
    """A card that runs for the tests which may not change it; ipsec has a chain there."""
    with VirtualCard(built("panic")) as card:
        card.services.as_tenant("ipsec").add_chain("theirs", ["aes"], match={"udp.dst": 6002})
        with running(card) as path:
            yield path


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["chain", "add", "decrypt", *LATE[3:]], "there is a chain decrypt already"),
        (["chain", "add", "x", "--pattern", "udp dst is 4500", "--actions", "queue sha"], "matches these packets already"),
        (["chain", "add", "x", "--pattern", "udp dst is 70000", "--actions", "queue sha"], "udp.dst is 70000"),
        (["chain", "add", "x", "--pattern", "udp dst is 9/8", "--actions", "queue sha"], "the table compares other fields, too"),
        (["chain", "add", "x", "--pattern", "ipv4 dst is 10.0.0.1", "--actions", "queue sha"], "lacks a field of the match"),
        (["chain", "add", "x", "--pattern", "nonsense", "--actions", "queue sha"], "cannot be read"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue md5"], "md5 is not among the services"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "queue sha class 16"], "do not fit"),
        (["chain", "add", "x", "--pattern", "udp dst is 9", "--actions", "drop"], "one queue at least"),
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
        (["policy", "set", "sha", "fair", "--class", "16:weight=1"], "16 is no traffic class"),
        (["policy", "set", "sha", "fair", "--class", "0:weight=0"], "weight 0 of class 0"),
        (["policy", "set", "sha", "fair", "--class", "0:rate=5"], "fair knows no mbps"),
        (["policy", "set", "sha", "fair", "--class", "0 weight 5"], "cannot be read"),
        (["policy", "set", "sha", "fair", "--class", "0:weight=1", "--class", "0:weight=2"], "twice the same one"),
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
def test_what_cannot_be_done_is_said_and_changes_nothing(shared, ctl, girih, words, complaint):
    before = everything(ctl, shared)
    code, output, errors = girih(shared, "ctl", *words)
    assert code == 2 and complaint in errors and output == ""
    assert errors.rstrip().endswith((".", " list")) and ": " in errors, "what, where, and what to do"
    assert everything(ctl, shared) == before


def test_an_entry_of_a_chain_is_deleted_with_its_chain_only(shared, ctl, girih):
    before = everything(ctl, shared)
    for entry in before[0]:
        code, _, errors = girih(shared, "ctl", "table", "del", entry["index"], "--port", "wire")
        assert code == 2 and f"./girih ctl chain del {entry['chain']}" in errors
    assert everything(ctl, shared) == before


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
def test_a_request_that_makes_no_sense_changes_nothing(shared, ctl, request_):
    before = everything(ctl, shared)
    with ControlClient(shared) as client, pytest.raises(GirihError):
        client.call("services", **request_)
    assert everything(ctl, shared) == before


def test_a_card_without_services_says_so(built, girih):
    with VirtualCard(built("udp_echo")) as card, running(card) as path:
        for words in (["ctl", "chain", "list"], ["top", "--once"]):
            code, _, errors = girih(path, *words)
            assert code == 2 and "the card has no services" in errors and "designs/panic.yaml" in errors


# ---- top ----


def test_the_numbers_shown_are_the_registers(card, top, girih):
    for _ in range(200):
        card.inject(0, frame(5004, 500))
    card.registers.write("scheduler.unit_credits[2]", 7)
    card.run_until_quiet()
    with running(card) as path:
        state = top(path)
        page = girih(path, "top", "--once")[1]
    counters = card.registers.counters()
    for index, unit in enumerate(state["units"]):
        assert unit["in_messages"] == counters[unit["name"]]["in_messages"]
        assert unit["busy_cycles"] == counters[unit["name"]]["mark_busy_cycles"]
        assert unit["detoured"] == counters[unit["name"]]["mark_detoured"]
        assert unit["credits"] == unit["most_credits"] == card.registers.read(f"scheduler.unit_credits[{index}]")
    sha = next(service for service in state["services"] if service["name"] == "sha")
    assert sha["accepted"] == sha["dispatched"] == sha["waits"] == 200 == counters["scheduler"]["mark_dispatched"]
    assert 0 < sha["wait_mean"] <= sha["wait_max"] and sha["wait_p99"] <= sha["wait_max"]
    assert all(queue["packets"] == 0 and queue["head_rank"] is None for queue in state["queues"])
    assert [port["in_frames"] for port in state["ports"]] == [pins["rx_frames"] for pins in state["pins"]] == [200, 0]
    for word in ("Services", "Units", "Ports", "aes_0", "sha_1", "7/7", "200"):
        assert word in page


def test_queues_that_hold_packets_are_shown(card, top, girih):
    card.services.set_policy("sha", "shaped", [{"class": 1, "mbps": 1}])
    card.run(2000)  # for some hundred cycles a service whose policy was changed starts anew with each packet
    for _ in range(12):
        card.inject(0, frame(5004))
    card.run(3000)
    queue = card.registers.read_window("scheduler", 0x800 + 0x40 + 4 * 2)  # of sha, video
    with running(card) as path:
        state = top(path)
        page = girih(path, "top", "--once")[1]
    held, rank = queue & 0xFFFF, queue >> 17 & 0x7FF
    assert queue >> 31 and 10 <= held < 12
    assert [queue for queue in state["queues"] if queue["packets"]] == [
        {"service": "sha", "tenant": "video", "packets": held, "head_rank": rank, "head_detoured": False}
    ]
    video = next(tenant for tenant in state["tenants"] if tenant["name"] == "video")
    assert (video["packets"], video["bytes"]) == (held, held * 2 * 128)
    assert "Queues" in page and str(rank) in page


def test_top_changes_nothing(card, ctl, top, girih):
    with running(card) as path:
        before = everything(ctl, path)
    card.run_until_quiet()
    writes = []
    write32 = card.write32
    card.write32 = lambda address, value: writes.append(address) or write32(address, value)
    with running(card) as path:
        top(path)
        girih(path, "top", "--once")
    assert writes == []
    with running(card) as path:
        assert everything(ctl, path) == before


@pytest.mark.parametrize("end", ["q", "signal"])
def test_top_is_shown_again_until_it_is_told_to_stop(shared, end):
    terminal, inside = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "COLUMNS": "150", "LINES": "60", "TERM": "xterm"}
    words = [sys.executable, "-m", "girih.cli", "top", "--socket", str(shared)]
    process = subprocess.Popen(words, cwd=ROOT, env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True)
    os.close(inside)
    seen = []
    reader = threading.Thread(target=read_all, args=(terminal, seen))
    reader.start()
    try:
        wait_for(lambda: b"".join(seen).count(b"Services"), lambda times: times >= 2)
        if end == "q":
            os.write(terminal, b"q")
        else:
            process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
    finally:
        process.kill()
        reader.join()
        os.close(terminal)
    assert b"Traceback" not in b"".join(seen)


def read_all(terminal: int, seen: list[bytes]) -> None:
    try:
        while data := os.read(terminal, 65536):
            seen.append(data)
    except OSError:  # the other end has gone
        pass
