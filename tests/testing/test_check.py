"""`check_grads` and `check_rule`: they pass what is right and name what is wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.rules import elementwise
from srcad.testing import check_grads, check_rule

RNG = np.random.default_rng(1)


def test_a_right_gradient_passes_in_both_modes_and_orders() -> None:
    def f(p: Any, x: Any, n: int) -> Any:
        h = np.tanh(x @ p["w"] + p["b"])
        for _ in range(n):
            h = np.sin(h) * h
        return {"sum": h.sum(), "all": h}

    p = {"w": RNG.normal(size=(3, 2)), "b": RNG.normal(size=2)}
    check_grads(f, (p, RNG.normal(size=(4, 3)), 2))


def test_float32() -> None:
    x = RNG.uniform(0.5, 1.5, 4).astype(np.float32)
    check_grads(lambda x: np.sum(np.log(x) * x), (x,), order=1)


def wrong(x: Any) -> Any:
    return np.sin(x)


def test_a_wrong_rule_is_named_with_entry_and_both_numbers() -> None:
    elementwise(wrong, lambda y, x: np.cos(x) + 0.01)
    with pytest.raises(
        AssertionError, match=r"wrong.*argument.*entry.*srcad gives.*differences give"
    ):
        check_rule(wrong, np.array([0.5]))
    with pytest.raises(AssertionError, match="mode 'rev'"):
        check_grads(lambda x: np.sum(wrong(x)), (np.ones(2),), modes=("rev",), order=1)


@pytest.mark.parametrize("fn", [np.tanh, np.matmul, np.sum, np.linalg.solve, np.concatenate])
def test_rules_of_the_library(fn: Any) -> None:
    check_rule(fn)


def test_refusals() -> None:
    with pytest.raises(srcad.MissingRule, match="E201"):
        check_rule(lambda x: x)
    with pytest.raises(ValueError, match="'fwd' or 'rev'"):
        check_grads(np.sin, (1.0,), modes=("back",))


def test_complex_arguments_and_results() -> None:
    z = RNG.normal(size=3) + 1j * RNG.normal(size=3)

    def f(z: Any, c: complex, x: Any) -> Any:
        w = np.exp(c * z) * x + np.conj(z)
        return {"w": w, "size": np.sum(np.abs(w) ** 2)}

    check_grads(f, (z, 0.3 - 0.2j, RNG.normal(size=3)))
    check_grads(lambda x: np.fft.fft(x) ** 2, (RNG.normal(size=4),))
    check_grads(lambda z: z * z.conj(), (z.astype(np.complex64),), order=1)
    check_rule(np.multiply, z, 1j * z)


def half_conjugate(z: Any) -> Any:
    return np.conj(z)


def test_what_is_wrong_along_the_imaginary_axis_is_found() -> None:
    elementwise(half_conjugate, lambda y, z: 1)  # right along the real axis
    with pytest.raises(AssertionError, match="imaginary part"):
        check_grads(lambda z: np.real(half_conjugate(z) * 1j), (1.0 + 2.0j,), order=1)


class Model:
    def __init__(self) -> None:
        self.w, self.n, self.name = np.array([0.3, 0.4]), 2, "model"
        self.rest = [SimpleNamespace(q=0.7, z=1)]

    def __call__(self, x: Any) -> Any:
        return np.sum(np.sin(self.w * x) ** self.n) * self.rest[0].q


def test_objects_and_what_is_no_number() -> None:
    check_grads(lambda m, x: m(x), (Model(), np.ones(2)), order=1)
    check_grads(lambda x: {"y": np.sin(x), "name": "a", "n": 3}, (np.ones(2),), order=1)
