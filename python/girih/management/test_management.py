# SPDX-License-Identifier: Apache-2.0
"""The client's side of management: the bytes of a request, the key, and its errors for a card that it cannot trust."""

import hashlib
import socket
import threading

import pytest

from girih.card.registers import Bus, Registers
from girih.errors import GirihError
from girih.management.key import read_key, unlock
from girih.management.network import NetworkBus, entry_of
from girih.management.protocol import REQUEST_BYTES, Entry, Request, nonce_of, opened, sealed

KEY, NONCE = bytes(range(32)), bytes(range(50, 66))


def test_the_bytes_of_a_request_are_those_of_the_page():
    text = sealed(KEY, NONCE, Request(7, "change", (Entry(0x31, 0x1004, 0xDEADBEEF), Entry(2, 8, 1))))
    body = bytes.fromhex("0700000003020000" + "00" * 8 + "04103100efbeadde" + "0800020001000000" + "00" * 48)
    assert text == body + hashlib.sha3_256(KEY + NONCE + body).digest()
    assert opened(text) == Request(7, "change", (Entry(0x31, 0x1004, 0xDEADBEEF), Entry(2, 8, 1)))


@pytest.mark.parametrize("text", ["", "00" * 31, "00" * 33, "no digits", None])
def test_a_key_file_that_holds_no_key(text, tmp_path):
    path = tmp_path / "key"
    if text is not None:
        path.write_text(text)
    with pytest.raises(GirihError, match=r"openssl rand -hex 32"):
        read_key(path)


def test_tenants_are_not_for_the_network():
    assert entry_of(0x00310404, 5) == Entry(0x31, 0x404, 5)
    with pytest.raises(GirihError, match="nobody acts as a tenant"):
        entry_of(0x01310404)


def card_that_says(*texts: bytes) -> tuple[str, int]:
    """A local server in place of a card that sends one message first, and one after each of the client's requests."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        connection, _ = listener.accept()
        with connection, listener:
            for text in texts:
                connection.sendall(text)
                if len(text) == REQUEST_BYTES:
                    connection.recv(4096)

    threading.Thread(target=run, daemon=True).start()
    return listener.getsockname()


def hello(key: bytes = KEY) -> bytes:
    plain = Request(0, "hello").signed()
    signed = plain[:16] + NONCE + plain[32:]
    return signed + hashlib.sha3_256(key + NONCE + signed).digest()


@pytest.mark.parametrize(
    ("says", "complaint"),
    [
        ([hello(bytes(32))], "the answer is not from a card with this key"),
        ([hello()[:50]], "the card has ended the connection"),
        ([hello(), sealed(KEY, bytes(16), Request(1, "confirmation", (Entry(1, 0),)))], "the answer is not from a card with this key"),
        ([hello(), sealed(KEY, NONCE, Request(2, "confirmation", (Entry(1, 0),)))], "the card answered with confirmation 2"),
        ([hello(), sealed(KEY, NONCE, Request(1, "change", (Entry(1, 0),)))], "the card answered with change 1"),
        ([hello(), sealed(KEY, NONCE, Request(1, "confirmation", (Entry(1, 0),), "right"))], "the design does not let the network read address 0x00010000"),
        ([hello(), sealed(KEY, NONCE, Request(1, "confirmation", (), "replay"))], "the card expected another request"),
    ],
)
def test_a_card_that_is_not_to_be_believed(says, complaint):
    assert nonce_of(hello()) == NONCE
    host, port = card_that_says(*says)
    with pytest.raises(GirihError, match=complaint), NetworkBus.connect(host, KEY, port) as bus:
        bus.read32(0x00010000)


def test_nobody_is_there():
    with pytest.raises(GirihError, match="no card answers"):
        NetworkBus.connect("127.0.0.1", KEY, 1)


class Silent(Bus):
    """Nobody needs an answer."""

    def read32(self, address: int) -> int:
        return 0

    def write32(self, address: int, value: int) -> None:
        pass


def test_a_card_without_a_controller_takes_no_key():
    class Bare:
        name, tiles = "bare", ()

    with pytest.raises(GirihError, match="bare: the card has no controller"):
        unlock(Registers(Bare(), Silent()), KEY)
