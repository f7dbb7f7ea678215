# SPDX-License-Identifier: Apache-2.0
"""The traffic that a design expects: the load of links, and every mistake in the section `traffic`."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from girih.compiler.check.card import check_file
from girih.compiler.messages import End
from girih.compiler.model import Card
from girih.compiler.stub_kinds import service_kinds
from girih.compiler.traffic import expected_flows, link_gbps, link_loads, overloads
from girih.errors import GirihError
from girih.paths import DESIGNS
from girih.spec.kinds import load_kinds
from girih.topology import IN, OUT, Channel, between

GOOD = """\
name: card_1
fabric: {mesh: [3, 3]}
ports: 3
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
tiles:
  wire: {kind: stub_port, port: 0, exit: host}
  host: {kind: stub_port, port: 1, exit: wire}
  queue: {kind: stub_scheduler}
  aes: {kind: stub_unit}
  eth_rx: {kind: eth_rx, port: 2, next: {ipv4: ip_rx, arp: arp}}
  ip_rx: {kind: ipv4_rx, next: {udp: arp}}
  arp: {kind: arp, next: eth_tx}
  eth_tx: {kind: eth_tx, port: 2}
SECTION
services:
  aes: [aes]
chains:
  ipsec: {services: [aes], match: {udp.dst: 4500}}
"""
MISTAKES = YAML(typ="safe").load(Path(__file__).with_name("mistakes_traffic.yaml"))


def card_of(folder: Path, text: str, **options) -> Card:
    path = folder / "card.yaml"
    path.write_text(text if text.startswith("name:") else f"{text}name: card_1\n")
    return check_file(path, dict(load_kinds()) | service_kinds(), **options)


def amounts(card: Card) -> dict[tuple[str, str], float]:
    """Gbps by the names of the tiles, whatever the fabric port."""
    found: dict[tuple[str, str], float] = {}
    for (start, end), gbps in expected_flows(card).items():
        key = (start.tile, end.tile)
        found[key] = found.get(key, 0) + gbps
    return {key: round(gbps, 6) for key, gbps in found.items()}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["name"])
def test_mistake(mistake, tmp_path):
    with pytest.raises(GirihError) as caught:
        card_of(tmp_path, GOOD.replace("SECTION", mistake["traffic"]))
    assert str(caught.value).replace(f"{tmp_path}/", "") == "\n".join(mistake["answer"])


def test_the_card_of_the_mistakes_is_good(tmp_path):
    section = "traffic: {ports: {2: 60}, tiles: {eth_rx: {ip_rx: 2, arp: 1}}, chains: {ipsec: 1}}"
    card = card_of(tmp_path, GOOD.replace("SECTION", section))
    assert amounts(card) == {
        ("eth_rx", "ip_rx"): 40, ("eth_rx", "arp"): 20, ("ip_rx", "arp"): 40, ("arp", "eth_tx"): 60,
    }  # fmt: skip


def test_without_a_word_all_is_shared_evenly_and_ports_receive_what_a_link_carries():
    card = check_file(DESIGNS / "demo.yaml")
    assert link_gbps(card) == 128
    flows = amounts(card)
    assert flows["eth_rx", "arp"] == flows["eth_rx", "ip_rx"] == 64
    assert flows["ip_rx", "udp_rx"] == flows["echo", "udp_tx"] == flows["ip_rx", "icmp"] == 32
    assert flows["arp", "eth_tx"] == 128


def test_replies_leave_by_the_port_that_the_request_came_in_by(tmp_path):
    text = (DESIGNS / "udp_echo_scale.yaml").read_text() + "traffic:\n  ports: {1: 10}\n  tiles:\n    balancer_1: {ip_rx_0: 3, ip_rx_1: 1}\n"
    flows = amounts(card_of(tmp_path, text))
    assert flows["ip_tx_0", "eth_tx_1"] == 7.5
    assert flows["ip_tx_1", "eth_tx_1"] == 2.5
    assert ("ip_tx_0", "eth_tx_0") not in flows


def test_chains_lead_over_the_scheduler_to_the_units_and_out(tmp_path):
    text = (DESIGNS / "panic_mesh.yaml").read_text() + "traffic: {ports: {0: 80}, chains: {decrypt: 2, digest: 1, any: 1}}\n"
    flows = amounts(card_of(tmp_path, text))
    assert flows["wire", "scheduler"] == 60
    assert flows["wire", "host"] == 20
    assert flows["scheduler", "aes_0"] == 20
    assert flows["scheduler", "sha_1"] == 10
    assert flows["aes_0", "sha_0"] == 10
    assert flows["sha_0", "host"] == 30
    assert ("aes_0", "scheduler") not in flows


def test_what_is_not_pushed_goes_back_to_the_scheduler(tmp_path):
    text = (DESIGNS / "panic_mesh.yaml").read_text().replace("{units: [sha_0, sha_1], ", "{units: [sha_0, sha_1], push: never, ")
    flows = amounts(card_of(tmp_path, text + "traffic: {ports: {0: 80}, chains: {decrypt: 1}}\n"))
    assert flows["aes_0", "scheduler"] == 40
    assert flows["scheduler", "sha_0"] == 40
    assert ("aes_0", "sha_0") not in flows


def test_packets_leave_the_scheduler_by_the_port_that_they_came_in_by():
    card = check_file(DESIGNS / "panic_mesh.yaml")
    flows = expected_flows(card)
    for port in (0, 1):
        into = sum(gbps for (_, end), gbps in flows.items() if end == End("scheduler", port))
        out = sum(gbps for (start, _), gbps in flows.items() if start == End("scheduler", port))
        assert into == pytest.approx(out)
        assert into > 0


def test_without_chains_each_service_has_one(tmp_path):
    text = (DESIGNS / "panic_mesh.yaml").read_text()
    flows = amounts(card_of(tmp_path, text[: text.index("chains:")]))
    assert flows["scheduler", "aes_0"] == flows["scheduler", "sha_0"] > 0


def test_messages_that_go_round_for_ever_are_followed_for_a_while(tmp_path):
    text = (DESIGNS / "udp_echo.yaml").read_text().replace("next: udp_tx}", "next: {any: udp_rx}}").replace("{7: echo}", "{7: echo, 9: udp_tx}")
    flows = amounts(card_of(tmp_path, text, allow_deadlock=True))
    assert flows["udp_rx", "udp_tx"] == pytest.approx(128, rel=1e-6)


def test_a_link_carries_all_that_crosses_it(tmp_path):
    card = card_of(tmp_path, (DESIGNS / "udp_echo.yaml").read_text() + "traffic: {ports: {0: 40}}\n")
    loads = link_loads(card)
    assert loads[Channel(IN, (0, 0), (0, 0))] == loads[Channel(OUT, (1, 1), (1, 1))] == loads[between((3, 0), (3, 1))] == 40
    assert between((3, 1), (3, 0)) not in loads


def test_a_link_that_is_to_carry_more_than_it_can_is_found(tmp_path):
    text = (DESIGNS / "udp_echo_scale.yaml").read_text()
    assert overloads(card_of(tmp_path, text)) == {}  # it does not say how much comes in
    assert overloads(card_of(tmp_path, text + "traffic: {ports: {0: 128, 1: 128}}\n")) == {}
    found = overloads(card_of(tmp_path, text + "traffic: {ports: {0: 100, 1: 160}}\n"))
    assert found[Channel(IN, (1, 2), (1, 2))] == 160
    assert all(gbps > 128 for gbps in found.values())
