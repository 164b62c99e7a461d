"""Locks and imports in forked processes; `faults/forks.py` forks while other threads compile."""

import ast
import importlib
import sys
import threading
import types
from pathlib import Path

import pytest

from srcad import forks
from srcad.once import cached_property

FILES = sorted(Path(forks.__file__).parent.rglob("*.py"))


@pytest.fixture
def begun(monkeypatch):
    """A module of srcad that another thread has begun to import."""
    name = "srcad.begun_by_another_thread"
    lock = types.SimpleNamespace(owner=threading.get_ident() + 1)
    table = {name: lambda: lock, "of_others": lambda: lock}
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(importlib, "_bootstrap", types.SimpleNamespace(_module_locks=table))
    return name, table


def test_a_module_that_another_thread_began_is_imported_again(begun):
    name, table = begun
    forks._forget_imports()
    assert name not in sys.modules
    assert list(table) == ["of_others"]


@pytest.mark.parametrize("absent", ["_bootstrap", "_module_locks"])
def test_a_python_without_that_table_goes_on(begun, monkeypatch, absent):
    name, _ = begun
    owner = importlib if absent == "_bootstrap" else importlib._bootstrap
    monkeypatch.delattr(owner, absent)
    forks._forget_imports()
    assert name in sys.modules


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_property_holds_a_lock(path):
    """As those of `functools` do up to Python 3.11: one for all objects of a class."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "functools":
            assert "cached_property" not in [alias.name for alias in node.names]
        decorators = getattr(node, "decorator_list", ())
        assert "functools.cached_property" not in map(ast.unparse, decorators)


class Squares:
    def __init__(self, n):
        self.n, self.calls = n, 0

    @cached_property
    def squares(self):
        """Of the first numbers."""
        self.calls += 1
        return [k * k for k in range(self.n)]


def test_a_property_is_computed_once_for_each_object():
    a, b = Squares(3), Squares(2)
    assert a.squares is a.squares
    assert (a.squares, b.squares, a.calls) == ([0, 1, 4], [0, 1], 1)
    assert Squares.squares.__doc__ == "Of the first numbers."


def test_a_property_is_read_while_another_thread_computes_it():
    begun, ends = threading.Event(), threading.Event()

    class Slow:
        @cached_property
        def value(self):
            if threading.current_thread() is not threading.main_thread():
                begun.set()
                ends.wait(60)
            return 1.0

    thread = threading.Thread(target=lambda: Slow().value)
    thread.start()
    begun.wait(60)
    assert Slow().value == 1.0
    ends.set()
    thread.join()
