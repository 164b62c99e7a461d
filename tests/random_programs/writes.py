"""Statements that write arrays: by name, view, helper, container, `out=` and ufunc methods.

Each maker takes the generator, and returns statements. It writes `generator.targets` only: names of
arrays that are the function's own (or its arguments), so that NumPy lets it.
"""

# ruff: noqa: E501 - tables of program fragments
from __future__ import annotations

from typing import TYPE_CHECKING

from random_programs.expressions import NUMBER, Shape
from random_programs.tree import Node

if TYPE_CHECKING:
    from random_programs.generator import Generator

OPS = ("=", "=", "=", "+=", "-=", "*=")
HELPERS = {
    "set_first": ["def set_first(z, s):", "    z[0] = s"],
    "add_into": ["def add_into(z, w, s=0.5):", "    z += s * w", "    return z"],
    "smooth": ["def smooth(z):", "    z[1:] = 0.5 * (z[1:] + z[:-1])", "    return z"],
    "damped": [
        "def damped(z):",
        "    for k_ in range(z.shape[0]):",
        "        z[k_] = np.tanh(z[k_] + 0.1 * z[k_ - 1])",
    ],
    "some": [
        "def some(z, flag):",
        "    if flag:",
        "        z[-1] = z[0] * 0.5",
        "        return z",
        "    z *= 0.7",
        "    return z",
    ],
}


def helpers() -> list[Node]:
    """The functions that write their arguments."""
    return [node for lines in HELPERS.values() for node in nested(lines)]


def nested(lines: list[str]) -> list[Node]:
    """Lines as nodes, by their indentation."""
    top: list[Node] = []
    stack: list[tuple[int, list[Node]]] = [(-1, top)]
    for line in lines:
        indent = len(line) - len(line.lstrip())
        while stack[-1][0] >= indent:
            stack.pop()
        node = Node(line.strip())
        stack[-1][1].append(node)
        stack.append((indent, node.body))
    return top


def new_array(g: Generator) -> list[Node]:
    """An array of the function's own."""
    e = g.write.extent
    shape: Shape = g.rng.choice([(e(),), (e(),), (e(), e())])
    name, extents = g.name("w"), "({},)".format(", ".join(shape))
    value = g.write.of(shape, 2)
    made = g.rng.choice(
        [f"np.zeros({extents})", f"np.ones({extents})", f"np.full({extents}, {g.write.number()})",
         f"{value} + 0.0", f"np.array({value})", f"({value}).copy()", f"({value}) * 0.5"]
    )  # fmt: skip
    g.write.names[name] = shape
    g.targets.append(name)
    return [Node(f"{name} = {made}")]


def target(g: Generator) -> tuple[list[Node], str, Shape]:
    """Statements that make one, if need be, the name and the shape of an array to write."""
    known = [n for n in g.targets if n in g.write.names]
    made: list[Node] = []
    if not known or g.rng.random() < 0.15:
        made = new_array(g)
        known = g.targets[-1:]
    name = g.rng.choice(known)
    return made, name, g.write.names[name]


def places(g: Generator, name: str, shape: Shape) -> tuple[str, Shape | str]:
    """What to write, and the shape of it, or the subscript that makes a value of the whole's shape
    fit.
    """
    rng, i, j = g.rng, g.write.index(), g.write.index()
    gathers = [(n, s) for n, s in g.write.indices.items()]
    gather, (count,) = rng.choice(gathers)
    if len(shape) == 1:
        forms: list[tuple[str, Shape | str]] = [
            (f"[{i}]", ()), (f"[{i}]", ()), ("[1:]", "[:-1]"), ("[:-1]", "[1:]"), ("[1:]", "[1:]"),
            ("[::2]", "[::2]"), ("[::-1]", shape), ("[:]", shape), ("[...]", shape),
            ("[[0, -1]]", NUMBER), ("[[1, 0, 1]]", ("3",)), (f"[{gather}]", (count,)),
            ("[-2:]", "[:2]"), ("[None, :]", ("1", *shape)), (f".reshape(-1)[{i}]", ()),
            (f".flat[{i}]", ()), ("[2:2]", NUMBER),
        ]  # fmt: skip
    elif len(shape) == 2:
        e, f = shape
        forms = [
            (f"[{i}, {j}]", ()), (f"[{i}]", (f,)), (f"[:, {i}]", (e,)), ("[1:]", "[:-1]"),
            ("[:, 1:]", "[:, :-1]"), ("[:, ::-1]", shape), ("[...]", shape), (f"[..., {i}]", (e,)),
            (f"[{i}][{j}]", ()), (f".T[{i}]", (e,)), (".T[...]", (f, e)), (f"[{gather}]", (count, f)),
            ("[[0, 1], [1, 1]]", NUMBER), (f"[{i}, [0, -1]]", NUMBER), (".reshape(-1)[1]", ()),
            (".ravel()[-1]", ()), (f".flat[{i}]", ()), ("[1:, :-1]", "[:-1, 1:]"),
            (f"[{i}, 1:]", NUMBER), (f"[np.arange({e}), [0] * {e}]", (e,)),
        ]  # fmt: skip
    else:
        forms = [("[...]", ()), ("[()]", ())]
    return rng.choice(forms)


