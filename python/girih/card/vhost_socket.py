# SPDX-License-Identifier: Apache-2.0
"""The messages of vhost-user on their socket. Nothing here waits for the other program, which may be slow, or hostile."""

from __future__ import annotations

import array
import os
import select
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from girih.card.listening import listening

HEADER = struct.Struct("<III")  # request, flags, size
VERSION, VERSION_MASK, REPLY, NEED_REPLY = 1, 3, 4, 8
MOST_BYTES, MOST_DESCRIPTORS = 4096, 8
DESCRIPTOR_BYTES = array.array("i").itemsize


class ProtocolError(Exception):
    """A request of the other side that cannot be served."""


class Message(NamedTuple):
    request: int
    body: bytes
    needs_reply: bool


class Connection:
    """Messages from and to one program."""

    def __init__(self, connected: socket.socket):
        self._socket = connected
        self._socket.setblocking(False)
        self._inbox = bytearray()  # the part of a message that has arrived
        self.descriptors: list[int] = []
        """The file descriptors that came with the message; whoever keeps one removes it."""

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> Message | None:
        """The next message; None if it is not complete yet. Raises ProtocolError, and EOFError at the end of the connection."""
        while True:
            wanted = HEADER.size
            if len(self._inbox) >= HEADER.size:
                request, flags, size = HEADER.unpack_from(self._inbox)
                if flags & VERSION_MASK != VERSION or size > MOST_BYTES:
                    raise ProtocolError(f"a message of version {flags & VERSION_MASK} and {size} bytes")
                wanted += size
                if len(self._inbox) == wanted:
                    body = bytes(self._inbox[HEADER.size :])
                    self._inbox.clear()
                    return Message(request, body, bool(flags & NEED_REPLY))
            try:
                self._receive(wanted - len(self._inbox))
            except BlockingIOError:
                return None

    def _receive(self, size: int) -> None:
        part, ancillary, flags, _address = self._socket.recvmsg(size, socket.CMSG_SPACE(MOST_DESCRIPTORS * DESCRIPTOR_BYTES))
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self.descriptors += array.array("i", content[: len(content) - len(content) % DESCRIPTOR_BYTES])
        if flags & socket.MSG_CTRUNC or len(self.descriptors) > MOST_DESCRIPTORS:
            raise ProtocolError(f"more than {MOST_DESCRIPTORS} descriptors come with a message")
        if not part:
            raise ProtocolError("its last message is cut off") if self._inbox else EOFError
        self._inbox += part

    def reply(self, message: Message, body: bytes) -> None:
        """Answers a message. Raises ProtocolError."""
        try:
            self._socket.sendall(HEADER.pack(message.request, VERSION | REPLY, len(body)) + body)
        except BlockingIOError as error:
            raise ProtocolError("it does not read its answers") from error

    def forget_descriptors(self) -> None:
        """Closes the descriptors that nobody has taken."""
        closed(*self.descriptors)
        self.descriptors.clear()

    def close(self) -> None:
        self.forget_descriptors()
        self._socket.close()


def closed(*descriptors: int | None) -> None:
    """Closes the descriptors given."""
    for descriptor in descriptors:
        if descriptor is not None:
            os.close(descriptor)


def ring(descriptor: int) -> None:
    """Adds one to an eventfd of another program, unless that would wait. Raises OSError."""
    if select.select([], [descriptor], [], 0)[1]:
        os.write(descriptor, struct.pack("=Q", 1))


def notify(descriptor: int, request: int) -> None:
    """Sends a message without a body on a socket of another program, unless that would wait. Raises OSError."""
    with socket.fromfd(descriptor, socket.AF_UNIX, socket.SOCK_STREAM) as channel, suppress(BlockingIOError):
        channel.send(HEADER.pack(request, VERSION, 0), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


def listener(path: Path) -> socket.socket:
    """A socket that listens at a path. Replaces one that another program has left there. Raises OSError."""
    if path.is_socket() and not _is_served(path):
        path.unlink()
    return listening(path, most=1)


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        except BlockingIOError:  # the queue of connections is full
            pass
        return True
