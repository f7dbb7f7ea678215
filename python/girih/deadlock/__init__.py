# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom: a graph of resources, and the proof that nobody waits for ever.

A *resource* is whatever can be held for a while by one and wanted by another: a buffer, a link with the queue at its
end, a token. Here it is any hashable value that has a text. An *edge* says that whoever holds one resource may have to
wait for another before it lets go. Where the graph has no cycle, resources can be numbered so that each waits for
higher ones only; the highest that is held waits for nothing, is let go, and so are all others in turn: no deadlock
(Dally and Seitz, 1987, for the links of a network). A cycle is a set of resources that can wait for each other for ever.

This package knows nothing of cards. What is held, and what is waited for, is said by `girih.compiler.dependencies`.
"""

from girih.deadlock.graph import Edge, Graph

__all__ = ["Edge", "Graph"]
