# SPDX-License-Identifier: Apache-2.0
"""Fabrics by their shape: where tiles can be, which links there are, and the way a message takes.

This repeats in a few lines what `rtl/fabric` does in hardware, for everything that must know it in advance:
the compiler's places and node numbers, the analysis of deadlock, the names of counters, the drawing.
"""

from girih.topology.base import IN, OUT, Channel, Place, Topology, between
from girih.topology.butterfly import Butterfly
from girih.topology.crossbar import Crossbar
from girih.topology.mesh import Mesh

__all__ = ["IN", "OUT", "Butterfly", "Channel", "Crossbar", "Mesh", "Place", "Topology", "between"]
