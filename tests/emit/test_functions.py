"""Paragraphs of a function: prologue, forward sweep, reverse sweep."""

import operator

import numpy as np
from emit.irtext import FLOAT, Body, body_of, function, params

from srcad.emit.module import emit
from srcad.ir import Interface, Param, Slot


def test_the_reverse_sweep_begins_with_what_serves_it():
    x, w = params("x w")
    b = Body(x, w)
    h = b(operator.mul, x, w, name="h")
    value = b(np.sum, b(operator.mul, h, h), type=FLOAT)
    b(print, value, type=None, effect=True)
    twice = b(operator.mul, 2.0, h)
    x_bar = b(operator.mul, twice, w, name="x_bar")
    w_bar = b(operator.mul, twice, x, name="w_bar")
    interface = Interface((Param("p", (Slot(0), Slot(1))),), result=(Slot(0), (Slot(1), Slot(2))))
    text = emit(function("f", b, value, x_bar, w_bar, interface=interface)).text
    assert (
        body_of(text)
        == """\
x, w = p

h = x * w
t = (h * h).sum()
print(t)

t_2 = 2.0 * h
x_bar = t_2 * w
w_bar = t_2 * x
return t, (x_bar, w_bar)"""
    )


def test_without_cotangents_there_is_one_paragraph():
    (x,) = params("x")
    b = Body(x)
    x_dot = b(np.cos, x, name="x_dot")
    assert "\n\n" not in body_of(emit(function("f", b, b(np.sin, x, name="y"), x_dot)).text)
