"""Attributes that a function sets on objects of other packages: the package's answer, or none."""

import collections
import linecache

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

pd = pytest.importorskip("pandas")
sp = pytest.importorskip("scipy.sparse")
transform = pytest.importorskip("scipy.spatial.transform")

D = pd.DataFrame({"a": [1.5, 2.5, 0.5], "b": [3.0, 1.0, 2.0], "size": [1.0, 1.0, 2.0]})
S = pd.Series([1.5, 2.5], index=["p", "q"], name="s")
M = sp.csr_matrix(np.eye(2))


def function(made, change, after):
    source = f"def f(k, d=None):\n    e = {made}\n    {change}\n    return {after}\n"
    path = f"<{source}>"
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    scope = dict(globals())
    exec(compile(source, path, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize(
    "made", ["D.copy()", "D[['a', 'b']]", "D.assign(c=k)", "D * k", "D[D.a > 1]"]
)
@pytest.mark.parametrize(
    "change", ["e.a = e.a * k", "e.a = k", "e.a = k * e.b.values", "setattr(e, 'a', k)", "e.a += k"]
)
def test_a_column_is_set(made, change):
    f = function(made, change, "(e.a * e.b).sum() + e['a'].max()")
    assert srcad.compile(f, backend="numpy")(1.5) == f(1.5)
    value, slope = srcad.value_and_grad(f)(1.5)
    assert value == f(1.5)
    assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-6)


def test_another_name_for_the_table_sees_it():
    f = function("D.copy()", "t = e; e.b = k", "t.b.sum()")
    assert srcad.grad(f)(1.5) == 3.0


REFUSED = [
    ("D", "e.a = k", "E133"),
    ("D.copy()", "e.foo = k", "E118"),
    ("D.copy()", "e.size = k", "E118"),
    ("D.copy()", "e.T = k", "E118"),
    ("D.copy()", "e._rows = k", "E118"),
    ("D.copy()", "del e.a", "E118"),
    ("D.copy()", "object.__setattr__(e, 'a', k)", "E118"),
    ("S", "e.name = 'x'", "E133"),
    ("S", "e.p = k", "E133"),
    ("S * k", "e.p = k", "E118"),
    ("S * k", "e.foo = k", "E118"),
    ("S.index", "e.name = 'x'", "E133"),
    ("S * k", "e._held = k", "E118"),
    ("M * k", "e.foo = k", "E118"),
    ("M * k", "e.shape = (1, 4)", "E118"),
    ("M * k", "e._data = k", "E118"),
    ("collections.Counter([int(k)])", "e.foo = k", "E118"),
    ("{int(k): 2.0}", "e.foo = k", "E118"),
    ("set([int(k)])", "e.foo = k", "E118"),
    ("transform.Rotation.from_rotvec([k, 0, 0])", "e.foo = k", "E118"),
]


@pytest.mark.parametrize(("made", "change", "code"), REFUSED)
def test_other_attributes_are_refused(made, change, code):
    for transformation in (srcad.compile, srcad.grad):
        with pytest.raises(SrcadError, match=code):
            transformation(function(made, change, "k * 2"))(1.5)


def test_what_has_no_attributes_of_its_own_raises():
    def f(k):
        counts = {int(k): 2.0}
        try:
            counts.total = k
        except AttributeError:
            return k * 3
        return k

    assert collections.Counter([srcad.compile(f)(1.5)]) == {f(1.5): 1}


def test_the_name_of_what_is_computed():
    f = function("S * k", "e.name = 'x'", "e.sum() if e.name == 'x' else k")
    assert srcad.grad(f)(1.5) == 4.0


def test_arrays_of_xarray():
    xr = pytest.importorskip("xarray")
    array = xr.DataArray([1.0, 2.0], dims="x", coords={"x": [0, 1]}, name="v")
    data = xr.Dataset({"v": array})
    for made, given in [("d", data), ("d", array), ("d * k", array), ("d.copy()", array)]:
        for change in ("e.foo = k", "e.x = k", "e.dims = ('y',)", "e.attrs = {}", "e.v = k"):
            with pytest.raises(SrcadError, match="E133" if made == "d" else "E118"):
                srcad.grad(function(made, change, "k * 2"))(1.5, given)
    f = function("d * k", "e.name = 'x'", "e.sum().item()")
    assert srcad.grad(f)(1.5, array) == 3.0
