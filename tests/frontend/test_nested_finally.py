"""`finally` of several `try` around one another: the innermost runs first, however it is left."""

import numpy as np
import pytest

import srcad

X = np.array([0.3, 0.7, 1.1])


class Noted:
    def __init__(self, notes):
        self.notes = notes

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.notes.append(self.notes[-1] * 2.0)


def broken_off(x, a):
    t = x[2]
    for i in range(3):
        try:
            t = t + x[0]
            try:
                t = t * x[1]
                break
            finally:
                t = t * 0.5
        finally:
            t = t + a * i + a
    return t


def gone_on(x, a):
    t = x[2]
    for i in range(3):
        try:
            try:
                if x[i] > 0.5:
                    continue
                t = t * x[1]
            finally:
                t = t * 0.5
            t = t * 3.0
        finally:
            t = t + a
    return t


def returned(x, a):
    t = x[2]
    try:
        try:
            return t * x[1] + np.sum(x)
        finally:
            t = t * 0.5
            x[0] = t
    finally:
        t = t + a
        x[1] = t


def three_deep(x, a):
    t = x[2]
    for _ in range(2):
        try:
            try:
                try:
                    if a > 0:
                        break
                    t = t * x[0]
                finally:
                    t = t + x[1]
            finally:
                t = t * t
        finally:
            t = t * a
    return t


def with_a_handler(x, a):
    t = x[2]
    for k in range(3):
        try:
            try:
                t = t + 1.0 / k
                break
            except ZeroDivisionError:
                t = t * x[1]
                continue
            finally:
                t = t * 0.5
        finally:
            t = t + a
    return t


def in_a_handler(x, a):
    t = x[2]
    for k in range(2):
        try:
            t = t + 1.0 / k
        except ZeroDivisionError:
            try:
                continue
            finally:
                t = t * x[1]
        else:
            try:
                break
            finally:
                t = t * 0.25
        finally:
            t = t + a
    return t


def managed(x, a):
    notes = [x[2]]
    for _ in range(3):
        try:
            with Noted(notes):
                notes.append(notes[-1] * x[1])
                break
        finally:
            notes = [notes[-1] + a]
    return notes[-1] * len(notes)


PROGRAMS = [
    broken_off, gone_on, returned, three_deep, with_a_handler, in_a_handler, managed,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("a", [1.0, -1.0])
def test_values_and_changes_are_pythons(f, a):
    x, own = X.copy(), X.copy()
    assert srcad.compile(f)(own, a) == pytest.approx(f(x, a), rel=1e-14)
    np.testing.assert_allclose(own, x, rtol=1e-14)


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("a", [1.0, -1.0])
def test_gradients_are_those_of_differences(f, a):
    value, gradient = srcad.value_and_grad(f)(X, a)
    assert value == pytest.approx(f(X.copy(), a), rel=1e-14)
    steps = 1e-6 * np.eye(3)
    wanted = [(f(X + step, a) - f(X - step, a)) / 2e-6 for step in steps]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-7, atol=1e-9)
