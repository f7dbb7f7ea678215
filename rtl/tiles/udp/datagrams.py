# SPDX-License-Identifier: Apache-2.0
"""Datagrams, right and wrong, for the tests of tiles that receive UDP: (message, what `udp_rx` counts, the bytes that it passes on)."""

import random

from scapy.layers.inet import UDP

from girih.testing.engines import frame_of, random_options, random_size, udp
from girih.testing.messages import Message


def message_of(packet, *, tagged=None, bad=False) -> Message:
    frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    desc = {"l3_offset": l3_offset, "l4_offset": l4_offset, "length": len(frame), "port": random.getrandbits(4)}
    return Message(frame, desc, bad=bad)


def payload() -> bytes:
    return random.randbytes(random_size())


def good() -> tuple[Message, str, bytes]:
    message = message_of(udp(payload(), options=random_options()))
    return message, "", message.data


def without_checksum() -> tuple[Message, str, bytes]:
    message = message_of(udp(payload(), options=random_options(), chksum=0))
    return message, "mark_no_checksum", message.data


def with_trailing_bytes() -> tuple[Message, str, bytes]:
    """A datagram that is shorter than its packet: the bytes behind it are removed."""
    message = message_of(udp(payload(), options=random_options()))
    datagram = message.data
    message.data += random.randbytes(random.choice([1, 2, 30, 200]))
    message.desc["length"] = len(message.data)
    return message, "", datagram


def wrong_checksum() -> tuple[Message, str, None]:
    packet = udp(payload(), options=random_options())
    right = UDP(bytes(packet[UDP])).chksum
    message = message_of(packet)
    # A difference of 0xffff would be none in ones' complement, and 0 would mean no checksum.
    wrong = random.choice([x for x in (right ^ 1 << i for i in range(16)) if x not in (0, right ^ 0xFFFF)])
    at = message.desc["l4_offset"] + 6
    message.data = message.data[:at] + wrong.to_bytes(2, "big") + message.data[at + 2 :]
    return message, "drop_checksum", None


def flipped_bit() -> tuple[Message, str, None]:
    """One bit wrong anywhere in the payload or the ports."""
    message = message_of(udp(random.randbytes(random.randint(1, 700)), options=random_options()))
    l4 = message.desc["l4_offset"]
    at = random.choice([*range(l4, l4 + 4), *range(l4 + 8, len(message.data))])
    data = bytearray(message.data)
    data[at] ^= 1 << random.randrange(8)
    message.data = bytes(data)
    return message, "drop_checksum", None


def length_too_small() -> tuple[Message, str, None]:
    return message_of(udp(payload(), options=random_options(), len=random.randint(0, 7))), "drop_length", None


def length_too_large() -> tuple[Message, str, None]:
    body = payload()
    length = random.choice([len(body) + 9, len(body) + 10, 0xFFFF, random.randint(len(body) + 9, 0xFFFF)])
    return message_of(udp(body, options=random_options(), len=length)), "drop_length", None


def ends_within_header() -> tuple[Message, str, None]:
    message = message_of(udp(b"", options=random_options()))
    keep = message.desc["l4_offset"] + random.randint(0, 7)
    message.data, message.desc["length"] = message.data[:keep], keep
    return message, "drop_length", None


def length_unknown() -> tuple[Message, str, None]:
    message, _, _ = good()
    message.desc["length"] = 0
    return message, "drop_length", None


def void() -> tuple[Message, str, None]:
    """Declared void by an earlier tile: truncated anywhere, or whole."""
    message = random.choice([good, without_checksum, with_trailing_bytes])()[0]
    message.bad = True
    if random.random() < 0.7:
        message.data = message.data[: random.randint(1, len(message.data))]
    return message, "drop_aborted", None


CASES = [good, good, without_checksum, with_trailing_bytes, wrong_checksum, flipped_bit, length_too_small,
         length_too_large, ends_within_header, length_unknown, void]  # fmt: skip
