# SPDX-License-Identifier: Apache-2.0
"""Common parts of the experiments on designs/panic_core.yaml: its packets, what its core makes of them, and the core's clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from girih.card import VirtualCard
    from girih.card.virtual import CardFrame

SIZE = 1500  # bytes of a packet
TILE, PORT = "core", 1001  # the UDP port whose packets visit the core
WATCHDOG = 1_000_000  # cycles; AES takes longer than the default for a packet
STEP = 100  # cycles between two looks at the output
MODULE = "core_complex"  # whose clock all of the card has


HEADERS = 42  # Ethernet, IPv4 and UDP


def frame(number: int, payload: bytes | None = None, *, mac: str = "02:00:00:00:00:01", address: str = "10.0.0.2") -> bytes:
    """A packet to the core. payload: of UDP, SIZE - HEADERS bytes; the default is zeros, and the number in its last bytes. mac, address: of the card, if it has them."""
    import socket
    import struct

    udp = struct.pack(">HHHH", 5000, PORT, SIZE - 34, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, SIZE - 14, 0, 0, 64, 17, 0, socket.inet_aton("10.0.0.1"), socket.inet_aton(address))
    total = sum(struct.unpack(">10H", ip))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", total ^ 0xFFFF) + ip[12:]
    head = bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("020000000002") + b"\x08\x00" + ip + udp
    return head + (bytes(SIZE - HEADERS - 4) + struct.pack(">I", number) if payload is None else payload)


def programmed(
    card: VirtualCard,
    program: str,
    payloads: Sequence[bytes],
    *,
    tile: str = TILE,
    port: int = 1,
    window: int = 2,
    quiet: int = 400_000,
    defines: tuple[str, ...] = (),
    **addresses: str,
) -> list[CardFrame]:
    """The answers of an example program to packets with these payloads, as they come: those of one core are in order. tile, port: its tile, and where answers
    leave. window: packets in the card at a time; quiet: cycles, longer than the program takes to start, or for a packet. addresses: as `frame` takes them. Raises
    GirihError unless each packet is answered."""
    from girih.errors import GirihError
    from girih.firmware.compile import FIRMWARE
    from girih.firmware.load import load_program

    card.registers.write(f"{tile}.watchdog", WATCHDOG)
    load_program(card.registers, tile, FIRMWARE / "programs" / f"{program}.c", defines)
    out: list[CardFrame] = []
    sent, since = 0, card.cycle
    while len(out) < len(payloads) and card.cycle < since + quiet:
        for number in range(sent, min(len(payloads), len(out) + window)):
            card.inject(0, frame(number, payloads[number], **addresses))
        sent = max(sent, min(len(payloads), len(out) + window))
        card.run(STEP)
        if came := card.collect(port):
            out, since = out + came, card.cycle
    card.check_conservation(quiet)
    if len(out) != len(payloads):
        raise GirihError(f"{len(out)} packets of {len(payloads)} came", program, "This is a fault of the card.")
    return out


def clock_mhz() -> float:
    """The estimated clock of the core."""
    from girih.synth.budgets import load_budgets

    return load_budgets("modules")[MODULE].clock_mhz
