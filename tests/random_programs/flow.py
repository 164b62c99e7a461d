"""Statements that leave loops, raise, match, or keep state in objects, lists and cells.

Each maker takes the generator and the nesting that is left, and returns statements.
"""

# ruff: noqa: E501 - tables of program fragments
from __future__ import annotations

from typing import TYPE_CHECKING

from random_programs.expressions import NUMBER
from random_programs.tree import Node
from random_programs.writes import nested

if TYPE_CHECKING:
    from random_programs.generator import Generator

CLASSES = """
class Record:
    def __init__(self, one, two):
        self.one = one
        self.two = two

class Counter:
    def __init__(self, value, rate=0.5):
        self.value = value
        self.rate = rate
        self.steps = 0

    def step(self, z):
        self.value = np.tanh(self.value * self.rate + z)
        self.steps += 1
        return self.value

    def write(self, z):
        self.value *= self.rate
        self.value += z
"""


def classes() -> list[Node]:
    """The classes whose objects the programs make."""
    return nested([line for line in CLASSES.splitlines() if line])


def left(g: Generator, nesting: int) -> list[Node]:
    """A loop with `break`, `continue` or `return`, and sometimes `else`."""
    before, i = dict(g.write.names), g.name("i")
    carried = g.name("s")
    start = Node(f"{carried} = {g.write.of(NUMBER, 1)}")
    g.write.names[carried] = NUMBER
    inside = g.scoped(g.rng.randint(1, 2), nesting)
    step = Node(f"{carried} = np.sin({carried} + {g.write.of(NUMBER, 1)})")
    way = g.rng.choice(["break", "break", "continue", "return"])
    leave = Node(f"return {g.total()}" if way == "return" else way)
    test = g.rng.choice(
        [g.condition(), f"{carried} > {g.write.number()}", f"{i} >= m", f"{i} == 1 and flag"]
    )
    guard = Node(f"if {test}:", [*(g.scoped(1, 0) if g.rng.random() < 0.4 else []), leave])
    body = [*inside, guard, step]
    if g.rng.random() < 0.3:
        body = [guard, *inside, step]
    if g.rng.random() < 0.2:
        body = [*inside, step, guard]
    if g.rng.random() < 0.25:
        head = [start, Node(f"{i} = 0"), Node("while True:", [
            Node(f"if {i} >= {g.rng.choice(['n', '3', 'm'])}:", [Node("break")]), Node(f"{i} += 1"), *body,
        ])]  # fmt: skip
    elif g.rng.random() < 0.3:
        line = f"while {i} < 4 and {carried} < 2.0:"
        head = [start, Node(f"{i} = 0"), Node(line, [Node(f"{i} += 1"), *body])]
    else:
        stop = g.rng.choice(["n", "m", "3", "1, n", "n, 0, -1", "n - 2"])
        head = [start, Node(f"for {i} in range({stop}):", body)]
    if g.rng.random() < 0.3:
        head.append(Node("else:", [Node(f"{carried} = {g.write.of(NUMBER, 1)}")]))
    g.write.names = {**before, carried: NUMBER}
    return head


def tried(g: Generator, nesting: int) -> list[Node]:
    """`try`, with what is raised in it or not."""
    name, shape = g.name(), g.shape()
    ways = g.scoped(1, 0) if g.rng.random() < 0.5 else []
    value, other = g.write.of(shape, 2), g.write.of(shape, 2)
    error = g.rng.choice(["ValueError", "ZeroDivisionError", "(ValueError, IndexError)"])
    body = [*ways, Node(f"{name} = ({value}) * 1.0")]
    form = g.rng.randrange(4)
    if form == 1:
        body.insert(
            g.rng.randint(0, len(ways)),
            Node(f"if {g.condition()}:", [Node('raise ValueError("no")')]),
        )
        error = "ValueError"
    elif form == 2:
        body.append(Node(f"{name} = {name} * TABLE[{g.rng.choice(['n', 'm', '1'])}]"))
        error = "IndexError"
    nodes = [Node("try:", body), Node(f"except {error}:", [Node(f"{name} = ({other}) * 1.0")])]
    if g.rng.random() < 0.2:
        nodes.append(Node("else:", [Node(f"{name} = {name} * 0.5")]))
    if g.rng.random() < 0.2:
        nodes.append(Node("finally:", [Node(f"{name} = np.sin({name})")]))
    g.write.names[name] = shape
    return nodes


