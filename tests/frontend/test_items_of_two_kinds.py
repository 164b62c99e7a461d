"""Items of a list that are Python floats and NumPy's, which one array holds beside their marks."""

import numpy as np
import pytest

import srcad

X = np.array([0.5, 2.0, 1.5])


def by_data(p, x):
    ws = [0.0, p[0]]
    t = 0.0
    for i in range(len(x)):
        t += 1.0 / ws[int(x[i]) % 2]
    return t


def chained(p, x):
    ws = [p[0], 0.0]
    for v in x:
        ws.append(2.0 / (ws[-1] * 3.0))
        ws.append(v)
    return ws[-2]


def inverse(p, x):
    ws = [2.0]
    for v in x:
        ws.append(p[0] / ws[-1] + 1.0 / ws[-1] + v)
    return 3.0 / ws[-1]


@pytest.fixture(params=["numpy", "native"])
def backend(request):
    if request.param == "native":
        pytest.importorskip("numba")
    return request.param


@pytest.mark.parametrize("f", [by_data, chained])
def test_division_by_pythons_zero_raises(f, backend):
    """It gave infinity, as of NumPy's zero."""
    for transform in (srcad.compile, srcad.grad):
        with pytest.raises(ZeroDivisionError):
            transform(f, backend=backend)(np.ones(1), X)


def test_other_divisions_are_as_in_python():
    p = np.array([0.7])
    value, gradient = srcad.value_and_grad(inverse)(p, X)
    assert value == inverse(p, X)
    assert type(value) is type(inverse(p, X))
    h = 1e-6
    np.testing.assert_allclose(
        gradient, [(inverse(p + h, X) - inverse(p - h, X)) / (2 * h)], rtol=1e-6
    )


def first(p, x):
    ws = [0.0]
    for v in x:
        ws.append(v)
    return ws[0], ws[int(x[0])], ws[int(x[1])]


def power(p, x):
    ws = [-2.0]
    for v in x:
        ws.append(v)
    return ws[int(x[0])] ** 0.5


def both(p, x):
    ws = []
    for v in x:
        ws.append(v * p[0])
        ws.append(1.0)
    return [ws[k] for k in range(4)], f"{ws[int(x[1])]!r} {ws[int(x[0]) + 1]!r}"


def by_branch(p, x):
    ws = []
    for v in x:
        if v > 0.7:
            ws.append(v)
        else:
            ws.append(0.0)
    return max(ws), min(ws), ws[int(x[0])], [w for w in ws]


def replaced(p, x):
    ws = [p[0]]
    for v in x:
        ws.append(v)
    if x[0] > 0:
        ws[int(x[1])] = 7.0
    ws.insert(0, 1.0)
    ws.reverse()
    return ws[int(x[0])], ws[int(x[1])], ws[-1], ws.pop(), ws[-1]


def in_tuples(p, x):
    pairs = [(0.0, p)]
    for v in x:
        pairs.append((v, p * v))
    w, row = pairs[int(x[0])]
    return w, row, pairs[int(x[1])][0]


def single(p, x):
    ws = [0.5]
    for v in x:
        ws.append(v)
    return ws[int(x[0])] * np.float32(2.0), ws[int(x[1])] * np.float32(2.0)


@pytest.mark.parametrize("f", [first, power, both, by_branch, replaced, in_tuples, single])
def test_each_is_what_it_is_in_python(f, backend):
    """They were all NumPy's."""
    compiled = srcad.compile(f, backend=backend)
    for x in (X, np.array([1.5, 0.0, 0.9]), np.array([0.5, 1.5])):
        assert repr(compiled(np.array([0.7]), x)) == repr(f(np.array([0.7]), x))


def chosen(x):
    return np.asarray([v if v > 1 else 0 for v in x])


def appended(x):
    found = []
    for v in x:
        found.append(v if v > 1 else 0.0)
    return np.array(found)


def stacked(x):
    return np.stack([v if v > 1 else 0 for v in x])


def of_truths(x):
    return np.array([v if v > 1 else True for v in x])


def outcome(f, x):
    try:
        found = f(x)
    except srcad.SrcadError as refusal:
        return refusal.code
    return found.tolist(), found.dtype


@pytest.mark.parametrize("f", [chosen, appended, stacked, of_truths])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int8])
def test_arrays_of_narrow_numbers_and_pythons_are_not_narrow(f, dtype):
    """NumPy makes float64 of float32 and Python's numbers, if there are any."""
    for entries in ([0.5, 3.0], [0.5, 0.25], [2.0, 3.0]):
        x = np.array(entries, dtype)
        assert outcome(srcad.compile(f, backend="numpy"), x) in ("E129", outcome(f, x))
