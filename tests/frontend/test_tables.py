"""Dicts and sets with keys that data gives are as in Python, exceptions too, or refused."""

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest
from optional import needs_numba

import srcad

X, KINDS = np.arange(1.0, 6.0), np.array([3, 1, 3, 2, 1])


def filled(x, kinds):
    table = {}
    for v, k in zip(x, kinds):
        table[k] = v
    return table


def is_missing(x, kinds):
    return filled(x, kinds)[kinds[0] + 9] * x[0]


def grows_while_gone_through(x, kinds):
    table = filled(x, kinds)
    total = 0.0
    for k in table:
        total += table[k]
        table[k + 10] = total
    return total


def changes_while_gone_through(x, kinds):
    table = filled(x, kinds)
    for k, v in table.items():
        table[k] = v * v
    return sum((n + 1) * v for n, v in enumerate(table.values()))


def comes_back_at_the_end(x, kinds):
    table = filled(x, kinds)
    del table[kinds[0]]
    table[kinds[0]] = x[0]
    return sum((n + 1) * v for n, v in enumerate(table.values()))


def reading_inserts(x, kinds):
    numbers, lists = defaultdict(float), defaultdict(list)
    for v, k in zip(x, kinds):
        numbers[k] += v
        lists[k].append(v)
    total = numbers[kinds[0] + 9] + len(lists[kinds[0] + 9])
    return total + len(numbers) * x[0] + len(lists) * x[1]


def counted(x, kinds):
    n = Counter()
    for k in kinds:
        n[k] += 1
    return x[0] * n[kinds[0]] + n[99] + x[1] * len(n)


def last_and_first(x, kinds):
    table = OrderedDict()
    for v, k in zip(x, kinds):
        table[k] = v
    k, v = table.popitem()
    table.update({k: v * v})
    return max(table, key=table.get) * v + table.pop(77, x[0])


def kinds_of_keys(x, kinds):
    table = {3: x[0]}
    table[int(kinds[1])] = x[1]
    table[kinds[0]] = x[0] * x[1]
    total = 0.0
    for k in table:
        total += k
    return table[3] * len(table) * total


def is_a_dict(x, kinds):
    table = filled(x, kinds)
    return x[0] * (isinstance(table, dict) + 2 * isinstance(table, list)) if table else x[1]


def unhashable(x, kinds):
    table = {}
    table[x] = 1.0
    return np.sum(x)


def nothing_to_remove(x, kinds):
    seen = set()
    seen.add(kinds[0])
    seen.remove(kinds[1])
    return x[0]


def outcome(f, *args):
    try:
        return f(*args)
    except (LookupError, RuntimeError, TypeError) as problem:
        return problem


@pytest.mark.parametrize(
    "f",
    [
        is_missing, grows_while_gone_through, changes_while_gone_through, comes_back_at_the_end,
        reading_inserts, counted, last_and_first, kinds_of_keys, is_a_dict, unhashable,
        nothing_to_remove,
    ],
)  # fmt: skip
@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=needs_numba)])
def test_as_in_python(f, backend):
    compiled = srcad.value_and_grad(f, backend=backend)
    for n in (5, 2, 5):
        x, kinds = X[:n].copy(), KINDS[:n].copy()
        expected = outcome(f, x, kinds)
        if isinstance(expected, Exception):
            found = outcome(compiled, x, kinds)
            assert type(found) is type(expected)
            assert str(found) == str(expected)
            continue
        value, gradient = compiled(x, kinds)
        assert type(value) is type(expected)
        assert value == expected
        for k in range(n):
            step = np.eye(n)[k] * 1e-6
            slope = (f(x + step, kinds) - f(x - step, kinds)) / 2e-6
            assert gradient[k] == pytest.approx(slope, rel=1e-6, abs=1e-7)


def floats_as_keys(x, kinds):
    return {x[0]: 1.0}[x[0]] * x[1]


def dicts_in_a_dict(x, kinds):
    table = {}
    table.setdefault(kinds[0], {})[kinds[1]] = x[0]
    return table[kinds[0]][kinds[1]]


def sets_in_a_dict(x, kinds):
    table = defaultdict(set)
    table[kinds[0]].add(kinds[1])
    return x[0] * len(table[kinds[0]])


def set_gone_through(x, kinds):
    total = 0.0
    for k in set(kinds.tolist()):
        total += x[k]
    return total


def compared(x, kinds):
    return x[0] if filled(x, kinds) == {1: 2.0} else x[1]


def held_by_a_default(x, kinds):
    lists = {}
    for v, k in zip(x, kinds):
        lists.setdefault(k, []).append(v)
    lists.get(kinds[0], []).append(x[0])
    return sum(lists[kinds[0]])


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (floats_as_keys, "E123"), (dicts_in_a_dict, "E123"), (sets_in_a_dict, "E123"),
        (set_gone_through, "E127"), (compared, "E132"), (held_by_a_default, "E118"),
    ],
)  # fmt: skip
def test_refused_in_its_own_words(f, code):
    with pytest.raises(srcad.SrcadError, match=code) as caught:
        srcad.grad(f)(X, KINDS)
    assert "test_tables.py" in str(caught.value)
    assert "._keys" not in str(caught.value)
    assert "._values" not in str(caught.value)


def test_a_dict_as_the_result_is_refused():
    with pytest.raises(srcad.SrcadError, match="E306"):
        srcad.compile(filled)(X, KINDS)
    listed = srcad.compile(lambda x, kinds: np.array(list(filled(x, kinds).values())))
    assert listed(X, KINDS).tolist() == [3.0, 5.0, 4.0]
