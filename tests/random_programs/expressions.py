"""Random expressions of a given type over the names in scope.

A type is a shape: a tuple of extents written as they stand in the source ("n", "m", "3", "1"); () is a number.
All operations are smooth and bounded on the numbers met here, but for the few marked as kinks.
"""

# ruff: noqa: E501 - tables of program fragments
from __future__ import annotations

import random

Shape = tuple[str, ...]
NUMBER: Shape = ()
UNARY = (
    "np.tanh({})", "np.sin({})", "np.cos({})", "np.exp(-({}) ** 2)", "np.log(1.0 + ({}) ** 2)",
    "np.sqrt(1.0 + ({}) ** 2)", "np.arctan({})", "np.log1p(np.exp({} * 0.5))", "-({})", "0.5 * ({})",
    "({}) / 3", "1.0 / (1.0 + ({}) ** 2)", "np.square({})", "({}) ** 3", "2.0 ** np.tanh({})",
    "np.abs(1.0 + {})", "np.sinh(np.tanh({}))", "np.exp(np.sin({}))", "(1 - {})",
)  # fmt: skip
KINKS = (
    "np.abs({})", "np.maximum({}, 0.1)", "np.minimum(0.2, {})", "np.clip({}, -0.7, 0.6)",
    "np.where({0} > 0.1, {0}, np.sin({0}))", "np.sign({0}) * {0}",
)  # fmt: skip
BINARY = (
    "({} + {})", "({} - {})", "({} * {})", "({} * {})", "np.arctan2({}, 1.5 + np.cos({}))",
    "({} / (1.5 + np.sin({})))", "np.hypot({}, 1.0 + {})", "np.logaddexp({}, {})",
    "np.exp(np.sin({})) ** np.tanh({})",
)  # fmt: skip
BINARY_KINKS = ("np.maximum({}, {})", "np.minimum({}, {})", "np.where({0} > {1}, {1}, {0})")
REDUCE = (
    "np.sum({x}{a})", "({x}).sum({b})", "np.mean({x}{a})", "({x}).mean({b})", "np.var({x}{a})",
    "(np.std({x}{a}) ** 2)", "np.prod(np.cos({x}){a})", "np.log(np.sum(np.exp({x}){a}))",
)  # fmt: skip
REDUCE_KINKS = ("np.max({x}{a})", "({x}).min({b})", "np.linalg.norm({x} + 2.0{a})")


