"""`flatten`: what goes into the vector, what comes back, and derivatives through it."""

from __future__ import annotations

import enum
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import InitVar, dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.api.arguments.trees import leaves
from srcad.errors import ArgumentTypeError
from srcad.testing import check_grads

Pair = namedtuple("Pair", "left right")


@dataclass
class Layer:
    w: Any
    b: float
    name: str = "dense"


def same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for pair in zip(a, b, strict=True):
            same(*pair)
    elif isinstance(a, Layer):
        same(vars(a), vars(b))
    else:
        assert a == b


TREES = [
    np.arange(6.0).reshape(2, 3), 0.5, np.float32(0.5), np.array(2.0), np.zeros((0, 3)),
    {"w": np.ones((2, 3)), "b": 0.5},
    [np.ones(2, np.float32), 3.0, np.float64(2.0)], Pair(np.ones(2), (1.0, None)), (), {},
    Layer(np.ones((2, 1)), 0.5), {"layers": [Layer(np.ones(2), 1.0), Layer(np.zeros(1), 2.0)]},
    {"n": 3, "flag": True, "kind": "relu", "none": None, "x": 1.5, "ids": np.arange(3)},
    [1.0 + 2.0j, np.ones(2)], {(1, 2): 1.0, (0, 5): 2.0},
]  # fmt: skip


@pytest.mark.parametrize("tree", TREES, ids=map(str, range(len(TREES))))
def test_there_and_back(tree: Any) -> None:
    vector, unflatten = srcad.flatten(tree)
    assert vector.ndim == 1
    back = unflatten(vector)
    same(back, tree)


def test_order_and_dtype() -> None:
    vector, unflatten = srcad.flatten({"b": np.float32([1, 2]), "a": np.float32(0.5)})
    np.testing.assert_array_equal(vector, np.float32([0.5, 1, 2]))
    assert vector.dtype == np.float32
    assert unflatten(vector.astype(float))["b"].dtype == np.float32
    assert srcad.flatten([np.float32(1), 2.0])[0].dtype == np.float64


def test_the_container_is_new() -> None:
    w = np.ones(3)
    vector, unflatten = srcad.flatten({"w": w})
    vector[0] = 5.0
    assert w[0] == 1.0
    unflatten(vector)["w"][1] = 7.0
    assert vector[1] == 1.0


def test_refusals() -> None:
    _, unflatten = srcad.flatten([1.0, 2.0])
    for wrong in (np.ones(3), np.ones((2, 1)), 1.0):
        with pytest.raises(ValueError, match=r"shape \(2,\)"):
            unflatten(wrong)
    with pytest.raises(ArgumentTypeError, match="E309"):
        srcad.flatten(np.array([object()]))


def test_derivatives_through_it() -> None:
    p = {"layer": Layer(np.array([[1.0, -2.0], [0.5, 3.0]]), 0.3), "s": np.float32(2.0), "n": 2}
    x = np.array([0.3, -0.7])

    def loss(p: Any) -> Any:
        h = np.tanh(p["layer"].w @ x + p["layer"].b)
        return np.sum(h**2) * p["s"] + p["n"]

    vector, unflatten = srcad.flatten(p)
    gradient = srcad.grad(lambda v: loss(unflatten(v)))(vector)
    by_tree = srcad.grad(lambda layer, s: loss({"layer": layer, "s": s, "n": 2}), (0, 1))(
        p["layer"], p["s"]
    )
    np.testing.assert_allclose(gradient[:4], by_tree[0].w.ravel())
    np.testing.assert_allclose(gradient[4:], [by_tree[0].b, by_tree[1]], rtol=1e-6)
    hessian = srcad.hessian(lambda v: loss(unflatten(v)))(vector)
    assert hessian.shape == (6, 6)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-6)
    jac = srcad.jacobian(lambda v: unflatten(v)["layer"])(vector)
    np.testing.assert_array_equal(jac.w.reshape(4, 6), np.eye(6)[:4])


# Objects -----------------------------------------------------------------------------------------


class Dense:
    kind = "dense"

    def __init__(self, n: int, m: int) -> None:
        self.w = np.linspace(-1.0, 1.0, n * m).reshape(n, m)
        self.name = "dense"
        self.act = np.tanh
        self.b = np.zeros(m)

    def __call__(self, x: Any) -> Any:
        return self.act(x @ self.w + self.b)


