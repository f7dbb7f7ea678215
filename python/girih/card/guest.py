# SPDX-License-Identifier: Apache-2.0
"""A guest for a card's host tile: a Linux kernel with its own virtio-net driver, and a root folder with busybox."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import termios
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from girih import interrupts
from girih.card.guest_ways import BUSYBOX, Device, Way, chosen
from girih.errors import GirihError

STDIN = 0
ENDED = "ended"  # the file that a guest writes into its root folder before it powers off
# The device is down before the power is: Linux breaks the virtqueues of devices that it shuts down, and start_xmit() waits for ever in a broken one.
INIT = """\
#!/bin/busybox sh
{before}
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sys /sys
echo 3 > /proc/sys/kernel/printk
for module in {modules}; do insmod /lib/$module.ko; done
ip link set lo up
ip link set eth0 up
{script}
ip link set eth0 down
echo >/{ended}
poweroff -f
"""
LEASE = """\
#!/bin/busybox sh
[ "$1" = bound ] && ip address add $ip/$mask dev $interface
exit 0
"""


def guest_root(folder: Path, script: str, files: Mapping[str, str] | None = None, way: Way | None = None) -> Path:
    """Makes the root folder of a guest that runs a shell script when its network device is up, and powers off. files: further files; `lib/lease`
    gives the device the address that udhcpc has obtained. way: how the guest will run.

    Raises GirihError if a program of it is not installed, or it cannot run on this machine.
    """
    way = way or chosen()
    if error := way.missing() or way.why_not():
        raise error
    modules = way.loaded()
    for name in ("bin", "lib", "proc", "sys", "dev", "tmp"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(str(shutil.which(BUSYBOX)), folder / "bin" / BUSYBOX)
    for module in modules:
        shutil.copy(module, folder / "lib")
    init = INIT.format(before=way.before, ended=ENDED, script=script, modules=" ".join(module.stem for module in modules))
    for name, text in {"init": init, "lib/lease": LEASE, **(files or {})}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def start_guest(root: Path, socket: Path, way: Way | None = None, device: Device | None = None, **options) -> subprocess.Popen:
    """Boots the guest of a root folder with the network device at a vhost-user socket. device: its address and pairs, if known; None: the card is asked.
    options: those of Popen. The guest ends with the thread that has started it, however that ends, but two helpers of User-Mode Linux end only with `wait_for`. Raises
    GirihError."""
    (root / ENDED).unlink(missing_ok=True)
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *(way or chosen()).command(root, socket, device)], start_new_session=True, **options)


@contextmanager
def _end_of(process: int) -> Iterator[int]:
    """A descriptor that can be read when a process has ended. Raises ProcessLookupError if there is none of this number."""
    descriptor = os.pidfd_open(process)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def terminal_kept() -> Iterator[None]:
    """Restores the mode of the terminal of the standard input at the end: a guest sets its own, and one that is killed leaves it so."""
    before = termios.tcgetattr(STDIN) if os.isatty(STDIN) else None
    try:
        yield
    finally:
        if before:
            with suppress(termios.error):  # the terminal is closed
                termios.tcsetattr(STDIN, termios.TCSANOW, before)


def wait_for(guest: subprocess.Popen, device: Device | None = None) -> None:
    """Waits until a guest has ended, or the card of its device. Then, or when this is interrupted, it ends what is left of the guest: the helpers of
    User-Mode Linux would keep its connection, and the card serves one guest at a time. Raises GirihError if the card has ended: the guest's driver would wait for it for ever."""
    processes = [guest.pid, *([device.process] if device and device.process else [])]
    try:
        with ExitStack() as stack:
            ends = [stack.enter_context(_end_of(process)) for process in processes]
            ended, _, _ = select.select(ends, [], [])  # reaps nobody: the number of the guest, by which its helpers are ended, is not given to another process
        gone = ends[0] not in ended
    except ProcessLookupError:
        gone = True
    finally:
        with interrupts.held_back():
            with suppress(ProcessLookupError):
                os.killpg(guest.pid, signal.SIGKILL)
            guest.wait()
    if gone:
        raise GirihError("the card has ended, and its guest with it", "guest", "Start the card again, and then the guest.")


def status(root: Path, guest: subprocess.Popen) -> int:
    """The status of a guest that has ended: 0 if it has powered off. A kernel of User-Mode Linux can still die then, by an interrupt of its timer."""
    return 0 if (root / ENDED).exists() else guest.returncode
