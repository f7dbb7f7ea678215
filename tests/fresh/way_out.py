# SPDX-License-Identifier: Apache-2.0
"""A way out of a network namespace that has no other: an HTTP proxy that listens inside it and connects from outside,
through the proxy of this machine where it has one. Nothing of the machine's network is changed."""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit

CLONE_NEWNET = 0x40000000
OWN_HEADERS = (b"connection:", b"proxy-connection:", b"keep-alive:")


class WayOut:
    """While it lives, programs in the namespace with `variables` in their environment reach what this machine reaches."""

    def __init__(self, namespace: Path):
        self._listener = _in_namespace(namespace, lambda: socket.create_server(("127.0.0.1", 0)))
        address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.variables = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), address)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> WayOut:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(asyncio.start_server(_serve, sock=self._listener), self._loop).result()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._listener.close()


def _in_namespace(namespace: Path, make):
    """What `make` gives in another network namespace. A namespace belongs to a thread, so one is spent on it."""
    made: list = []

    def work() -> None:
        with open(namespace) as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
        made.append(make())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return made[0]


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _version = head.split(b"\r\n", 1)[0].decode("latin-1").split()
        tunnel = method == "CONNECT"
        url = urlsplit(f"//{target}" if tunnel else target)
        beyond = os.environ.get("https_proxy" if tunnel else "http_proxy") or os.environ.get("HTTPS_PROXY" if tunnel else "HTTP_PROXY")
        place = urlsplit(beyond) if beyond else url
        there, out = await asyncio.open_connection(place.hostname, place.port or (443 if tunnel else 80))
        if beyond:
            out.write(head)
        elif tunnel:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            out.write(_direct(head, url._replace(scheme="", netloc="").geturl() or "/"))
        await asyncio.gather(_copy(reader, out), _copy(there, writer))
    except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # the program inside sees that its connection ends, and says so
    finally:
        writer.close()


def _direct(head: bytes, path: str) -> bytes:
    """A request to a proxy as one to the server itself, which is to close the connection after it."""
    first, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, _target, version = first.split()
    kept = [line for line in rest if not line.lower().startswith(OWN_HEADERS)]
    return b"\r\n".join([b" ".join([method, path.encode(), version]), *kept, b"Connection: close", b"", b""])


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.close()
