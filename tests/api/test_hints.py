"""What is said of names and calls that other tools have, and of misspelt ones."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.api import names
from srcad.errors import SrcadError


def square(x):
    return np.sum(x**2)


@pytest.mark.parametrize("name", sorted(names._MODULE_NAMES))
def test_a_name_of_another_tool_leads_to_what_srcad_has(name):
    assert not hasattr(srcad, name)
    with pytest.raises(AttributeError, match=f"no attribute '{name}': .*"):
        getattr(srcad, name)


@pytest.mark.parametrize("name", sorted(names._OPTIONS))
def test_an_option_of_another_tool_leads_to_what_srcad_has(name):
    with pytest.raises(TypeError, match=f"unexpected option '{name}': .*"):
        srcad.grad(square, **{name: 1})


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("gard", "grad"), ("hesian", "hessian"), ("value_and_grads", "value_and_grad")],
)
def test_a_misspelt_name_is_told(wrong, right):
    with pytest.raises(AttributeError, match=f"did you mean `{right}`"):
        getattr(srcad, wrong)


def test_a_misspelt_option_is_told():
    with pytest.raises(TypeError, match="'back_end': did you mean `backend`"):
        srcad.grad(square, back_end="numpy")
    with pytest.raises(TypeError, match="'something': expected backend, fast_math or cache"):
        srcad.grad(square, something=1)


def test_an_unknown_name_that_is_near_to_none_is_told_without_a_hint():
    with pytest.raises(AttributeError, match=r"no attribute 'qqq'$"):
        _ = srcad.qqq


@pytest.mark.parametrize(
    ("f", "note"),
    [
        (lambda x: np.sum(np.sinn(x)), "did you mean `numpy.sin`?"),
        (lambda x: np.sum(np.tahn(x)), "did you mean `numpy.tanh`?"),
        (lambda x: np.product(x), "`np.prod` is it"),
        (lambda x: np.sum(x).summ(), "did you mean `sum`?"),
        (lambda x: squarre(x), "did you mean `square`?"),  # noqa: F821
    ],
)
def test_a_misspelt_name_in_the_function_is_told(f, note):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(np.ones(2))
    assert note in str(caught.value)


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (lambda x: srcad.grad(square, x), "srcad.grad(f)(x)"),
        (lambda x: srcad.jvp(square, x, x), "srcad.jvp(f, (x,), (v,))"),
        (lambda x: srcad.grad(lambda x: (square(x), x))(x), "has_aux=True"),
    ],
)
def test_a_call_as_other_tools_have_it_is_told(call, fix):
    with pytest.raises(SrcadError) as caught:
        call(np.ones(2))
    assert fix in str(caught.value)