def managed(g: Generator, nesting: int) -> list[Node]:
    """`with np.errstate(...)`."""
    line = g.rng.choice(["with np.errstate(all='ignore'):", "with np.errstate(divide='ignore'):"])
    return [Node(line, g.block(g.rng.randint(1, 2), nesting))]


def matched(g: Generator, nesting: int) -> list[Node]:
    """`match` on an int."""
    name, shape = g.name(), g.shape()
    subject = g.rng.choice(["n", "m", "n - m", "len(TABLE)"])
    cases = g.rng.sample(["case 2:", "case 3 | 4:", "case 1 if flag:", "case -1:", "case 5:"], 2)
    nodes = []
    for line in [*cases, "case _:"]:
        body = [*g.scoped(1, 0), Node(f"{name} = ({g.write.of(shape, 2)}) * 1.0")]
        nodes.append(Node(line, body))
    g.write.names[name] = shape
    return [Node(f"match {subject}:", nodes)]


def cell(g: Generator, nesting: int) -> list[Node]:
    """A nested function that changes a variable of the outer one."""
    name, f, shape = g.name("s"), g.name("g"), g.shape()
    start = Node(f"{name} = ({g.write.of(shape, 2)}) * 1.0")
    value = g.write.of(shape, 1)
    body = [Node(f"nonlocal {name}"), Node(f"{name} = np.tanh({name} * k_ + {value})")]
    if g.rng.random() < 0.3:
        body[1:] = [Node("if k_ > 0.2:", body[1:])]
    call = Node(f"{f}({g.write.of(NUMBER, 1)})")
    calls = (
        [call]
        if g.rng.random() < 0.6
        else [Node(f"for _ in range({g.rng.choice('23n')}):", [call])]
    )
    g.write.names[name] = shape
    return [start, Node(f"def {f}(k_):", body), *calls]


def walrus(g: Generator, nesting: int) -> list[Node]:
    """A name bound inside an expression."""
    name, out = g.name("s"), g.name()
    value = g.write.of(NUMBER, 2)
    if g.rng.random() < 0.5:
        nodes = [Node(f"{out} = ({name} := {value}) * {name} + {g.write.of(NUMBER, 1)}")]
    else:
        first, second = g.write.of(NUMBER, 1), g.write.of(NUMBER, 1)
        nodes = [
            Node(f"if ({name} := {value}) > 0.2:", [Node(f"{out} = {name} * {first}")]),
            Node("else:", [Node(f"{out} = {name} + {second}")]),
        ]
    g.write.names[name] = g.write.names[out] = NUMBER
    return nodes


def comprehension(g: Generator, nesting: int) -> list[Node]:
    """Comprehensions and generator expressions over ranges and arrays."""
    out, j = g.name(), g.name("j")
    vectors = [n for n, s in g.write.names.items() if len(s) == 1]
    source = g.rng.choice(["range(n)", "range(3)", *vectors, *vectors])
    test = g.rng.choice(["", "", f" if {j} != 1"])
    value = f"{j} * {g.write.of(NUMBER, 1)} + {g.write.of(NUMBER, 1)}"
    form = g.rng.choice(
        ["np.sum(np.array([{v} for {j} in {s}]))", "sum({v} for {j} in {s}{t})",
         "sum([{v} for {j} in {s}{t}])", "np.mean(np.array([np.sin({v}) for {j} in {s}]))",
         "sum(map(lambda {j}: {v}, {s}))", "sum(v_ * k_ for k_, v_ in enumerate({v} for {j} in {s}))"]
    )  # fmt: skip
    line = f"{out} = " + form.format(v=value, j=j, s=source, t=test)
    g.write.names[out] = NUMBER
    return [Node(line)]