def item(g: Generator) -> list[Node]:
    """`w[i] = value` and kin."""
    made, name, shape = target(g)
    if shape and g.rng.random() < 0.15:
        return made + masked(g, name, shape)
    place, wanted = places(g, name, shape)
    op = g.rng.choice(OPS)
    if isinstance(wanted, str):
        source = g.rng.choice([name, f"({g.write.of(shape, 2)})"])
        value = g.rng.choice([f"{source}{wanted}", f"0.5 * {source}{wanted}", g.value(NUMBER)])
    else:
        value = g.value(wanted if g.rng.random() < 0.8 else NUMBER)
    return [*made, Node(f"{name}{place} {op} {value}")]


def masked(g: Generator, name: str, shape: Shape) -> list[Node]:
    """`w[mask] = value` with a mask of numbers."""
    mask = g.name("mask")
    of = g.rng.choice([name, g.write.of(shape, 1)])
    op = g.rng.choice(OPS)
    value = g.rng.choice([g.write.of(NUMBER, 1), f"({g.write.of(shape, 2)})[{mask}]"])
    return [Node(f"{mask} = {of} > {g.write.number()}"), Node(f"{name}[{mask}] {op} {value}")]


def whole(g: Generator) -> list[Node]:
    """`w += value`, which writes all entries."""
    made, name, shape = target(g)
    if len(shape) == 2 and shape[0] == shape[1] and g.rng.random() < 0.3:
        return [*made, Node(f"{name} += {name}.T")]
    op = g.rng.choice(["+=", "-=", "*=", "/=", "**="])
    value = g.value(g.rng.choice([shape, shape, NUMBER, shape[-1:]]))
    value = {"/=": f"1.5 + np.sin({value})", "**=": "2"}.get(op, value)
    return [*made, Node(f"{name} {op} {value}")]


def view(g: Generator) -> list[Node]:
    """A name for a part of an array, which is written and read later."""
    made, base, shape = target(g)
    name, i = g.name("v"), g.write.index()
    e = shape[:1]
    forms: list[tuple[str, Shape]] = {
        0: [("[...]", ())],
        1: [("[::-1]", shape), ("[:]", shape), ("", shape), ("[:, None]", (*e, "1")),
            ("[None]", ("1", *e)), (".T", shape), (".reshape(-1)", shape)],
        2: [(f"[{i}]", shape[1:]), (f"[:, {i}]", e), (".T", shape[::-1]), ("[::-1]", shape),
            ("[:, ::-1]", shape), (f".T[{i}]", e), (f"[::-1][{i}]", shape[1:]), ("", shape)],
    }[len(shape)]  # fmt: skip
    taken, new = g.rng.choice(forms)
    line = f"{name} = {base}{taken}"
    if not taken and g.rng.random() < 0.5:
        line = f"{name} = np.asarray({base})"
    g.write.names[name] = new
    if "1" not in new:
        g.targets.append(name)
    return [*made, Node(line)]


