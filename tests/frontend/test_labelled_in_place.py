"""Series and tables of pandas that a function changes: others that are the same object see it."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

pd = pytest.importorskip("pandas")

S = pd.Series([1.0, 2.0, 3.0], index=list("abc"))
TABLE = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [2.0, 3.0, 4.0]})


def two_names(w, s):
    a = s * w
    b = a
    a += 1
    return b.sum()


def in_a_loop(w, s):
    total = s * w
    first = total
    for _ in range(3):
        total *= s
        total -= w
    return first.sum()


def on_one_branch(w, s):
    a = s * w
    b = a
    if w > 1:
        a += s
    else:
        a /= 2.0
    return b.max()


def array_read_before(w, s):
    a = s * w
    before = a.to_numpy()
    a **= 2
    return (before * a).sum()


def column(w, s):
    table = TABLE.copy()
    table["x"] *= w
    table["z"] = w * table["x"]
    table["z"] += 1
    kept = table["z"]
    return table["x"].sum() + kept.sum()


def whole_table(w, s):
    table = TABLE * w
    other = table
    table += 1
    return (other["x"] * other["y"]).sum()


CHANGED = [two_names, in_a_loop, on_one_branch, array_read_before, column, whole_table]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", CHANGED, ids=lambda f: f.__name__)
def test_all_names_see_a_change(f, backend):
    for w in (0.7, 2.0):
        wanted = f(w, S)
        got = srcad.compile(f, backend=backend)(w, S)
        assert type(got) is type(wanted)
        np.testing.assert_allclose(got, wanted)
        difference = (f(w + 1e-6, S) - f(w - 1e-6, S)) / 2e-6
        np.testing.assert_allclose(srcad.grad(f, backend=backend)(w, S), difference, rtol=1e-6)


def given_is_changed(w, s):
    s += w
    return s.sum()


def array_is_written(w, s):
    values = (s * w).values
    values[0] = 0.0
    return values.sum()


def array_of_numpy_is_written(w, s):
    values = np.asarray(s * w)
    values[0] = 0.0
    return values.sum()


@pytest.mark.parametrize(
    ("f", "code"),
    [(given_is_changed, "E133"), (array_is_written, "E137"), (array_of_numpy_is_written, "E137")],
)
def test_what_the_caller_holds_and_what_pandas_protects_is_not_written(f, code):
    with pytest.raises(SrcadError, match=code):
        srcad.compile(f)(2.0, S.copy())


def test_a_copy_is_written():
    def f(w, s):
        values = (s * w).to_numpy(copy=True)
        values[0] = 0.0
        return values.sum()

    assert srcad.value_and_grad(f)(2.0, S) == (10.0, 5.0)
