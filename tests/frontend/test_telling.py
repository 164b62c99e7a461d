"""A program that every way of lowering refuses: srcad reports the refusal that came furthest, which
is what Python itself would raise, where one way found that.
"""

import math

import numpy as np
import pytest

import srcad
from srcad.errors import Location, error
from srcad.errors.telling import most_telling


def named(x):
    out = []
    for i in range(int(x)):
        out.append(x * i)
    return out[0] + missing  # noqa: F821


def of_module(x):
    out = []
    for i in range(int(x)):
        out.append(x * i)
    return out[0] + math.missing


def by_text(x):
    out = []
    for i in range(int(x)):
        out.append([x, i])
    return out["a"][0]


def methods(x):
    rows = [[x] * 3 for _ in range(int(x))]
    rows.missing(1)
    return rows[0][0]


def deleted(x):
    rows = [[x] * 3 for _ in range(int(x))]
    del missing  # noqa: F821
    return rows[0][0]


def imported(x):
    rows = [i * x for i in range(int(x))]
    from math import missing

    return rows[0] + missing


def added(x):
    out = [x]
    for i in range(int(x)):
        out = out + [x * i]
    return out[0] + "a"


def peeled(x):
    total = 0
    for _ in range(int(x)):
        total = total + np.ones(3) * x
        total = total if x > 0 else missing  # noqa: F821
    return total[0]


def of_items(x):
    rows = [x * missing for _ in range(int(x))]  # noqa: F821
    return rows[0]


def of_conditions(x):
    rows = [i for i in range(int(x)) if i > missing]  # noqa: F821
    return x * len(rows)


def in_a_helper(x):
    return named(x) + 1.0


@pytest.mark.parametrize(
    ("f", "code", "text"),
    [
        (named, "E124", "missing"),
        (of_module, "E124", "math.missing"),
        (by_text, "E132", "str"),
        (methods, "E121", "missing"),
        (deleted, "E130", "missing"),
        (imported, "E106", "math.missing"),
        (added, "E132", "str"),
        (peeled, "E124", "missing"),
        (of_items, "E124", "missing"),
        (of_conditions, "E124", "missing"),
        (in_a_helper, "E124", "missing"),
    ],
)
@pytest.mark.parametrize("way", [srcad.compile, srcad.grad])
def test_what_python_raises_is_told(f, code, text, way):
    with pytest.raises(srcad.SrcadError) as told:
        way(f)(3.5)
    assert told.value.code == code
    assert text in told.value.title


def at(line, file="a.py"):
    """Where a statement stands."""
    return Location(file, line, 4, line, 8)


def test_the_refusal_that_came_furthest_is_told():
    first = error("E119", at(4), what="a list")
    inner = error("E123", at(2, "b.py"), what="it", called_from=[at(7)])
    last = error("E122", at(6), what="`y`")
    again = error("E129", at(6), what="`y`")
    name = error("E124", at(6), what="`x`")
    assert most_telling([first, name, last]) is name
    shape = error("E400", at(1), what="it")
    assert most_telling([first, inner, last]) is inner
    assert most_telling([first, last]) is last
    assert most_telling([last, again]) is again
    assert most_telling([shape, first, inner, last]) is shape
    result = error("E129", Location("a.py", 1), what="the result")  # of the function as a whole
    assert most_telling([last, result, first]) is result
    of_lists = error("E123", at(6), what="an index")
    assert most_telling([again, of_lists]) is again
