"""The products of sparse Jacobians: some colours together, what is done beside them once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import BACKENDS

import srcad

sparse = pytest.importorskip("scipy.sparse")

SIZES = (6, 3000, 30000)  # all colours together, some, one


def steep(x: Any) -> Any:
    return np.sqrt(x[:-1]) * x[1:]


def smooth(x: Any) -> Any:
    return np.sin(x[:-2]) * x[1:-1] + np.diff(x)[1:] ** 2


def by_edges(x: Any, start: Any, end: Any) -> Any:
    flow = np.sin(x[start] - x[end])
    found = np.zeros_like(x)
    np.add.at(found, start, flow)
    np.add.at(found, end, -flow)
    return found


def told(x: Any) -> Any:
    print("told")
    return np.exp(x[1:]) - x[:-1]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_an_infinite_partial_leaves_other_entries_alone(backend: str, n: int) -> None:
    x = np.linspace(0, 1, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = srcad.jacobian(steep, sparse=True, backend=backend)(x)
    assert found[0, 0] == np.inf
    assert found[0, 1] == 0.0
    assert np.isfinite(found.data[1:]).all()
    np.testing.assert_allclose(found.diagonal(1), np.sqrt(x[:-1]))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_some_colours_are_taken_together(backend: str, n: int) -> None:
    x, v = np.random.default_rng(0).normal(size=(2, n))
    jac = srcad.jacobian(smooth, sparse=True, backend=backend)
    wanted = (smooth(x + 1e-6 * v) - smooth(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(jac(x) @ v, wanted, atol=1e-8)


@pytest.mark.parametrize("n", SIZES)
def test_sums_over_edges(n: int) -> None:
    rng = np.random.default_rng(0)
    start = np.arange(n)
    end = (start + rng.integers(1, 4, n)) % n
    x, v = rng.normal(size=(2, n))
    jac = srcad.jacobian(by_edges, sparse=True)
    ends = [by_edges(x + step * v, start, end) for step in (1e-6, -1e-6)]
    wanted = (ends[0] - ends[1]) / 2e-6
    np.testing.assert_allclose(jac(x, start, end) @ v, wanted, atol=1e-8)


@pytest.mark.parametrize("n", SIZES)
def test_what_is_done_beside_is_done_once(n: int, capsys: Any) -> None:
    jac = srcad.jacobian(told, sparse=True)
    jac.pattern(np.zeros(n))
    capsys.readouterr()
    jac(np.zeros(n))
    assert capsys.readouterr().out == "told\n"


def test_a_grid_needs_six_colours() -> None:
    def laplacian(u: Any, n: int) -> Any:
        v = np.zeros((n + 2, n + 2))
        v[1:-1, 1:-1] = u.reshape(n, n)
        return v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4 * v[1:-1, 1:-1]

    jac = srcad.jacobian(laplacian, sparse=True)
    assert jac.colors(np.zeros(2500), 50).max() + 1 <= 6
