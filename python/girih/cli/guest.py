# SPDX-License-Identifier: Apache-2.0
"""`girih guest`: a Linux kernel behind the host tile of a running card."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from girih.bootstrap import ensure
from girih.card.guest import guest_root, start_guest, status, terminal_kept, wait_for
from girih.card.guest_ways import WAYS, asked, chosen
from girih.errors import GirihError


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih guest /tmp/nic.sock --run 'ping -c 3 10.77.0.1'")
    def guest(
        socket: Annotated[Path, typer.Argument(help="The socket of ./girih run --vhost-user.")],
        address: Annotated[str, typer.Option(metavar="ADDRESS/PREFIX", help="The guest's address.")] = "10.77.0.2/24",
        run: Annotated[str, typer.Option(help="A command of the guest's shell; without it, a shell.")] = "sh",
        way: Annotated[str | None, typer.Option("--with", metavar="|".join(WAYS), help="User-Mode Linux, a kernel as a process; or QEMU, a PC that is emulated. The default is the first that can run here.")] = None,
    ) -> None:
        """Boots a Linux kernel whose network device is the card; it ends when its command does, or the card."""
        if not socket.is_socket():
            raise GirihError("the socket does not exist", str(socket), f"Start the card first: ./girih run designs/nic.yaml --tap --vhost-user {socket}")
        how = chosen(way)
        ensure(packages=how.packages)
        device = asked(socket)  # else the kernel would wait without a word for a card that serves another guest
        with TemporaryDirectory() as folder, terminal_kept():
            root = guest_root(Path(folder) / "root", f"ip address add {address} dev eth0\n{run}", way=how)
            process = start_guest(root, socket.absolute(), how, device)
            wait_for(process, device)
            raise typer.Exit(status(root, process))
