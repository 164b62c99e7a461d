"""Which programs get functions to be compiled: decided without a compiler."""

import numpy as np
import pytest

from srcad.pipeline.natively import depends_on_objects
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

X = np.array([0.5, -1.0, 2.0])


def program(fn, *args, backend="native"):
    stages = {}
    request = Request("grad", fn, backend=backend)
    artifact, _ = compile_request(request, args, frozenset(), watch=stages.__setitem__)
    return artifact, stages


def recurrence(x):
    s = 0.0
    for k in range(len(x)):
        s = s + np.sin(s) * x[k]
    return s


def printing(x):
    print(x[0])
    return recurrence(x)


def drawing(x):
    return recurrence(x) * np.random.default_rng(1).normal()


def checking(x):
    assert x[0] > 0, "negative"
    return recurrence(x)


def test_a_loop_over_numbers_is_compiled():
    artifact, stages = program(recurrence, X)
    assert artifact.compiled == ("recurrence_grad_1",)
    assert list(stages) == ["lower", "derive", "optimize", "native", "emit"]
    assert "@njit(" in artifact.text


def test_the_other_backends_have_no_such_stage():
    for backend in ("auto", "numpy"):
        artifact, stages = program(recurrence, X, backend=backend)
        assert list(stages) == ["lower", "derive", "optimize", "emit"]
        assert artifact.compiled == artifact.left == ()
        assert "njit" not in artifact.text


@pytest.mark.parametrize(("fn", "effect"), [(printing, "print"), (drawing, "default_rng")])
def test_what_must_not_happen_twice_stays_numpy(fn, effect):
    artifact, _ = program(fn, X)
    assert artifact.compiled == ()
    assert f"`{effect}`" in artifact.left[0]


def test_what_only_refuses_may_be_run_again():
    artifact, _ = program(checking, X)
    assert artifact.compiled == ("checking_grad_1",)


@pytest.mark.parametrize("is_available", [False, True])
def test_what_stays_numpy_is_told(is_available, monkeypatch):
    def products(w, x):
        return np.sum(np.exp(np.sin(w @ x)) * 2.0)

    if is_available:
        pytest.importorskip("numba", reason="Numba is not installed")
    monkeypatch.setattr("srcad.pipeline.targets.Native.is_available", is_available)
    artifact, _ = program(products, np.eye(3), np.eye(3))
    assert artifact.compiled
    assert ("product[float64]" in artifact.compiled) == is_available
    assert ("2 matmul" in artifact.left) != is_available


def test_compiled_functions_that_read_objects_of_this_process():
    text = "@njit\ndef f_1(x):\n    return x[0] * TABLE[0]\n\n\ndef f(x):\n    return f_1(OTHER)\n"
    assert depends_on_objects(text, {"TABLE"})
    assert not depends_on_objects(text, {"OTHER"})
