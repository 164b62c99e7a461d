"""Minimum cut: the cheapest values from which others can be computed.

    u --> a --> s        wanted: s, t; the cheapest is u, if a, s and t together cost more than u
      \\-> t

Each value is an edge of its cost between two nodes of a network, and what needs it is beyond; a
largest flow fills the edges of a smallest cut (Ford and Fulkerson 1956). Of several the one next to
what is wanted is taken: the least is computed again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from srcad.ir.nodes import Value

Node = tuple[Value | None, bool]  # a value before and after its edge; the source and the sink
_SOURCE: Node = (None, False)
_SINK: Node = (None, True)
_MUCH = 1 << 40


def smallest_cut(
    wanted: Sequence[Value],
    needs: Mapping[Value, Sequence[Value] | None],
    costs: Mapping[Value, int],
) -> set[Value] | None:
    """The cheapest set of values that all ways to `wanted` lead through.

    Args:
        needs: of the values that can be computed, what they are computed from; None for those that
            cannot, after all.

    Returns:
        None where nothing is wanted.
    """
    if not wanted:
        return None
    network = _network(wanted, needs, costs)
    while path := _path(network):
        flow = min(network[a][b] for a, b in path)
        for a, b in path:
            network[a][b] -= flow
            network[b][a] = network[b].get(a, 0) + flow
    beyond = _reaching_sink(network)
    values = {value for value, _ in network if value is not None}
    return {v for v in values if (v, True) in beyond and (v, False) not in beyond}


def _network(
    wanted: Sequence[Value],
    needs: Mapping[Value, Sequence[Value] | None],
    costs: Mapping[Value, int],
) -> dict[Node, dict[Node, int]]:
    network: dict[Node, dict[Node, int]] = {_SOURCE: {}, _SINK: {}}
    open_values = [*wanted]
    while open_values:
        value = open_values.pop()
        if (value, False) in network:
            continue
        network[value, False] = {(value, True): costs[value]}
        network[value, True] = {}
        sources = needs.get(value)
        if sources is None:
            network[_SOURCE][value, False] = _MUCH
            continue
        open_values += sources
        for source in sources:
            network.setdefault((source, True), {})
    for node, is_after in [*network]:
        for source in needs.get(node) or () if node is not None and not is_after else ():
            network[source, True][node, False] = _MUCH
    for value in wanted:
        network[value, True][_SINK] = _MUCH
    return network


def _path(network: dict[Node, dict[Node, int]]) -> list[tuple[Node, Node]]:
    """A way on which more can flow, a shortest one; empty if there is none."""
    came: dict[Node, Node] = {}
    queue = deque([_SOURCE])
    while queue:
        node = queue.popleft()
        for after, room in network[node].items():
            if room > 0 and after not in came and after != _SOURCE:
                came[after] = node
                queue.append(after)
    found: list[tuple[Node, Node]] = []
    node = _SINK
    while node in came:
        found.append((came[node], node))
        node = came[node]
    return found


def _reaching_sink(network: dict[Node, dict[Node, int]]) -> set[Node]:
    """The nodes from which more could flow to the sink."""
    before: dict[Node, list[Node]] = {}
    for node, edges in network.items():
        for after, room in edges.items():
            if room > 0:
                before.setdefault(after, []).append(node)
    found, queue = {_SINK}, [_SINK]
    while queue:
        for node in before.get(queue.pop(), ()):
            if node not in found:
                found.add(node)
                queue.append(node)
    return found
