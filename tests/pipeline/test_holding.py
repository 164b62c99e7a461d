"""Programs that read what changes while they are compiled."""

import sys
import types

import pytest

import srcad
from srcad.errors import SrcadError


def test_modules_that_are_imported_meanwhile():
    def f(x):
        return x * 2.0 if sys.modules.get("numpy") is not None else x

    def g(x):
        return x * 2.0 if "srcad_no_such_module" in sys.modules else x

    for transform in (srcad.compile, srcad.grad):
        assert transform(f)(1.5) in (3.0, 2.0)
        assert transform(g)(1.5) in (1.5, 1.0)


def test_what_is_another_at_each_look_is_refused(monkeypatch):
    unsteady = types.ModuleType("unsteady")
    unsteady.__dict__["__getattr__"] = lambda name: lambda x: 2.0 * x
    monkeypatch.setitem(globals(), "unsteady", unsteady)

    def f(x):
        return unsteady.double(x)

    with pytest.raises(SrcadError, match="changes while it is compiled") as refused:
        srcad.compile(f)(2.0)
    assert refused.value.code == "E121"
    assert "unsteady" in str(refused.value)