class Slotted:
    __slots__ = ("a", "z")

    def __init__(self, z: float, a: float) -> None:
        self.z, self.a = z, a


class Model:
    def __init__(self) -> None:
        self.layers = [Dense(2, 3), Dense(3, 1)]
        self.scale = 2.0
        self.rest = SimpleNamespace(y=Slotted(3.0, 4.0), t=(0.5, None), ids=np.arange(3))

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return np.sum(x) * self.scale * self.rest.y.z + self.rest.t[0] * self.rest.y.a


@dataclass
class Derived:
    a: float
    b: float = field(init=False)
    c: InitVar[float] = 3.0

    def __post_init__(self, c: float) -> None:
        self.b = self.a * c


def alike(a: Any, b: Any) -> None:
    """Of one type, with the same attributes in one order."""
    assert type(a) is type(b)
    if isinstance(a, list | tuple):
        for pair in zip(a, b, strict=True):
            alike(*pair)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        alike(list(a.values()), list(b.values()))
    elif isinstance(a, Slotted):
        alike((a.z, a.a), (b.z, b.a))
    elif hasattr(a, "__dict__") and not isinstance(a, np.ufunc):
        assert list(vars(a)) == list(vars(b))
        for key in vars(a):
            alike(vars(a)[key], vars(b)[key])
    else:
        same(a, b)


OBJECTS = [
    Model(), Slotted(1.0, 2.0), Derived(2.0), SimpleNamespace(b=1.0, a=np.ones(2)),
    {"z": 1.0, "a": [2.0], "m": Model()}, [np.ones(2, ">f4"), np.float16(1.0), np.longdouble(2.0)],
    {"w": 1.0, 3: np.ones(2)},
]  # fmt: skip


@pytest.mark.parametrize("tree", OBJECTS, ids=lambda tree: type(tree).__name__)
def test_objects_there_and_back(tree: Any) -> None:
    vector, unflatten = srcad.flatten(tree)
    alike(unflatten(vector), tree)
    np.testing.assert_array_equal(srcad.flatten(unflatten(2 * vector))[0], 2 * vector)


def test_objects_in_derivatives() -> None:
    x = np.array([[0.1, -0.2], [0.4, 0.3]])
    vector, unflatten = srcad.flatten(Model())
    check_grads(lambda v: unflatten(v)(x), (vector,))
    assert srcad.compile(lambda v: unflatten(v))(vector).scale == 2.0


def test_the_gradient_is_flattened_as_the_parameters_are() -> None:
    params = {"table": np.arange(6.0).reshape(3, 2), "b": 0.5}

    def loss(p: Any) -> Any:
        return np.sum(nn.embedding(p["table"], np.array([1, 1])) ** 2) * p["b"]

    vector, unflatten = srcad.flatten(params)
    gradient = srcad.grad(loss)(params)
    assert isinstance(gradient["table"], nn.SparseRows)
    found, _ = srcad.flatten(gradient)
    np.testing.assert_allclose(found, srcad.grad(lambda v: loss(unflatten(v)))(vector))


class Number(float):
    pass


class Items(list):
    pass


