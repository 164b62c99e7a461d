"""Functions that raise whatever their arguments hold: the caller gets their exception."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad


def of_vectors(x: Any) -> Any:
    if x.ndim != 1:
        raise ValueError(f"expected a vector, got {x.shape}")
    return np.sum(x**2)


def unfinished(x: Any) -> Any:
    raise NotImplementedError("next week")


@pytest.mark.parametrize(
    "run",
    [
        lambda f, x: srcad.grad(f)(x),
        lambda f, x: srcad.value_and_grad(f)(x),
        lambda f, x: srcad.jvp(f, (x,), (x,)),
        lambda f, x: srcad.vjp(f, x),
        lambda f, x: srcad.jacrev(f)(x),
        lambda f, x: srcad.jacfwd(f)(x),
        lambda f, x: srcad.hessian(f)(x),
        lambda f, x: srcad.hvp(f)(x, x),
    ],
)
def test_the_exception_is_that_of_the_function(run: Any) -> None:
    with pytest.raises(ValueError, match=r"expected a vector, got \(2, 3\)"):
        run(of_vectors, np.ones((2, 3)))
    with pytest.raises(NotImplementedError, match="next week"):
        run(unfinished, np.ones(3))
    run(of_vectors, np.ones(3))


def row_chosen(x: Any, k: int, chosen: float) -> Any:
    row = x[k] * 2.0
    return np.sum(row) if chosen > 0 else np.sum(x)


def taken_chosen(x: Any, k: int, chosen: float) -> Any:
    row = np.take(x, k, axis=0)
    return np.sum(row) if chosen > 0 else np.sum(x)


def solution_chosen(b: Any, a: Any, chosen: float) -> Any:
    v = np.linalg.solve(a, b)
    return np.sum(v) if chosen > 0 else np.sum(b)


@pytest.mark.parametrize(
    ("f", "args", "raised"),
    [
        (row_chosen, (np.ones((3, 3)), 7), IndexError),
        (taken_chosen, (np.ones((3, 3)), 7), IndexError),
        (solution_chosen, (np.ones(2), np.zeros((2, 2))), np.linalg.LinAlgError),
    ],
)
@pytest.mark.parametrize("chosen", [0.0, 1.0])
def test_what_only_one_branch_reads_raises_for_both(
    f: Any, args: Any, raised: Any, chosen: float
) -> None:
    for run in (f, srcad.grad(f), srcad.value_and_grad(f)):
        with pytest.raises(raised):
            run(*args, chosen)
