"""Gradients by objects and containers: the structure, the order and the rest of the argument."""

from __future__ import annotations

import array
import copy
import datetime
import enum
import importlib.util
import pickle
from collections import namedtuple
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.api.arguments import trees
from srcad.api.arguments.trees import leaves
from srcad.errors import ArgumentTypeError
from srcad.nn.optim import adam, sgd

Pair = namedtuple("Pair", "z a")


class Layer:
    scale = 0.5

    def __init__(self, n: int, m: int) -> None:
        self.w = np.linspace(-1.0, 1.0, n * m).reshape(n, m)
        self.name = "layer"
        self.unused = np.ones(3, np.float32)
        self.b = np.full(m, 0.1)
        self.a = 0.7

    def __call__(self, x: Any) -> Any:
        return self.a * np.tanh(x @ self.w + self.b)


class Net:
    def __init__(self) -> None:
        self.z = {"y": 1.5, "x": np.ones(2)}
        self.size = 3
        self.layers = [Layer(2, 3), Layer(3, 1)]
        self.spare = Layer(1, 1)
        self.pair = Pair(0.5, (2.0, 3.0))
        self.history = [1.0, 2.0]
        self.alpha = 2.0

    def __call__(self, x: Any) -> Any:
        x = x * self.z["x"] * self.z["y"] * self.pair.z
        for layer in self.layers:
            x = layer(x)
        return self.alpha * np.sum(x) * self.pair.a[1]


class Slots:
    __slots__ = ("a", "z")

    def __init__(self) -> None:
        self.z, self.a = 2.0, 3.0

    def __call__(self, x: Any) -> Any:
        return self.a * np.sum(x) * self.z**2


class Both(Slots):
    """In slots and in a dict, by a property and from the class."""

    rate = 1.5

    def __init__(self) -> None:
        super().__init__()
        self._w = np.ones(2)
        self.c = 0.5

    @property
    def w(self) -> Any:
        return self._w

    def __call__(self, x: Any) -> Any:
        return super().__call__(x * self.w) * self.rate


class Singular:
    def __new__(cls, *args: Any) -> Any:
        made = super().__new__(cls)
        made.count = 1.0
        return made

    def __init__(self, w: float) -> None:
        self.w = w

    def __call__(self, x: Any) -> Any:
        return np.sum(x) * self.w * self.count


@dataclass
class Whole:
    z: float
    inner: Any
    a: Any = field(default_factory=lambda: np.ones(2))

    def __call__(self, x: Any) -> Any:
        return self.inner(x) * np.sum(self.a)


X = np.array([0.3, -0.4])
MODELS = {
    "net": Net, "layer": lambda: Layer(2, 3), "slots": Slots, "both": Both,
    "singular": lambda: Singular(2.0), "dataclass": lambda: Whole(1.0, Slots()),
    "namespace": lambda: SimpleNamespace(z=1.0, call=Slots(), a=np.ones(2)),
}  # fmt: skip


def value(model: Any, x: Any) -> Any:
    if isinstance(model, SimpleNamespace):
        return model.call(x) * np.sum(model.a)
    return np.sum(model(x))


def differences(model: Any) -> list[Any]:
    """The derivative by each number of a model, by differences; the model is restored."""
    found = []
    flat, structure = trees.flatten(model)
    for k, x in enumerate(flat):
        if not isinstance(x, float | np.ndarray) or np.asarray(x).dtype.kind != "f":
            found.append(x)
            continue
        bar = np.zeros(np.shape(x))
        for at in np.ndindex(bar.shape):
            step = np.zeros(bar.shape)
            step[at] = 1e-6
            moved = ([*flat[:k], x + s * step, *flat[k + 1 :]] for s in (1, -1))
            ends = [value(trees.unflatten(structure, each), X) for each in moved]
            bar[at] = (ends[0] - ends[1]) / 2e-6
        found.append(bar)
    return found


