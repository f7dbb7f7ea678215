# SPDX-License-Identifier: Apache-2.0
"""The two ways in which a guest runs: as a process that is a kernel (User-Mode Linux), or on a computer that a process emulates (QEMU)."""

from __future__ import annotations

import os
import re
import shutil
import socket
import struct
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from girih.bootstrap import GUEST_IN_QEMU, GUEST_IN_UML
from girih.build.cxx import contents, run
from girih.card.guest_kernel import guest_kernel
from girih.card.vhost_socket import HEADER, VERSION
from girih.card.vhost_user import GET_CONFIG, GET_QUEUE_NUM
from girih.errors import GirihError
from girih.paths import BUILD, ROOT

BUSYBOX, COMPILER = "busybox", "gcc"
HELPER = ROOT / "card" / "guest" / "uml_registers.c"
CPU = Path("/proc/cpuinfo")
DEPENDS = re.compile(rb"\0depends=([\w,-]*)\0")  # in a module, before the names of the modules that it needs
MEGABYTES = 128  # of a guest in QEMU
MAC_BYTES = 6
ANSWER_SECONDS = 10
PEER = struct.Struct("=iII")  # struct ucred; the process is 0 if it is not of this PID namespace


@dataclass(frozen=True)
class Device:
    """The card's network device: its address, its number of virtqueue pairs, and the process in which the card runs, if known."""

    mac: str
    pairs: int = 1
    process: int | None = None


class Way(ABC):
    """How a guest runs. packages: of Debian, that it needs. modules: of its kernel, that drive the card. before: commands of its first program
    that make it work, and its output."""

    name: str
    packages: tuple[str, ...]
    modules: tuple[str, ...]
    before: str

    def missing(self) -> GirihError | None:
        """The required packages that are not installed."""
        missing = [program for program in (*self.programs, BUSYBOX) if shutil.which(program) is None]
        remedy = f"Run as root: apt-get install --no-install-recommends {' '.join(self.packages)}"
        return GirihError(f"{' and '.join(missing)} must be installed for a guest", self.name, remedy) if missing else None

    def why_not(self) -> GirihError | None:
        """Other reasons why such guests cannot run on this machine."""
        return None

    @property
    @abstractmethod
    def programs(self) -> tuple[str, ...]:
        """The packages with the programs that run it."""

    @abstractmethod
    def modules_folder(self) -> Path:
        """The modules of its kernel. Raises GirihError."""

    def loaded(self) -> list[Path]:
        """The files of the modules and of those that they need, in the order in which they are loaded. Raises GirihError."""
        folder, found = self.modules_folder(), []

        def add(name: str) -> None:
            file = _one(folder, f"**/{name}.ko")
            needed = DEPENDS.search(file.read_bytes())
            for other in (needed[1].decode() if needed else "").split(","):
                if other:
                    add(other)
            if file not in found:
                found.append(file)

        for name in self.modules:
            add(name)
        return found

    @abstractmethod
    def command(self, root: Path, at: Path, device: Device | None) -> list[str]:
        """Boots the guest of a root folder, with the network device at the vhost-user socket `at`. device: None: the card
        at the socket is asked."""


class UserModeLinux(Way):
    """A kernel that runs as a process, with files of this machine as its own."""

    name = "uml"
    packages = GUEST_IN_UML
    modules: tuple[str, ...] = ("virtio_net",)
    # In one boot of some hundred the first program cannot fork, which ends its shell. Started again, it can.
    before = """[ "$1" = xxxxx ] || trap 'exec "$0" x$1' EXIT\n( : )\ntrap - EXIT"""
    programs = ("linux.uml",)
    folder = Path("/usr/lib/uml/modules")
    # Up to this version the kernel has a fixed area for the registers of a process, too small for those of AMX: its first process then dies,
    # unless card/guest/uml_registers.c is preloaded.
    without_amx = (6, 12)

    def needs_help(self) -> bool:
        """Whether this processor's registers do not fit into the kernel's area."""
        if not re.search(r"^flags.*\bamx_tile\b", CPU.read_text(), re.MULTILINE):
            return False
        kernel = next(iter(sorted(self.folder.glob("*"))), None)
        version = tuple(int(part) for part in re.findall(r"\d+", kernel.name)[:2]) if kernel else ()
        return version <= self.without_amx

    def why_not(self) -> GirihError | None:
        if not self.needs_help() or shutil.which(COMPILER):
            return None
        what = "the kernel of User-Mode Linux has no place for the registers of this processor, which has AMX, and what helps it must be compiled"
        return GirihError(what, self.name, f"Run as root: apt-get install {COMPILER}; or run the guest in QEMU: --with qemu")

    @staticmethod
    def helper() -> Path:
        """A library to preload for a kernel that needs it; compiled if it is missing. Raises GirihError."""
        library = BUILD / "guest" / f"uml_registers-{contents([HELPER])}.so"
        if not library.exists():
            library.parent.mkdir(parents=True, exist_ok=True)
            made = library.with_suffix(f".{os.getpid()}")
            run([COMPILER, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(made), str(HELPER), "-ldl"], "the compiler on what helps User-Mode Linux")
            made.replace(library)
        return library

    def modules_folder(self) -> Path:
        return _one(self.folder, "*/kernel")

    def command(self, root: Path, at: Path, device: Device | None) -> list[str]:
        return self.boot("mem=64M", f"hostfs={root}", "rw", "init=/init", f"virtio_uml.device={at}:1", "con0=fd:0,fd:1", "con1=fd:0,fd:1")

    def boot(self, *options: str) -> list[str]:
        """Boots the kernel with a folder of this machine as its root. options: of the kernel."""
        helped = ["env", f"LD_PRELOAD={self.helper()}"] if self.needs_help() else []
        # Where the addresses of programs are random, one boot in twenty ends because its first program cannot fork.
        return ["setarch", "-R", *helped, "linux.uml", "root=/dev/root", "rootfstype=hostfs", "quiet", "con=null", *options]


