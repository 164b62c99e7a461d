"""Namedtuples, dataclasses, callable objects, bound methods."""

import dataclasses
import functools
from collections import namedtuple
from types import SimpleNamespace
from typing import ClassVar, NamedTuple

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


# Classes made in the program -----------------------------------------------------------------


class Linear:
    bias_scale = 2.0

    def __init__(self, w, b=0.0):
        self.w = w
        self.b = b

    def __call__(self, x):
        return x * self.w + self.b * self.bias_scale

    def norm(self):
        return np.sum(self.w**2)


class Tanh(Linear):
    def __init__(self, w, gain):
        super().__init__(w, b=1.0)
        self.gain = gain

    def __call__(self, x):
        return np.tanh(super().__call__(x)) * self.gain

    def norm(self):
        return super().norm() + self.gain**2


class Dual:
    __slots__ = ("slope", "value")

    def __init__(self, value, slope=0.0):
        self.value = value
        self.slope = slope

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        if not isinstance(other, Dual):
            return NotImplemented
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __rmul__(self, k):
        return Dual(k * self.value, k * self.slope)

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __lt__(self, other):
        return self.value < other.value


class Account:
    def __init__(self, balance):
        self._balance = balance
        self.history = []

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, new):
        self.history.append(new)
        self._balance = new

    def __iadd__(self, amount):
        self.balance = self.balance + amount
        return self

    def __len__(self):
        return len(self.history)

    def __bool__(self):
        return len(self.history) > 0


class Grid:
    def __init__(self, rows):
        self.rows = list(rows)

    def __getitem__(self, i):
        return self.rows[i]

    def __setitem__(self, i, row):
        self.rows[i] = row

    def __delitem__(self, i):
        del self.rows[i]

    def __iter__(self):
        return iter(self.rows)

    def __contains__(self, row):
        return any(row == other for other in self.rows)

    def __len__(self):
        return len(self.rows)


@program(number, number)
def makes_object(x, w):
    layer = Linear(w)
    y = layer(x)
    layer.b = x * x
    return layer(y) + layer.norm()


@program(number, number)
def inherits(x, w):
    layers = [Linear(w), Tanh(w, 0.5), Tanh(x, x)]
    for layer in layers:
        x = layer(x)
    return x + sum(layer.norm() for layer in layers) + isinstance(layers[1], Linear)


@program(number)
def operators_of_class(x):
    a = Dual(x, 1.0)
    b = 2.0 * a * a + 3.0
    c = 1.0 + -b
    return b.value * c.slope + (b + a).slope


@program(1.5, again=[(-1.5,)])
def comparison_of_class(x):
    a, b = Dual(x), Dual(0.0)
    return x * x if b < a else -x


@program(number)
def properties_and_setters(x):
    account = Account(x)
    account.balance = x * 2
    account += x * x
    same = account
    same += 1.0
    if account:
        return account.balance * len(account) + account.history[0]
    return x


@program(number)
def item_methods(x):
    grid = Grid([x, x * x, 3.0])
    grid[0] = grid[1] * grid[2]
    grid[2] += x
    del grid[1]
    total = 0.0
    for row in grid:
        total = total + row
    first, second = grid
    return total * len(grid) + first * second + sum(grid) + (3.0 in Grid([1.0, 3.0]))


@program(1.5, again=[(-1.5,)])
def attributes_in_branch(x):
    layer = Linear(x)
    if x > 0:
        layer.w = x * x
        layer.extra = x
    else:
        layer.w = -x
        layer.extra = 2.0
    return layer(x) * layer.extra


@program(0.5, 3, again=[(0.5, 0)])
def attributes_in_loop(x, n):
    state = SimpleNamespace(h=x, steps=0)
    for _ in range(n):
        state.h = np.sin(state.h) + x
        state.steps += 1
    return state.h * (1 + state.steps)


@program(0.5)
def attributes_in_while(x):
    layer = Linear(x, 1.0)
    while layer.b < 10.0:
        layer.b = layer.b * 2 + layer.w
    return layer.b