@pytest.mark.parametrize(
    ("tree", "at"),
    [
        ({1.0, 2.0}, "the argument of type set"),
        ([1.0, OrderedDict(a=1.0)], r"the argument\[1\] of type OrderedDict"),
        ({"p": defaultdict(float)}, r"the argument\['p'\] of type defaultdict"),
        (deque([1.0]), "type deque"),
        (Items([1.0]), "type Items"),
        (Number(1.0), "type Number"),
        (np.ones(2, [("a", float)]), "type ndarray"),
        ((x for x in [1.0]), "type generator"),
        (SimpleNamespace(p=iter([1.0])), "the argument.p of type list_iterator"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_is_no_container_is_refused(tree: Any, at: str) -> None:
    with pytest.raises(ArgumentTypeError, match=f"E308.*{at}"):
        srcad.flatten(tree)


def test_what_contains_itself_is_refused() -> None:
    model = Model()
    model.rest.parent = model
    with pytest.raises(
        ArgumentTypeError, match=r"the argument\.rest\.parent, which contains itself"
    ):
        srcad.flatten(model)


def test_complex_numbers_lose_nothing() -> None:
    _, unflatten = srcad.flatten([1.0, np.ones(2)])
    with pytest.raises(TypeError, match="real numbers"):
        unflatten(np.ones(3, complex))


class WithSlots:
    __slots__ = ("k", "w")

    def __init__(self) -> None:
        self.w, self.k = np.ones(2), 2.0


class Sort(enum.Enum):
    LINEAR = 1


EVERYTHING = {
    "named": Pair(1.0, np.ones(2)), "object": WithSlots(), "record": Layer(np.ones((2, 1)), 0.5),
    "space": SimpleNamespace(a=1.0), "none": None, "text": "name", "flag": True, "n": 3,
    "ints": np.arange(2), "single": np.ones(2, np.float32), "half": np.float16(0.5),
    "complex": [1j, np.ones(1, complex)], "empty": np.zeros((0, 3)), "nothing": [],
    "zero": np.array(1.0),
    "keys": {(0, 1): 1.0, 2: 2.0}, "sort": Sort.LINEAR, "function": np.tanh,
    "rng": np.random.default_rng(0), "turned": np.ones((2, 3)).T, "words": np.array(["a"]),
    "dates": np.array(["2020-01-01"], "datetime64[D]"),
}  # fmt: skip


@pytest.mark.parametrize("name", EVERYTHING)
def test_all_that_a_gradient_takes_is_flattened(name: str) -> None:
    """Nothing is dropped: the container comes back with its types, shapes and constants."""
    tree = [EVERYTHING[name], 1.5]
    srcad.vjp(lambda t: t[1], tree)
    vector, unflatten = srcad.flatten(tree)
    back = unflatten(vector)
    again, _ = srcad.flatten(back)
    np.testing.assert_array_equal(vector, again)
    assert type(back[0]) is type(tree[0])
    for found, wanted in zip(leaves(back), leaves(tree), strict=True):
        assert type(found) is type(wanted)
        assert getattr(found, "dtype", None) == getattr(wanted, "dtype", None)
        assert np.shape(found) == np.shape(wanted)
    gradient = srcad.grad(lambda v: unflatten(v)[1] ** 2)(vector)
    assert np.count_nonzero(gradient) == 1


@dataclass
class Measured:
    z: float = 1.0
    w: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra", 3.0)
        self.rows, self.names = np.ones(2), {"a", "b"}


class Tagged(namedtuple("Tagged", "p q")):
    """A named tuple whose objects may have attributes."""


def test_attributes_that_are_no_fields() -> None:
    made = Measured(2.0, np.ones(2))
    vector, unflatten = srcad.flatten({"m": made, "x": 1.0})
    assert vector.tolist() == [2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0]
    back = unflatten(2 * vector)["m"]
    assert list(vars(back)) == list(vars(made))
    assert (back.z, back.extra, back.names, back.w.tolist()) == (4.0, 6.0, {"a", "b"}, [2, 2])
    assert srcad.flatten(srcad.grad(lambda m: m.z * m.extra)(made))[0].tolist() == [
        3,
        0,
        0,
        2,
        0,
        0,
    ]

    def loss(v: Any) -> Any:
        m = unflatten(v)["m"]
        return m.z * m.extra

    assert srcad.grad(loss)(vector).tolist() == [3.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]
    tagged = Tagged(1.0, np.ones(1))
    tagged.e = 3.0
    vector, unflatten = srcad.flatten(tagged)
    again = unflatten(3 * vector)
    assert type(again) is Tagged
    assert (again.p, again.q.tolist(), again.e) == (3.0, [3.0], 3.0)


def test_series_are_flattened() -> None:
    pd = pytest.importorskip("pandas")
    series = pd.Series([1.0, 2.0], index=["a", "b"], name="s")
    vector, unflatten = srcad.flatten({"s": series, "n": pd.Series([1, 2]), "x": 0.5})
    assert vector.tolist() == [1.0, 2.0, 0.5]
    back = unflatten(2 * vector)
    pd.testing.assert_series_equal(back["s"], 2 * series)
    assert back["n"].tolist() == [1, 2]
    bar = srcad.grad(lambda s: (s**2).sum())(series)
    assert srcad.flatten(bar)[0].tolist() == [2.0, 4.0]


def test_masked_arrays():
    tree = {"m": np.ma.array([1.0, 2.0], mask=[False, True]), "w": 3.0}
    vector, unflatten = srcad.flatten(tree)
    assert vector.tolist() == [1.0, 2.0, 3.0]
    made = unflatten(2 * vector)
    assert type(made["m"]) is np.ma.MaskedArray
    assert (made["m"].data.tolist(), made["m"].mask.tolist()) == ([2.0, 4.0], [False, True])
