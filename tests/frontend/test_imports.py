"""Imports inside functions: what is read of a module is looked at in each call."""

import sys
import types

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


@pytest.fixture
def package(monkeypatch):
    """A package `srcad_sample` with a module `rates`, which has a number and a function."""
    top, rates = types.ModuleType("srcad_sample"), types.ModuleType("srcad_sample.rates")
    top.__path__ = []
    top.rates = rates
    rates.scale = 2.0
    rates.mode = "double"
    monkeypatch.setitem(sys.modules, "srcad_sample", top)
    monkeypatch.setitem(sys.modules, "srcad_sample.rates", rates)
    return rates


def whole(x):
    import srcad_sample.rates

    return x * srcad_sample.rates.scale


def renamed(x):
    import srcad_sample.rates as r

    return x * r.scale


def member(x):
    from srcad_sample.rates import scale as k

    return x * k


def submodule(x):
    from srcad_sample import rates

    return x * rates.scale


def relative(x):
    from .rates import scale

    return x * scale


def relative_package(x):
    from . import rates

    return x * rates.scale


@pytest.mark.parametrize("fn", [whole, renamed, member, submodule, relative, relative_package])
def test_what_is_read_of_a_module_is_read_anew(fn, package, monkeypatch):
    monkeypatch.setitem(globals(), "__package__", "srcad_sample")
    gradient = srcad.grad(fn)
    assert gradient(1.5) == 2.0
    package.scale = 5.0
    assert gradient(1.5) == 5.0


def test_a_constant_of_a_module_is_guarded(package):
    def f(x):
        from srcad_sample import rates

        return x * 2.0 if rates.mode == "double" else x

    gradient = srcad.grad(f)
    assert gradient(1.5) == 2.0
    package.mode = "single"
    assert gradient(1.5) == 1.0


def test_another_module_of_the_name_is_seen(package, monkeypatch):
    gradient = srcad.grad(renamed)
    assert gradient(1.5) == 2.0
    other = types.ModuleType("srcad_sample.rates")
    other.scale = 7.0
    monkeypatch.setitem(sys.modules, "srcad_sample.rates", other)
    monkeypatch.setattr(sys.modules["srcad_sample"], "rates", other)
    assert gradient(1.5) == 7.0


def test_a_module_that_is_not_there_has_its_handler(monkeypatch):
    def f(x):
        try:
            import srcad_no_such_module as fast

            k = fast.scale
        except ImportError as problem:
            k = float(len(str(problem)))
        return x * k

    gradient = srcad.grad(f)
    assert gradient(1.5) == f(1.5) / 1.5
    found = types.ModuleType("srcad_no_such_module")
    found.scale = 3.0
    monkeypatch.setitem(sys.modules, "srcad_no_such_module", found)
    assert gradient(1.5) == 3.0


def test_a_name_that_a_module_lacks_has_its_handler(package):
    def f(x):
        try:
            from srcad_sample.rates import missing
        except ImportError:
            missing = 4.0
        return x * missing

    gradient = srcad.grad(f)
    assert gradient(1.5) == 4.0
    package.missing = 6.0
    assert gradient(1.5) == 6.0


def test_a_failing_import_is_refused():
    def f(x):
        import srcad_no_such_module

        return x * srcad_no_such_module.scale

    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(1.5)
    assert caught.value.code == "E106"


def test_a_namespace_of_arrays_is_numpy():
    def f(x):
        xp = x.__array_namespace__()
        y = xp.asarray(x, dtype=xp.float64, device=None, copy=None)
        return xp.sum(xp.tanh(y))

    x = np.array([0.3, 0.9])
    np.testing.assert_allclose(srcad.grad(f)(x), 1 - np.tanh(x) ** 2)


def mean_of_shares(x):
    from scipy.stats import dirichlet

    return np.sum(dirichlet.mean(np.array([0.4, 5.0, 15.0])) * x)


def test_methods_of_a_librarys_objects_that_are_imported_inside():
    pytest.importorskip("scipy")
    x = np.array([1.0, 2.0, 3.0])
    value, slope = srcad.value_and_grad(mean_of_shares)(x)
    assert value == mean_of_shares(x)
    np.testing.assert_allclose(slope, np.array([0.4, 5.0, 15.0]) / 20.4)