@program(number)
def record_class_inside(x):
    class Pair:
        scale = 3.0

        def __init__(self, a, b):
            self.a = a
            self.b = b

        def dot(self, other):
            return (self.a * other.a + self.b * other.b) * self.scale * factor

    factor = x * 2
    return Pair(x, 2.0).dot(Pair(1.0, x)) + Pair.scale


@program(number)
def bare_class_inside(x):
    class Box:
        pass

    box = Box()
    box.value = x * x
    box.other = Box()
    box.other.value = box.value * x
    return box.value + box.other.value * isinstance(box.other, Box) * hasattr(box, "value")


@program(number)
def class_inside_inherits(x):
    class Squashed(Linear):
        gain = x

        def __call__(self, y):
            return np.tanh(super().__call__(y)) * self.gain

        @property
        def double(self):
            return self.gain * 2

        @staticmethod
        def half(y):
            return y / 2

        @classmethod
        def unit(cls, w=1.0):
            return cls(w, 0.5)

    layer = Squashed(x)
    return layer(x) * layer.double + Squashed.half(x) + Squashed.unit()(x) + layer.norm()


@program(number)
def dataclass_inside(x):
    @dataclasses.dataclass
    class State:
        h: float
        count: int = 0
        xs: list = dataclasses.field(default_factory=list)

        def __post_init__(self):
            self.half = self.h / 2

        def step(self, v):
            self.h = np.tanh(self.h + v)
            self.xs.append(self.h)
            self.count += 1

    s, t = State(x), State(h=1.0)
    s.step(x)
    s.step(2.0)
    t.step(x)
    return s.h * s.count + sum(s.xs) * t.h + s.half * len(t.xs) + (s == t)


@program(number)
def namedtuples_inside(x):
    P = namedtuple("P", "a b", defaults=(2.0,))

    class Q(NamedTuple):
        u: float
        v: float = 3.0

        def total(self):
            return self.u + self.v

    return P(x).a * P(x).b + Q(x * x).total() + Q(*P(x, x)).v


@dataclasses.dataclass
class Base:
    w: float

    def scale(self):
        return self.w


@dataclasses.dataclass
class Derived(Base):
    b: float = 1.0

    def scale(self):
        return super().scale() * self.b


@dataclasses.dataclass(frozen=True)
class Unit:
    x: float
    y: float

    def __post_init__(self):
        object.__setattr__(self, "length", np.sqrt(self.x**2 + self.y**2))


@program(number)
def dataclasses_inherit(x):
    d = Derived(x, b=x * 3)
    d.b += 1.0
    return d.scale() + Unit(x, 2.0).length + (Derived(1.0) == Derived(1.0, 1.0))


class Shared:
    count = 1.5

    @classmethod
    def make(cls, x):
        return cls().with_value(x)

    def with_value(self, x):
        self.value = x
        return self

    def __matmul__(self, other):
        return self.value * other.value * self.count

    def __abs__(self):
        return abs(self.value)


@program(number)
def chains_methods(x):
    return Shared.make(x) @ Shared.make(2 * x) + abs(Shared.make(x))


# Objects that are arguments ------------------------------------------------------------------


def two_layers(rng):
    return SimpleNamespace(layers=[SimpleNamespace(h=0.5), SimpleNamespace(h=2.0)])


class Cell:
    def __init__(self, w, h):
        self.w = w
        self.h = h
        self.log = []

    def step(self, x):
        self.h = np.tanh(self.w * self.h + x)
        self.log.append(np.sum(self.h))
        return self.h

    @property
    def energy(self):
        return np.sum(self.h**2)


@program(lambda r: Cell(r.random(3), np.zeros(3)), array(3), smooth=False)
def object_with_state(cell, x):
    cell.step(x)
    y = cell.step(x * 2)
    return np.sum(y) + cell.energy + sum(cell.log) * len(cell.log)


@program(
    lambda r: Cell(r.random(3), np.zeros(3)),
    array(3),
    3,
    smooth=False,
    again=[(lambda r: Cell(r.random(3), np.zeros(3)), array(3), 0)],
)
def object_with_state_in_loop(cell, x, n):
    for _ in range(n):
        cell.h = np.tanh(cell.w * cell.h + x)
    return cell.energy


