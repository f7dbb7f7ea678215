# SPDX-License-Identifier: Apache-2.0
"""What the TCP of Linux makes of the path of `tcp-loss`: a kernel in User-Mode Linux, with NewReno, and netem for the path. The guest's clock is the machine's, so its
path has a round trip of 200 ms. A rate in bytes per round trip does not depend on that, as the least time-out is as many round trips in both."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence

from girih.build.generate import write_if_changed
from girih.card.guest_ways import WAYS, UserModeLinux
from girih.errors import GirihError
from girih.paths import BUILD, ROOT

SECONDS = 240  # far more than it takes
PROGRAMS = ("linux.uml", "busybox", "tc", "ip", "setarch")
GUEST = ROOT / "python" / "girih" / "experiments" / "linux_loss_guest.py"
INIT = """\
#!/bin/sh
{before}
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
for module in drivers/net/veth net/sched/sch_netem; do busybox insmod {modules}/$module.ko; done
/usr/bin/python3 -IB {guest} {warmup} {rounds} '{connections}' 2>&1
busybox poweroff -f
"""


def possible() -> bool:
    """Whether this machine has what it takes."""
    return all(map(shutil.which, PROGRAMS)) and WAYS["uml"].why_not() is None


def linux_goodput(connections: Sequence[tuple[float, bool]], warmup: int, rounds: int) -> list[float]:
    """Bytes per round trip of connections over a path with a share of lost segments, with or without SACK; all at once, so few enough that the guest keeps up. warmup, rounds:
    round trips before the measurement, and of it. Raises GirihError."""
    way = WAYS["uml"]
    assert isinstance(way, UserModeLinux)
    init = BUILD / "guest" / "linux_loss"
    init.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(init, INIT.format(before=way.before, modules=way.modules_folder(), guest=GUEST, warmup=warmup, rounds=rounds, connections=json.dumps(connections)))
    init.chmod(0o755)
    command = way.boot("mem=512M", "hostfs=/", "ro", f"init={init}", "con0=null,fd:1")
    done = subprocess.run(["timeout", "--kill-after=5", str(SECONDS), *command], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("[") and line.endswith("]")]
    if not lines:
        raise GirihError("Linux has not measured its TCP", "linux.uml", f"Its output ends with: {done.stdout.strip()[-300:]}")
    return json.loads(lines[-1])
