# SPDX-License-Identifier: Apache-2.0
"""A card with random registers is written as a design that compiles to those registers; registers that it cannot express are named."""

import os
import random
from pathlib import Path
from types import SimpleNamespace

import pytest
from ruamel.yaml import YAML

from girih.card.manifest import Manifest
from girih.card.node_table import entry
from girih.card.registers import Bus, Registers
from girih.compiler.check.card import check_file
from girih.compiler.compile import compile_design
from girih.compiler.model import Card
from girih.errors import GirihError
from girih.management.configuration import settings
from girih.management.design_file import save_design, source_of
from girih.paths import DESIGNS
from girih.testing import SEED

ROUNDS = 4
WITHOUT_SERVICES = sorted(path.stem for path in DESIGNS.glob("*.yaml") if "services" not in YAML(typ="safe").load(path.read_text()))


class Words(Bus):
    """A card that keeps what is written; other words are 0."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}

    def read32(self, address: int) -> int:
        return self.words.get(address, 0)

    def write32(self, address: int, value: int) -> None:
        self.words[address] = value


def started(registers: Registers, card: Card) -> dict[str, int]:
    """The registers of a card that has just started, those that say how it works."""
    known = dict.fromkeys(settings(registers), 0)

    def put(name: str, index: int, value: int) -> None:
        for key in (name, f"{name}[{index}]"):
            if key in known:
                known[key] = value

    for tile in card.tiles:
        for name, value in tile.config:
            for index, each in enumerate([value] if isinstance(value, int) else value):
                put(f"{tile.name}.{name}", index, each)
        for index, hop in enumerate(tile.hops):
            put(f"{tile.name}.next_hop", index, entry(hop.key or 0, card.tile(hop.to).nodes[hop.port]) | (1 << 24 if hop.key is None else 0))
    return known


def registers_of(path: Path, folder: Path) -> Registers:
    """A card that has just started."""
    registers = Registers(Manifest.load(compile_design(path, folder)), Words())
    card = check_file(path)
    registers.write_many(started(registers, card))
    for tile in card.tiles:
        for index, right in enumerate(tile.control.rights if tile.control else ()):
            registers.write(f"{tile.name}.right[{index}]", right.node << 16 | right.write << 1 | right.read)
    return registers


def changed(registers: Registers, random: random.Random) -> None:
    """Changes some registers, to any value."""
    names = sorted(settings(registers))
    for name in random.sample(names, min(5, len(names))):
        tile, _, register = name.partition(".")
        width = registers.manifest.tile(tile).registers[register].width
        registers.write(name, random.choice([0, 1, (1 << width) - 1, random.getrandbits(width)]))


@pytest.mark.parametrize("design", WITHOUT_SERVICES)
def test_what_the_file_says_is_what_the_card_has(design, tmp_path):
    source, chance, written = DESIGNS / f"{design}.yaml", random.Random(f"{SEED} {design}"), 0
    registers = registers_of(source, tmp_path / "was")
    fresh = settings(registers)
    for number in range(ROUNDS):
        if number:
            changed(registers, chance)
        found, now = settings(registers), tmp_path / "now.yaml"
        saved, refusal = None, ""
        try:
            saved = save_design(SimpleNamespace(registers=registers), source, now)
        except GirihError as error:
            refusal = str(error)
        if saved is None:  # such as an entry of a node table that makes a loop
            assert "the card as it is" in refusal and number
            registers.write_many(fresh)
            continue
        written += 1
        again = started(registers, check_file(now))
        differ = {name for name in found if found[name] != again[name] and ".next_hop" not in name}
        if design == "dhcp":  # whose addresses are leased, and in no design file
            differ = {name for name in differ if not name.endswith((".ip", ".netmask", ".gateway"))}
        assert differ <= set(saved.left), design
        assert number or (saved.changed, saved.left) == ([], [])
    assert written


def test_settings_next_and_addresses_are_written_where_they_belong(tmp_path):
    source, now = DESIGNS / "managed.yaml", tmp_path / "now.yaml"
    registers = registers_of(source, tmp_path / "was")
    for name in settings(registers):
        match name.rpartition(".")[2]:
            case "ip":
                registers.write(name, 0x0A010203)
            case "netmask":
                registers.write(name, 0xFFFF0000)
    node = registers.manifest.tile
    registers.write("balancer.by_flow", 1)
    registers.write("balancer.next_hop[0]", entry(0, node("echo_1").node))
    registers.write("balancer.next_hop[1]", entry(1, node("echo_0").node))
    registers.write("udp_rx.next_hop[1]", entry(4000, node("echo_0").node))
    registers.write("ip_tx.ttl", 9)
    saved = save_design(SimpleNamespace(registers=registers), source, now)
    document = YAML(typ="safe").load(now.read_text())
    assert saved.left == [] and document["ip"] == "10.1.2.3/16"
    assert document["tiles"]["balancer"]["next"] == ["echo_1", "echo_0"] and document["tiles"]["balancer"]["by_flow"] is True
    assert document["tiles"]["udp_rx"]["next"] == {7: "balancer", 4000: "echo_0"} and document["tiles"]["ip_tx"]["ttl"] == 9
    assert not [tile for tile in document["tiles"].values() if "ip" in tile]


def test_a_right_that_the_host_has_taken_away_is_named(tmp_path):
    """The card that starts from the file has it again."""
    registers = registers_of(DESIGNS / "managed.yaml", tmp_path / "was")
    balancer = next(index for index in range(13) if registers.read(f"controller.right[{index}]") >> 16 == registers.manifest.tile("balancer").node)
    name = f"controller.right[{balancer}]"
    registers.write(name, registers.read(name) & ~2)
    saved = save_design(SimpleNamespace(registers=registers), DESIGNS / "managed.yaml", tmp_path / "now.yaml")
    assert (saved.changed, saved.left) == ([], [name])


ALIASES = """
fabric: crossbar
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
tiles:
  eth_rx: {kind: eth_rx, next: {ipv4: ip_rx}}
  ip_rx: {kind: ipv4_rx, next: {udp: udp_rx}}
  udp_rx: {kind: udp_rx, next: {7: first, 8: second, 9: third}}
  first: &both {kind: balancer, next: [echo_0, echo_1]}
  second: *both
  third: *both
  echo_0: &echo {kind: echo, next: udp_tx}
  echo_1: *echo
  udp_tx: {kind: udp_tx, next: ip_tx}
  ip_tx: {kind: ipv4_tx, next: eth_tx}
  eth_tx: {kind: eth_tx, reflect: true}
