"""Locks and imports in forked processes; `faults/forks.py` forks while other threads compile."""

import importlib
import sys
import threading
import types

import pytest

from srcad import forks


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
