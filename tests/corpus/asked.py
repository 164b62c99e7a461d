"""What programs ask of their arrays, and of objects that never change: known while compiling."""

import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
from corpus.program import Theme, array

program = Theme("asked")

WINDOW = 0.5


@program(array(4))
def view_is_copied(x):
    y = x[::-1]
    if np.shares_memory(x, y):
        y = y.copy()
    x[:] = x + y
    z = x * 2
    if np.may_share_memory(x, z):
        z = z + 1
    return np.sum(x * z * y)


@program(array(4), 0.7, again=[(array(4), -0.7), (array(4), 1.5)])
def one_of_two_is_no_third(x, k):
    y = x if k > 0 else x * 2
    z = np.zeros(4) if k > 1 else x + k
    return np.sum(y * z) * (2.0 if y is z else 3.0)


def _checked(x):
    try:
        return np.asarray(x)
    except ValueError:
        return np.zeros(3)


@program(array(3), array(3))
def checked_arrays_are_two(x, y):
    x, y = _checked(x), _checked(y)
    return np.sum(x) if x is y else np.sum(x * y)


@program(array(3))
def array_is_itself(x):
    y = np.asarray(x, order=None)
    return np.sum(y**2) if y is x else np.sum(y)


@program(array(3))
def written_if_writeable(x):
    x = x * 2.0
    flags = getattr(x, "flags", None)
    if not getattr(flags, "writeable", True):
        x = x.copy()
    x[0] = x[1] * x[2]
    return np.sum(x) * (2.0 if np.broadcast_to(x, (2, 3)).flags.writeable else 3.0)


def _rounded(n):
    return int(Decimal(n).quantize(Decimal("1"), rounding=ROUND_HALF_UP))


@program(array(6))
def rounded_half_up(x):
    return np.sum(x[: _rounded(2.5)] ** 2) + x[_rounded(WINDOW * 6)] * float(Fraction(1, 3))


@program(array(3))
def formula_as_text(x):
    weights = {"H": x[0], "O": x[1] * x[2]}
    total = 0.0
    for name, count in re.findall("([A-Z])([0-9]*)", "H2O"):
        total += weights[name] * int(count or 1)
    if re.match("[a-z]", "H2O") is None:
        total = total**2
    return total


@program(np.array([0.2, 0.8, 0.6]))
def handlers_for_names(x):
    try:
        y = np.atleast_1d(x)
        y = np.where(y > 0.5, np.exp(y), y)
    except NameError:
        pass
    try:
        y = y * 2 / (1 + y)
        y = np.where(y == 0, 1.0, y)
    except IndexError:
        pass
    return np.sum(y)


def _parts(found, text):
    while text:
        place = text.find("%")
        if place < 0:
            found.append(text)
            return
        found.append(text[:place])
        text = text[place + 1 :]


@program(array(3))
def setting_as_text(x):
    found = []
    _parts(found, "1%5.5")
    return np.sum(x**2) * float("".join(found))


@program(np.array([0.5, 1.2]), again=[(np.array([-0.55, 1.2]),)])
def asked_of_texts(x):
    try:
        if x[0] > 0:
            raise ValueError("positive: " + str(len(x)))
        total = np.sum(x)
    except ValueError as problem:
        total = np.sum(x**2) * (2.0 if str(problem).startswith("positive") else 3.0)
    text = f"{x[1]:.2f}"
    return total * (2.0 if text.endswith("0") else 3.0) + text.find(".") * len(text.upper())


@program(np.array([0.7, 0.4]))
def steps_until_settled(x):
    s, before, n = x * 2, 6.28, 0
    try:
        goes_on = (abs(s - before) > 1e-3).any()
    except AttributeError:
        goes_on = abs(s - before) > 1e-3
    while goes_on and n < 20:
        before, n = s, n + 1
        s = x * 2 + 0.5 * np.sin(s)
        try:
            goes_on = (abs(s - before) > 1e-3).any()
        except AttributeError:
            goes_on = abs(s - before) > 1e-3
    return np.sum(s)
