"""Parameters may have any name, `self` and `frame` among them, and are passed by it."""

import functools

import numpy as np
import pytest

import srcad

X = np.array([1.0, 2.0])


def f(x, self=1.0, frame=2.0):
    return np.sum(x * x) * self * frame


def by_keywords(x, **kw):
    return np.sum(x * x) * kw["self"] * kw["frame"]


WANTED = {
    "compile": 30.0,
    "grad": 12.0 * X,
    "value_and_grad": (30.0, 12.0 * X),
    "jacobian": 12.0 * X,
    "jacrev": 12.0 * X,
    "jacfwd": 12.0 * X,
    "hessian": 12.0 * np.eye(2),
}


@pytest.mark.parametrize("fn", [f, by_keywords])
@pytest.mark.parametrize("kind", WANTED)
def test_self_is_passed_by_keyword(kind, fn, tmp_path):
    made = getattr(srcad, kind)(fn)
    found, wanted = made(X, self=2.0, frame=3.0), WANTED[kind]
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    assert all(np.array_equal(a, b) for a, b in pairs)
    assert "def " in made.source(X, self=2.0, frame=3.0)
    assert "runs" in str(made.explain(X, self=2.0, frame=3.0))
    made.save(tmp_path / "saved.py", X, self=2.0, frame=3.0)


def test_self_beside_a_vector():
    assert np.array_equal(srcad.hvp(f)(X, X, self=2.0, frame=3.0), 12.0 * X)
    assert srcad.grad(f).saved(X, self=2.0).total == 0


@pytest.mark.parametrize(
    "inside",
    [
        lambda y: srcad.grad(f)(y, self=2.0, frame=3.0).sum(),
        lambda y: srcad.vmap(lambda v, frame, self: v * frame * self)(y, frame=y, self=y).sum(),
        lambda y: functools.partial(f, self=2.0)(y, frame=3.0),
        lambda y: srcad.checkpoint(f)(y, self=2.0, frame=3.0),
    ],
)
def test_inside_of_a_compiled_function(inside):
    assert srcad.compile(inside)(X) == inside(X)