def listed(g: Generator, nesting: int) -> list[Node]:
    """A list that grows and shrinks."""
    c, out, shape, k = g.name("c"), g.name(), g.shape(), g.name("k")
    one = lambda: g.write.of(shape, 1)  # noqa: E731
    nodes = [Node(f"{c} = [{one()}]")]
    forms = [
        [Node(f"{c}.append({one()})")], [Node(f"{c}.insert(0, {one()})")],
        [Node(f"{c}.append({one()})"), Node(f"{c}.pop(0)")], [Node(f"{c} += [{one()}, {one()}]")],
        [Node(f"{c}.extend([{one()}])")], [Node(f"{c}[-1] = {c}[0] * 0.5")],
        [Node(f"{c}[0] = {one()}")], [Node(f"{c}.reverse()")],
        [Node(f"for {k} in range({g.rng.choice(['3', 'n', 'm'])}):", [Node(f"{c}.append({one()} * {k})")])],
    ]  # fmt: skip
    for _ in range(g.rng.randint(1, 3)):
        nodes += g.rng.choice(forms)
    g.write.names[out] = shape
    last = g.rng.choice(
        [f"{out} = sum({c})", f"{out} = {c}[-1] - {c}[0]", f"{out} = sum({c}) / len({c})"]
    )
    return [*nodes, Node(last)]


def mapped(g: Generator, nesting: int) -> list[Node]:
    """A dict that is changed."""
    d, out, shape = g.name("d"), g.name(), g.shape()
    one = lambda: g.write.of(shape, 1)  # noqa: E731
    forms = [
        f"{d}['b'] = {one()}", f"{d}.update(b={one()}, c={one()})", f"{d}['a'] = {d}['a'] * 0.5",
        f"{d}.update({{'a': {one()}}})", f"{d}.setdefault('a', {one()})", f"{d}['c'] = {d}.get('b', 0.5)",
    ]  # fmt: skip
    nodes = [Node(f"{d} = {{'a': {one()}}}")]
    nodes += [Node(g.rng.choice(forms)) for _ in range(g.rng.randint(1, 3))]
    last = g.rng.choice(
        [f"{out} = sum({d}.values())", f"{out} = {d}.pop('a')", f"{out} = {d}['a']"]
    )
    if last.endswith("values())"):
        last += f" + {one()}"
    g.write.names[out] = shape
    return [*nodes, Node(last)]


def kept(g: Generator, nesting: int) -> list[Node]:
    """An object whose methods change it."""
    o, out, shape = g.name("o"), g.name(), g.shape()
    nodes = [Node(f"{o} = Counter(({g.write.of(shape, 2)}) * 1.0, {g.write.of(NUMBER, 1)})")]
    forms = [
        f"{o}.step({g.value(shape)})", f"{o}.rate = {g.write.of(NUMBER, 1)}",
        f"{o}.value = {o}.value * {o}.rate", f"{o}.rate += {o}.steps * 0.1",
    ]  # fmt: skip
    if shape and "1" not in shape:
        forms += [f"{o}.write({g.value(shape)})", f"{o}.value[0] = {g.value(shape[1:])}"]
    body = [Node(g.rng.choice(forms)) for _ in range(g.rng.randint(1, 3))]
    if g.rng.random() < 0.3:
        body = [Node(f"for _ in range({g.rng.choice(['n', '3'])}):", body)]
    elif g.rng.random() < 0.3:
        body = [Node(f"if {g.condition()}:", body)]
    g.write.names[out] = shape
    return [*nodes, *body, Node(f"{out} = {o}.value * {o}.rate")]


MAKERS = (
    left, left, left, tried, managed, matched, cell, walrus, comprehension, listed, mapped, kept,
)  # fmt: skip
