"""A function may be called anything: what it is called changes nothing that it computes."""

import keyword

import numpy as np
import pytest

import srcad
from srcad.emit.plan.naming import function_name

RECURSIVE = """
import numpy as np

def {name}(x, k=3.0):
    if k <= 0:
        return x
    s = x * 0.0
    for i in np.arange(3) * 1.0:
        s = s + abs(x) * i
    return {name}(x * 1.5, k - x * x) + s
"""
CALLED = """
import numpy as np
import srcad

@srcad.checkpoint
def {name}(x):
    s = 0.0
    for i in np.arange(3) * 1.0:
        s = s + x * i
    return s

def whole(x):
    s = 0.0
    for j in np.arange(4) * 1.0:
        s = s + {name}(x) * j
    return s
"""
PARAMETER = """
import numpy as np

def whole(x, {name}=2.0):
    s = 0.0
    for i in np.arange(3) * 1.0:
        s = s + x * {name} * i
    {name} = s * 3
    return {name} * complex(x, 1.0).real
"""
NAMES = ["range", "len", "float", "enumerate", "reversed", "numpy", "math", "runtime", "x_bar"]


def defined(tmp_path, text, name):
    """A function of a text, kept in a file."""
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    namespace = {}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace[name]


@pytest.mark.parametrize(
    "name", ["class", "None", "a b", "", "1x", "f.g", "\ufb01", "λ", "range", "np"]
)
def test_name_that_is_set(name):
    def f(x):
        return np.sum(np.sin(x) * 2.0)

    f.__name__ = name
    x = np.array([0.3, 0.4])
    assert srcad.compile(f)(x) == f(x)
    np.testing.assert_allclose(srcad.grad(f)(x), 2 * np.cos(x))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [RECURSIVE, CALLED, PARAMETER], ids=["recursive", "called", "own"])
def test_name_that_the_emitted_text_uses(tmp_path, text, name):
    f = defined(tmp_path, text.format(name=name), name if text is RECURSIVE else "whole")
    assert srcad.compile(f)(1.5) == f(1.5)
    value, slope = srcad.value_and_grad(f)(1.5)
    assert value == f(1.5)
    assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6)


def test_function_name():
    assert all(not keyword.iskeyword(function_name(word)) for word in keyword.kwlist)
    assert function_name("range") == "range_"
    assert function_name("loss") == "loss"