@program(lambda r: Cell(r.random(3), np.ones(3)), array(3), smooth=False)
def attribute_written_in_place(cell, x):
    cell.h[1:] = x[1:] * cell.w[0]
    cell.h *= 2.0
    cell.w[0] = cell.h[1]
    return np.sum(cell.h * cell.w)


@program(1.5, two_layers, again=[(-1.5, two_layers)], smooth=False)
def nested_object_in_branch(x, model):
    if x > 0:
        model.layers[0].h = x * model.layers[1].h
    else:
        model.layers[1].h = x
    return model.layers[0].h * model.layers[1].h * x


@program(number, lambda r: Account(2.0), smooth=False)
def object_with_setter(x, account):
    account.balance = account.balance * x
    account += x
    return account.balance * len(account)


@program(lambda r: Params(r.random(3), 2.0), array(3), smooth=False)
def dataclass_argument_changed(params, x):
    params.w = params.w * x
    params.b += 1.0
    return params.loss(x)


@program(
    1.5,
    lambda r: SimpleNamespace(w=2.0),
    again=[(-1.5, lambda r: SimpleNamespace(w=2.0))],
    smooth=False,
)
def attribute_added_to_argument(x, box):
    box.y = x * box.w
    if x > 0:
        box.y = box.y * x
    return box.y


class Halved:
    def __init__(self, value):
        self.w = value / 2


@dataclasses.dataclass
class Doubled:
    w: float

    def __post_init__(self):
        self.w = self.w * 2


@program(lambda r: Halved(3.0), lambda r: Doubled(1.5), number, smooth=False)
def constructors_that_compute(half, double, x):
    return half.w * double.w * x


@program(number)
def returns_object(x):
    return Halved(x), Doubled(x * x), Linear(2 * x, 3.0)


@program(number)
def diamond(x):
    class A:
        def f(self):
            return x

    class B(A):
        def f(self):
            return 2 * super().f()

    class C(A):
        def f(self):
            return 3 * super().f() * x

    class D(B, C):
        pass

    return D().f()


@program(number)
def scope_of_class(x):
    k = 5.0

    class A:
        k = x
        m = k * 2

        def f(self):
            return k * self.m

    return A().f()


@program(0.5, 2, again=[(0.5, 0)])
def objects_in_list_in_loop(x, n):
    cells = [SimpleNamespace(h=x), SimpleNamespace(h=1.0)]
    for _ in range(n):
        for cell in cells:
            cell.h = cell.h * x + 1
    return cells[0].h * cells[1].h


@program(0.5, lambda r: Cell(1.5, 2.0), again=[(-0.5, lambda r: Cell(1.5, 2.0))], smooth=False)
def first_read_in_branch(x, cell):
    if x > 0:
        cell.log.append(x * cell.h)
    else:
        cell.log.append(cell.w)
    return cell.log[0] * x


class Held:
    """Attributes from a dict."""

    def __init__(self, **options):
        self.__dict__.update(options)


@program(array(3), number)
def by_namespaces(x, k):
    held = Held(x=x, k=k)
    names = vars(held)
    names["k"] = k * 2.0
    held.x = np.sin(held.x) * held.k
    return np.sum(names["x"] ** 2) + sum(
        i * names["k"] for i, _ in enumerate(sorted(names.items()))
    )


class Registered(type):
    """Names its classes when they are made, as plug-ins do."""

    names: ClassVar[list[str]] = []

    def __new__(cls, name, bases, members):
        made = super().__new__(cls, name, bases, members)
        cls.names.append(name)
        made.tag = name.lower()
        return made

    def __len__(cls):
        return len(cls.tag)


class Scaled(metaclass=Registered):
    factor = 2.0

    def __init__(self, a):
        self.a = a

    @classmethod
    def of(cls, x):
        return cls(x * cls.factor)


class Tripled(Scaled):
    factor = 3.0


@program(array(3), again=[(array(5),)])
def classes_with_a_metaclass(x):
    made = Tripled.of(x)
    is_one = isinstance(made, Scaled) and not isinstance(Scaled(x), Tripled)
    return np.sum(Scaled.of(x).a * made.a) * len(made.tag) * (2.0 if is_one and Scaled else 1.0)


