# SPDX-License-Identifier: Apache-2.0
"""Network namespaces in which the virtual card's TAP devices live, so that the host's own network is not touched."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from girih import interrupts
from girih.errors import GirihError

NAMESPACES = Path("/run/netns")
_NAME = re.compile(r"girih-(\d+)(-\w+)?")


def need_root() -> None:
    """Raises GirihError with the command to run if this is not root, or the kernel has no TUN."""
    if os.geteuid() != 0:
        command = " ".join(["sudo ./girih", *sys.argv[1:]])
        raise GirihError("a TAP device in a network namespace needs root", "run", f"Run: {command}")
    if not Path("/dev/net/tun").exists():
        raise GirihError("the kernel offers no TAP devices", "/dev/net/tun", "Run as root: modprobe tun")


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        message = (done.stderr or done.stdout).strip()
        raise GirihError(f"the kernel refused ({message})", f"ip {' '.join(arguments)}", "Run it by hand to see why.")


def remove_stale() -> list[str]:
    """Removes the namespaces of processes that no longer exist; returns their names."""
    removed = []
    for path in sorted(NAMESPACES.glob("girih-*")) if NAMESPACES.exists() else []:
        match = _NAME.fullmatch(path.name)
        if match and not Path(f"/proc/{match.group(1)}").exists():
            subprocess.run(["ip", "netns", "delete", path.name], capture_output=True)
            removed.append(path.name)
    return removed


class Namespace:
    """A namespace named after this process, removed when the `with` block ends for whatever reason."""

    def __init__(self, suffix: str = ""):
        self.name = f"girih-{os.getpid()}" + (f"-{suffix}" if suffix else "")

    @property
    def path(self) -> Path:
        """The file to pass to setns."""
        return NAMESPACES / self.name

    def __enter__(self) -> Namespace:
        need_root()
        if shutil.which("ip") is None:
            raise GirihError("the program ip is not installed", "PATH", "Run as root: apt-get install iproute2")
        remove_stale()
        try:
            _ip("netns", "add", self.name)
            _ip("-n", self.name, "link", "set", "lo", "up")
            # Otherwise the kernel sends IPv6 traffic on every device by itself.
            quiet = "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6"
            subprocess.run(self.command(["sh", "-c", quiet]), capture_output=True)
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self.remove()

    def remove(self, *devices: str) -> None:
        """Ends the namespace and the devices in it; those named end even if a program keeps the namespace. A second call does nothing."""
        with interrupts.held_back():
            if self.path.exists():
                for device in devices:
                    subprocess.run(["ip", "-n", self.name, "link", "delete", device], capture_output=True)
                subprocess.run(["ip", "netns", "delete", self.name], capture_output=True)

    def bring_up(self, device: str, address: str, mtu: int = 9000) -> None:
        """Gives a device its address (`10.77.0.1/24`) and MTU and brings it up."""
        _ip("-n", self.name, "link", "set", device, "mtu", str(mtu), "up")
        _ip("-n", self.name, "address", "add", address, "dev", device)

    def add_vlan(self, device: str, vlan: int, address: str) -> str:
        """A VLAN interface on a device; its name."""
        name = f"{device}.{vlan}"
        _ip("-n", self.name, "link", "add", "link", device, "name", name, "type", "vlan", "id", str(vlan))
        _ip("-n", self.name, "link", "set", name, "up")
        _ip("-n", self.name, "address", "add", address, "dev", name)
        return name

    def command(self, command: list[str]) -> list[str]:
        """`command`, to be run inside."""
        return ["ip", "netns", "exec", self.name, *command]

    def popen(self, command: list[str], **options) -> subprocess.Popen:
        """Starts a program inside."""
        return subprocess.Popen(self.command(command), text=True, **options)
