"""What is asked of `sys.modules` is looked at, and nothing else of it."""

import sys
import types

import numpy as np
import pytest

import srcad
from srcad.frontend.reading.containers import Modules

X = np.array([1.0, -2.0, 3.0])
NAME = "a_module_that_comes_and_goes"


def is_there(x):
    return np.sum(x) if NAME in sys.modules else np.sum(x * x)


def given(x):
    module = sys.modules.get(NAME)
    return np.sum(x) if module is None else np.sum(module.RATE * x)


def on_paths(x):
    y = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            y = y + x[i] * (NAME in sys.modules)
        else:
            y = y - x[i]
    return y


def read(x):
    return sys.modules["numpy"].sum(x * (2.0 if NAME in sys.modules else 1.0))


def counted(x):
    return np.sum(x) * len(sys.modules)


def listed(x):
    newest = list(sys.modules)[-20:]
    return np.sum(x) * len([name for name in newest if name.startswith(NAME)])


def copied(x):
    return np.sum(x) * (NAME in {**sys.modules})


def shown(x):
    newest = list(sys.modules.values())[-20:]
    return np.sum(x) * sum(1 for m in newest if m is np or m.__name__ == NAME)


def come(monkeypatch, name, rate=2.0):
    module = types.ModuleType(name)
    module.RATE = rate
    monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.parametrize("f", [is_there, given, on_paths, read, counted, listed, copied, shown])
def test_it_is_as_in_python(monkeypatch, f):
    gradient = srcad.value_and_grad(f)
    assert gradient(X)[0] == f(X)
    for rate in (2.0, 3.0):
        come(monkeypatch, NAME, rate)
        assert gradient(X)[0] == f(X)
    monkeypatch.delitem(sys.modules, NAME)
    assert gradient(X)[0] == f(X)


@pytest.mark.parametrize("f", [is_there, given, on_paths, read])
def test_other_modules_make_no_other_program(monkeypatch, f):
    gradient = srcad.grad(f)
    gradient(X)
    come(monkeypatch, "another_module")
    gradient(X)
    assert gradient.cache_info().misses == 1


def test_each_is_looked_at_a_few_times(monkeypatch):
    looked = []
    item = Modules.__getitem__
    monkeypatch.setattr(
        Modules, "__getitem__", lambda self, key: looked.append(key) or item(self, key)
    )
    srcad.grad(shown)(X)
    assert len(looked) < 3 * len(sys.modules)


def test_none_in_the_place_of_a_module(monkeypatch):
    monkeypatch.setitem(sys.modules, NAME, None)

    def f(x):
        return np.sum(x) * (2 if sys.modules[NAME] is None else 1)

    assert srcad.value_and_grad(f)(X)[0] == f(X)


def test_it_is_not_changed():
    def f(x):
        sys.modules[NAME] = None
        return np.sum(x)

    with pytest.raises(srcad.UnsupportedSyntax, match="E118"):
        srcad.grad(f)(X)
