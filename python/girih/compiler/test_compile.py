# SPDX-License-Identifier: Apache-2.0
"""What the compiler makes of good designs: the same bytes each time, sound tables, clean SystemVerilog."""

import difflib
import itertools
import json
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from girih.compiler.check.card import check, check_file
from girih.compiler.check.places import snake
from girih.compiler.check.warn import warnings
from girih.compiler.compile import compile_design
from girih.compiler.draw.card import draw
from girih.compiler.draw.lanes import route
from girih.compiler.emit.card import emit_card
from girih.compiler.emit.manifest import emit_tables
from girih.compiler.paths import message_paths, services
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, parse
from girih.errors import GirihError
from girih.paths import DESIGNS, ROOT
from girih.spec.kinds import load_kinds
from girih.spec.message import SUPPORTED_WIDTHS
from girih.testing.designs import lint_design
from tests.test_designs import CARDS
from tests.test_registers import cards

ALL = sorted(DESIGNS.glob("*.yaml"))


def by_name(path):
    return path.stem


def card_of(text, allow_deadlock=False):
    report = Report("text.yaml")
    return check(read(parse(text, report), "text", report), "text.yaml", load_kinds(), report, allow_deadlock)


@pytest.mark.parametrize("design", ALL, ids=by_name)
def test_the_manifest_agrees_with_the_card(design, tmp_path):
    card = check_file(design)
    folder = compile_design(design, tmp_path)
    files = sorted(path.name for path in folder.iterdir())
    assert files == [
        "card.h", "card.json", "card.rdl", "card.sv", "card.svg", "card_registers.py", "card_sim.sv", "tables.txt",
    ]  # fmt: skip
    for name in files:
        assert name == "card.json" or f"designs/{design.name}" in "".join((folder / name).read_text().splitlines(keepends=True)[:3])
    manifest = json.loads((folder / "card.json").read_text())
    assert manifest["digest"] in (folder / "card.sv").read_text()
    assert [tile["base"] for tile in manifest["tiles"]] == [tile["node"] << 16 for tile in manifest["tiles"]]
    assert all(tile["counters"]["in_messages"] >= 0x8000 for tile in manifest["tiles"])
    assert [tile["name"] for tile in manifest["tiles"] if tile["histogram"]] == [
        tile.name for tile in card.tiles if "latency" in tile.kind.uses
    ]
    probes = [line for line in (folder / "card_sim.sv").read_text().splitlines() if ".enable_i(" in line]
    assert len(probes) == len(manifest["links"]) == len(set(manifest["links"]))
    assert all((ROOT / source).is_file() for source in manifest["sources"])
    assert "udp_rx" not in {tile.kind.name for tile in card.tiles} or f" {{{manifest['addresses']['udp'][0]['port']}: " in design.read_text()
    namespace: dict = {}
    exec((folder / "card_registers.py").read_text(), namespace)
    for tile in manifest["tiles"]:
        assert tile["base"] + tile["counters"]["in_messages"] == namespace[tile["name"]].IN_MESSAGES


@pytest.mark.parametrize("design", ALL, ids=by_name)
def test_the_c_header_compiles(design, tmp_path):
    folder = compile_design(design, tmp_path)
    use = tmp_path / "use.c"
    tile = check_file(design).tiles[-1]
    use.write_text(
        '#include <stddef.h>\n#include "card.h"\n'
        f'_Static_assert(offsetof(girih_card_t, {tile.name}) == {tile.node << 16}, "the tile is at its node");\n'
    )
    subprocess.run(["gcc", "-std=gnu11", "-Werror", "-c", str(use), "-o", str(tmp_path / "use.o")], check=True, cwd=folder)


