# SPDX-License-Identifier: Apache-2.0
"""`./girih rack`: several cards joined by links, with TAP devices on the remaining ports; and mistakes in its file."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from girih.card.rack_file import read_rack
from girih.cli import rack
from girih.compiler.compile import compile_design
from girih.errors import GirihError, GirihErrors
from girih.paths import DESIGNS, ROOT
from tests.commands import ADDRESS, BUILD_SECONDS, command, girih, needs_tap, options

RACK = ROOT / "racks" / "server_behind_nic.yaml"


@contextmanager
def running(rack: Path, end: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """A rack in the background, started like a background job of a script, which ignores SIGINT. Yields also the namespace at this end of a cable,
    once its device is up and has its address."""
    process = subprocess.Popen(["env", "--ignore-signal=INT", *command("rack", rack, "--tap")], **options())
    namespace = f"girih-{process.pid}-{end}"
    try:
        deadline = time.monotonic() + BUILD_SECONDS
        while not subprocess.run(["ip", "-n", namespace, "-o", "-4", "address", "show", "dev", "girih0", "up"], capture_output=True).stdout:
            assert process.poll() is None and time.monotonic() < deadline, process.communicate()
            time.sleep(0.1)
        yield process, namespace
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@needs_tap
def test_a_host_reaches_a_server_through_another_card():
    with running(RACK, "nic_port0") as (process, namespace):
        ping = ["ip", "netns", "exec", namespace, "ping", "-n", "-q", "-c", "3", "-i", "0.2", "-W", "20", ADDRESS]
        answer = subprocess.run(ping, capture_output=True, text=True, timeout=100)
        assert " 0% packet loss" in answer.stdout, answer.stdout + answer.stderr
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=100)
    assert process.returncode == 0, output + errors
    assert "nic.1 to server.0: 4 frames, 500 cycles" in output and "server.0 to nic.1: 4 frames, 500 cycles" in output  # an ARP request and three pings
    assert not list(Path("/run/netns").glob(f"girih-{process.pid}*"))


@needs_tap
def test_a_rack_comes_to_rest_while_a_program_goes_on_sending(tmp_path):
    """A program that runs in a namespace keeps it, and the devices in it, after its end."""
    path = tmp_path / "rack.yaml"
    path.write_text("cards: {one: {design: demo}}")
    with running(path, "one_port0") as (process, namespace):
        flood = subprocess.Popen(["ip", "netns", "exec", namespace, "ping", "-n", "-f", ADDRESS], stdout=subprocess.PIPE)
        try:
            assert flood.stdout and flood.stdout.read(100)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=100)
        finally:
            flood.kill()
            flood.communicate()
    assert process.returncode == 0 and "Every message is accounted for in every tile." in output, output + errors


@needs_tap
def test_a_cable_that_is_cut_ends_the_run(tmp_path):
    path = tmp_path / "rack.yaml"
    path.write_text("cards: {one: {design: demo}}")
    with running(path, "one_port0") as (process, namespace):
        subprocess.run(["ip", "-n", namespace, "link", "delete", "girih0"], check=True)
        _output, errors = process.communicate(timeout=100)
    assert process.returncode == 2 and "the TAP device of one.0 has been deleted" in errors, errors


def test_what_a_file_says(tmp_path):
    found = read_rack(RACK)
    assert [(card.name, card.design, card.hosts) for card in found.cards] == [
        ("nic", DESIGNS / "panic.yaml", ("10.77.0.9/24",)),
        ("server", DESIGNS / "demo.yaml", ()),
    ]
    assert [(link.one, link.other, link.delay, link.loss) for link in found.links] == [(("nic", 1), ("server", 0), 500, 0.0)]
    path = tmp_path / "rack.yaml"
    path.write_text("cards: {a: {design: own.yaml, ip: 10.0.0.1/8}}\nlinks: [{ends: [a.0, a.1], loss: 0.5, seed: 7}]\n")
    found = read_rack(path)
    assert found.cards[0].design == tmp_path / "own.yaml" and found.cards[0].ip == "10.0.0.1/8"
    assert (found.links[0].delay, found.links[0].loss, found.links[0].seed) == (250, 0.5, 7)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("", ["rack.yaml:1: the file is empty. A rack needs at least cards; racks/server_behind_nic.yaml is an example."]),
        ("- a", ["rack.yaml:1: a rack file is a mapping of keys to values. Write cards: and below it lines such as nic: {design: panic}"]),
        ("cards: {}\n---\na: 1", ["rack.yaml:3: this is a second document. Remove the --- above it; a rack file has one document."]),
        ("links: []", ["1: the rack has no cards"]),
        ("cards: 7", ["1: the rack has no cards"]),
        ("cards: {a: 7, B: {design: demo}}", ["1: card a is 7. Write a: {design: demo}", "the card's name B"]),
        ("cards: {a: {}, b: {dessin: demo}}", ["card a has no design", "card b has no key dessin. Did you mean design?"]),
        ("cards: {a: {design: demo}}\nlinks: {}", ["2: links is"]),
        ("cards: {a: {design: demo}}\nlinks: [7, {ends: [a.0]}]", ["2: a link is 7", "2: a link has 1 ends"]),
        ("cards: {a: {design: demo}}\nlinks: [{ends: [b.0, a]}]", ["2: the end b.0 of a link names no card", "2: the end a of a link is not a port"]),
        ("cards: {a: {design: demo}}\nlinks: [{ends: [a.0, a.1], delay: 0, loss: 2}]", ["delay of a link is 0, out of range. It may be 1 to", "loss of a link is 2. Give a probability"]),
        ("cards: {a: {design: demo}}\nlinks: [{ends: [a.0, a.1], loss: much}]", ["loss of a link is much. Give a probability"]),
        ("cards: {a: {design: demo}}\nlinks: [{ends: [a.0, a.1], loss: .nan}, {ends: [a.2, a.3], loss: true}]", ["2: loss of a link is", "loss of a link is true"]),
        ("cards: {a: {design: demo}}\nlinks: [{ends: [a.0, a.00]}]", ["2: a link joins a.0 to itself. Join it to another port."]),
        ("cards: {a: {design: demo}}\nlinks:\n- ends: [a.0, a.1]\n- ends: [a.2, a.1]", ["4: a.1 has a link already, of line 3. Join another port."]),
        ("cards: {a: {design: demo}}\nlinks: [{ends: [a.0, a.1]}, {ends: [a.1, a.0]}]", ["2: a.1 has a link already, of line 2.", "2: a.0 has a link already, of line 2."]),
    ],
)
def test_mistakes_have_an_answer(text, answers, tmp_path):
    path = tmp_path / "rack.yaml"
    path.write_text(text)
    with pytest.raises((GirihError, GirihErrors)) as error:
        read_rack(path)
    for answer in answers:
        assert answer in str(error.value)


def test_no_such_rack(tmp_path):
    with pytest.raises(GirihError, match=r"none\.yaml: there is no such file\. racks/server_behind_nic\.yaml is an example\."):
        read_rack(tmp_path / "none.yaml")


def test_a_rack_that_cannot_be_built_has_an_answer(tmp_path):
    path, built = tmp_path / "rack.yaml", compile_design(DESIGNS / "demo.yaml")
    for text, answer in (
        ("cards: {a: {design: nothing}}", "nothing"),
        ("cards:\n  a: {design: demo,\n    ip: 10.77.0}", "rack.yaml:3: ip of card a: '10.77.0' is not an IPv4 address. Give the address of a host, such as ip: 10.77.0.2/24."),
        ("cards:\n  a: {design: demo, ip: 10.77.0.0/24}", "rack.yaml:2: ip of card a: 10.77.0.0/24 is the network's or the broadcast address of 10.77.0.0/24. Give the"),
        ("cards:\n  a:\n    design: demo\n    mac: 03:00:00:00:00:01", "rack.yaml:4: mac of card a: 03:00:00:00:00:01 is a group address. Write mac: 02:67:69:72:69:68; "),
        (f"cards:\n  a: {{design: {built}, ip: 10.77.0.3}}", f"rack.yaml:2: ip of card a: {built} is a built card, which keeps the addresses of its design."),
        ("cards: {a: {design: demo}, b: {design: demo}}\nlinks: [{ends: [a.0, b.4]}]", "rack.yaml:2: the end b.4 of a link is not a port of card b. It has 1: 0 to 0."),
    ):
        path.write_text(text)
        done = girih("rack", path)
        assert done.returncode == 2 and answer in done.stderr and "--" not in done.stderr and "Traceback" not in done.stderr
        assert done.stdout == "", "nothing was built"


def test_joined_cards_have_addresses_of_their_own(tmp_path):
    """Also at their further ports, and where a third card is between them; cards that nothing joins may have the same."""
    path, built = tmp_path / "rack.yaml", compile_design(DESIGNS / "demo.yaml")
    clash = "rack.yaml:{}: cards {} and {}, which links join, both have the MAC address {}. Give {} another {}: mac: {}"
    first = "02:67:69:72:69:"  # the first port of nat.yaml has 02:67:69:72:69:68, the second one 69
    cards = "cards:\n  a: {design: nat}\n  b: {design: udp_echo,\n    mac: 02:67:69:72:69:69}\n  c: {design: panic}\n"
    for text, answers in (
        (f"{cards}links: [{{ends: [a.1, b.0]}}]", [clash.format(4, "a", "b", first + "69", "b", "here", first + "6a")]),
        (f"{cards}links: [{{ends: [a.1, c.0]}}, {{ends: [b.0, c.1]}}]", [clash.format(4, "a", "b", first + "69", "b", "here", first + "6a")]),
        (
            "cards:\n  a: {design: demo}\n  b: {design: nat}\n  c: {design: nat}\nlinks: [{ends: [a.0, b.0]}, {ends: [b.1, c.1]}]",
            [clash.format(3, "a", "b", first + "68", "b", "here", first + "6a"), clash.format(4, "a", "c", first + "68", "c", "here", first + "6c")],
        ),
        (f"cards:\n  a: {{design: demo}}\n  b: {{design: {built}}}\nlinks: [{{ends: [a.0, b.0]}}]", [clash.format(3, "a", "b", first + "68", "b", "in its design", first + "69")]),
    ):
        path.write_text(text)
        done = girih("rack", path)
        assert (done.returncode, done.stdout) == (2, "") and [line.removeprefix(f"{tmp_path}/") for line in done.stderr.splitlines()] == answers
    path.write_text(f"{cards}links: [{{ends: [a.1, c.0]}}]")
    rack._check(read_rack(path), path)
