"""Marks that decide nothing go; those that a result, or what is raised, depends on stay."""

import numpy as np
import pytest

import srcad

X = np.array([0.5, 2.0, 1.5])


def filled(x):
    ws = [0.0]
    for v in x:
        ws.append(ws[-1] + v)
    return ws


def summed(x):
    ws = filled(x)
    total = 0.0
    for i in range(len(x)):
        total = total + ws[i] * ws[i] * x[0]
    return total


def compared(x):
    ws, total = filled(x), 0.0
    for i in range(len(x)):
        if ws[i] > 1:
            total = total + np.sin(ws[i])
    return total


def stored(x):
    ws, out = filled(x), np.zeros(len(x))
    for i in range(len(x)):
        out[i] = -ws[i]
    return np.sum(out * x)


def returned(x):
    return filled(x)[int(x[0])]


def divided(x):
    ws, total = filled(x), 0.0
    for i in range(len(x)):
        total = total + 1.0 / (ws[i] + 1.0)
    return total


def weak(x):
    ws, total = filled(x), np.float32(0.0)
    for i in range(len(x)):
        total = total + ws[i] * np.float32(x[0])
    return total


@pytest.mark.parametrize("f", [summed, compared, stored])
def test_marks_go(f):
    assert "as_listed" not in srcad.grad(f, backend="numpy").source(X)
    assert "bool" not in srcad.grad(f, backend="numpy").source(X)


@pytest.mark.parametrize("f", [returned, divided, weak])
def test_marks_stay(f):
    compiled = srcad.compile(f, backend="numpy")
    assert "as_listed" in compiled.source(X)
    assert repr(compiled(X)) == repr(f(X))