def same_form(a: Any, b: Any) -> None:
    """Of one structure in one order."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same_form(a[key], b[key])
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for pair in zip(a, b, strict=True):
            same_form(*pair)
    elif hasattr(a, "__dict__"):
        names = [name for name in vars(b) if name in vars(a)]
        assert list(vars(a)) == names
        assert names[: len(vars(a))] == [*vars(b)][: len(vars(a))]
        for name in vars(a):
            same_form(vars(a)[name], vars(b)[name])


def check(gradient: Any, model: Any) -> None:
    if hasattr(gradient, "rate"):
        del gradient.rate  # of the class
    found, wanted = leaves(gradient, nones=True), differences(model)
    for x, expected in zip(found, wanted, strict=True):
        if isinstance(expected, np.ndarray):
            np.testing.assert_allclose(x, expected, atol=1e-6)
        else:
            assert x is None or x == expected


KINDS = ["grad", "value_and_grad", "vjp", "elementwise_grad", "aux"]


def gradient_of(kind: str, model: Any) -> Any:
    if kind == "vjp":
        return srcad.vjp(value, model, X)[1](1.0)[0]
    if kind == "aux":
        return srcad.grad(lambda m, x: (value(m, x), x), has_aux=True)(model, X)[0]
    found = getattr(srcad, kind)(value)(model, X)
    return found[1] if kind == "value_and_grad" else found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_gradients_have_the_attributes_of_the_argument(name: str, kind: str) -> None:
    model = MODELS[name]()
    gradient = gradient_of(kind, model)
    assert type(gradient) is type(model)
    if kind != "vjp":
        for g, m in zip(_instances(gradient), _instances(model), strict=True):
            assert list(vars(g))[: len(vars(m))] == list(vars(m))
    check(gradient, model)


def _instances(x: Any) -> list[Any]:
    """All objects with a dict in a model."""
    if isinstance(x, list | tuple):
        return [found for item in x for found in _instances(item)]
    if hasattr(x, "__dict__"):
        return [x, *(found for item in vars(x).values() for found in _instances(item))]
    return []


def test_a_step_by_pairs_of_attributes() -> None:
    model = Layer(2, 3)
    before, gradient = copy.deepcopy(model), srcad.grad(value)(model, X)
    for (name, x), (other, g) in zip(vars(model).items(), vars(gradient).items(), strict=True):
        assert name == other
        if isinstance(x, np.ndarray):
            x -= 0.1 * g
    np.testing.assert_allclose(before.b - model.b, 0.1 * gradient.b)
    np.testing.assert_allclose(before.w - model.w, 0.1 * gradient.w)
    np.testing.assert_array_equal(before.unused, model.unused)


def test_one_program_serves_any_order() -> None:
    gradient = srcad.grad(lambda m: m.a * m.b**2)
    for names in ("ab", "ba", "bxa", "axb"):
        model = SimpleNamespace(**{name: float(k + 2) for k, name in enumerate(names)})
        found = gradient(model)
        assert "".join(vars(found)) == names
        assert (found.a, found.b) == (model.b**2, 2 * model.a * model.b)
    assert gradient.cache_info().size == 1


def test_what_is_not_read_may_change_freely() -> None:
    gradient = srcad.grad(value)
    model = Net()
    for k in range(4):
        found = gradient(model, X)
        assert found.history == [0.0] * (k + 2)
        assert found.size is model.size
        model.history.append(3.0)
        model.size += 1
    assert gradient.cache_info().size == 1


def test_objects_that_lead_back() -> None:
    model = Net()
    model.spare.parent = model  # type: ignore[attr-defined]
    found = srcad.grad(value)(model, X)
    assert isinstance(found.spare.parent, Net)
    assert found.spare.a == 0.0
    assert np.all(srcad.vjp(value, model, X)[1](1.0)[0].layers[0].w == found.layers[0].w)


def test_jacobians_have_the_order_of_the_argument() -> None:
    model = Net()
    for make in (srcad.jacobian, srcad.jacrev, srcad.jacfwd):
        found = make(lambda m: m(X) * np.arange(1.0, 3.0))(model)
        assert list(vars(found)) == ["z", "layers", "pair", "alpha"]
        assert list(vars(found.layers[0])) == ["w", "b", "a"]
        assert found.layers[0].w.shape == (2, 2, 3)
    second = srcad.hessian(lambda m: value(m, X))(Slots())
    assert (second.z.z, second.z.a, second.a.z) == (6.0 * np.sum(X), *[4.0 * np.sum(X)] * 2)


def test_tangents_and_vectors_are_objects_too() -> None:
    model = Net()
    gradient = srcad.grad(value)(model, X)
    _, along = srcad.jvp(lambda m: value(m, X), (model,), (gradient,))
    squares = sum(
        np.sum(np.square(g))
        for g, m in zip(leaves(gradient), leaves(model), strict=True)
        if isinstance(m, float | np.ndarray)
    )
    np.testing.assert_allclose(along, squares)
    product = srcad.hvp(value)(model, gradient, X)
    step = 1e-6
    flat, structure = trees.flatten(model)
    ends = []
    for sign in (1, -1):
        moved = [
            x + sign * step * g if isinstance(x, float | np.ndarray) else x
            for x, g in zip(flat, leaves(gradient), strict=True)
        ]
        ends.append(srcad.grad(value)(trees.unflatten(structure, moved), X))
    np.testing.assert_allclose(
        product.layers[0].w, (ends[0].layers[0].w - ends[1].layers[0].w) / (2 * step), atol=1e-6
    )
    assert list(vars(product)) == list(vars(model))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda t: setattr(t, "alpha", np.ones(2)), r"tangent 0.alpha of shape \(2,\)"),
        (lambda t: setattr(t, "alpha", "a"), "tangent 0.alpha of type str"),
        (lambda t: setattr(t, "alpha", None), "another structure"),
        (lambda t: setattr(t, "alpha", 1j), "complex for a real value"),
        (lambda t: delattr(t, "alpha"), "another structure"),
        (lambda t: t.layers.pop(), "another structure"),
        (lambda t: setattr(t.layers[0], "b", np.ones(1)), r"layers\[0\].b of shape"),
    ],
)
def test_tangents_that_do_not_fit_are_refused(change: Any, what: str) -> None:
    model = Net()
    tangent = srcad.grad(value)(model, X)
    change(tangent)
    with pytest.raises(ArgumentTypeError, match=f"E310.*{what}"):
        srcad.jvp(value, (model, X), (tangent, X))


def test_numbers_of_python_become_what_the_primal_is() -> None:
    tangent = srcad.grad(value)(Slots(), X)
    tangent.a = 1
    assert srcad.jvp(value, (Slots(), X), (tangent, X))[1] == pytest.approx(
        srcad.jvp(value, (Slots(), X), (slots_with(1.0, tangent.z), X))[1]
    )


def slots_with(a: float, z: float) -> Slots:
    made = Slots()
    made.a, made.z = a, z
    return made


def test_the_cotangent_is_for_the_value_as_it_was() -> None:
    y, pullback = srcad.vjp(lambda x: {"a": [x * x], "b": x}, X)
    expected = pullback({"a": [X], "b": X})
    y["a"].append(1.0)
    del y["b"]
    np.testing.assert_array_equal(pullback({"a": [X], "b": X}), expected)


def test_out_takes_objects() -> None:
    model = Net()
    step = srcad.grad(value)
    out = step(model, X)
    expected, array = copy.deepcopy(out), out.layers[0].w
    array[...] = 7.0
    with pytest.raises(ArgumentTypeError, match=r"E319.*no array"):
        step(model, X, out=out)
    arrays = SimpleNamespace(a=np.ones(2), b=np.ones(2))
    taken = SimpleNamespace(a=np.empty(2), b=np.empty(2))
    found = srcad.grad(lambda m: np.sum(m.a * m.b**2))(arrays, out=taken)
    assert found is taken
    np.testing.assert_array_equal(taken.b, [2.0, 2.0])
    with pytest.raises(ArgumentTypeError, match="overlaps an argument"):
        srcad.grad(lambda m: np.sum(m.a * m.b**2))(arrays, out=arrays)
    assert expected.alpha == step(model, X).alpha


def test_saved_modules_keep_the_order(tmp_path: Path) -> None:
    model = Net()
    gradient = srcad.value_and_grad(value)
    expected = gradient(model, X)[1]
    gradient.save(tmp_path / "module_of_net.py", model, X)
    spec = importlib.util.spec_from_file_location("module_of_net", tmp_path / "module_of_net.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, module.__all__[0])(model, X)[1]
    same_form(found, expected)
    np.testing.assert_array_equal(found.layers[0].w, expected.layers[0].w)


class Items(Exception):
    def __init__(self) -> None:
        self.w = 2.0


def test_objects_that_are_more_than_their_attributes_are_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"E308.*Items, which is more than its attributes"):
        srcad.grad(lambda m: m.w * m.w)(Items())


def test_gradients_are_pickled_and_copied() -> None:
    gradient = srcad.grad(value)(Net(), X)
    for again in (pickle.loads(pickle.dumps(gradient)), copy.deepcopy(gradient)):
        assert list(vars(again)) == list(vars(gradient))
        np.testing.assert_array_equal(again.layers[1].b, gradient.layers[1].b)


def test_dicts_come_in_the_order_in_which_they_were_filled() -> None:
    @srcad.compile
    def made(x: Any, more: bool) -> Any:
        d = {"z": x, "y": 1.0}
        if more:
            d["k"] = 2.0
        del d["z"]
        d["b"] = x * x
        d["z"] = 3.0
        d.update(a=x, y=4.0)
        return {**d, "b": 0.0} | {"m": d}

    for more in (True, False):
        found, expected = made(2.0, more), made.primal(2.0, more)
        assert list(found) == list(expected)
        assert list(found["m"]) == list(expected["m"])
    gradient = srcad.grad(lambda p: p["a"] * p["z"]["c"] * p["z"]["b"])
    for p in ({"z": {"c": 1.0, "b": 2.0}, "a": 3.0}, {"a": 3.0, "z": {"b": 2.0, "c": 1.0}}):
        same_form(gradient(p), trees.map_leaves(float, p))


@dataclass
class Small:
    z: float
    inner: float


def _sets_in_another_order(o: Any, x: Any) -> Any:
    if x > 0.0:
        o.a, o.b = x, 2.0
    else:
        o.b = x
        o.a = 2.0
    return x


def _deletes_on_one_path(o: Any, x: Any) -> Any:
    if x > 0.0:
        del o.z
    return x


def _deletes_and_sets(o: Any, x: Any) -> Any:
    del o.z
    o.c = x
    return x


def _sets_anew(o: Any, x: Any) -> Any:
    del o.z
    o.z = x
    return x


def _makes_in_another_order(o: Any, x: Any) -> Any:
    made = SimpleNamespace()
    _sets_in_another_order(made, x)
    return made


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "f",
    [
        _sets_in_another_order, _deletes_on_one_path, _deletes_and_sets, _sets_anew,
        _makes_in_another_order,
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [SimpleNamespace, Small])
def test_attributes_that_depend_on_the_path_are_refused(make: Any, f: Any, backend: str) -> None:
    given = make(z=1.0, inner=2.0)
    before = dict(vars(given))
    with pytest.raises(srcad.SrcadError, match=r"E118|E129"):
        srcad.compile(f, backend=backend)(given, 1.0)
    assert list(vars(given).items()) == list(before.items())


def test_attributes_that_stay_inside_may_depend_on_the_path() -> None:
    def f(x: Any) -> Any:
        made = SimpleNamespace()
        _sets_in_another_order(made, x)
        return made.a * made.b

    assert srcad.value_and_grad(f)(-3.0) == (-6.0, 2.0)
    assert srcad.value_and_grad(f)(3.0) == (6.0, 2.0)


def test_attributes_are_set_in_any_order() -> None:
    def f(o: Any) -> Any:
        o.z = o.a * 2
        o.a = o.b
        o.y, o.b = 1.0, 3.0
        return o

    found, expected = (SimpleNamespace(b=2.0, a=1.0) for _ in range(2))
    assert srcad.compile(f)(found) is found
    f(expected)
    assert list(vars(found).items()) == list(vars(expected).items())


def test_what_is_no_number_in_an_object_stays_what_it_is() -> None:
    def f(m: Any) -> Any:
        return sum(m.w**2 for _ in range(m.n)) * m.n * m.ids[1] * m.sizes[0] * m.k

    model = SimpleNamespace(n=3, w=2.0, ids=np.arange(3), sizes=[2, 3], flag=True, k=np.int64(2))
    for found in (srcad.grad(f)(model), srcad.hvp(f)(model, model)):
        assert list(vars(found)) == list(vars(model))
        assert (found.n, found.sizes, found.flag, found.k) == (3, [2, 3], True, 2)
        assert found.w == 144.0
    (bar,) = srcad.vjp(f, model)[1](1.0)
    assert (bar.n, bar.ids, bar.w) == (None, None, 144.0)
    assert list(vars(bar)) == list(vars(model))
    found = srcad.grad(lambda m: m.w * m.u[0] * m.u[1])(SimpleNamespace(w=1.0, u=[3, 2.0]))
    assert (found.w, found.u) == (6.0, [None, 3.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda p: p["w"] * p["n"],
        lambda p: p["w"],
        lambda p: sum(p["w"] for _ in range(p["n"])),
        lambda p: np.sum(p["w"] ** p["n"] * p["of"][1]),
    ],
)
def test_ints_in_containers_have_none_for_a_gradient_however_they_are_read(f: Any) -> None:
    params = {"w": 2.0, "n": 3, "of": (np.arange(2), np.int64(1))}
    expected = srcad.grad(lambda w: f({**params, "w": w}))(2.0)
    for found in (
        srcad.grad(f)(params),
        srcad.value_and_grad(f)(params)[1],
        srcad.vjp(f, params)[1](1.0)[0],
        srcad.jacrev(f)(params),
        srcad.jacfwd(f)(params),
        srcad.compile(lambda p: srcad.grad(f)(p))(params),
        srcad.compile(lambda w: srcad.grad(f)({**params, "w": w}))(2.0),
        srcad.compile(lambda w: srcad.vjp(f, {**params, "w": w})[1](1.0)[0])(2.0),
    ):
        assert found == {"w": expected, "n": None, "of": (None, None)}
    # What grad gives is a direction, beside the arguments themselves.
    gradient = srcad.grad(f)(params)
    for direction in (params, gradient):
        w_dot = direction["w"]
        assert srcad.jvp(f, (params,), (direction,))[1] == expected * w_dot
        second = srcad.hvp(lambda p: f(p) ** 2)(params, direction)
        assert second["n"] is None
        inside = srcad.compile(lambda p, v: srcad.jvp(f, (p,), (v,))[1])
        assert inside(params, direction) == expected * w_dot
    hessian = srcad.hessian(lambda p: f(p) ** 2)(params)
    np.testing.assert_allclose(second["w"], hessian["w"]["w"] * w_dot)
    assert (hessian["n"], hessian["w"]["of"]) == (None, (None, None))


def test_a_container_of_ints_alone_has_no_gradient() -> None:
    with pytest.raises(ArgumentTypeError, match=r"E301.*`p\[\"n\"\]`"):
        srcad.grad(lambda p, x: p["n"] * x)({"n": 3, "m": 2}, 1.0)
    assert srcad.grad(lambda p, x: x, argnums=(0, 1))({}, 1.0) == ({}, 1.0)


def test_optimisers_leave_ints_as_they_are() -> None:
    def loss(p: Any) -> Any:
        return np.sum(p["w"] ** p["n"])

    for opt in (sgd(0.1), sgd(0.1, momentum=0.9), adam(0.1)):

        def step(p: Any, state: Any, opt: Any = opt) -> None:
            opt.update(p, srcad.grad(loss)(p), state)

        found, expected = ({"w": np.array([1.0, 2.0]), "n": 2} for _ in range(2))
        state, other = opt.init(found), opt.init(expected)
        compiled = srcad.compile(step)
        for _ in range(2):
            compiled(found, state)
            step(expected, other)
        assert found["n"] == 2
        np.testing.assert_allclose(found["w"], expected["w"], rtol=1e-15)
        assert abs(found["w"]).sum() < 3.0


@pytest.mark.parametrize(
    "inner",
    [
        lambda ms: srcad.grad(_of_two)(ms)[0].a,
        lambda ms: srcad.value_and_grad(_of_two)(ms)[1][0],
        lambda ms: srcad.vjp(_of_two, ms)[1](1.0)[0][0].a,
        lambda ms: srcad.vjp(_of_two, ms)[1](1.0),
        lambda ms: srcad.jvp(_of_two, (ms,), (ms,))[1],
        lambda ms: srcad.jacobian(_of_two)(ms)[0].a,
        lambda ms: srcad.hvp(_of_two)(ms, ms)[0].a,
        lambda ms: srcad.grad(lambda m, x: m.a * x)(ms[0], 1.0).a,
        lambda ms: srcad.grad(lambda p: p["m"].a * p["x"])({"m": ms[0], "x": 1.0})["m"].a,
        lambda ms: srcad.vjp(lambda m, x: m.a * x, ms[0], 3.0)[1](1.0)[0],
    ],
)
def test_objects_from_outside_have_gradients_inside(inner: Any) -> None:
    models = [SimpleNamespace(a=2.0, b=3.0), SimpleNamespace(a=1.0, b=1.0)]
    assert srcad.compile(inner)(models) == inner(models)


def _of_two(models: Any) -> Any:
    return models[0].a * models[0].b ** 2 + models[1].a


def test_objects_from_outside_may_be_passed_beside() -> None:
    model = SimpleNamespace(a=2.0)
    f = srcad.compile(lambda m: srcad.grad(lambda m, x: m.a * x**2, 1)(m, 3.0))
    assert f(model) == 12.0
    g = srcad.compile(lambda m: srcad.vjp(lambda m, x: m.a * x**2, m, 3.0)[1](1.0)[1])
    assert g(model) == 12.0


class Kind(enum.Enum):
    A = 1
    B = 2


@pytest.mark.parametrize(
    ("params", "at"),
    [
        ({"w": 2.0, "o": {1.5, 2.5}}, "of type set"),
        ({"w": 2.0, "o": Fraction(1, 2)}, "of type Fraction"),
        ({"w": 2.0, None: 3.0}, r"p\[None\]`, of type float"),
        ({"w": 2.0, b"a": np.ones(2)}, "of type ndarray"),
        ({"w": 2.0, "o": [MappingProxyType({"a": 1.0})]}, "mappingproxy"),
        ({"w": 2.0, "o": array.array("d", [1.0])}, "of type array"),
        ({"w": 2.0, "o": memoryview(np.ones(2))}, "of type memoryview"),
    ],
)
def test_numbers_that_are_not_looked_into_are_not_their_own_gradients(params: Any, at: str) -> None:
    for transformed in (srcad.grad, srcad.jacobian, srcad.hessian):
        with pytest.raises(ArgumentTypeError, match=f"E308.*{at}"):
            transformed(lambda p: p["w"] ** 2)(params)
    with pytest.raises(ArgumentTypeError, match="E308"):
        srcad.compile(lambda p: srcad.grad(lambda p: p["w"] ** 2)(p))(params)


def test_keys_that_are_no_source_are_refused_where_they_are_read() -> None:
    class Number(enum.IntEnum):
        A = 1

    for key in (Kind.A, Number.A, (Kind.B,)):
        params = {key: 2.0}
        with pytest.raises(srcad.SrcadError, match=r"E100.*the key <|E100.*the key \(<"):
            srcad.grad(lambda p, key: p[key] ** 2)(params, key)
        assert srcad.compile(lambda p: p)(params) is params


def test_what_holds_no_numbers_is_carried_along() -> None:
    params = {
        "w": 2.0, "none": None, "flag": True, "kind": "a", "empty": [], "act": np.tanh,
        "tags": frozenset({"a"}), "at": slice(1, 2), "type": np.dtype(float), "enum": Kind.A,
        "date": datetime.date(2020, 1, 1),
    }  # fmt: skip
    found = srcad.grad(lambda p: p["w"] ** 2)(params)
    assert found == {**params, "w": 4.0}
    assert list(found) == list(params)

    def inside(p: Any) -> Any:
        return srcad.grad(lambda q: q["w"] ** 2)(p)["w"]

    for names in ({"a", "b"}, frozenset({"a"})):
        assert srcad.compile(inside)({"w": 2.0, "names": names}) == 4.0
