# SPDX-License-Identifier: Apache-2.0
"""Short messages and numbers, for proofs of what reads and writes stream buffers in a memory."""

from girih.formal import QUICK_ON_QUEUES

OPTIONS = {"streams": True, "widths": {"length_t": 6, "offset_t": 14, "tenant_t": 3}, "registers_for_memories": True, "solver": QUICK_ON_QUEUES}

SHORT = [
    ("tcp_types_pkg", "typedef logic [31:0] seq_t;", "typedef logic [5:0] seq_t;"),
    ("tcp_types_pkg", "typedef logic [15:0] connection_t;", "typedef logic connection_t;"),
    ("stream_access_pkg", "typedef logic [3:0] generation_t;", "typedef logic [1:0] generation_t;"),
]


def sizes(flit_bytes, message_flits):
    """Replacements with which flits have so many bytes, instead of two, and the longest messages so many flits."""
    wide = [] if flit_bytes == 2 else [("girih_pkg", "W = 16;", f"W = {8 * flit_bytes};")]
    return [*SHORT, *wide, ("girih_pkg", "MaxFrameBytes = 9018;", f"MaxFrameBytes = {message_flits * flit_bytes};")]
