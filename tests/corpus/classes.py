"""Namedtuples, dataclasses, callable objects, bound methods."""

import dataclasses
from collections import namedtuple
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("classes")

Pair = namedtuple("Pair", ["left", "right"])


class Layer(NamedTuple):
    w: np.ndarray
    b: np.ndarray
    scale: float = 2.0

    def apply(self, x):
        return np.tanh(self.w @ x + self.b) * self.scale


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float = 1.0
    name: str = "params"

    @property
    def size(self):
        return self.w.size

    def loss(self, x):
        return np.sum(self.w * x) + self.b

    @staticmethod
    def half(x):
        return x / 2

    @classmethod
    def ones(cls, n):
        return cls(np.ones(n), 3.0)


@dataclasses.dataclass(frozen=True)
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def norm(self):
        return self.x**2 + self.y**2


@program(number)
def makes_namedtuple(x):
    p = Pair(x, right=x * x)
    a, b = p
    return p.left * p.right + p[1] + a - b + len(p)


@program(number)
def replaces_field(x):
    p = Pair(x, 2.0)._replace(right=x * 3)
    return p.left * p.right


@program(lambda r: Pair(r.random(3), 2.0))
def namedtuple_argument(p):
    return np.sum(p.left) * p.right + p[0][1]


@program(lambda r: Layer(r.random((2, 3)), r.random(2)), array(3))
def method_of_namedtuple(layer, x):
    return np.sum(layer.apply(x)) + layer.scale


@program(lambda r: Params(r.random(3), 2.0), array(3))
def dataclass_argument(params, x):
    return params.loss(x) * params.b + params.size + len(params.name) + params.half(x).sum()


@program(array(3))
def makes_dataclass(x):
    p = Params(x * 2)
    q = Params.ones(3)
    return p.loss(x) + p.b + q.loss(x) * q.b


@program(array(3))
def changes_own_dataclass(x):
    p = Params(x)
    p.b = np.sum(x)
    q = p
    q.w = q.w * 2
    return p.loss(x)


@program(number)
def returns_namedtuple(x):
    return Pair(x * 2, {"square": x * x})


@program(lambda r: Params(r.random(3), 2.0))
def returns_dataclass(p):
    return Params(p.w * 2, p.b**2)


@program(number)
def frozen_dataclass(x):
    p = Point(x, 2.0)
    return p.norm() + Point(p.y, p.x).norm() * x


@program(0.5, 3, again=[(0.5, 0)])
def record_in_loop(x, n):
    p = Point(x, 1.0)
    for _ in range(n):
        p = Point(p.x * p.y, p.y + x)
    return p.norm()


@program(1.5, again=[(-1.5,)])
def record_in_branch(x):
    p = Point(x, 1.0)
    if x > 0:
        p = Point(x * x, x)
    return p.norm()


class Scaler:
    def __init__(self, scale):
        self.scale = scale
        self.calls = [np.sin, self.double]

    def __call__(self, x):
        return x * self.scale

    def double(self, x):
        return self(x) * 2

    def chain(self, x):
        for f in self.calls:
            x = f(x)
        return x


scaler = Scaler(3.0)
settings = SimpleNamespace(rate=0.5, shape=(2, 3), extra=SimpleNamespace(depth=2))


@program(number)
def callable_object(x):
    return scaler(x) + scaler.double(x) + scaler.chain(x)


@program(number)
def bound_method(x):
    f = scaler.double
    return f(x) * 2


@program(number)
def namespace(x):
    s = x * settings.rate + settings.shape[1]
    for _ in range(settings.extra.depth):
        s = s * x
    return s


@program(vector, lambda r: SimpleNamespace(w=r.random(4), rate=2.0), smooth=False)
def object_argument(x, model):
    return np.sum(x * model.w) * model.rate


@program(number)
def getattr_calls(x):
    return (
        getattr(settings, "rate") * x
        + getattr(settings, "missing", 2.0)
        + hasattr(settings, "rate")
    )


@program(number)
def list_of_records(x):
    ps = [Point(x, 1.0), Point(x * x, 2.0)]
    return sum([p.x * p.y for p in ps])


@program(1.5)
def dataclass_functions(x):
    p = dataclasses.replace(Point(x, 2.0), y=3 * x)
    return p.x * p.y, dataclasses.asdict(p)["y"]
