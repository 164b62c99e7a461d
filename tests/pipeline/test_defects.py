"""The reason after a failed compile: a defect of the compiler is internal, a full disk is not."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from optional import needs_numba

import srcad
from srcad.native.scalarize.handlers.table import HANDLERS
from srcad.pipeline import stages
from srcad.pipeline.defects import why_failed, why_failed_aside

X = np.linspace(0.1, 1.0, 7)


def recurrence(x):
    s = 0.0
    for i in range(len(x)):
        s = np.sin(s) + x[i]
    return s


def product(x):
    s = 1.0
    for i in range(len(x)):
        s = s * np.cos(x[i])
    return s


def failing(*args):
    raise TypeError("no such thing")


@needs_numba
def test_a_pass_that_fails_leaves_it_to_numpy_and_is_told(monkeypatch):
    monkeypatch.setattr(stages, "VERIFIES", False)
    monkeypatch.setitem(HANDLERS, operator.getitem, failing)
    gradient = srcad.grad(recurrence, backend="native")
    np.testing.assert_array_equal(gradient(X), srcad.grad(recurrence, backend="numpy")(X))
    told = gradient.explain(X)
    assert told.runs == "numpy"
    assert told.why == "internal: the compiler failed with TypeError: no such thing"


@needs_numba
def test_a_signal_meanwhile_is_the_callers(monkeypatch):
    class Alarm(Exception):
        pass

    def ringing(*args):
        raise Alarm

    monkeypatch.setattr(stages, "VERIFIES", False)
    monkeypatch.setitem(HANDLERS, operator.getitem, ringing)
    with pytest.raises(Alarm):
        srcad.grad(product, backend="native")(X)


def test_what_the_machine_lacks_is_no_defect():
    assert why_failed(OSError("full")) == "it cannot be compiled: OSError: full"
    assert why_failed(KeyError("k")).startswith("internal: ")
    assert why_failed_aside("TypingError: no").startswith("internal: ")
    for line in ("the process ended with code 1", "FileNotFoundError: no", "OSError: full"):
        assert why_failed_aside(line) == f"Numba cannot compile it: {line}"
