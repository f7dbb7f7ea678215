# SPDX-License-Identifier: Apache-2.0
"""Common parts of the experiments on designs/panic_core.yaml: its packets, and the clock of its core."""

SIZE = 1500  # bytes of a packet
TILE, PORT = "core", 1001  # of UDP, whose packets visit it
MODULE = "core_complex"  # whose clock all of the card has


def frame(number: int) -> bytes:
    """A packet to the core, with its number in its last bytes."""
    import socket
    import struct

    udp = struct.pack(">HHHH", 5000, PORT, SIZE - 34, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, SIZE - 14, 0, 0, 64, 17, 0, socket.inet_aton("10.0.0.1"), socket.inet_aton("10.0.0.2"))
    total = sum(struct.unpack(">10H", ip))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", total ^ 0xFFFF) + ip[12:]
    head = bytes.fromhex("020000000001020000000002") + b"\x08\x00" + ip + udp
    return head + bytes(SIZE - len(head) - 4) + struct.pack(">I", number)


def clock_mhz() -> float:
    """The clock that is estimated for the core."""
    from girih.synth.budgets import load_budgets

    return 1000 / load_budgets("modules")[MODULE].ns
