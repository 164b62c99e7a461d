"""Loops that read entries which they wrote before, and may or may not write the next.

    u = np.cos(0.4 * np.arange(n + 3)) + 0.3
    s = 0.0
    for j in range(1, n + 2):
        v = np.tanh(u[j - 1]) * 0.8
        if v > 0.4:
            u[j] = v
        s += v * v

Which values an array still has in the end, which are overwritten, and which were never stored is
what decides what a gradient saves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from random_programs.tree import Node

if TYPE_CHECKING:
    from random_programs.generator import Generator

# All offsets from -1 to 1 stay inside.
RANGES = ("range(1, n + 2)", "range(1, n + 2)", "range(n + 1, 0, -1)", "range(1, n + 2, 2)")


def recurrence(g: Generator) -> list[Node]:
    """A loop over an array of its own, of numbers or of rows."""
    return _of_rows(g) if g.rng.random() < 0.3 else _of_numbers(g)


def _of_numbers(g: Generator) -> list[Node]:
    u, v, s, j = (g.name(stem) for stem in "uvsj")
    start = [
        Node(f"{u} = np.cos({g.write.number()} * np.arange(n + 3)) + 0.3 * {g.write.of((), 1)}"),
        Node(f"{s} = 0.0"),
    ]
    body = [Node(f"{v} = {_read(g, u, j)}")]
    for _ in range(g.rng.randint(1, 4)):
        body += g.rng.choice(STATEMENTS)(g, u, v, s, j)
    if not any(u in node.line.split("=")[0] for node in _inside(body)):
        body += _store(g, u, v, s, j)
    loop = Node(f"for {j} in {g.rng.choice(RANGES)}:", body)
    if g.rng.random() < 0.2:
        loop = Node(f"for _ in range({g.rng.choice(['2', 'm'])}):", [loop])
    g.write.names[s] = ()
    return [*start, loop, Node(f"{s} = np.tanh({s}) + np.sum({u} * {u}) * 0.3")]


def _inside(nodes: list[Node]) -> list[Node]:
    return [each for node in nodes for each in (node, *_inside(node.body))]


def _place(g: Generator, u: str, j: str) -> str:
    return g.rng.choice(
        [f"{u}[{j}]", f"{u}[{j}]", f"{u}[{j} - 1]", f"{u}[{j} + 1]", f"{u}[0]", f"{u}[-1]",
         f"{u}[n + 2 - {j}]", f"{u}[{j} // 2]"]
    )  # fmt: skip


def _read(g: Generator, u: str, j: str) -> str:
    x = _place(g, u, j)
    y = _place(g, u, j)
    return g.rng.choice(
        [f"np.tanh({x}) * 0.8", f"np.sin({x})", f"{x}", f"0.5 * {x} * {y}", f"np.sin({x} + {y})",
         f"0.3 * np.sum({u}[:{j}])"]
    )  # fmt: skip


def _store(g: Generator, u: str, v: str, _s: str, j: str) -> list[Node]:
    at = _place(g, u, j)
    return [
        Node(g.rng.choice([f"{at} = {v}", f"{at} = {v}", f"{at} += 0.2 * {v}", f"{at} *= 0.9"]))
    ]


def _told(g: Generator, u: str, v: str, s: str, j: str) -> list[Node]:
    test = g.rng.choice([f"{v} > 0.3", f"{j} % 2 == 0", f"{j} > 2", "flag", f"{v} < {s}"])
    nodes = [Node(f"if {test}:", _store(g, u, v, s, j))]
    if g.rng.random() < 0.4:
        nodes.append(Node("else:", _store(g, u, v, s, j)))
    return nodes


def _left(g: Generator, _u: str, v: str, s: str, j: str) -> list[Node]:
    test = g.rng.choice([f"{v} > 0.6", f"{j} == 3", f"{v} * {v} < 0.02"])
    way = g.rng.choice(["continue", "continue", "break"])
    return [Node(f"{s} += 0.5 * {v}"), Node(f"if {test}:", [Node(way)])]


def _inner(g: Generator, u: str, v: str, s: str, j: str) -> list[Node]:
    k = g.name("k")
    stops = g.rng.choice([f"{j} % 2", f"1, {j}", "2", f"{j}, n + 2", "m"])
    lines = [f"{v} = 0.9 * {v} + 0.1 * {u}[{k}]", f"{u}[{j}] = {v}", f"{u}[{k}] = 0.8 * {v}",
             f"{u}[{j}] += 0.1 * {u}[{k}]", f"{s} += {u}[{k}] * {v}"]  # fmt: skip
    chosen = [Node(line) for line in g.rng.sample(lines, g.rng.randint(1, 2))]
    return [Node(f"for {k} in range({stops}):", chosen)]


def _used(g: Generator, _u: str, v: str, s: str, _j: str) -> list[Node]:
    return [
        Node(g.rng.choice([f"{s} += {v} * {v}", f"{v} = np.sin({v})", f"{s} = 0.7 * {s} + {v}"]))
    ]


STATEMENTS = (_store, _store, _told, _told, _used, _used, _left, _inner)


def _of_rows(g: Generator) -> list[Node]:
    u, v, s, j, k = (g.name(stem) for stem in "uvsjk")
    start = [
        Node(f"{u} = np.cos({g.write.number()} * np.arange(n * m + 3 * m)).reshape(n + 3, m)"),
        Node(f"{u} *= 0.5 + 0.2 * {g.write.of((), 1)}"),
        Node(f"{s} = 0.0"),
    ]
    forms = [
        [Node(f"{u}[{j}] = {v}")],
        [Node(f"if np.sum({v}) > 0.2:", [Node(f"{u}[{j}] = {v}")])],
        [Node(f"{u}[{j}, 1:] = {v}[:-1]")],
        [Node(f"for {k} in range(m):", [Node(f"{u}[{j}, {k}] = {v}[{k}] * {u}[{j} - 1, {k}]")])],
        [Node(f"for {k} in range(m):",
              [Node(f"if {v}[{k}] > 0.1:", [Node(f"{u}[{j}, {k}] = {v}[{k}]")])])],
        [Node(f"for {k} in range(1, m):", [Node(f"{u}[{j}, {k}] += 0.4 * {u}[{j}, {k} - 1]")])],
        [Node(f"{s} += np.sum({v} * {v})")],
        [Node(f"if np.max({v}) > 0.5:", [Node("continue")])],
        [Node(f"{u}[{j} + 1] -= 0.3 * {v}")],
    ]  # fmt: skip
    row = g.rng.choice([f"np.tanh({u}[{j} - 1])", f"np.sin({u}[{j} + 1])", f"{u}[{j}] * {u}[0]"])
    body = [Node(f"{v} = {row}")]
    for nodes in g.rng.sample(forms, g.rng.randint(1, 3)):
        body += nodes
    g.write.names[s] = ()
    loop = Node(f"for {j} in {g.rng.choice(RANGES)}:", body)
    return [*start, loop, Node(f"{s} = np.tanh({s}) + np.sum({u} * {u}) * 0.3")]
