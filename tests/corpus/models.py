"""Models as objects: parameters beside what is none, unread parts, gradients used again."""

import dataclasses
from types import SimpleNamespace

import numpy as np
from corpus.program import Theme, array, number, vector

import srcad
from srcad import nn

program = Theme("models")


class Dense:
    def __init__(self, r, n, m):
        self.w = r.standard_normal((n, m))
        self.name = "dense"
        self.b = r.standard_normal(m)
        self.act = np.tanh

    def __call__(self, x):
        return self.act(x @ self.w + self.b)


class Network:
    """Layers, a scale that stands first, a part that nothing reads, and what is no number."""

    def __init__(self, r):
        self.scale = float(r.uniform(0.5, 2.0))
        self.kind = "network"
        self.layers = [Dense(r, 3, 4), Dense(r, 4, 1)]
        self.spare = {"z": r.standard_normal(2), "a": [1.0, None]}
        self.history = (0.5, 0.25)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.scale * np.sum(x)


class Weight:
    __slots__ = ("a", "kind", "n", "z")

    def __init__(self, r):
        self.z = r.standard_normal(3)
        self.kind, self.n = "weight", 2
        self.a = float(r.standard_normal())

    def penalty(self):
        return np.sum(self.z**self.n) * self.a * self.n


class Derived(Weight):
    def __init__(self, r):
        super().__init__(r)
        self._k = float(r.standard_normal())

    @property
    def k(self):
        return self._k * 1.5

    def penalty(self):
        return super().penalty() * self.k


@dataclasses.dataclass
class Fit:
    shift: float
    inner: object
    scales: dict


@program(lambda r: Network(r), array(2, 3))
def network(model, x):
    return model(x)


@program(lambda r: Network(r), array(3))
def one_layer_is_read(model, x):
    return np.sum(model.layers[0](x)) + model.layers[1].b[0]


@program(lambda r: Weight(r))
def attributes_in_slots(weight):
    return weight.penalty()


@program(lambda r: [Derived(r), Weight(r)], number)
def slots_properties_and_the_class(weights, x):
    total = 0.0
    for weight in weights:
        total += weight.penalty() * x
    return total


@program(lambda r: Fit(0.5, Dense(r, 2, 2), {"z": 2.0, "a": r.standard_normal(2)}), array(2))
def object_in_a_dataclass(fit, x):
    return np.sum(fit.inner(x) * fit.scales["a"]) * fit.scales["z"] + fit.shift


@program(lambda r: SimpleNamespace(w=r.standard_normal(3), n="s", b=1.5), vector)
def namespace_with_a_name(p, x):
    return np.sum(np.sin(p.w)) * p.b + np.sum(x)


@program(lambda r: {"z": Dense(r, 2, 2), "a": Dense(r, 2, 2)}, array(2))
def one_object_of_a_dict(models, x):
    return np.sum(models["z"](x))


@program(lambda r: Network(r), array(2, 3), smooth=False)
def state_that_the_call_leaves(model, x):
    model.scale = model.scale + 1.0
    model.last = model(x)
    return model.last * model.scale


@program(vector, vector)
def step_of_a_vector(x, y):
    params = {"w": x, "b": np.sum(y)}

    def loss(p):
        return np.sum((p["w"] * y + p["b"]) ** 2)

    gradient = srcad.grad(loss)(params)
    params = {key: params[key] - 0.1 * gradient[key] for key in params}
    return loss(params)


@program(vector, number)
def pullbacks_in_a_list(x, k):
    pullbacks = []
    h = x
    for _ in range(3):
        h, pullback = srcad.vjp(lambda h: np.tanh(k * h), h)
        pullbacks.append(pullback)
    h_bar = np.ones_like(h)
    for pullback in reversed(pullbacks):
        (h_bar,) = pullback(h_bar)
    return np.sum(h_bar * x)


flat, unflatten = srcad.flatten(
    {"net": SimpleNamespace(w=np.ones((2, 3)), name="net", b=np.zeros(3)), "a": 0.5}
)


@program(array(10), array(2))
def object_out_of_a_vector(vector, x):
    p = unflatten(vector)
    return np.sum(np.tanh(x @ p["net"].w + p["net"].b)) * p["a"]


@program(array(5, 2), array(2))
def rows_of_a_table_are_scaled(table, w):
    def loss(table):
        return np.sum(nn.embedding(table, np.array([1, 3, 3])) @ w)

    gradient = srcad.grad(loss)(table)
    gradient *= 0.5
    return np.sum(gradient * table) + np.mean(gradient.T @ table)