class Expressions:
    """Writes expressions. `names` maps the names in scope to shapes, `ints` lists int expressions < 2."""

    def __init__(self, rng: random.Random, kinks: bool) -> None:
        self.rng = rng
        self.kinks = kinks
        self.names: dict[str, Shape] = {}
        self.indices: dict[str, Shape] = {}
        self.masks: list[tuple[str, Shape]] = []
        self.ints = ["0", "-1", "1"]
        self.helpers: list[str] = []

    def number(self) -> str:
        return self.rng.choice(["0.5", "-1.2", "2", "0.3", "1", "-0.7", "1.5"])

    def of(self, shape: Shape, depth: int) -> str:
        """An expression of this shape."""
        known = [name for name, s in self.names.items() if s == shape]
        if depth <= 0 or (known and self.rng.random() < 0.2):
            return self.rng.choice(known) if known else self.make(shape)
        makers = [self.unary, self.unary, self.binary, self.binary, self.binary, self.reduced]
        if self.helpers:
            makers.append(self.helped)
        if shape == NUMBER:
            makers += [self.element, self.inner, self.python_number, self.linalg_number]
        elif len(shape) == 1:
            makers += [self.vector, self.vector, self.product]
        elif len(shape) == 2:
            makers += [self.matrix, self.matrix, self.product]
        return self.rng.choice(makers)(shape, depth - 1)

    def make(self, shape: Shape) -> str:
        """A leaf where no name has this shape."""
        if shape == NUMBER:
            return self.number()
        full = f"({', '.join(shape)},)" if len(shape) == 1 else f"({', '.join(shape)})"
        vectors = [n for n, s in self.names.items() if len(s) == 1 and s == shape[-1:]]
        if vectors and self.rng.random() < 0.5:
            return f"np.broadcast_to({self.rng.choice(vectors)}, {full})"
        scalars = [n for n, s in self.names.items() if s == NUMBER] or [self.number()]
        return f"np.full({full}, {self.rng.choice(scalars)})"

    def unary(self, shape: Shape, depth: int) -> str:
        table = UNARY + KINKS if self.kinks else UNARY
        return self.rng.choice(table).format(self.of(shape, depth))

    def helped(self, shape: Shape, depth: int) -> str:
        return f"{self.rng.choice(self.helpers)}({self.of(shape, depth)})"

    def binary(self, shape: Shape, depth: int) -> str:
        table = BINARY + BINARY_KINKS if self.kinks else BINARY
        sides = [shape, self.fitting(shape)]
        self.rng.shuffle(sides)
        if len(shape) == 2 and self.rng.random() < 0.15:
            sides = [(shape[0], "1"), self.rng.choice([shape[1:], ("1", shape[1])])]
        return self.rng.choice(table).format(*(self.of(s, depth) for s in sides))

    def fitting(self, shape: Shape) -> Shape:
        """A shape that broadcasts with `shape` to `shape`."""
        options = [shape, shape, NUMBER]
        if len(shape) == 1:
            options.append(("1",))
        if len(shape) == 2:
            options += [shape[1:], ("1", shape[1]), (shape[0], "1"), ("1", "1"), ("1",)]
        return self.rng.choice(options)

    def extent(self) -> str:
        return self.rng.choice(["n", "m", "n", "m", "3"])

    def reduced(self, shape: Shape, depth: int) -> str:
        table = REDUCE + REDUCE_KINKS if self.kinks else REDUCE
        form = self.rng.choice(table)
        if shape == NUMBER:
            inner: Shape = (self.extent(),) if self.rng.random() < 0.5 else ("n", "m")
            axis = self.rng.choice(["", "axis=(0, 1)"]) if len(inner) == 2 else ""
            axis = "" if "norm" in form else axis
        elif shape == ("1",):
            inner, axis = (self.extent(),), "axis=0, keepdims=True"
        elif len(shape) == 1:
            first = self.rng.random() < 0.5
            other = self.extent()
            inner = (other, shape[0]) if first else (shape[0], other)
            axis = "axis=0" if first else self.rng.choice(["axis=1", "axis=-1"])
        elif "1" in shape:
            inner = tuple("n" if e == "1" else e for e in shape)
            axes = [i for i, e in enumerate(shape) if e == "1"]
            axis = f"axis={axes[0] if len(axes) == 1 else '(0, 1)'}, keepdims=True"
            form = REDUCE[0] if "norm" in form else form
        else:
            return self.unary(shape, depth)
        return form.format(x=self.of(inner, depth), a=", " + axis if axis else "", b=axis)

    def index(self) -> str:
        return self.rng.choice(self.ints)

    def element(self, shape: Shape, depth: int) -> str:
        if self.rng.random() < 0.5:
            return f"({self.of((self.extent(),), depth)})[{self.index()}]"
        x = self.of((self.extent(), self.extent()), depth)
        return self.rng.choice(
            [f"({x})[{self.index()}, {self.index()}]", f"({x})[{self.index()}][-1]"]
        )

    def inner(self, shape: Shape, depth: int) -> str:
        e = self.extent()
        a, b = self.of((e,), depth), self.of((e,), depth)
        form = self.rng.choice(
            ["({} @ {})", "np.dot({}, {})", "np.vdot({}, {})", "np.inner({}, {})"]
        )
        return form.format(a, b)

    def python_number(self, shape: Shape, depth: int) -> str:
        form = self.rng.choice(
            [
                "sum([{u} * v_ for v_ in ({w}, 0.5, {u})])", "sum(u_ * v_ for u_, v_ in zip(({u}, {w}), (0.5, {w})))",
                "max({u}, {w})" if self.kinks else "({u} * {w})", "float(2) * {u}",
                "({u} if {w} > 0.05 else {w})" if self.kinks else "{u}",
                "np.sum(np.array([{u}, {w}, 1.0]) * np.array([0.5, {u}, {w}]))",
                "(lambda z_: z_ * {w})({u})", "np.sum([{u}, {w}])",
                "np.sum(np.array([{u} * k_ for k_ in range(3)]))",
            ]
        )  # fmt: skip
        u, w = self.of(NUMBER, depth), self.of(NUMBER, depth - 1)
        return form.format(u=u, w=w)

    def linalg_number(self, shape: Shape, depth: int) -> str:
        e = self.extent()
        x = self.of((e, e), depth - 1)
        spd = f"(({x}) @ np.transpose({x}) + 2.0 * np.eye({e}))"
        return self.rng.choice(
            ["np.log(np.linalg.det({0}))", "np.linalg.slogdet({0})[1]", "np.trace(np.linalg.inv({0}))",
             "np.sum(np.log(np.diag(np.linalg.cholesky({0}))))", "np.sum(np.sqrt(np.linalg.eigvalsh({0})))",
             "np.trace({0})", "np.linalg.norm({0})"]
        ).format(spd)  # fmt: skip

    def vector(self, shape: Shape, depth: int) -> str:
        (e,) = shape
        o = self.extent()
        forms = [
            "({v})[::-1]", "np.roll({v}, 1)", "np.cumsum({v})", "np.flip({v})",
            "np.concatenate([({v})[1:], ({v2})[:1]])", "np.concatenate([({v})[-1:], ({v2})[:-1]])",
            "({a})[:, {i}]", "({b})[{i}]", "np.append(({v})[:-1], {s})", "({c})[:, 0]", "np.ravel({c})",
            "np.hstack([{s}, np.diff({v})])", "np.stack([{v}, {v2}])[{i}]", "np.array([{v}, {v2}])[{i}]",
            "({b})[{i}, :]", "({c}).reshape(-1)", "np.squeeze({c}, axis=1)", "np.where({v} > 0.2, {v2}, {s})",
            "np.full_like({v}, {s})", "np.take({v}, np.arange({e})[::-1])", "({v}).copy()",
            "np.cumprod(np.cos({v}))", "np.diag({q})",
            "np.linalg.solve({q} @ ({q}).T + 2.0 * np.eye({e}), {v})",
            "np.interp({v}, np.linspace(-3.0, 3.0, 4), np.array([0.1, {s}, 1.0, -1.0]))",
            "np.repeat({v}, 2)[::2]", "np.repeat({v}, 2)[:{e}]", "np.tile({v}, 2)[{e}:]", "np.pad({v}, 1)[2:]",
            "np.einsum('ij,j->i', {a}, {vo})", "np.split(np.concatenate([{v}, {v2}]), 2)[1]",
        ]  # fmt: skip
        if self.kinks:
            forms += ["np.sort({v})", "({v})[np.argsort({v2})]", "np.maximum.accumulate({v})"]
        if e == "1":
            forms = [
                "np.array([{s}])",
                "np.reshape({s}, (1,))",
                "np.atleast_1d({s})",
                "({v3})[:1]",
                "({v3})[-1:]",
            ]
        gathers = [f"({{vo_}})[{name}]" for name, s in self.indices.items() if s == shape]
        form = self.rng.choice(forms + gathers * 3)
        fills = {
            "v": shape, "v2": shape, "v3": (o,), "vo": (o,), "vo_": (self.extent(),), "a": (e, o), "b": (o, e),
            "c": (e, "1"), "q": (e, e), "s": NUMBER,
        }  # fmt: skip
        values = {
            k: self.of(s, depth - (k != "v")) for k, s in fills.items() if "{" + k + "}" in form
        }
        return form.format(e=e, i=self.index(), **values)

    def matrix(self, shape: Shape, depth: int) -> str:
        e, f = shape
        forms = [
            "({t}).T", "np.transpose({t})", "np.swapaxes({t}, 0, 1)", "({x})[::-1]", "({x})[:, ::-1]",
            "np.outer({u}, {v})", "({u})[:, None]", "np.vstack([({x})[1:], ({v})[None]])", "np.roll({x}, 1, axis=1)",
            "np.cumsum({x}, axis={k})", "np.reshape(np.ravel({x}), ({e}, {f}))", "({t}).reshape({e}, {f})",
            "np.stack([{u}] * 2, axis=1)[:, [0, 1] * 5][:, :1]", "np.concatenate([({x})[:, 1:], ({x2})[:, :1]], axis=1)",
            "np.where({x} > {v}, {x2}, {s})", "np.flip({x}, axis={k})", "({x})[np.arange({e})]", "np.tile({v}, ({e}, 1))",
            "np.expand_dims({u}, 1)",
            "np.einsum('i,j->ij', {u}, {v})", "({x} / np.sum(np.exp({x}), axis={k}, keepdims=True))", "np.tril({x})",
            "np.broadcast_to({v}, ({e}, {f}))", "np.pad({x}, 1)[1:-1, 1:-1]", "np.stack([{x}, {x2}])[{i}]",
            "np.column_stack([{u}, ({x})[:, 1:]])", "({x})[:, np.arange({f})]",
        ]  # fmt: skip
        if f == "1":
            forms = [
                "({u})[:, None]",
                "({u}).reshape(-1, 1)",
                "np.expand_dims({u}, 1)",
                "({y})[:, :1]",
                "({y})[:, -1:]",
            ]
        elif e == "1":
            forms = [
                "({v})[None]",
                "({v})[np.newaxis, :]",
                "np.atleast_2d({v})",
                "({z})[:1]",
                "np.reshape({v}, (1, -1))",
            ]
        elif forms_last := [
            i for i, form in enumerate(forms) if "[:, :1]" in form and "* 2" in form
        ]:
            del (
                forms[forms_last[0]],
                forms[forms.index("({u})[:, None]")],
                forms[forms.index("np.expand_dims({u}, 1)")],
            )
        if e == f and e != "1":
            forms += [
                "np.diag({u})",
                "({x} + ({x2}).T)",
                "np.linalg.inv(({x}) @ ({x}).T + 2.0 * np.eye({e}))",
            ]
        if self.kinks:
            forms += ["np.maximum({x}, {v})", "np.sort({x}, axis={k})"] if "1" not in shape else []
        gathers = [f"({{z}})[{name}]" for name, s in self.indices.items() if s == (e,)]
        form = self.rng.choice(forms + gathers * 3)
        fills = {
            "t": (f, e), "x": shape, "x2": shape, "u": (e,), "v": (f,), "s": NUMBER, "y": (e, self.extent()),
            "z": (self.extent(), f),
        }  # fmt: skip
        values = {
            k: self.of(s, depth - (k != "x")) for k, s in fills.items() if "{" + k + "}" in form
        }
        return form.format(e=e, f=f, k=self.rng.choice("01"), i=self.index(), **values)

    def product(self, shape: Shape, depth: int) -> str:
        o = self.extent()
        if len(shape) == 1:
            a, b = self.rng.choice([((*shape, o), (o,)), ((o,), (o, *shape))])
        else:
            a, b = (shape[0], o), (o, shape[1])
        form = self.rng.choice(
            ["({} @ {})", "np.dot({}, {})", "np.matmul({}, {})", "np.tensordot({}, {}, axes=1)"]
        )
        return form.format(self.of(a, depth), self.of(b, depth))
