# SPDX-License-Identifier: Apache-2.0
"""`./girih ctl` on a running card: chains, tenants, policies and tables are added, changed and removed under traffic."""

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.errors import GirihError
from tests.commands import wait_for
from tests.control.running import everything, frame, in_units, running, visits

LATE = ["chain", "add", "late", "--pattern", "udp dst is 6000", "--actions", "queue sha / port_id host"]
MINE = ["chain", "add", "mine", "--pattern", "udp dst is 6001", "--actions", "queue sha"]


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
        assert code == 2 and "already matches these packets" in errors
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
    assert number >= 0.85 * 64  # the entries of each tenant, which include a copy of every chain that is open to all
    with running(card) as path:
        before = everything(ctl, path)
        code, _, errors = girih(path, "ctl", "chain", "add", "more", "--pattern", f"udp.dst={10000 + number}", "--actions", "queue sha")
        assert code == 2 and "Delete one first" in errors
        assert everything(ctl, path) == before and len(before[2]) == number + 2
    for each in range(number + 1):
        card.inject(0, frame(10000 + each), cycle=card.cycle + 60 * each)
    card.check_conservation()
    assert visits(card, "sha") == number


# ---- tenants ----


def test_a_tenants_controller_rules_over_its_own_packets_alone(card, ctl):
    card.registers.write("wire.tenant", 2)  # traffic of this port belongs to video, that of the other port to no tenant
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


def test_what_a_tenant_has_can_be_changed(card, ctl):
    with running(card) as path:
        ctl(path, "tenant", "set", "video", "--weight", "4", "--guarantee", "1000", "--limit", "65536", "--services", "aes")
        (video,) = [tenant for tenant in ctl(path, "tenant", "list") if tenant["name"] == "video"]
    assert (video["weight"], video["guarantee"], video["limit"], video["services"]) == (4, 1024, 65536, ["aes"])  # whole cells
    scheduler = [card.registers.read(f"scheduler.{name}[2]") for name in ("rights", "guaranteed_cells", "limit", "inverse_weight")]
    assert scheduler == [1, 8, 512, 512]
    with running(card) as path:  # the rights of its controller have changed as well
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
    assert (sha["policy"], sha["share"], sha["classes"]) == ("strict", False, [])  # level n for class n is the default


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
    count = 250  # fewer than fit into a channel
    for _ in range(count):
        card.inject(0, frame(5004, 300))
    with running(card) as path:
        ctl(path, "policy", "set", "sha", kind, "--share", *(word for text in classes for word in ("--class", text)))
        sha = next(policy for policy in ctl(path, "policy", "list") if policy["service"] == "sha")
    assert (sha["policy"], sha["share"], sha["classes"]) == (kind, True, shown)
    card.check_conservation(quiet=50_000)  # in case an old rank is read as a time in the future
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


def test_what_is_listed_can_be_added_again(card, ctl):
    words = "modify_field ipv4.dst set 10.9.8.7 / modify_field udp.dst set 4500"
    add = ["table", "add", "--port", "wire", "--pattern", "udp dst is 9", "--actions"]
    with running(card) as path:
        index = ctl(path, *add, words)["index"]
        (first,) = [entry for entry in ctl(path, "table", "list", "--port", "wire") if entry["index"] == index]
        ctl(path, "table", "del", index, "--port", "wire")
        index = ctl(path, *add, first["actions"])["index"]
        (again,) = [entry for entry in ctl(path, "table", "list", "--port", "wire") if entry["index"] == index]
    assert first["actions"] == again["actions"] == words
    card.inject(0, frame(9))
    card.check_conservation()
    (changed,) = card.collect(1)
    assert (Ether(changed.data)[IP].dst, Ether(changed.data)[UDP].dport) == ("10.9.8.7", 4500)


# ---- objects that entries name by number ----


def entry(ctl, path, port: int, actions: str, *words: str) -> None:
    ctl(path, "table", "add", "--port", "wire", "--pattern", f"udp dst is {port}", "--actions", actions, *words)


def test_a_meter_holds_packets_to_its_rate(card, ctl):
    """Forty frames of 142 bytes back to back: a burst of 2,000 bytes is fourteen of them, and the rate lets no more pass."""
    with running(card) as path:
        entry(ctl, path, 9, "meter 2 / count 5")
        ctl(path, "meter", "set", 2, "--port", "wire", "--cir", 1, "--cbs", 2000)
        ((meter,), others) = ctl(path, "meter", "list", "--port", "wire"), ctl(path, "meter", "list", "--port", "host")
    assert (meter["index"], meter["cbs"], meter["pbs"], others) == (2, 2000, 2000, []) and meter["cir"] == pytest.approx(1, rel=0.1)
    for _ in range(40):
        card.inject(0, frame(9))
    card.check_conservation()
    passed, size = len(card.collect(1)), len(frame(9))
    assert passed == 2000 // size and card.registers.counters("wire")["wire"]["drop_meter"] == 40 - passed
    with running(card) as path:
        assert ctl(path, "counter", "list", "--port", "wire") == [{"index": 5, "packets": 40, "bytes": 40 * size}]


