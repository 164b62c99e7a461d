"""Names: locals over globals, closures, defaults, attributes of `self`, later rebinding."""

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("scoping")

scale = 2.0
weights = np.array([1.0, 2.0, 3.0, 4.0])
table = {"a": 1.5, "b": [2.0, 3.0]}
count = 3
names = ("a", "b")
sum_ = sum


def make_adder(n):
    def add(x):
        return x + n

    return add


def make_counter():
    ks = []
    for k in range(3):
        ks.append(lambda x: x * k)
    return ks


add_five = make_adder(5.0)
late_bound = make_counter()


def appending(x, xs=[1.0, 2.0]):
    return x * len(xs) + xs[0]


def with_default(x, s=scale):
    return x * s


@program(number)
def reads_globals(x):
    return x * scale + table["a"] + sum(table["b"]) * x + count


@program(vector)
def global_array(x):
    return np.sum(x * weights)


@program(number)
def local_over_global(x):
    scale = x * 3
    count = scale + 1
    return scale * count


@program(number)
def local_over_builtin(x):
    sum = x * 2
    max = lambda v: v * 3
    return sum + max(x)


@program(number)
def closures(x):
    return add_five(x) + late_bound[0](x) + late_bound[2](x)


@program(number)
def defaults(x):
    return appending(x) + with_default(x) + with_default(x, s=x)


@program(number)
def late_binding_inside(x):
    fs = []
    for k in (1, 2, 3):
        fs.append(lambda v: v * k)
    return fs[0](x) + fs[1](x)


@program(number)
def early_binding_inside(x):
    fs = [lambda v, k=k: v * k for k in (1, 2, 3)]
    return fs[0](x) + fs[1](x)


@program(number)
def closure_sees_rebinding(x):
    k = 2.0

    def scaled(v):
        return v * k

    a = scaled(x)
    k = x
    return a + scaled(x)


@program(number)
def comprehension_scope(x):
    i = x * 10
    ys = [i * x for i in range(3)]
    return ys[2] + i


@program(number)
def comprehension_reads_outer(x):
    k = 3.0
    return sum([v * k * x for v in (1.0, 2.0)])


@program(number)
def walrus_in_comprehension(x):
    ys = [(last := v * x) for v in (1.0, 2.0)]
    return ys[0] + last


@program(number)
def loop_over_global(x):
    s = 0.0
    for n in names:
        s = s + len(n) * x
    for b in table["b"]:
        s = s + b * x
    return s


@program(number, again=[(-1.0,)])
def closure_in_branch(x):
    k = 1.0
    f = lambda v: v * k
    if x > 0:
        k = x * 2
    return f(x)


@program(0.5, 3, again=[(0.5, 0)])
def closure_in_loop(x, n):
    k = 1.0
    f = lambda v: v * k
    for _ in range(n):
        k = f(x) + 1
    return f(x)


@program(number)
def defaults_evaluated_once(x):
    k = 2.0

    def f(v, s=k):
        return v * s

    k = 100.0
    return f(x)


@program(number)
def mutable_default_inside(x):
    def f(v, seen=[]):
        seen.append(v)
        return len(seen) * v

    return f(x) + f(x * 2)


class Model:
    rate = 0.5

    def __init__(self):
        self.w = np.array([1.0, 2.0, 3.0, 4.0])
        self.b = 1.5
        self.layers = [np.ones((2, 4)), np.ones((1, 2))]
        self.name = "model"
        self._hidden = 2.0

    @property
    def hidden(self):
        return self._hidden * 2

    @staticmethod
    def act(x):
        return np.tanh(x)

    @classmethod
    def rated(cls, x):
        return x * cls.rate

    def dense(self, x):
        return self.act(self.w * x + self.b)

    def __call__(self, x):
        for layer in self.layers:
            x = self.act(layer @ x)
        return np.sum(x) * self.hidden


model = Model()


@program(vector)
def object_of_globals(x):
    return np.sum(model.dense(x)) + model(x) * model.rate + model.rated(x).sum() + len(model.name)


class Derived(Model):
    rate = 0.25

    def dense(self, x):
        return self.w * x * self.rate


derived = Derived()


@program(vector)
def derived_object(x):
    return np.sum(derived.dense(x)) + derived.rated(x[0]) + derived(x)


@program(array(4), 3)
def bound_in_loops_in_another_order(x, n):
    for v in x:
        kept = [v * 2.0]
        unused = 1.0
        for last in range(n):
            unused = v
    return kept[0] * last + unused