# tests/test_rtl.py lints each module; these tests lint what the compiler writes around them, which differs little. Verilator's
# warnings also end the build of a card, so designs that the tests named here build are linted only in thorough runs.
BUILT = {
    "cluster": "test_cluster.py",
    "core": "test_core.py",
    "dhcp": "test_dhcp.py",
    "dma": "host/test_owners.py",
    "nat": "test_nat.py",
    "nic": "host/conftest.py",
    "panic": "control/conftest.py",
    "panic_core": "test_core_programs.py",
    "panic_delay": "test_panic.py",
    "tcp_duplex": "test_tcp_duplex.py",
    "tcp_echo": "test_tcp.py",
    "tcp_memory": "test_tcp_memory.py",
    "tcp_socket": "test_tcp_socket.py",
} | dict.fromkeys(("memory", "panic_pipeline"), "test_registers.py") | dict.fromkeys(("demo", "logged", "managed", "shout", "udp_echo", "udp_echo_butterfly", "udp_echo_cut_through", "udp_echo_xbar"), "test_designs.py")
# Their tiles are those of designs above, in other places or numbers; `balanced` is built at 128 bits (test_control_core.py).
ALIKE = {"balanced", "panic_mesh", "panic_overload", "udp_echo_scale"}
LINTED = [
    pytest.param(design, width, id=f"{design.stem}-{width}", marks=[pytest.mark.thorough] if width != 512 or design.stem in ALIKE | BUILT.keys() else [])
    for design in ALL
    for width in SUPPORTED_WIDTHS
]


def test_the_tests_that_build_cards_do():
    for design, file in BUILT.items():
        if file == "test_designs.py":
            assert pytest.param(design, 512) in CARDS, design
        elif file == "test_registers.py":
            assert pytest.param(design) in cards(), design
        else:
            assert f'VirtualCard(built("{design}")' in (ROOT / "tests" / file).read_text(), design


@pytest.mark.slow
@pytest.mark.parametrize("design, width", LINTED)
def test_the_card_is_clean_systemverilog(design, width, tmp_path):
    path = tmp_path / design.name
    text = f"width: {width}\n{design.read_text()}"
    path.write_text(text)
    if any(width not in tile.kind.widths for tile in check_file(design).tiles):
        with pytest.raises(GirihError, match=f"cannot be {width} bits wide"):
            check_file(path)
        return
    if (design.stem, width) == ("panic_overload", 256):  # it sets the scheduler's cells, and narrower flits need more
        with pytest.raises(GirihError, match="cells of tile scheduler is 512, out of range"):
            check_file(path)
        return
    result = lint_design(f"{design.stem}_{width}", text)
    assert result.clean, result.output


def test_the_drawing_of_the_readme_is_the_demo():
    """./girih build demo redraws it as card.svg in the folder that it names."""
    assert (ROOT / "docs" / "images" / "demo.svg").read_text() == draw(check_file(DESIGNS / "demo.yaml"))


@pytest.mark.parametrize("design", ALL, ids=by_name)
def test_drawings_show_every_tile_and_path(design):
    card = check_file(design)
    drawing = ElementTree.fromstring(draw(card))
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert all(tile.name in texts for tile in card.tiles)
    assert all(service.name in texts for service in services(card))
    heads = list(drawing.iter("{http://www.w3.org/2000/svg}polygon"))
    pairs = {(service.name, path.src, path.dst) for service in services(card) for path in service.paths}
    ports = sum(use in tile.kind.uses for tile in card.tiles for use in ("axis_in", "axis_out"))
    memories = sum(not {"axi", "host"}.isdisjoint(tile.kind.uses) for tile in card.tiles)  # with an arrow each way
    assert len(heads) == len(pairs) + len(services(card)) + ports + 2 * memories + 1  # and the star of the title


def routes(design):
    """The routes of each kind of traffic, as `./girih check` prints them."""
    return {service.name: [" > ".join(map(" | ".join, route)) for route in service.routes] for service in services(check_file(design))}


def test_services_follow_the_keys():
    assert routes(DESIGNS / "demo.yaml") == {
        "arp": ["eth_rx > arp > eth_tx"],
        "ipv4 / icmp": ["eth_rx > ip_rx > icmp > ip_tx > arp > eth_tx"],
        "ipv4 / udp / destination port 7": ["eth_rx > ip_rx > udp_rx > echo > udp_tx > ip_tx > arp > eth_tx"],
    }


