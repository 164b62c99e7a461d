"""Views of dicts with keys that data gives: they show what the dict has whenever they are asked."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from optional import needs_numba

import srcad

X = np.array([1.0, 3.0, 1.0, 2.0])


def table(w, x):
    d = {}
    for v in x:
        d[int(v)] = w * v
    return d


def items_twice(w, x):
    d = table(w, x)
    e = d.items()
    return sum(v for k, v in e) + sum(k * v for k, v in e)


def value_set_behind(w, x):
    d = table(w, x)
    e = d.values()
    d[1] = 50 * w
    return sum(e)


def key_added_behind(w, x):
    d = table(w, x)
    e = d.keys()
    d[50] = w
    return w * len(e) + sum(e)


def item_added_behind(w, x):
    d = table(w, x)
    e = d.items()
    d[50] = w
    return w * sum(k for k, v in e)


def values_set_by_keys(w, x):
    d = table(w, x)
    t = 0.0
    for k in d:
        t += d[k]
        d[k] = 0.0
    return t + sum(d.values())


def keys_added_while_read(w, x):
    d = table(w, x)
    t = 0.0
    for k in d:
        t += d[k]
        d[k + 10] = w
    return t


def values_set_by_items(w, x):
    d = table(w, x)
    t = 0.0
    for k, v in d.items():
        t += v
        d[k] = t
    return t + sum(d.values())


def values_set_by_values(w, x):
    d = table(w, x)
    t = 0.0
    for v in d.values():
        t += v
        d[3] = 9 * w
    return t


def a_list_of_values(w, x):
    d = table(w, x)
    e = list(d.values())
    e[0] = 5 * w
    e.append(w)
    return sum(d.values()) + sum(e)


def sorted_values(w, x):
    d = table(w, x)
    e = sorted(d.values())
    e[0] = 5 * w
    return sum(d.values()) + sum(e)


def an_array_of_values(w, x):
    d = table(w, x)
    e = np.array(list(d.values()))
    e[0] = 5 * w
    return sum(d.values()) + sum(e)


def a_list_of_keys(w, x):
    d = table(w, x)
    e = list(d)
    e[0] = 99
    return w * sum(d) + w * sum(e)


def a_list_that_is_sorted(w, x):
    d = table(w, x)
    e = list(d.keys())
    e.sort(reverse=True)
    return w * list(d)[0] + w * e[0]


def keys_removed_behind(w, x):
    d = table(w, x)
    ks = d.keys()
    t = 0
    for k in list(ks):
        del d[k]
        t += len(ks)
    return w * t


def membership(w, x):
    d = table(w, x)
    return w * (1 in d.keys()) + w * (9 in d.keys()) + (2 * w in d.values()) * w


def lists_behind(w, x):
    d = defaultdict(list)
    for v in x:
        d[int(v)].append(w * v)
    e = d.values()
    d[1].append(7 * w)
    d[8].append(w)
    return sum(sum(q) for q in e)


def lists_added_behind(w, x):
    d = defaultdict(list)
    for v in x:
        d[int(v)].append(w * v)
    e = d.keys()
    d[8].append(w)
    return w * len(e)


def removed_by_value(w, x):
    d = table(w, x)
    for k in list(d.keys()):
        if d[k] > 3:
            del d[k]
    return sum(d.values())


def cleared_behind(w, x):
    d = table(w, x)
    e = d.values()
    f = max(e)
    g = min(e)
    d.clear()
    return f + g + len(e) * w


def side_by_side(w, x):
    d = table(w, x)
    e, f = d.keys(), d.values()
    t = sum(a * b for a, b in zip(e, f))
    d[3] = 0.0
    return t + sum(a * b for a, b in zip(e, f))


def pairs_that_are_none(w, x):
    d = table(w, x)
    d.update([1, 1])
    return sum(d.values())


def counted_again(w, x):
    c = Counter()
    d = c
    for v in x:
        c[int(v)] += 1
    c.update({1: 2, 7: 1})
    return w * sum(d.values()) + c[1]


PROGRAMS = [
    items_twice,
    value_set_behind,
    key_added_behind,
    item_added_behind,
    values_set_by_keys,
    keys_added_while_read,
    values_set_by_items,
    values_set_by_values,
    a_list_of_values,
    sorted_values,
    an_array_of_values,
    a_list_of_keys,
    a_list_that_is_sorted,
    keys_removed_behind,
    membership,
    lists_behind,
    lists_added_behind,
    removed_by_value,
    cleared_behind,
    side_by_side,
    counted_again,
]  # fmt: skip


# Machine code of these takes ten seconds each.
CASES = [
    *((f, "numpy") for f in PROGRAMS),
    *(pytest.param(f, "native", marks=needs_numba) for f in PROGRAMS[::6]),
]


@pytest.mark.parametrize(("f", "backend"), CASES, ids=lambda x: getattr(x, "__name__", x))
def test_views_are_those_of_python(f, backend):
    compiled, gradient = srcad.compile(f, backend=backend), srcad.grad(f, backend=backend)
    try:
        wanted = f(2.0, X)
    except (RuntimeError, TypeError) as problem:
        for call in (compiled, gradient):
            with pytest.raises(type(problem)):
                call(2.0, X)
        return
    assert compiled(2.0, X) == pytest.approx(wanted)
    difference = (f(2 + 1e-6, X) - f(2 - 1e-6, X)) / 2e-6
    assert gradient(2.0, X) == pytest.approx(difference, 1e-6)


def test_what_is_no_pair_is_no_item():
    with pytest.raises(srcad.SrcadError, match="E134"):
        srcad.compile(pairs_that_are_none)(2.0, X)


def keys_counted(w, x):
    d = table(w, x)
    total = 0.0
    for i, k in enumerate(d):
        total += d[k]
        d[k + 100] = i * w
    return total


def values_side_by_side(w, x):
    d = table(w, x)
    total = 0.0
    for k, v in zip(d, d.values()):
        total += v * k
        d[3] = w * w
    return total


@pytest.mark.parametrize("f", [keys_counted, values_side_by_side])
def test_what_changes_beside_others_is_refused(f):
    with pytest.raises(srcad.SrcadError, match="E119"):
        srcad.compile(f)(2.0, X)


def test_a_set_has_no_views():
    def f(w, x):
        seen = set()
        for k in x:
            seen.add(int(k))
        return len(seen.keys()) * w

    with pytest.raises(AttributeError):
        f(2.0, X)
    with pytest.raises(srcad.SrcadError, match="`keys`"):
        srcad.compile(f)(2.0, X)


def test_whether_two_readings_are_one_list_is_not_told():
    def f(w, x):
        groups = defaultdict(list)
        for k in x:
            groups[int(k)].append(k * w)
        return w if groups[int(x[0])] is groups[int(x[-1])] else 2 * w

    with pytest.raises(srcad.SrcadError, match="E128"):
        srcad.compile(f)(2.0, X)
