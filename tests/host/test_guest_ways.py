# SPDX-License-Identifier: Apache-2.0
"""How a guest is run on a machine, and the message when it cannot be run there."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from girih.card import guest_kernel, guest_ways
from girih.card.guest import guest_root
from girih.card.guest_ways import WAYS, Device, UserModeLinux, asked, chosen
from girih.cli.main import main
from girih.errors import GirihError
from tests.commands import wait_for

AMX = "processor : 0\nflags\t\t: fpu avx512f amx_bf16 amx_tile\n"
NO_AMX = "processor : 0\nflags\t\t: fpu avx512f amx_bf16\n"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Sets what the machine has: its processor's flags, a version of User-Mode Linux, and a compiler."""
    monkeypatch.setattr(guest_ways, "CPU", tmp_path / "cpuinfo")
    monkeypatch.setattr(UserModeLinux, "folder", tmp_path / "modules")

    def have(flags: str, version: str | None, compiler: bool) -> None:
        found = shutil.which
        monkeypatch.setattr(shutil, "which", lambda name: None if name == "gcc" and not compiler else found(name))
        (tmp_path / "cpuinfo").write_text(flags)
        shutil.rmtree(tmp_path / "modules", ignore_errors=True)
        if version:
            (tmp_path / "modules" / version).mkdir(parents=True)

    return have


@pytest.mark.parametrize(
    "flags, version, compiler, way",
    [
        (NO_AMX, "6.1.176", False, "uml"), (NO_AMX, None, False, "uml"), (AMX, "6.1.176", False, "qemu"), (AMX, None, False, "qemu"), (AMX, "6.12.9", False, "qemu"),
        (AMX, "6.13.2", False, "uml"), (AMX, "6.1.176", True, "uml"),
    ],
)  # fmt: skip
def test_the_way_is_the_first_that_can_be(machine, flags, version, compiler, way):
    machine(flags, version, compiler)
    assert chosen().name == way and chosen("qemu").name == "qemu"


def test_a_kernel_that_has_no_place_for_the_registers_gets_help(machine, tmp_path):
    """Other kernels are started without it."""
    device, uml = Device("02:00:00:00:00:01"), WAYS["uml"]
    machine(AMX, "6.1.176", True)
    setarch, option, env, preload, program, *_ = uml.command(tmp_path, tmp_path / "socket", device)
    assert (setarch, option, env, program) == ("setarch", "-R", "env", "linux.uml") and Path(preload.removeprefix("LD_PRELOAD=")).stat().st_size
    machine(NO_AMX, "6.1.176", True)
    assert uml.command(tmp_path, tmp_path / "socket", device)[:3] == ["setarch", "-R", "linux.uml"]


def test_a_way_that_cannot_be_is_told(machine, tmp_path):
    machine(AMX, "6.1.176", False)
    said = r"uml: the kernel of User-Mode Linux has no place for the registers of this processor, .* install gcc; or run the guest in QEMU: --with qemu"
    with pytest.raises(GirihError, match=said):
        chosen("uml")
    with pytest.raises(GirihError, match=r"a guest cannot be run with 'kvm'. Choose one of uml, qemu."):
        chosen("kvm")
    with pytest.raises(GirihError, match=said):
        guest_root(tmp_path / "root", "", way=WAYS["uml"])


def test_programs_that_are_not_installed_are_told(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    for way, program in (("uml", "linux.uml"), ("qemu", "qemu-system-x86_64")):
        with pytest.raises(GirihError, match=rf"{way}: {program} and busybox must be installed for a guest. Run as root: apt-get install"):
            guest_root(tmp_path / "root", "", way=WAYS[way])


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    "cache, download, said",
    [
        ("exit 0", "exit 0", "apt-cache does not know the kernel of a guest. Run as root: apt-get update"),
        ("echo '  Depends: linux-image-9'", "echo 'E: no way.' >&2; exit 100", r"cannot be fetched \(E: no way\). Run as root: apt-get update"),
    ],
)
def test_a_kernel_that_cannot_be_fetched_is_told(monkeypatch, tmp_path, cache, download, said):
    """Nothing is left behind, so that the next attempt starts afresh."""
    monkeypatch.setattr(guest_kernel, "FOLDER", tmp_path / "guest")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    program(tmp_path / "apt-cache", cache)
    program(tmp_path / "apt-get", download)
    with pytest.raises(GirihError, match=said):
        guest_kernel.guest_kernel()
    assert [path.name for path in (tmp_path / "guest").iterdir()] == ["lock"]