def test_alternatives_and_both_directions_of_a_service_are_told_apart():
    assert routes(DESIGNS / "panic.yaml") == {
        "exit": ["wire > host", "host > wire"],
        "chain decrypt": [f"{src} > scheduler > aes_0 | aes_1 > sha_0 | sha_1 > {dst}" for src, dst in (("wire", "host"), ("host", "wire"))],
        "chain digest": [f"{src} > scheduler > sha_0 | sha_1 > {dst}" for src, dst in (("wire", "host"), ("host", "wire"))],
    }
    assert routes(DESIGNS / "memory.yaml") == {"all": ["eth_rx > relay > eth_tx", "copy > memory > copy", "copy_1 > memory > copy_1"]}
    assert routes(DESIGNS / "panic_pipeline.yaml") == {"all": ["nic"]}


def test_a_stream_belongs_to_one_application():
    found = [name.count("destination port") for name in routes(DESIGNS / "tcp_duplex.yaml")]
    applications = len(check_file(DESIGNS / "tcp_duplex.yaml").tile("tcp").hops) - 1
    assert sorted(set(found)) == [0, 1]
    assert found.count(1) == 2 * applications  # by segments, and by errors about them


def test_neighbours_in_udp_echo():
    card = check_file(DESIGNS / "udp_echo.yaml")
    for path in message_paths(card):
        assert len(route(card.tile(path.src).at, card.tile(path.dst).at)) == 2


def test_no_link_of_udp_echo_scale_carries_two_flows():
    """So no link carries more than one packet in a cycle when both ports run at full rate."""
    card = check_file(DESIGNS / "udp_echo_scale.yaml")
    links = []
    for path in message_paths(card):
        places = route(card.tile(path.src).at, card.tile(path.dst).at)
        links += itertools.pairwise(places)
    assert len(links) == len(set(links))


def test_a_second_echo_tile_behind_a_balancer_takes_at_most_8_lines():
    before = (DESIGNS / "udp_echo_xbar.yaml").read_text()
    after = before.replace("{7: echo}", "{7: balancer}").replace(
        "  echo: {kind: echo, next: udp_tx}\n",
        "  balancer: {kind: balancer, by_flow: true, next: [echo, echo_1]}\n"
        "  echo: {kind: echo, next: udp_tx}\n"
        "  echo_1: {kind: echo, next: udp_tx}\n",
    )
    changed = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]
    assert len(changed) <= 8
    assert ("balancer", "echo_1", "replica 1") in [(path.src, path.dst, path.label) for path in message_paths(card_of(after))]


def test_settings_take_the_tile_then_the_card_then_the_kind():
    text = (DESIGNS / "demo.yaml").read_text().replace("next: arp}", "next: arp, ttl: 9}", 1)
    text = text.replace("ip: 10.77.0.2/24", "ip: 10.77.0.2/20\ngateway: 10.77.15.1")
    card = card_of(text)
    arp, ip_tx = dict(card.tile("arp").config), dict(card.tile("ip_tx").config)
    assert (arp["ip"], arp["netmask"], arp["gateway"]) == (0x0A4D0002, 0xFFFFF000, 0x0A4D0F01)
    assert ip_tx["ttl"] == 9
    assert "ttl: 8'h9" in emit_card(card, "0")


@pytest.mark.parametrize("timing, mhz", [("", 250), ("timing: relaxed\n", 0), ("timing: 250\n", 250), ("timing: '322'\n", 322)])
def test_the_clock_that_paths_are_cut_for_reaches_the_hardware(timing, mhz, tmp_path):
    design = tmp_path / "card.yaml"
    for name in ("udp_echo", "panic"):  # without services, and with
        design.write_text(timing + (DESIGNS / f"{name}.yaml").read_text())
        sources = json.loads((compile_design(design, tmp_path / name) / "card.json").read_text())["sources"]
        (package,) = [ROOT / source for source in sources if source.endswith("girih_pkg.sv")]
        assert f"TimingMhz = {mhz};" in package.read_text()