class Quaternion:
    __slots__ = ("v", "w")

    def __new__(cls, w, v):
        self = object.__new__(cls)
        self.w, self.v = w, v
        return self

    def norm2(self):
        return self.w**2 + self.v @ self.v


class Counting:
    def __new__(cls, *args, **options):
        self = super().__new__(cls)
        self.count = len(args)
        return self

    def __init__(self, x, k=2.0):
        self.x = x * k


class Counted(Counting):
    def __init__(self, x):
        super().__init__(x, 3.0)
        self.y = x


class Twice:
    def __new__(cls, x):
        return x * 2


class Fixed:
    def __init__(self, x):
        object.__setattr__(self, "x", x)

    def __setattr__(self, name, value):
        raise AttributeError(name)


class Shifted:
    def __init__(self, x):
        self.x = x
        self.n = 1

    def __setattr__(self, name, value):
        super().__setattr__(name, value + 1 if name == "x" else value)


@program(vector)
def made_by_new(x):
    q = Quaternion(x[0], x)
    q.w = q.w * 2
    d = Counted(x)
    return q.norm2() + np.sum(d.x * d.y) * d.count + np.sum(Twice(x)) * Counting(x, k=x[0]).x[1]


@program(vector)
def attributes_set_by_the_class(x):
    s, fixed = Shifted(x), Fixed(x * 2)
    s.x = s.x * x
    s.n += 2
    try:
        fixed.x = x * 3
    except AttributeError:
        return np.sum(s.x**2) * s.n + np.sum(fixed.x)
    return 0.0


class Once:
    """Computes an attribute once and keeps it in the object's `_cache`."""

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__

    def __get__(self, obj, cls=None):
        try:
            cache = obj._cache
        except AttributeError:
            cache = obj._cache = {}
        value = cache.get(self.__name__)
        if value is None:
            value = cache[self.__name__] = self.fn(obj)
        return value


class TimesConstant:
    def __init__(self, k):
        self.k = k

    def __get__(self, obj, cls):
        return obj.x * self.k


class Sample:
    three = TimesConstant(3.0)

    def __init__(self, x):
        self.x = x

    @Once
    def total(self):
        return np.sum(self.x**2)

    def __array__(self, dtype=None, copy=None):
        return self.x * 2


@program(vector)
def descriptors(x):
    sample = Sample(x)
    first = sample.total
    sample.x = x * x
    return first * sample.total + np.sum(sample.three)


@program(vector)
def object_as_an_array(x):
    return np.sum(np.asarray(Sample(x)) ** 2) + np.array(Sample(x * x))[1]


class Holding:
    __rate = 0.5

    def __init__(self, held):
        self.__held = held

    def __grown(self):
        return self.__held * (1.0 + self.__rate)

    def worth(self):
        return self.__grown()


class Portion(Holding):
    __rate = 0.25

    def __init__(self, held, other):
        super().__init__(held)
        self.__held = other

    def share(self):
        return self.__held * self.__rate


@program(number, number)
def private_names(x, y):
    one = Portion(x, y)
    return one.worth() * one.share() + one._Holding__held * y


class Mean:
    n = 0
    s = 0.0

    def add(self, t):
        self.n += 1
        self.s += t

    def mean(self):
        return self.s / self.n if self.n else 0.0


class Clipped:
    level = 0.5

    def __init__(self, x):
        if x > self.level:
            self.level = x


@program(vector)
def attributes_that_a_class_has_as_well(v):
    mean = Mean()
    for t in v:
        mean.add(t * Clipped(t).level)
    return mean.mean()


class Gathered:
    def __init__(self, v):
        self.v = v
        self.reads = 0

    @functools.cached_property
    def norm(self):
        self.reads += 1
        return np.sqrt(self.v @ self.v)

    @functools.cached_property
    def buffer(self):
        return np.zeros(2)

    def add(self, i, x):
        self.buffer[i] += x * self.norm


@program(vector, number)
def cached_properties(v, x):
    g = Gathered(v)
    g.add(0, x)
    g.add(1, x * x)
    y = g.norm
    g.v = v * 2.0
    return np.sum(np.sin(g.buffer)) * (y + g.norm) * g.reads
