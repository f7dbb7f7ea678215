# SPDX-License-Identifier: Apache-2.0
"""The wait-for graph of resources, and the proof that no holder waits for ever.

A *resource* is anything that one holder can keep while another waits for it: a buffer, a link with the queue at its
end, a token. Here it is any hashable value with a text. An *edge* says that the holder of one resource may have to
wait for another before it releases the first. If the graph has no cycle, resources can be numbered so that each waits only for
higher ones; the highest held one waits for nothing and is released, and then all others in turn: no deadlock
(Dally and Seitz, 1987, for the links of a network). A cycle is a set of resources that can wait for each other for ever.

This package knows nothing about cards. `girih.compiler.dependencies` makes the graph of a card.
"""

from girih.deadlock.graph import Edge, Graph

__all__ = ["Edge", "Graph"]
