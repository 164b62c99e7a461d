"""`sorted`, `max` and `min` by data give what Python gives, and ask for each key once."""

import numpy as np
import pytest
from conformance.outcome import disagreement, run

import srcad
from srcad.errors import UnsupportedSyntax


def down(x):
    return sorted(x, reverse=True)


def places(x):
    return sorted(range(len(x)), key=lambda i: x[i])


def by_size(x):
    return sorted(x, key=abs)


def of_python(x):
    return sorted([float(x[0]), float(x[1]), 0.5])


def lists(x):
    return sorted(x.tolist())[:2]


def in_place(x):
    rows = [x[0], x[1], x[2]]
    rows.sort(key=lambda v: -v)
    return rows


def nearest(x):
    return min(range(len(x)), key=lambda i: abs(x[i] - 1.0))


def some(x):
    return max(v for v in x if v < 1.5)


def fallen_back(x):
    return min((v for v in x if v > 100.0), default=x[0])


ARRAYS = {
    "distinct": np.array([1.2, 0.5, 1.7, 0.9]),
    "ties": np.array([1.0, -1.0, 1.0, 0.0, -0.0]),
    "not a number": np.array([1.2, np.nan, 0.5, np.nan, -3.0]),
    "single": np.array([2.5, 0.1, 0.3], np.float32),
    "ints": np.array([3, 1, 2]),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize(
    "f", [down, places, by_size, of_python, lists, in_place, nearest, some, fallen_back]
)
def test_what_python_gives(f, name):
    args = (ARRAYS[name],)
    want, got = (run(g, args) for g in (f, srcad.compile(f, backend="numpy")))
    assert disagreement(want, got, args) is None


def test_nothing_to_choose_from():
    with pytest.raises(ValueError, match="empty"):
        srcad.compile(some)(np.array([200.0, 300.0]))


def test_each_key_is_asked_for_once(capsys):
    def f(x):
        def key(v):
            print(end="k")
            return -v

        return sorted(x, key=key)[0] + max([x[0], x[1]], key=key) + sorted([x[0], x[1]], key=key)[0]

    srcad.value_and_grad(f)(np.array([1.0, 2.0, 3.0]))
    assert capsys.readouterr().out == "k" * 7


def test_numbers_of_several_kinds_stay_what_they_are():
    def f(x):
        return sorted([2, x, np.float64(3.0)])

    for x in (0.5, 2.0, 2.5, 9.0, float("nan")):
        assert repr(srcad.compile(f)(x)) == repr(f(x))


def in_order(x):
    ints = []
    for v in x:
        if v > 1:
            ints.append(int(v))
    ints.sort()
    return ints, sorted(ints, key=lambda i: -i), sorted(x > 1)


def members(x):
    kept, rows = set(), {}
    for v in x:
        if v > 1:
            kept.add(int(v))
            rows[int(v)] = v
    return sorted(kept), sorted(rows), sorted(kept, reverse=True)


@pytest.mark.parametrize("f", [in_order, members])
@pytest.mark.parametrize("x", [[0.0, 0.5], [3.5, 0.1, 2.5], []])
def test_a_list_that_stays_empty_is_sorted(f, x):
    x = np.array(x)
    assert repr(srcad.compile(f)(x)) == repr(f(x))


def test_equal_keys_keep_their_order():
    def f(x, reverse):
        d = {"a": x[0], "b": x[1], "c": x[2], "d": x[0] * 1.0}
        return sorted(d, key=d.get, reverse=reverse)

    def first(x, reverse):
        return ["abcd".index(name) for name in f(x, reverse)]

    for x in ([1.0, 2.0, 1.0], [2.0, 2.0, 2.0], [np.nan, 1.0, 2.0], [3.0, np.nan, 1.0]):
        for reverse in (False, True):
            x = np.array(x)
            assert srcad.compile(first)(x, reverse) == first(x, reverse)


def test_many_items_of_several_kinds_are_refused():
    with pytest.raises(UnsupportedSyntax, match="sorted"):
        srcad.compile(lambda x: sorted([x[0], *range(40)]))(np.ones(2))


@pytest.mark.parametrize("reverse", [False, True])
def test_floats_of_either_kind_stay_what_they_are(reverse):
    def in_turn(x):
        ws = [0.5, 1.0]
        for v in x:
            ws.append(v)
        ws.sort(reverse=reverse)
        return ws[0], ws[1], ws[int(x[0])], sorted([x[0], 1.0, x[1]], reverse=reverse)

    def by_key(x):
        ws = [0.5, 1.0]
        for v in x:
            ws.append(v)
        return sorted(ws, key=lambda w: -w, reverse=reverse)[int(x[1])]

    for f in (in_turn, by_key):
        for x in (np.array([2.0, 0.5]), np.array([1.0, 0.0, 3.0]), np.array([0.5, 1.0])):
            assert repr(srcad.compile(f)(x)) == repr(f(x))


def test_sorted_itself_is_differentiated():
    x = np.array([0.3, 0.2, 1.0])
    srcad.grad(np.sum)(x)
    np.testing.assert_array_equal(srcad.jacobian(sorted)(x), np.eye(3)[[1, 0, 2]])
    np.testing.assert_array_equal(srcad.jacobian(sorted)(2 * x), np.eye(3)[[1, 0, 2]])
