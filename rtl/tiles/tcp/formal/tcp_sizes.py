# SPDX-License-Identifier: Apache-2.0
"""Short sequence numbers, for proofs of arithmetic whose time grows fast with the length of numbers."""

from girih.formal import QUICK_ON_QUEUES
from girih.paths import RTL

# Bits of a sequence number, of its lower part with which numbers within a window are compared, and of a length.
FULL = (32, 18, 14)
SHORT = (9, 7, 5)


def sizes(bits, solver=QUICK_ON_QUEUES):
    """Options of a proof with numbers of these sizes."""
    seq_bits, near_bits, length_bits = bits
    widths = {"length_t": length_bits, "offset_t": 14, "tenant_t": 3}
    return {"streams": True, "solver": solver, "abstraction": [] if bits == FULL else shortened(seq_bits, near_bits), "widths": widths}


def shortened(seq_bits, near_bits):
    """Replacements with which sequence numbers have so many bits, and so many are compared within a window of half of what these count, instead of 32 and 18."""
    names = {"[31]": "[$bits(seq_t)-1]", "[31:17]": "[$bits(seq_t)-1:$bits(near_t)-1]", "[17]": "[$bits(near_t)-1]"}  # of the highest bits
    replaced = [
        ("tcp_types_pkg", "typedef logic [31:0] seq_t;", f"typedef logic [{seq_bits - 1}:0] seq_t;"),
        ("tcp_types_pkg", "typedef logic [17:0] near_t;", f"typedef logic [{near_bits - 1}:0] near_t;"),
    ]
    for module in ("tcp_facts", "tcp_stamps"):
        old = (RTL / "tiles" / "tcp" / f"{module}.sv").read_text()
        new = old
        for bits, name in names.items():
            new = new.replace(bits, name)
        replaced.append((module, old, new))
    return replaced
