"""`flatten`: what goes into the vector, what comes back, and derivatives through it."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.errors import ArgumentTypeError

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
