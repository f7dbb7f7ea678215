#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of the README in a bare Debian: `bare_root.py [--keep FOLDER] [COMMAND ...]`, as root.

debootstrap makes a root with Debian's smallest set of packages, Python and git. A clean clone of this checkout (what is
committed) is put there, and the commands run in it, in mount, network and process namespaces of their own: what they
install, mount and configure stays there. From outside comes only what says where packages are to be fetched from: the
machine's apt sources, pip configuration, certificates and proxies. Ends with the code of the first command that fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))
from tests.fresh.way_out import WayOut  # noqa: E402

RELEASE = "bookworm"
PACKAGES = "python3,git"
HOME = "/root/girih"
CARRIED = "/opt/machine"  # where files of this machine are in the root: packages that are installed there leave them alone
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO")
PIP_FILES = ("/etc/pip.conf", "/root/.config/pip/pip.conf", "/root/.pip/pip.conf")
MOUNTS = 'mount --bind . . && cd "$PWD" && mount --rbind /dev dev && mount -t proc proc proc && mount -t sysfs sysfs sys && mount -t tmpfs tmpfs run && mount -t tmpfs tmpfs tmp'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="use the root in this folder, made if it is not there, and leave it")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="instead of those of the README, each one a word for the shell")
    options = parser.parse_args()
    need_tools()
    parent = CHECKOUT / "build"
    parent.mkdir(exist_ok=True)
    root = options.keep.resolve() if options.keep else Path(tempfile.mkdtemp(prefix="bare-", dir=parent))
    try:
        if not (root / HOME.lstrip("/")).exists():
            make(root)
        sys.exit(run(root, options.commands or readme_commands()))
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)


def need_tools() -> None:
    """Ends with a sentence when this is not root or a program is missing."""
    missing = [name for name in ("debootstrap", "apt-get", "unshare", "ip", "git") if shutil.which(name) is None]
    if os.geteuid() != 0 or missing:
        what = f"{', '.join(missing)} must be installed" if missing else "namespaces and debootstrap need root"
        sys.exit(f"bare_root: {what}. As root: apt-get install debootstrap util-linux iproute2 git")


def readme_commands() -> list[str]:
    """The commands that the README promises, without their comments."""
    section = re.search(r"^## Two commands$(.*?)^## ", (CHECKOUT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^    (\./girih .*?)\s*(?:#.*)?$", section[1], re.MULTILINE) if section else []
    if len(commands) != 2:
        sys.exit(f"bare_root: README.md has {len(commands)} commands under its heading 'Two commands'. Mend it or this script.")
    return commands


def sources() -> list[tuple[str, str, str]]:
    """Address, suite and component of what this machine's apt is told about the release."""
    line = "$(REPO_URI) $(RELEASE) $(COMPONENT)"
    done = subprocess.run(["apt-get", "indextargets", "--format", line, "Identifier: Packages"], capture_output=True, text=True, check=True)
    words = [text.split() for text in done.stdout.splitlines()]
    found = sorted({(entry[0], entry[1], entry[2]) for entry in words if len(entry) == 3 and re.match(rf"{RELEASE}(-|$)", entry[1])})
    if not any(suite == RELEASE for _address, suite, _component in found):
        sys.exit(f"bare_root: this machine's apt has no source for Debian {RELEASE}. Add one below /etc/apt and run apt-get update.")
    return found


def make(root: Path) -> None:
    """A bare root with a clean clone of what is committed here."""
    entries = sources()
    mirror = next(address for address, suite, _component in entries if suite == RELEASE)
    say(f"making a bare {RELEASE} in {root}")
    log = root.with_suffix(".log")
    with open(log, "w") as output:
        words = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", RELEASE, str(root), mirror]
        if subprocess.run(words, stdout=output, stderr=subprocess.STDOUT).returncode:
            sys.exit(f"bare_root: debootstrap failed; see {log}")
    log.unlink()
    apt = root / "etc" / "apt"
    (apt / "sources.list").write_text("".join(f"deb {' '.join(entry)}\n" for entry in entries))
    (apt / "apt.conf.d" / "99one-request-at-a-time").write_text('Acquire::http::Pipeline-Depth "0";\n')
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(CHECKOUT), str(root / HOME.lstrip("/"))], check=True)


def machine(root: Path) -> dict[str, str]:
    """The variables that say where this machine fetches Python packages from and whom it trusts; the files that they and
    pip's configuration name are copied to the root."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in CERTIFICATES}
    trusted = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.cert"], capture_output=True, text=True).stdout.strip()
    if trusted:
        variables.setdefault("PIP_CERT", trusted)
    for name in set(variables) & set(CERTIFICATES):
        variables[name] = copied(Path(variables[name]), root, CARRIED + variables[name])
    for path in map(Path, PIP_FILES):
        copied(path, root, str(path))
    return variables


def copied(path: Path, root: Path, place: str) -> str:
    """Copies a file or a folder of this machine to a place of the root; the place."""
    target = root / place.lstrip("/")
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True, ignore_dangling_symlinks=True)
    elif path.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return place


def run(root: Path, commands: list[str]) -> int:
    """Runs the commands one after the other until one fails; its exit code, or 0."""
    waiting = subprocess.Popen(  # holds the namespaces until its input ends
        ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", "-c", f"{MOUNTS} && ip link set lo up && echo ready && cat"],
        cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        if waiting.stdout.readline() != "ready\n":
            sys.exit("bare_root: the namespaces could not be made; what the kernel said is above")
        inner = Path(f"/proc/{waiting.pid}/task/{waiting.pid}/children").read_text().split()[0]
        with WayOut(Path(f"/proc/{waiting.pid}/ns/net")) as way_out:
            environment = {**machine(root), **way_out.variables, "HOME": "/root", "LANG": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
            enter = ["nsenter", "--target", inner, "--mount", "--net", "--pid", "env", "-i", *[f"{name}={value}" for name, value in environment.items()]]
            for command in commands:
                start = time.monotonic()
                say(command)
                inside = f"cd {HOME} && exec {command}"
                code = subprocess.run([*enter, "chroot", str(root), "sh", "-c", inside], stdin=subprocess.DEVNULL).returncode
                say(f"{command}: exit code {code} after {time.monotonic() - start:.0f} s")
                if code:
                    return code
        return 0
    finally:
        waiting.stdin.close()
        waiting.wait()


def say(text: str) -> None:
    print(f"bare_root: {text}", flush=True)


if __name__ == "__main__":
    main()
