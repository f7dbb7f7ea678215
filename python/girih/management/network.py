# SPDX-License-Identifier: Apache-2.0
"""A card over the network: registers through its controller, by TCP.

    with NetworkBus.connect("10.77.0.2", key) as bus:
        registers = Registers(manifest, bus)
        registers.write("balancer.by_flow", 1)
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable, Sequence

from girih.card.registers import AccessRefused, Bus
from girih.errors import GirihError
from girih.management.protocol import (
    MOST_ENTRIES,
    NONCE_BYTES,
    REQUEST_BYTES,
    SIGNED_BYTES,
    Entry,
    Request,
    chunks,
    mac,
    nonce_of,
    opened,
    sealed,
)
from girih.spec.kinds import TILE_BYTES

PORT = 9077
TIMEOUT_SECONDS = 30.0
OFFSET_BITS, NODE_BITS = TILE_BYTES.bit_length() - 1, 8
SENTENCES = {
    "mac": "the card does not accept the key",
    "replay": "the card expected another request",
    "truncated": "the card got only a part of the request",
    "excess": "the card got more than a request",
    "malformed": "the card does not know such a request",
    "right": "the design does not let the network {do} {what}",
    "access": "the card refused to {do} {what}",
    "node": "the card has no tile for {what}",
    "torn": "the card refused to {do} {what}, and what was there before could not be put back",
}
REMEDIES = {
    "mac": "Give the card's key with --key.",
    "right": "In the design file, name the tile under `{do}` of the controller's `control`, or do it at the card's control socket.",
    "torn": "Read what is there now, and write it again.",
}


class Refused(AccessRefused):
    """The controller refused a request. status: the reason, by name; index: the access that failed."""

    def __init__(self, what: str, where: str, status: str, index: int, remedy: str | None = None):
        super().__init__(what, where, remedy)
        self.status, self.index = status, index


def entry_of(address: int, data: int = 0) -> Entry:
    """The access to a byte address of the card."""
    if address >> OFFSET_BITS + NODE_BITS:
        raise GirihError("over the network nobody acts as a tenant", f"address {address:#010x}", "The design says for whom the controller acts: tenant in its control.")
    return Entry(address >> OFFSET_BITS, address & (1 << OFFSET_BITS) - 1, data)


def _ended(where: str) -> GirihError:
    return GirihError("the card has ended the connection", where, "It has no key (./girih run --key FILE), or others have all its places: try again.")


def _plain_name(address: int) -> str:
    return f"address {address:#010x}"


class NetworkBus(Bus):
    """One connection to a card's controller. Raises Refused if the card refuses an access, GirihError if it cannot be reached.

    name_of: names an address in errors; set by whoever knows the card's registers.
    """

    def __init__(self, connection: socket.socket, key: bytes, where: str):
        self._socket, self._key, self.where = connection, key, where
        self.name_of: Callable[[int], str] = _plain_name
        self._number = 0
        self.cycle = 0  # of the card, when it executed the latest request
        hello = self._receive()
        self._nonce = nonce_of(hello)
        self._check(hello, "hello", 0)

    @classmethod
    def connect(cls, host: str, key: bytes, port: int = PORT) -> NetworkBus:
        """Connects to the controller of the card at `host`."""
        where = f"{host}:{port}"
        try:
            connection = socket.create_connection((host, port), TIMEOUT_SECONDS)
        except ConnectionResetError as error:
            raise _ended(where) from error
        except OSError as error:
            raise GirihError(f"no card answers ({error})", where, "Is it running, and does this machine reach it? Try ping.") from error
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            return cls(connection, key, where)
        except BaseException:
            connection.close()
            raise

    def __enter__(self) -> NetworkBus:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the card keeps running."""
        self._socket.close()

    def read32(self, address: int) -> int:
        return self.read_many([address])[0]

    def write32(self, address: int, value: int) -> None:
        self.change([(address, value)])

    def read_many(self, addresses: Sequence[int]) -> list[int]:
        """The words at these addresses, in order, as many in a request as it has entries."""
        found = []
        for group in chunks([entry_of(address) for address in addresses]):
            found += [entry.data for entry in self._ask("read", group).entries]
        return found

    def change(self, writes: Sequence[tuple[int, int]]) -> None:
        """Writes words in order, as one atomic change of at most as many words as a request has entries."""
        groups = chunks([entry_of(address, value) for address, value in writes])
        if len(groups) != 1:
            raise GirihError(f"a change of {len(writes)} words cannot be done whole", self.where, f"Write 1 to {MOST_ENTRIES} words at a time.")
        self._ask("change", groups[0])

    def _ask(self, kind: str, entries: tuple[Entry, ...]) -> Request:
        self._number += 1
        try:
            self._socket.sendall(sealed(self._key, self._nonce, Request(self._number, kind, entries)))
        except OSError as error:
            raise GirihError(f"the card does not answer ({error})", self.where, "Is it still running? Whether the request was done is not known.") from error
        answer = self._check(self._receive(), "confirmation", self._number)
        if answer.status != "done":
            entry = entries[answer.index] if answer.index < len(entries) else entries[0]
            do = "read" if kind == "read" else "write"
            words = SENTENCES.get(answer.status, "the card refused the request").format(do=do, what=self.name_of(entry.node << OFFSET_BITS | entry.offset))
            remedy = REMEDIES.get(answer.status)
            raise Refused(words, self.where, answer.status, answer.index, remedy and remedy.format(do=do))
        return answer

    def _check(self, text: bytes, kind: str, number: int) -> Request:
        """The card's words, if they are the card's, and the next."""
        answer = opened(text)
        if not hmac.compare_digest(text[SIGNED_BYTES:], mac(self._key, self._nonce, text[:SIGNED_BYTES])) or len(self._nonce) != NONCE_BYTES:
            raise GirihError("the answer is not from a card with this key", self.where, "Give the card's key with --key.")
        if (answer.kind, answer.number) != (kind, number):
            raise GirihError(f"the card answered with {answer.kind} {answer.number}, expected {kind} {number}", self.where, "Connect again.")
        self.cycle = answer.cycle
        return answer

    def _receive(self) -> bytes:
        text = b""
        while len(text) < REQUEST_BYTES:
            try:
                part = self._socket.recv(REQUEST_BYTES - len(text))
            except ConnectionResetError as error:
                raise _ended(self.where) from error
            except OSError as error:
                raise GirihError(f"the card does not answer ({error})", self.where, "Is it still running? Whether the request was done is not known.") from error
            if not part:
                raise _ended(self.where)
            text += part
        return text