def test_a_register_remembers_what_packets_bring(card, ctl):
    with running(card) as path:
        words = "register 3 add length if register less 1000 drop_if_false"  # and else it is kept
        entry(ctl, path, 9, words)
        assert words in [each["actions"] for each in ctl(path, "table", "list", "--port", "wire")]
        ctl(path, "register", "set", 3, 500, "--port", "wire")
    size = len(frame(9))
    for _ in range(10):
        card.inject(0, frame(9))
    card.check_conservation()
    through = -(-500 // size)
    assert len(card.collect(1)) == through
    with running(card) as path:
        assert ctl(path, "register", "list", "--port", "wire") == [{"index": 3, "value": 500 + through * size}]


def test_a_tenant_has_the_entries_that_it_is_given(card, ctl, girih):
    card.registers.write("wire.tenant", 2)
    add = ["ctl", "table", "add", "--port", "wire", "--actions", "mark 1", "--tenant", "video", "--pattern"]
    with running(card) as path:
        tenants = {tenant["name"]: tenant["entries"] for tenant in ctl(path, "tenant", "list")}
        assert tenants["ipsec"] == {"wire.0": [192, 255], "host.0": [192, 255]}
        ctl(path, "tenant", "set", "video", "--entries", "128-131")
        (video,) = [tenant for tenant in ctl(path, "tenant", "list") if tenant["name"] == "video"]
        assert video["entries"] == {"wire.0": [128, 131], "host.0": [128, 131]}
        for port in (9, 10):  # the design's two chains are open to everybody's packets, so they take two of the four
            assert girih(path, *add, f"udp dst is {port}")[0] == 0
        code, _, errors = girih(path, *add, "udp dst is 11")
        assert code == 2 and "4 of 4 are taken" in errors
        for port in range(30):
            entry(ctl, path, port, "mark 1", "--tenant", "ipsec")
        for entries, why in [
            ("191-192", "cannot be a range"),
            ("192-199", "tenant 1 has entries 192-255"),
            ("256-511", "out of range"),
            ("none", "would no longer be in its range"),
            ("9-8", "Give the first and the last one"),
        ]:
            code, _, errors = girih(path, "ctl", "tenant", "set", "video", "--entries", entries)
            assert code == 2 and why in errors
        before = ctl(path, "table", "list", "--port", "wire")
        code, _, errors = girih(path, "ctl", "tenant", "set", "video", "--entries", "128-135", "--tenant", "video")
        assert code == 2 and "does not let tenant video change tenant video" in errors
        for mine in ctl(path, "table", "list", "--port", "wire", "--tenant", "video"):
            ctl(path, "table", "del", mine["index"], "--port", "wire", "--tenant", "video")
        ctl(path, "tenant", "set", "video", "--entries", "none", "--stage", "0")
        assert len(ctl(path, "table", "list", "--port", "wire")) == len(before) - 2
        code, _, errors = girih(path, *add, "udp dst is 9")
        assert code == 2 and "no entries of its own" in errors
    card.inject(0, frame(5004))  # matches an entry for everybody
    card.check_conservation()
    assert visits(card, "sha") == 1


def test_a_tenant_has_the_meters_counters_and_registers_that_it_is_given(card, ctl, girih):
    card.registers.write("wire.tenant", 2)
    with running(card) as path:
        ctl(path, "tenant", "set", "video", "--meters", "0-3", "--counters", "8-15", "--registers", "7")
        (video,) = [tenant for tenant in ctl(path, "tenant", "list") if tenant["name"] == "video"]
        assert [video[what] for what in ("meters", "counters", "registers")] == [[0, 3], [8, 15], [7, 7]]
        entry(ctl, path, 9, "count 8 / register 7 increment", "--tenant", "video")
        for words in (["count 7"], ["count 16"], ["meter 4"], ["register 6 increment"]):
            code, _, errors = girih(path, "ctl", "table", "add", "--port", "wire", "--pattern", "udp dst is 10", "--actions", *words, "--tenant", "video")
            assert code == 2 and "does not let tenant video add this entry" in errors
        code, _, errors = girih(path, "ctl", "register", "set", 6, 1, "--port", "wire", "--tenant", "video")
        assert code == 2 and "does not let tenant video set register 6" in errors
        ctl(path, "tenant", "set", "video", "--services", "aes,sha")  # leaves them as they are
        ctl(path, "register", "set", 6, 99, "--port", "wire")
    for _ in range(3):
        card.inject(0, frame(9))
    card.check_conservation()
    with running(card) as path:
        assert ctl(path, "register", "list", "--port", "wire", "--tenant", "video") == [{"index": 7, "value": 3}]
        (counted,) = ctl(path, "counter", "list", "--port", "wire", "--tenant", "video")
        assert (counted["index"], counted["packets"]) == (8, 3)
        ctl(path, "tenant", "set", "video", "--counters", "none")
        assert ctl(path, "counter", "list", "--port", "wire", "--tenant", "video") == []


# ---- what people see ----


@pytest.mark.parametrize("what", ["chain", "tenant", "policy"])
def test_a_list_can_be_read_on_a_narrow_terminal(shared, ctl, girih, what):
    code, output, _ = girih(shared, "ctl", what, "list")
    assert code == 0 and max(map(len, output.splitlines())) <= 80
    for row in ctl(shared, what, "list"):
        for name, value in row.items():
            assert name.replace("_", " ") in output and (not isinstance(value, str | int) or isinstance(value, bool) or str(value) in output)