"""


@pytest.mark.parametrize("tile", ["first", "second"])
def test_a_tile_that_an_alias_describes_is_changed_alone(tile, tmp_path):
    source, now = tmp_path / "aliases.yaml", tmp_path / "now.yaml"
    source.write_text(ALIASES)
    registers = registers_of(source, tmp_path / "was")
    registers.write(f"{tile}.by_flow", 1)
    saved = save_design(SimpleNamespace(registers=registers), source, now)
    assert (saved.changed, saved.left) == ([f"{tile}.by_flow"], [])
    tiles = YAML(typ="safe").load(now.read_text())["tiles"]
    assert [name for name in tiles if "by_flow" in tiles[name]] == [tile] and "*echo" in now.read_text()


@pytest.mark.parametrize("design", [None, "elsewhere.yaml"])
def test_a_design_outside_the_checkout_is_to_be_named(design):
    with pytest.raises(GirihError, match="the design file of card mine is not in this checkout") as caught:
        source_of(SimpleNamespace(name="mine", design=design))
    assert "--of DESIGN" in str(caught.value)
    assert source_of(SimpleNamespace(name="mine", design="designs/nat.yaml")) == DESIGNS / "nat.yaml"


def test_a_program_is_found_from_where_the_design_is_written(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    source = tmp_path / "old" / "cores.yaml"
    text = (DESIGNS / "core.yaml").read_text()
    assert "firewall.c" in text
    source.write_text(text.replace("firewall.c", "mine.c"))
    (tmp_path / "old" / "mine.c").write_text('#include "girih_core.h"\n\nint main(void)\n{\n    for (;;) {\n    }\n}\n')
    card = SimpleNamespace(registers=registers_of(source, tmp_path / "was"))
    save_design(card, source, tmp_path / "new" / "now.yaml")
    assert check_file(tmp_path / "new" / "now.yaml")
    # A link to a file in a deeper folder: the design is found by both names, and so is its program.
    far, link = tmp_path / "far" / "away" / "now.yaml", tmp_path / "link.yaml"
    far.parent.mkdir(parents=True)
    link.symlink_to(far)
    save_design(card, source, link)
    assert check_file(link) and check_file(far)
    # A link to the folder, and a card whose own design is named by a link to its folder.
    (tmp_path / "folder").symlink_to(far.parent)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "designs").symlink_to(tmp_path / "old")
    save_design(card, tmp_path / "deep" / "er" / "designs" / "cores.yaml", tmp_path / "folder" / "then.yaml")
    assert check_file(tmp_path / "folder" / "then.yaml") and check_file(far.parent / "then.yaml")
    # The card runs the program from which it was built, and not the one that is there now.
    (tmp_path / "old" / "mine.c").write_text('#include "girih_core.h"\n\nint main(void)\n{\n    return 1;\n}\n')
    with pytest.raises(GirihError, match="was not built from this design"):
        save_design(card, source, tmp_path / "new" / "later.yaml")


@pytest.mark.parametrize("change", [("write: [balancer, udp_rx]", "write: [balancer]"), ("      read: [eth_rx, ip_rx,", "      read: [eth_rx,")])
def test_rights_that_were_edited_since_the_card_was_built_are_refused(change, tmp_path):
    text = (DESIGNS / "managed.yaml").read_text()
    assert text.count(change[0]) == 1
    source = tmp_path / "managed.yaml"
    source.write_text(text)
    registers = registers_of(source, tmp_path / "was")
    source.write_text(text.replace(*change))
    with pytest.raises(GirihError, match="was not built from this design"):
        save_design(SimpleNamespace(registers=registers), source, tmp_path / "now.yaml")


def test_what_was_written_is_put_again(tmp_path):
    """Tables, settings and an address are changed; a card that is started from what was written has them all, and is written as the same file."""
    source, now, then = DESIGNS / "managed.yaml", tmp_path / "now.yaml", tmp_path / "then.yaml"
    was = registers_of(source, tmp_path / "was")
    node = {tile.name: tile.node for tile in was.manifest.tiles}
    was.write_many(
        {
            "balancer.by_flow": 1,
            "balancer.next_hop[0]": entry(0, node["echo_1"]),
            "balancer.next_hop[1]": entry(1, node["echo_0"]),
            "udp_rx.next_hop[0]": entry(4000, node["echo_0"]),
            "udp_rx.next_hop[1]": entry(53, node["balancer"]),
            "udp_rx.next_hop[2]": entry(7, node["balancer"]),
            "icmp.next_hop[0]" if "icmp.next_hop[0]" in settings(was) else "icmp.next_hop": entry(0, node["ip_tx"]) | 1 << 24,
            "arp.max_age": 12345,
        }
    )
    saved = save_design(SimpleNamespace(registers=was), source, now)
    assert saved.left == [] and {"balancer.by_flow", "arp.max_age"} < set(saved.changed)
    again = registers_of(now, tmp_path / "again")
    ours, theirs = settings(was), settings(again)
    assert ours.keys() == theirs.keys()
    assert {name for name in ours if ours[name] != theirs[name]} <= {name for name in ours if name.startswith("udp_rx.next_hop")}
    words = lambda found: {word for name, word in found.items() if name.startswith("udp_rx.next_hop") and word}  # noqa: E731
    assert words(ours) == words(theirs)
    assert save_design(SimpleNamespace(registers=again), now, then).changed == [] and then.read_text() == now.read_text()


@pytest.mark.parametrize(
    "change",
    [("{kind: udp_rx,", "{kind: udp_rx, drop_log: 32,"), ("{kind: eth_rx,", "{kind: eth_rx, buffer_flits: 1024,"), ("fabric: crossbar", "fabric: crossbar\nmax_frame: 1518"), ("fabric: crossbar", "fabric: crossbar\nsnapshots: true"), ("fabric: crossbar", "fabric: crossbar\nclock_mhz: 200"), ("fabric: crossbar", "fabric: crossbar\nclocks: {ports: 200}")],
)
def test_a_design_that_was_edited_since_the_card_was_built_is_refused(change, tmp_path):
    """Registers may differ from the design, but not what only a new card can change."""
    source, now = tmp_path / "card.yaml", tmp_path / "now.yaml"
    source.write_text(ALIASES)
    registers = registers_of(source, tmp_path / "was")
    assert ALIASES.count(change[0]) == 1
    changed_source = tmp_path / "changed.yaml"
    for path in (source, changed_source):
        path.write_text(ALIASES.replace(*change))
    with pytest.raises(GirihError, match="was not built from this design"):
        save_design(SimpleNamespace(registers=registers), source, now)
    assert not now.exists()
    source.write_text(ALIASES)
    with pytest.raises(GirihError, match="was not built from this design"):
        save_design(SimpleNamespace(registers=registers_of(changed_source, tmp_path / "other")), source, now)
    source.write_text(ALIASES.replace("kind: ipv4_tx,", "kind: ipv4_tx, ttl: 9,"))
    save_design(SimpleNamespace(registers=registers), source, now)


def test_a_read_only_file_is_left_and_a_link_is_followed(tmp_path):
    source, kept, link = tmp_path / "card.yaml", tmp_path / "kept.yaml", tmp_path / "link.yaml"
    source.write_text(ALIASES)
    kept.write_text("kept")
    kept.chmod(0o444)
    link.symlink_to(kept)
    registers = registers_of(source, tmp_path / "was")
    for path in (kept, link):
        with pytest.raises(GirihError, match="the file is read-only"):
            save_design(SimpleNamespace(registers=registers), source, path)
    assert kept.read_text() == "kept"
    kept.chmod(0o644)
    save_design(SimpleNamespace(registers=registers), source, link)
    assert link.is_symlink() and "eth_rx" in kept.read_text()


@pytest.mark.parametrize("name, sentence", [("loop", "the link leads to itself"), ("folder", "this is not a file that can be replaced"), ("pipe", "this is not a file that can be replaced")])
def test_what_is_not_a_file_is_left(name, sentence, tmp_path):
    """Not even by an operator who may write devices, such as /dev/null."""
    source = tmp_path / "card.yaml"
    source.write_text(ALIASES)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    registers = registers_of(source, tmp_path / "was")
    with pytest.raises(GirihError, match=sentence):
        save_design(SimpleNamespace(registers=registers), source, tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.yaml", "folder", "loop", "pipe", "was"] and (tmp_path / "pipe").is_fifo()
