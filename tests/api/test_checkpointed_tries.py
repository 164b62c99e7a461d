"""Checkpointed functions of which a `try` takes the path of its handler."""

import numpy as np
import pytest

import srcad


def unbound(a, b):
    if a > 10.0:
        d = {"a": 1.5, "b": "word"}
    try:
        h = np.sin(a) * d["a"]
    except NameError:
        h = b * b
    return h


def raised(a, b):
    try:
        if a < 10.0:
            raise ValueError
        h = np.sin(a)
    except ValueError:
        h = b * b
    return h


def in_a_loop(a, b):
    total = a
    for k in range(4):
        if k > 2:
            scale = {"s": a}
        try:
            total = total * scale["s"]
        except NameError:
            total = total + b * k
    return total


def recomputed(a, b, f):
    return srcad.checkpoint(f)(a, b)


@pytest.mark.parametrize("f", [unbound, raised, in_a_loop])
def test_the_path_is_that_of_the_first_run(f):
    found = srcad.grad(recomputed, (0, 1))(0.3, 0.7, f)
    assert found == pytest.approx(srcad.grad(f, (0, 1))(0.3, 0.7), rel=1e-14)
