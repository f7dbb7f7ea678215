# SPDX-License-Identifier: Apache-2.0
"""The kernel of a guest in QEMU: it is unpacked from a Debian package into build/, so that this machine's own kernels and
boot loader are not changed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from girih.build.generate import alone
from girih.errors import GirihError
from girih.paths import BUILD

PACKAGE = "linux-image-cloud-amd64"  # Debian's smallest with a virtio-net driver; it depends on a package with a version in its name
FOLDER = BUILD / "guest"


def guest_kernel() -> Path:
    """The folder with the package's files, fetched if it is missing. Raises GirihError."""
    folder = FOLDER / "kernel"
    if not folder.exists():
        with alone(FOLDER):
            if not folder.exists():
                _fetch(folder)
    return folder


def _fetch(folder: Path) -> None:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise GirihError("a guest in QEMU needs a kernel of Debian's, and apt-get is not installed", PACKAGE, "Run guests on Debian, or on a system with its packages.")
    with TemporaryDirectory(dir=folder.parent) as name:
        found = re.search(r"Depends: (linux-image-\S+)", _run(["apt-cache", "depends", PACKAGE], name))
        if found is None:
            raise GirihError("apt-cache does not know the kernel of a guest", PACKAGE, "Run as root: apt-get update, and try again.")
        _run(["apt-get", "download", found[1]], name)
        (archive,) = Path(name).glob("*.deb")
        _run(["dpkg-deb", "-x", str(archive), "files"], name)
        (Path(name) / "files").rename(folder)


def _run(command: list[str], folder: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or "no message").rpartition("\n")[2]
        raise GirihError(f"the kernel of a guest cannot be fetched ({last.rstrip('.')})", " ".join(command), "Run as root: apt-get update, and try again.")
    return done.stdout