class Qemu(Way):
    """A PC, emulated, with its files in memory."""

    name = "qemu"
    packages = GUEST_IN_QEMU
    modules = ("virtio_pci", "virtio_net")
    before = "/bin/busybox mount -t devtmpfs dev /dev\nexec </dev/console >/dev/console 2>&1"
    programs = ("qemu-system-x86_64",)

    def modules_folder(self) -> Path:
        return _one(guest_kernel(), "lib/modules/*/kernel")

    def command(self, root: Path, at: Path, device: Device | None) -> list[str]:
        kernel = _one(guest_kernel(), "boot/vmlinuz-*")
        device = device or asked(at)
        # On a busy machine the timer's first interrupts can come so late that the kernel would give up and end; no_timer_check prevents it.
        # QEMU does not ask the card for its address, and ends if the device has vectors for interrupts.
        card = f"virtio-net-pci,netdev=card,mac={device.mac},mq={'on' if device.pairs > 1 else 'off'},packed=on,vectors=0,romfile="
        return [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "q35,memory-backend=memory", "-accel", "tcg", "-cpu", "max", "-smp", str(device.pairs), "-m", str(MEGABYTES),
            "-object", f"memory-backend-memfd,id=memory,size={MEGABYTES}M,share=on",
            "-kernel", str(kernel), "-initrd", str(_packed(root)), "-append", "console=ttyS0 quiet panic=-1 no_timer_check",
            "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
            "-chardev", f"socket,id=socket,path={str(at).replace(',', ',,')}",
            "-netdev", f"vhost-user,id=card,chardev=socket,queues={device.pairs}", "-device", card,
        ]  # fmt: skip


def _one(folder: Path, pattern: str) -> Path:
    found = next(iter(sorted(folder.glob(pattern))), None)
    if found is None:
        raise GirihError(f"a guest needs {pattern}, which is not there", str(folder), "Remove what is there, and install the guest's kernel again.")
    return found


def _packed(root: Path) -> Path:
    """The root folder as the initial RAM disk of the kernel, in a file beside it."""
    packed = root.with_name(f"{root.name}.cpio")
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with open(packed, "wb") as file:
        subprocess.run([BUSYBOX, "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), stdout=file, stderr=subprocess.DEVNULL, check=True)
    return packed


def asked(path: Path) -> Device:
    """Asks the card at a vhost-user socket for its network device. Raises GirihError."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connected:
            connected.settimeout(ANSWER_SECONDS)
            connected.connect(str(path))
            process, _user, _group = PEER.unpack(connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
            config = _ask(connected, GET_CONFIG, struct.pack("<III", 0, MAC_BYTES, 0) + bytes(MAC_BYTES))
            (pairs,) = struct.unpack("<Q", _ask(connected, GET_QUEUE_NUM, b"", 8))
    except (OSError, struct.error) as error:
        what = getattr(error, "strerror", None) or error
        raise GirihError(f"the card does not answer ({what})", str(path), "It serves one guest at a time: end the other, and try again.") from error
    return Device(config[-MAC_BYTES:].hex(":"), pairs, process or None)


def _ask(connected: socket.socket, request: int, body: bytes, answers: int | None = None) -> bytes:
    """The body of the answer; by default as long as the body of the request."""
    connected.sendall(HEADER.pack(request, VERSION, len(body)) + body)
    return connected.recv(HEADER.size + (len(body) if answers is None else answers), socket.MSG_WAITALL)[HEADER.size :]


WAYS: dict[str, Way] = {way.name: way for way in (UserModeLinux(), Qemu())}


def chosen(name: str | None = None) -> Way:
    """A way by its name; None: the first that can run on this machine. Raises GirihError if it cannot run here, or there is none of that name."""
    if name is None:
        return next(way for way in WAYS.values() if way.why_not() is None)
    if name not in WAYS:
        raise GirihError(f"a guest cannot be run with {name!r}", "--with", f"Choose one of {', '.join(WAYS)}.")
    if error := WAYS[name].why_not():
        raise error
    return WAYS[name]