def part(g: Generator) -> list[Node]:
    """A view of fewer entries, written and read on the spot."""
    made, base, shape = target(g)
    if not shape:
        return made + whole(g)
    name, out = g.name("v"), g.name()
    taken = g.rng.choice(["[1:]", "[:-1]", "[::2]", "[-2:]", "[1:][::-1]"])
    forms = [
        f"{name} *= {g.write.of(NUMBER, 2)}", f"{name}[0] = {g.value(shape[1:])}",
        f"{name} += {base}{taken}", f"{base}[0] = {name}[-1] * 0.5", f"{name}[...] = np.sin({name})",
        f"{base} *= 0.7", f"set_first({name}, {g.value(shape[1:])})", f"{name}[-1] -= {base}[0]",
    ]  # fmt: skip
    lines = [g.rng.choice(forms) for _ in range(g.rng.randint(1, 3))]
    g.write.names[out] = NUMBER
    tail = [f"{out} = np.sum({name} * {g.write.number()})"]
    return [*made, *(Node(line) for line in [f"{name} = {base}{taken}", *lines, *tail])]


def helped(g: Generator) -> list[Node]:
    """A helper writes its argument."""
    made, name, shape = target(g)
    if not shape:
        return made + whole(g)
    taken = g.rng.choice(["", "", "[1:]", "[::-1]"])
    out = g.name("v") if not taken and g.rng.random() < 0.4 else ""
    whole_value, first = g.value(shape), g.value(shape[1:])
    source = f"({whole_value}){taken}" if taken else whole_value
    call, returns = g.rng.choice(
        [(f"set_first({name}{taken}, {first})", False), (f"add_into({name}{taken}, {source})", True),
         (f"smooth({name}{taken})", True), (f"damped({name}{taken})", False),
         (f"some({name}{taken}, {g.condition()})", True),
         (f"add_into({name}, {name}, s={g.write.number()})", True)]
    )  # fmt: skip
    if out and returns:
        g.write.names[out] = shape
        g.targets.append(out)
        return [*made, Node(f"{out} = {call}")]
    return [*made, Node(call)]


def held(g: Generator) -> list[Node]:
    """Arrays in a container, written through it."""
    made, name, shape = target(g)
    more, other, other_shape = target(g)
    c, out = g.name("c"), g.name()
    if not shape or not other_shape:
        return made + more + whole(g)
    build, one, two = g.rng.choice(
        [(f"{c} = [{name}, {other}]", f"{c}[0]", f"{c}[1]"),
         (f"{c} = ({name}, {other}[::-1])", f"{c}[0]", f"{c}[-1]"),
         (f"{c} = {{'k': {name}, 'l': {other}[1:]}}", f"{c}['k']", f"{c}['l']"),
         (f"{c} = {{'k': [{name}], 'l': {other}}}", f"{c}['k'][0]", f"{c}['l']"),
         (f"{c} = Record({name}, {other})", f"{c}.one", f"{c}.two"),
         (f"{c} = [{name}] * 2", f"{c}[0]", f"{c}[1]")]
    )  # fmt: skip
    lines = [
        f"{one}[{g.write.index()}] {g.rng.choice(OPS)} {g.value(shape[1:])}",
        f"{two}[0] *= 0.5", f"{other} *= 0.8", f"{one}[...] += {g.value(shape)}",
        f"{two}[...] = np.sin({two})",
    ]  # fmt: skip
    chosen = g.rng.sample(lines, g.rng.randint(1, 3))
    g.write.names[out] = NUMBER
    last = f"{out} = np.sum({one}) - 0.5 * np.sum({two})"
    return [*made, *more, *(Node(line) for line in [build, *chosen, last])]


def swap(g: Generator) -> list[Node]:
    """Two arrays that swap, step by step."""
    shape = g.shape()
    if not shape or "1" in shape:
        return whole(g)
    u, v, k = g.name("u"), g.name("u"), g.name("k")
    nodes = [
        Node(f"{u}, {v} = ({g.write.of(shape, 1)}) * 1.0, np.zeros_like({g.write.of(shape, 0)})")
    ]
    g.write.names[u] = g.write.names[v] = shape
    forms = [
        f"{v}[...] = 0.5 * {u} + {g.value(shape)}", f"{v}[1:] += np.sin({u}[:-1])",
        f"{v}[0] = {u}[-1]", f"{v} -= 0.3 * {u}", f"np.multiply({u}, 0.9, out={v})",
        f"{v}[{g.write.index()}] = {g.value(shape[1:])}",
    ]  # fmt: skip
    body = [Node(g.rng.choice(forms)) for _ in range(g.rng.randint(1, 3))]
    body.append(Node(f"{u}, {v} = {v}, {u}"))
    if g.rng.random() < 0.3:
        pair = g.name("c")
        nodes.append(Node(f"{pair} = [{u}, {v}]"))
        body = [Node(f"{u}, {v} = {pair}[{k} % 2], {pair}[1 - {k} % 2]"), *body[:-1]]
    return [*nodes, Node(f"for {k} in range({g.rng.choice(['n', '3', 'm'])}):", body)]


