# SPDX-License-Identifier: Apache-2.0
"""The results that the programs `aes` and `sha1` must give, by independent libraries: cryptography and hashlib."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

KEY, SALT = bytes(range(32)), bytes(4)  # the defaults of firmware/programs/aes.c
VECTOR, DIGEST = 8, 20  # bytes


def aes(payload: bytes, key: bytes = KEY, salt: bytes = SALT) -> bytes:
    """AES-256 in counter mode of the bytes after the initialization vector, with the counter of RFC 3686."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    vector, text = payload[:VECTOR], payload[VECTOR:]
    return vector + Cipher(algorithms.AES(key), modes.CTR(salt + vector + (1).to_bytes(4, "big"))).encryptor().update(text)


def sha1(payload: bytes) -> bytes:
    """The payload, with the digest of the preceding bytes in its last ones."""
    return payload[:-DIGEST] + hashlib.sha1(payload[:-DIGEST]).digest()


JUDGES: dict[str, Callable[[bytes], bytes]] = {"aes": aes, "sha1": sha1}