def test_ports_have_consecutive_mac_addresses():
    card = check_file(DESIGNS / "udp_echo_scale.yaml")
    assert [dict(card.tile(f"eth_rx_{port}").config)["mac"] for port in (0, 1)] == [0x026769726968, 0x026769726969]


def test_any_is_searched_last():
    card = card_of((DESIGNS / "udp_echo.yaml").read_text().replace("{7: echo}", "{any: udp_tx, 7: echo}"))
    assert [(hop.key, hop.to) for hop in card.tile("udp_rx").hops] == [(7, "echo"), (None, "udp_tx")]


def test_tiles_without_a_place_follow_the_snake():
    text = (DESIGNS / "udp_echo_xbar.yaml").read_text().replace("fabric: crossbar", "fabric: {mesh: [4, 2]}")
    card = card_of(text)
    assert [tile.at for tile in card.tiles] == list(snake(card.fabric))[:7]


@pytest.mark.parametrize(("buffers", "fits"), [(62, True), (63, False)])
def test_a_card_too_large_for_a_crossbar_is_told_of_a_mesh(buffers, fits):
    chain = "".join(f"  b{number}: {{kind: buffer, next: b{number + 1}}}\n" for number in range(buffers))
    text = f"fabric: crossbar\nmac: 02:67:69:72:69:68\ntiles:\n  rx: {{kind: eth_rx, next: b0}}\n{chain}  b{buffers}: {{kind: eth_tx}}\n"
    if fits:
        assert card_of(text).fabric.room == 64
    else:
        with pytest.raises(GirihError, match=r"65 tiles do not fit a crossbar of 64 ports\. Make it larger, such as fabric: \{mesh: \[5, 13\]\}"):
            card_of(text)


@some.composite
def design_texts(draw_from):
    """A valid design: up to four echo tiles, behind a balancer or by UDP port, on any fabric that holds them."""
    echoes = draw_from(some.integers(1, 4))
    balanced = echoes > 1 and draw_from(some.booleans())
    ports = draw_from(some.lists(some.integers(0, 65535), min_size=echoes, max_size=echoes, unique=True))
    names = [f"echo_{index}" for index in range(echoes)]
    table = ", ".join(f"{port}: {name}" for port, name in zip(ports, names, strict=True))
    tiles = [
        "eth_rx: {kind: eth_rx, next: {ipv4: ip_rx}}",
        "ip_rx: {kind: ipv4_rx, next: {udp: udp_rx}}",
        f"udp_rx: {{kind: udp_rx, next: {'balancer' if balanced else '{' + table + '}'}}}",
        *[f"{name}: {{kind: echo, next: udp_tx}}" for name in names],
        "udp_tx: {kind: udp_tx, next: {0: ip_tx}}",
        f"ip_tx: {{kind: ipv4_tx, ttl: {draw_from(some.integers(1, 255))}, next: eth_tx}}",
        "eth_tx: {kind: eth_tx, reflect: true}",
    ]
    if balanced:
        tiles.append(f"balancer: {{kind: balancer, next: [{', '.join(names)}]}}")
    tiles = draw_from(some.permutations(tiles))
    x, y = draw_from(some.integers(1, 16)), draw_from(some.integers(1, 16))
    fabric = f"{{mesh: [{x}, {y}]}}" if x * y >= len(tiles) else "crossbar"
    width = draw_from(some.sampled_from(SUPPORTED_WIDTHS))
    head = f"width: {width}\nfabric: {fabric}\nmac: 02:00:00:00:00:01\nip: 192.168.1.{draw_from(some.integers(1, 254))}/24\n"
    return head + "tiles:\n" + "".join(f"  {tile}\n" for tile in tiles)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(design_texts())
