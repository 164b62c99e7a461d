"""`match`: literals, sequences, mappings, classes, alternatives, guards."""

import dataclasses
import enum
from typing import NamedTuple

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("matching")


class Kind(enum.Enum):
    LINEAR = 1
    SQUARE = 2


class Names:
    small = 1
    large = 2


@dataclasses.dataclass
class Circle:
    r: float


@dataclasses.dataclass
class Box:
    width: float
    height: float = 2.0


class Segment(NamedTuple):
    start: float
    end: float


class Labelled:
    __match_args__ = ("value", "label")

    def __init__(self, value, label):
        self.value = value
        self.label = label


def power(x, kind):
    match kind:
        case "square":
            return x * x
        case "cube" | "third":
            return x**3
        case _:
            return x


@program(number)
def literal_strings(x):
    return power(x, "square") * power(x, "third") + power(x, "other")


@program(1.5, 2, again=[(1.5, 0), (1.5, 1), (1.5, 7)])
def literal_numbers(x, n):
    match n:
        case 0:
            y = x * 2
        case 1 | 2:
            y = np.sin(x) * n
        case other:
            y = x * other
    return y * x


@program(2.0, 1.5, edges=[(0.0, 1.5), (-1.0, 1.5), (3.0, 1.5)])
def literals_against_floats(s, x):
    match s:
        case 0.0:
            return x
        case -1.0 | 3.0:
            return np.exp(x)
        case _:
            return x * x * s


@program(number, number)
def sequences(x, y):
    match [x, y, x * y]:
        case [a]:
            return a
        case [a, b]:
            return a * b
        case [a, *middle, c]:
            return a * c + len(middle) * middle[0]
    return x


@program(number)
def star_in_front(x):
    match (x, x * 2, 3.0, x**2):
        case (*_, last) if last == 3.0:
            return last
        case (first, *rest):
            return first * sum(rest)


@program(number, 0.5, edges=[(number, 0.0)])
def zero_in_tuple(x, y):
    match (x, y):
        case (a, 0.0):
            return a * 3
        case (0.0, b):
            return b
        case (a, b):
            return a * b


@program(lambda r: {"kind": "dense", "w": r.random(3), "b": 0.5}, array(3))
def mapping_of_parameters(layer, x):
    match layer:
        case {"kind": "conv", "k": k}:
            return np.sum(k)
        case {"kind": "dense", "w": w, **rest}:
            return np.sum(w * x) + rest["b"] * len(rest)
        case _:
            return 0.0


@program(number)
def mapping_made_here(x):
    match {"op": "add", "args": (x, 2 * x)}:
        case {"op": "mul", "args": (a, b)}:
            return a * b
        case {"op": "add", "args": [a, b]}:
            return a + b * a


def area(shape):
    match shape:
        case Circle(r=0.0):
            return 0.0
        case Circle(r):
            return np.pi * r * r
        case Box(width, height) if width == height:
            return width**2 * 1.0
        case Box(width=w, height=h):
            return w * h
        case Segment(a, b):
            return (b - a) ** 2
        case Labelled(v, "half"):
            return v / 2
        case float() | int():
            return shape * 5.0
        case str(name):
            return float(len(name))


@program(1.5, 2.5)
def classes(r, h):
    total = area(Circle(r)) + area(Box(r, h)) * area(Box(h)) + area(Segment(r, h))
    return total + area(Labelled(r, "half")) + area(r) + area("four") + area(Labelled(h, "half"))


@program(lambda r: Box(1.5, 2.5), edges=[(lambda r: Box(2.0, 2.0),)])
def class_of_argument(box):
    return area(box) * box.width


def of_kind(x, kind):
    match kind:
        case Kind.LINEAR:
            return x
        case Kind.SQUARE:
            return x * x


@program(number)
def enum_values(x):
    return of_kind(x, Kind.LINEAR) * of_kind(x, Kind.SQUARE)


@program(number, Kind.SQUARE)
def enum_argument(x, kind):
    return of_kind(x, kind)


@program(number, 2, again=[(number, 1), (number, 3)])
def dotted_values(x, n):
    match n:
        case Names.small:
            return x
        case Names.large:
            return x * x
        case _:
            return 0.0


@program(0.5, again=[(-0.5,), (2.0,)])
def guards(x):
    match x:
        case v if v < 0:
            y = v * v
        case v if v < 1:
            y = np.sin(v)
        case v:
            y = v * 3
    return y * v


def flagged(x, flag):
    match flag:
        case None:
            return x
        case True:
            return x * 2
        case False:
            return x * 3


@program(number)
def singletons(x):
    return flagged(x, None) + flagged(x, True) * flagged(x, False)


@program(1.5, again=[(-1.5,)])
def runtime_flag(x):
    match x > 0:
        case True:
            return x * x
        case _:
            return -x


@program(0.5, 4, again=[(0.5, 0)])
def in_loop(x, n):
    total = 0.0
    for i in range(n):
        match (i % 2, x):
            case (0, v):
                total = total + v
            case (_, v):
                total = total * v
    return total


@program(vector, again=[(array(3),)])
def arrays_are_no_sequences(x):
    match x:
        case [a, b, *_]:
            return a * b
        case {"x": y}:
            return y
        case np.ndarray() as y:
            return np.sum(y * y)


@program(number)
def nested_patterns(x):
    tree = ("add", ("mul", x, x), ("neg", ("leaf", x)))

    def value(node):
        match node:
            case ("add", a, b):
                return value(a) + value(b)
            case ("mul", a, b):
                return a * b
            case ("neg", inner):
                return -value(inner)
            case ("leaf", v):
                return np.sin(v)

    return value(tree)


@program(number, (1.0, 1.5), edges=[(number, (0.0, 1.5)), (number, (1.5, 0.0))])
def alternatives_with_names(x, pair):
    match pair:
        case (0.0, v) | (v, 0.0) if x > -100:
            return v * x
        case (a, b) as both:
            return a * b * x * len(both)


@program(5.0, number, edges=[(2.0, number)])
def no_case(s, x):
    y = x
    match s:
        case 2.0:
            y = x * x
    return y


@program(-1.5, again=[(1.5,), (0.5,)])
def returns_and_falls_through(x):
    match x > 0, x > 1:
        case True, True:
            return x * x
        case False, _:
            x = x * 3
    return x * 2


@program(number)
def binds_what_a_failing_guard_bound(x):
    v = 1.0
    match x * 2:
        case v if v > 1000.0:
            return x
    return v * x + 1
