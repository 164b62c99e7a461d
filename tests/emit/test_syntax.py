"""A function printed as a method or attribute computes the same."""

import numpy as np
import pytest

from srcad.ops.table import rows

MEMBERS = {fn: row.syntax for fn, row in rows().items() if row.syntax}
METHODS = {fn: text for fn, (form, text) in MEMBERS.items() if form.startswith("method")}
ATTRIBUTES = {fn: text for fn, (form, text) in MEMBERS.items() if form == "attribute"}
X = np.array([[0.3, -2.0, 1.5], [4.0, 0.25, -1.0]])
ARGUMENTS = {"reshape": (3, 2), "swapaxes": (0, 1), "astype": (np.float32,)}


@pytest.mark.parametrize(("fn", "method"), METHODS.items(), ids=METHODS.values())
def test_method(fn, method):
    arguments = ARGUMENTS.get(method, ())
    want = fn(X, arguments) if method == "reshape" else fn(X, *arguments)
    np.testing.assert_array_equal(getattr(X, method)(*arguments), want)


@pytest.mark.parametrize(
    "method", ["sum", "prod", "mean", "var", "std", "max", "min", "any", "all"]
)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_reductions_take_the_same_options(method, axis):
    want = getattr(np, method)(X, axis=axis, keepdims=True)
    np.testing.assert_array_equal(getattr(X, method)(axis=axis, keepdims=True), want)


@pytest.mark.parametrize(("fn", "attribute"), ATTRIBUTES.items(), ids=ATTRIBUTES.values())
def test_attribute(fn, attribute):
    assert getattr(X, attribute) == fn(X)
