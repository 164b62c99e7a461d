"""Compiled derivatives whose results are not finite have NumPy warn, at the user's line."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.pipeline import machine
from srcad.pipeline.calls.warnings_of_compiled import is_finite

needs_numba = pytest.mark.skipif(bool(machine.why_not()), reason="Numba is not installed")
ZERO = np.array([0.0, 1.0, 2.0])


def logarithms(x: Any) -> Any:
    y = x * x
    return np.sum(np.log(y))


def by_a_loop(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += 1.0 / x[i]
    return total


def growing(x: Any) -> Any:
    y = np.exp(x * 1000.0)
    return np.sum(y * y)


def in_a_dict(p: Any) -> Any:
    return np.sum(np.log(p["a"]) * p["b"])


def told(call: Any, filters: Any = "default") -> list[tuple[str, str, int]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(filters)
        call()
    return sorted({(str(each.message), each.filename, each.lineno) for each in caught})


@needs_numba
@pytest.mark.parametrize(
    ("f", "x", "kind"),
    [
        (logarithms, ZERO, srcad.grad),
        (by_a_loop, ZERO, srcad.value_and_grad),
        (growing, ZERO, srcad.jacrev),
        (in_a_dict, {"a": ZERO, "b": ZERO + 1}, srcad.value_and_grad),
    ],
)
def test_the_warnings_are_numpys(f: Any, x: Any, kind: Any) -> None:
    want = told(lambda: kind(f, backend="numpy")(x), "always")
    compiled = kind(f, backend="native")
    assert told(lambda: compiled(x)) == want != []
    assert all(file == __file__ for _, file, _ in want)
    assert told(lambda: compiled(x)) == []  # once, as Python's filters have it
    assert told(lambda: compiled(x), "always") == want
    assert told(lambda: compiled(x), "ignore") == []
    with np.errstate(all="ignore"):
        assert told(lambda: compiled(x), "always") == []


@needs_numba
def test_results_are_those_of_compiled_code_and_no_warning_is_made_up() -> None:
    gradient = srcad.value_and_grad(logarithms, backend="native")
    assert told(lambda: gradient(ZERO + 1), "always") == []
    value, slope = gradient(ZERO + 1)
    assert value == pytest.approx(logarithms(ZERO + 1))
    np.testing.assert_allclose(slope, 2 / (ZERO + 1))
    assert told(lambda: gradient(np.array([np.nan, 1.0, 2.0])), "always") == []


@needs_numba
def test_warnings_and_errors_as_exceptions() -> None:
    gradient = srcad.grad(logarithms, backend="native")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(RuntimeWarning, match="divide by zero") as caught:
                gradient(ZERO)
    assert Path(__file__) in [Path(str(entry.path)) for entry in caught.traceback[1:]]
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="invalid"):
        gradient(ZERO)


@needs_numba
def test_later_calls_are_looked_at_now_and_then() -> None:
    gradient = srcad.grad(logarithms, backend="native")
    for _ in range(100):
        gradient(ZERO + 1)
    assert told(lambda: [gradient(ZERO) for _ in range(16)]) != []
    assert told(lambda: gradient(ZERO), "always") != []


@needs_numba
def test_what_acts_runs_once(capsys: Any) -> None:
    def printing(x: Any) -> Any:
        print("once")
        return np.sum(np.log(x) ** 2)

    def drawing(x: Any, rng: Any) -> Any:
        return np.sum(np.log(x) * rng.normal(size=3))

    told(lambda: srcad.grad(printing, backend="native")(ZERO))
    assert capsys.readouterr().out == "once\n"
    ours, same = np.random.default_rng(0), np.random.default_rng(0)
    told(lambda: srcad.grad(drawing, backend="native")(ZERO, ours))
    same.normal(size=3)
    assert ours.normal() == same.normal()

    def step(x: Any) -> Any:
        x -= np.log(x)
        return np.sum(x)

    mine, its = ZERO.copy(), ZERO.copy()
    told(lambda: (step(mine), srcad.compile(step, backend="native")(its)))
    np.testing.assert_array_equal(mine, its)


def test_what_is_finite() -> None:
    fine = [1.0, np.ones(3), (np.ones((2, 2)).T, {"a": np.float32(1)}), np.zeros(0), 1 + 1j, None]
    fine += [np.arange(3), "text", np.ones(6)[::2]]
    assert all(map(is_finite, fine))
    for bad in (np.nan, np.inf, -np.inf):
        odd = np.array([1.0, bad])
        assert not any(
            map(is_finite, (bad, np.float64(bad), odd, [odd], {"a": (odd,)}, odd.astype(complex)))
        )


def hidden(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.log(x), 0.0))


@needs_numba
def test_errstate_raises_of_what_leaves_no_trace_too() -> None:
    compiled = srcad.value_and_grad(hidden, backend="native")
    for _ in range(100):  # it is not looked for each time any more
        compiled(ZERO + 1)
    with np.errstate(divide="raise"):
        compiled(ZERO + 1)
        with pytest.raises(FloatingPointError, match="divide by zero encountered in log"):
            compiled(ZERO)
    value, slope = compiled(ZERO)
    assert value == pytest.approx(np.log(2.0))
    np.testing.assert_allclose(slope, [0.0, 1.0, 0.5])