def test_the_kernel_is_fetched_once(monkeypatch, tmp_path):
    monkeypatch.setattr(guest_kernel, "FOLDER", tmp_path / "guest")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    package = tmp_path / "package"
    (package / "DEBIAN").mkdir(parents=True)
    (package / "DEBIAN" / "control").write_text("Package: linux-image-9\nVersion: 9\nArchitecture: all\nMaintainer: nobody <nobody@example.com>\nDescription: none\n")
    (package / "boot").mkdir()
    (package / "boot" / "vmlinuz-9").write_text("a kernel")
    subprocess.run(["dpkg-deb", "-b", str(package), str(tmp_path / "one.deb")], check=True, capture_output=True)
    program(tmp_path / "apt-cache", "echo '  Depends: linux-image-9'")
    program(tmp_path / "apt-get", f'[ "$1 $2" = "download linux-image-9" ] && echo once >> {tmp_path}/log && cp {tmp_path}/one.deb .')
    for _ in range(2):
        assert (guest_kernel.guest_kernel() / "boot" / "vmlinuz-9").read_text() == "a kernel"
    assert (tmp_path / "log").read_text() == "once\n"


def test_a_card_that_does_not_answer_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(guest_ways, "ANSWER_SECONDS", 0.1)
    with pytest.raises(GirihError, match="the card does not answer"):
        asked(tmp_path / "none")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "nic.sock"))
        listener.listen()
        with pytest.raises(GirihError, match=r"the card does not answer .* It serves one guest at a time: end the other, and try again."):
            asked(tmp_path / "nic.sock")


@pytest.mark.parametrize("way", [name for name, way in WAYS.items() if way.why_not() is None])
def test_a_guest_at_a_card_that_serves_another_is_told(monkeypatch, tmp_path, capsys, way):
    """Its kernel would wait for the card, without a word."""
    monkeypatch.setattr(guest_ways, "ANSWER_SECONDS", 0.1)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "nic.sock"))
        listener.listen()
        with pytest.raises(SystemExit, match="2"):
            main(["guest", str(tmp_path / "nic.sock"), "--with", way])
    assert "It serves one guest at a time: end the other, and try again." in capsys.readouterr().err


STARTER = """
import signal, sys
from pathlib import Path
from girih.card.guest import start_guest, wait_for
from girih.card.guest_ways import WAYS, Device
signal.signal(signal.SIGTERM, signal.default_int_handler)
wait_for(start_guest(Path(sys.argv[1]), Path(sys.argv[2]), WAYS[sys.argv[3]], Device("02:00:00:00:00:01"), stdin=-3, stdout=-3))
"""


@pytest.mark.skipif(WAYS["qemu"].why_not() is not None, reason="QEMU cannot run here")
def test_a_guest_ends_with_the_program_that_started_it(tmp_path):
    """Even if that is killed. The card is a socket that takes the connection and says nothing."""
    root = guest_root(tmp_path / "root", "sh", way=WAYS["qemu"])
    with socket.socket(socket.AF_UNIX) as card:
        card.bind(str(tmp_path / "nic.sock"))
        card.listen()
        card.settimeout(60)
        starter = subprocess.Popen([sys.executable, "-c", STARTER, str(root), str(tmp_path / "nic.sock"), "qemu"])
        guest, _ = card.accept()
        with guest:
            starter.kill()
            starter.wait()
            guest.settimeout(20)
            while guest.recv(4096):
                pass


def processes(word: str) -> list[int]:
    """The processes with this word in their command lines, but for zombies, which have none."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if word in path.read_text(errors="replace"):
                found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(WAYS["uml"].why_not() is not None, reason="User-Mode Linux cannot run here")
def test_an_interrupted_guest_ends_with_its_helpers(tmp_path):
    """While it boots. The card is as above."""
    root = guest_root(tmp_path / "root", "sh", way=WAYS["uml"])
    device = f"virtio_uml.device={tmp_path}/nic.sock"
    with socket.socket(socket.AF_UNIX) as card:
        card.bind(str(tmp_path / "nic.sock"))
        card.listen()
        starter = subprocess.Popen([sys.executable, "-c", STARTER, str(root), str(tmp_path / "nic.sock"), "uml"], stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: processes(device), lambda found: len(found) > 2)
            starter.terminate()
            starter.wait(60)
            wait_for(lambda: processes(device), lambda found: not found, seconds=10)
        finally:
            starter.kill()
            starter.wait()
            for process in processes(device):
                os.kill(process, signal.SIGKILL)
