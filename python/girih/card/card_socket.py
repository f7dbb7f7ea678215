# SPDX-License-Identifier: Apache-2.0
"""One connection of a tile of kind `socket`, as Python has those of the kernel. SocketTile (girih.card.sockets) makes them."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable

from girih.card.socket_window import ABORT, CLOSE, END, UNANSWERED, WRITE, Opened, SocketWindow


def os_error(kind: type[OSError], number: int) -> OSError:
    return kind(number, os.strerror(number))


class CardSocket:
    """One connection. peer, port: the other end, and the local port. sent, received: bytes that the stack has accepted and delivered. Data that comes
    while there is no room to send is kept here until `recv` asks for it. waits: SocketTile.waits. left: called when the stack has been told that it is closed."""

    def __init__(self, window: SocketWindow, waits: Callable[[float | None], Callable[[], None]], opened: Opened, left: Callable[[], None] = lambda: None):
        self.peer, self.port = opened.peer, opened.port
        self.sent = self.received = 0
        self._window, self._waits, self._number, self._left = window, waits, opened.number, left
        self._held = bytearray()
        self._room = 0
        self._end = self._reset = self._silent = self._shut = self._closed = False

    @property
    def state(self) -> str:
        """closed, reset, open, or which of the two ends has sent its last byte: `peer closed`, `shut down`, `both closed`."""
        if self._closed or self._reset:
            return "closed" if self._closed else "reset"
        return {(False, False): "open", (True, False): "peer closed", (False, True): "shut down", (True, True): "both closed"}[self._end, self._shut]

    def _look(self) -> None:
        """Asks the stack for the connection's state."""
        answer = self._window.ask(self._number)
        self._held += answer.data
        self.received += len(answer.data)
        self._room, self._end, self._reset = answer.room, answer.end, answer.reset
        self._silent = answer.reset and answer.room == UNANSWERED

    def _broken(self) -> OSError:
        return os_error(TimeoutError, errno.ETIMEDOUT) if self._silent else os_error(ConnectionResetError, errno.ECONNRESET)

    def recv(self, size: int, timeout: float | None = None) -> bytes:
        """Between one and `size` bytes; none once the peer has closed its direction. Raises ValueError for less than 0 bytes."""
        if size < 0:
            raise ValueError("negative number of bytes to receive")
        if self._closed:
            raise os_error(OSError, errno.EBADF)
        wait = self._waits(timeout)
        while size and not self._held:
            if not self._end:
                self._look()
            if self._held or (self._end and not self._reset):
                break
            if self._reset:
                raise self._broken()
            wait()
        data = bytes(self._held[:size])
        del self._held[:size]
        return data

    def send(self, data: bytes, timeout: float | None = None) -> int:
        """Gives the stack some of the bytes, at least one; returns their number."""
        wait = self._waits(timeout)
        while True:
            if self._closed or self._shut:
                raise os_error(BrokenPipeError, errno.EPIPE)
            if not self._room and not self._reset:
                self._look()
            if self._reset:
                raise self._broken()
            if self._room or not data:
                break
            wait()
        piece = data[: min(self._room, self._window.most)]
        if piece:
            self._window.command(WRITE, self._number, piece)
        self._room -= len(piece)
        self.sent += len(piece)
        return len(piece)

    def sendall(self, data: bytes, timeout: float | None = None) -> None:
        """Gives the stack all bytes; `timeout` is that of each part of them."""
        while data:
            data = data[self.send(data, timeout) :]

    def shutdown(self, how: int = socket.SHUT_WR) -> None:
        """Closes the sending direction; data from the peer can still be received. how: SHUT_WR; a card's stack has no other."""
        if how != socket.SHUT_WR:
            raise os_error(OSError, errno.EOPNOTSUPP)
        if not self._shut and not self._closed:
            self._shut = True
            self._window.command(CLOSE | END, self._number)

    def close(self) -> None:
        """Ends both directions; bytes that the stack already has still go to the peer."""
        self._leave(CLOSE)

    def abort(self) -> None:
        """Breaks the connection, with a reset."""
        self._leave(ABORT)

    def _leave(self, op: int) -> None:
        if not self._closed:
            self._window.command(op, self._number)
            self._closed = True
            self._left()

    def __enter__(self) -> CardSocket:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