def called(g: Generator) -> list[Node]:
    """Functions of NumPy that write."""
    made, name, shape = target(g)
    if not shape:
        return [*made, Node(f"{name} *= {g.value(NUMBER)}")]
    gather, (count,) = g.rng.choice(list(g.write.indices.items()))
    rows = (count, *shape[1:])
    forms = [
        f"np.add.at({name}, {gather}, {g.value(rows)})", f"np.add.at({name}, [0, 1, 0], {g.write.number()})",
        f"np.subtract.at({name}, {gather}, {g.value(rows)})", f"np.add.at({name}, 0, {g.value(shape[1:])})",
        f"np.multiply({g.value(shape)}, {g.value(shape)}, out={name})", f"np.tanh({name}, out={name})",
        f"np.add({name}, {g.value(shape)}, out={name})", f"np.cumsum({name}, axis=0, out={name})",
        f"np.copyto({name}, {g.value(shape)})", f"np.copyto({name}, {g.value(NUMBER)}, where={name} > 0.2)",
        f"{name}.fill({g.value(NUMBER)})", f"np.put({name}, [0, 1], {g.value(NUMBER)})",
        f"np.putmask({name}, {name} > 0.3, {g.value(shape)})", f"{name}[1:].fill({g.write.number()})",
        f"np.sin({g.value(shape[1:])}, out={name}[0])" if len(shape) > 1 else f"np.negative({name}, {name})",
    ]  # fmt: skip
    if len(shape) == 2:
        forms.append(f"np.fill_diagonal({name}, {g.value(NUMBER)})")
    if g.write.kinks:
        forms += [f"{name}.sort()", f"np.maximum({name}, 0.1, out={name})"]
    return [*made, Node(g.rng.choice(forms))]


def filled_by_loop(g: Generator) -> list[Node]:
    """A loop that writes entry after entry."""
    made, name, shape = target(g)
    if not shape:
        return made + whole(g)
    j, v, entry = g.name("j"), g.value(shape[1:]), shape[1:]
    forms = [
        f"{name}[{j}] = np.sin({name}[{j} - 1]) + {v}", f"{name}[{j}] += 0.5 * {name}[{j} - 1]",
        f"{name}[{j}] *= {v}", f"{name}[-{j} - 1] = 0.3 * {name}[{j}] + {v}",
        f"{name}[:{j}] *= 0.9", f"{name}[{j}:] -= {v}" if not entry else f"{name}[{j}, :{j}] = 0.5",
    ]  # fmt: skip
    body = [Node(g.rng.choice(forms)) for _ in range(g.rng.randint(1, 2))]
    if g.rng.random() < 0.3:
        body = [Node(f"if {g.condition()}:", body)]
    if g.rng.random() < 0.2:
        test = f"while {j} < {shape[0]}:"
        return [*made, Node(f"{j} = 0"), Node(test, [*body, Node(f"{j} += 1")])]
    order = g.rng.choice(
        [f"range({shape[0]})", f"range(1, {shape[0]})", f"range({shape[0]} - 1, -1, -1)"]
    )
    return [*made, Node(f"for {j} in {order}:", body)]


def by_closure(g: Generator) -> list[Node]:
    """A nested function writes an array of the outer one."""
    made, name, shape = target(g)
    if not shape:
        return made + whole(g)
    f = g.name("g")
    body = [Node(f"{name}[i_] {g.rng.choice(OPS)} {g.value(shape[1:])}")]
    calls = [Node(f"{f}({g.rng.choice(['0', '-1', '1'])})") for _ in range(g.rng.randint(1, 2))]
    return [*made, Node(f"def {f}(i_):", body), *calls]


MAKERS = (
    item, item, item, whole, whole, view, view, part, helped, held, swap, called, called,
    filled_by_loop, by_closure, new_array,
)  # fmt: skip
