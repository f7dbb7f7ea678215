# SPDX-License-Identifier: Apache-2.0
"""`./girih ctl design`: writes the services of a running card as a design file."""

import json
from pathlib import Path

import pytest

from girih.card.manifest import Manifest
from girih.card.registers import Registers
from girih.compiler.check.card import check_file
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.paths import DESIGNS
from girih.services.control import ServiceControl
from tests.control.running import everything, running

CHANGES = (
    ("policy", "set", "sha", "fair", "--class", "0:weight=3", "--class", "2:weight=7", "--share"),
    ("policy", "set", "aes", "shaped", "--class", "0:rate=1000,burst=3000", "--no-share", "--by-tenant"),
    ("tenant", "set", "video", "--weight", "9", "--limit", "65536", "--services", "aes,sha"),
    ("tenant", "set", "ipsec", "--guarantee", "4096"),
    ("chain", "del", "digest"),
    ("chain", "add", "late", "--pattern", "udp dst is 4501", "--actions", "queue aes class 2 / queue sha meta 3 / port_id wire / tenant video"),
    ("set", "scheduler.unit_credits[0]=9", "scheduler.unit_credits[1]=9", "scheduler.push[0]=1", "scheduler.affinity[1]=1"),
)


def start_as(card, design: Path, folder: Path) -> None:
    """Resets a card and gives it what the compiler makes of another design of the same hardware: registers, then tables."""
    folder = compile_design(design, folder)
    card.reset()
    for tile in json.loads((folder / "card.json").read_text())["tiles"]:
        for name, value in tile["config"].items():
            elements = {name: value} if isinstance(value, int) else {f"{name}[{index}]": each for index, each in enumerate(value)}
            for register, each in elements.items():
                if "w" in tile["registers"].get(register, {"access": ""})["access"]:
                    card.registers.write(f"{tile['name']}.{register}", each)
    card.services = ServiceControl(Registers(Manifest.load(folder), card.registers.bus))
    card.services.install()


def test_a_card_that_starts_from_what_was_written_is_as_the_card_was(card, ctl, tmp_path):
    with running(card) as path:
        for words in CHANGES:
            ctl(path, *words)
        before = everything(ctl, path)
        said = ctl(path, "design", tmp_path / "now.yaml")
    assert said["left"] == [] and "scheduler.inverse_weight[2]" in said["changed"]
    start_as(card, tmp_path / "now.yaml", tmp_path / "folder")
    with running(card) as path:
        assert everything(ctl, path) == before


def test_what_a_design_cannot_say_is_named(card, ctl, tmp_path):
    with running(card) as path:
        ctl(path, "chain", "add", "mine", "--tenant", "video", "--pattern", "udp dst is 6001", "--actions", "queue sha")
        index = ctl(path, "table", "add", "--port", "host", "--pattern", "udp dst is 9", "--actions", "register 3 add length")["index"]
        ctl(path, "tenant", "set", "video", "--meters", "0-7")
        ctl(path, "meter", "set", 2, "--port", "wire", "--cir", 1000, "--cbs", 3000)
        ctl(path, "set", "scheduler.unit_credits[0]=3")
        said = ctl(path, "design", tmp_path / "now.yaml")
    assert said["left"] == ["scheduler.unit_credits[0]", "chain mine", f"entry {index} of stage 0 of host", "meter 2 of stage 0 of wire", "meters of tenant video"]


def test_an_entry_that_cannot_be_read_is_not_left_out(card, girih, monkeypatch, tmp_path):
    def refuse(_control, port: str, stage: int) -> list:
        raise GirihError("the table cannot be read", f"stage {stage} of {port}", "Try again.")

    monkeypatch.setattr(ServiceControl, "list_entries", refuse)
    with running(card) as path:
        code, _, errors = girih(path, "ctl", "design", tmp_path / "now.yaml")
    assert code == 2 and "stage 0 of wire: the table cannot be read" in errors and list(tmp_path.iterdir()) == []


def test_a_card_as_it_started_is_its_own_design(card, ctl, tmp_path):
    with running(card) as path:
        assert ctl(path, "design", tmp_path / "now.yaml") == {"changed": [], "left": []}
    now, then = check_file(tmp_path / "now.yaml"), check_file(DESIGNS / "panic.yaml")
    assert (now.name, now.params, now.scheduling) == (then.name, then.params, then.scheduling)
    assert [(tile.name, tile.config, tile.parameters, tile.hops) for tile in now.tiles] == [(tile.name, tile.config, tile.parameters, tile.hops) for tile in then.tiles]
    comments = [line for line in (DESIGNS / "panic.yaml").read_text().splitlines() if line.startswith("#")]
    assert [line for line in (tmp_path / "now.yaml").read_text().splitlines() if line.startswith("#")] == comments


@pytest.mark.parametrize("words, what", [(("--of", "nat"), "was not built from this design"), (("--of", "nowhere.yaml"), "no such file")])
def test_another_design_is_refused_and_leaves_no_file(shared, girih, tmp_path, words, what):
    code, _, errors = girih(shared, "ctl", "design", tmp_path / "now.yaml", *words)
    assert code == 2 and what in errors and list(tmp_path.iterdir()) == []


def test_a_card_that_no_design_may_describe_is_not_written(card, ctl, girih, tmp_path):
    with running(card) as path:
        ctl(path, "tenant", "set", "ipsec", "--services", "aes")  # its chain visits a service other than this
        code, _, errors = girih(path, "ctl", "design", tmp_path / "now.yaml")
    assert code == 2 and "chain decrypt visits sha, to which its tenant ipsec has no right" in errors and list(tmp_path.iterdir()) == []
