# SPDX-License-Identifier: Apache-2.0
"""A guest for a card's host tile: a Linux kernel that runs as a process (Debian's user-mode-linux) with its own virtio-net driver,
and a root folder with busybox."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from girih.bootstrap import GUEST
from girih.errors import GirihError

KERNEL, BUSYBOX = "linux.uml", "busybox"
MODULES = Path("/usr/lib/uml/modules")
NEEDED = ("kernel/net/core/failover.ko", "kernel/drivers/net/net_failover.ko", "kernel/drivers/net/virtio_net.ko")  # in this order
CPU = Path("/proc/cpuinfo")
# Up to this version the kernel has a fixed place for the registers of a process, which those of AMX do not fit in: its first process then dies.
WITHOUT_AMX = (6, 12)
REMEDY = f"Run as root: apt-get install --no-install-recommends {' '.join(GUEST)}"

INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sys /sys
echo 3 > /proc/sys/kernel/printk
for module in {modules}; do insmod /lib/$module.ko; done
ip link set lo up
ip link set eth0 up
{script}
poweroff -f
"""
LEASE = """\
#!/bin/busybox sh
[ "$1" = bound ] && ip address add $ip/$mask dev $interface
exit 0
"""


def why_not() -> GirihError | None:
    """What keeps guests from running on this machine; None: nothing."""
    modules = next(iter(sorted(MODULES.glob("*"))), None)
    if shutil.which(KERNEL) is None or shutil.which(BUSYBOX) is None or modules is None:
        return GirihError("the kernel of a guest, or its shell, is not installed", f"{KERNEL}, {BUSYBOX}", REMEDY)
    version = tuple(int(part) for part in re.findall(r"\d+", modules.name)[:2])
    if version <= WITHOUT_AMX and re.search(r"^flags.*\bamx_tile\b", CPU.read_text(), re.MULTILINE):
        what = f"the guest's kernel, {modules.name}, cannot save the registers of this processor, which has AMX"
        return GirihError(what, KERNEL, "Run guests on a processor without AMX.")
    return None


def guest_root(folder: Path, script: str, files: Mapping[str, str] | None = None) -> Path:
    """Makes the root folder of a guest that runs a shell script when its network device is up, and powers off. files: more of them.

    Raises GirihError if the kernel or busybox is not installed, or the kernel does not run on this processor.
    """
    if error := why_not():
        raise error
    busybox, modules = str(shutil.which(BUSYBOX)), min(MODULES.glob("*"))
    for name in ("bin", "lib", "proc", "sys", "dev", "tmp"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(busybox, folder / "bin" / "busybox")
    for module in NEEDED:
        shutil.copy(modules / module, folder / "lib" / Path(module).name)
    for name, text in {"init": INIT.format(script=script, modules=" ".join(Path(module).stem for module in NEEDED)), "lib/lease": LEASE, **(files or {})}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def start_guest(root: Path, device: Path, **options) -> subprocess.Popen:
    """Boots the guest of a root folder with the network device at a vhost-user socket. options: those of Popen."""
    command = [
        KERNEL, "mem=64M", "root=/dev/root", "rootfstype=hostfs", f"hostfs={root}", "rw", "init=/init", "quiet",
        f"virtio_uml.device={device}:1", "con=null", "con0=fd:0,fd:1", "con1=fd:0,fd:1",
    ]  # fmt: skip
    return subprocess.Popen(command, **options)