def test_random_designs(text):
    card = card_of(text, allow_deadlock=True)
    again = card_of(text, allow_deadlock=True)
    assert emit_card(card, "0") == emit_card(again, "0")
    assert draw(card) == draw(again)
    assert emit_tables(card) == emit_tables(again)
    assert len({tile.node for tile in card.tiles}) == len(card.tiles)
    assert {path.dst for path in message_paths(card)} == {tile.name for tile in card.tiles} - {"eth_rx"}


def test_paths_in_the_tree_are_relative():
    assert not Path(check_file(DESIGNS / "demo.yaml").source).is_absolute()


def hardware(path: Path, ip: str | None = None, mac: str | None = None) -> tuple[list[bytes], dict]:
    """What the virtual card of a design is built of, and what its manifest says."""
    manifest = json.loads((compile_design(path, ip=ip, mac=mac) / "card.json").read_text())
    return [(ROOT / source).read_bytes() for source in manifest["sources"]], manifest


@pytest.mark.parametrize("name", ["demo", "udp_echo", "panic"])
def test_another_address_is_the_same_hardware(name):
    path = DESIGNS / f"{name}.yaml"
    sources, manifest = hardware(path)
    others, other = hardware(path, ip="10.9.8.7/16", mac="02:00:00:00:00:44")
    assert others == sources and other["digest"] == manifest["digest"]
    assert other["addresses"]["ip"] == "10.9.8.7" and other["addresses"]["prefix"] == 16
    changed = {name for name, value in other["start"].items() if value != manifest["start"][name]}
    assert changed == {register for register in other["start"] if register.rsplit(".", 1)[1] in ("ip", "mac", "netmask")}
    assert all(register.rsplit(".", 1)[1] != "ip" or value == 0x0A090807 for register, value in other["start"].items())


def test_an_address_in_the_file_is_as_good_as_one_on_the_command_line(tmp_path):
    text = (DESIGNS / "demo.yaml").read_text()
    path = tmp_path / "demo.yaml"
    path.write_text(text)
    _, given = hardware(path, ip="10.9.8.7/16", mac="02:00:00:00:00:44")
    path.write_text(text.replace("10.77.0.2/24", "10.9.8.7/16").replace("02:67:69:72:69:68", "02:00:00:00:00:44"))
    _, written = hardware(path)
    assert written["start"] == given["start"] and written["addresses"] == given["addresses"]


@pytest.mark.parametrize(
    ("addresses", "complaint"),
    [
        ({"ip": "10.9.8.0/24"}, "--ip: "),
        ({"ip": "10.9.8"}, "is not an IPv4 address"),
        ({"ip": "10.9.8.7/"}, "is not an IPv4 address"),
        ({"ip": "10.9.8.7/99"}, "is not an IPv4 address"),
        ({"ip": "224.0.0.1"}, "--ip: "),
        ({"mac": "03:00:00:00:00:01"}, "--mac: "),
        ({"mac": "02:00:00:00:00"}, "is not a MAC address"),
    ],
)
def test_an_address_that_no_card_can_have_is_refused(addresses, complaint):
    with pytest.raises(GirihError, match=complaint):
        compile_design(DESIGNS / "demo.yaml", **addresses)


@pytest.mark.parametrize(("name", "ends"), [("tcp_echo", ["tcp"]), ("tcp_duplex", ["tcp"]), ("tcp_memory", ["tcp"]), ("udp_echo", [])])
def test_a_card_whose_frames_are_too_small_for_tcp(name, ends):
    """Linux sends segments of 48 bytes, options included, even to a peer that asks for shorter ones."""
    text = (DESIGNS / f"{name}.yaml").read_text()
    sentence = "tile {} cannot talk to Linux hosts: their TCP segments need frames of up to 102 bytes, and the card takes 101. Write max_frame: 102 or more."
    assert warnings(card_of(f"max_frame: 101\n{text}")) == [sentence.format(end) for end in ends]
    assert warnings(card_of(f"max_frame: 102\n{text}")) == []
