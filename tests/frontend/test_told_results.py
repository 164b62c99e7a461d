"""Results of functions without derivative: each call is checked to give what the source tells."""

import numpy as np
import pytest
from frontend.as_numpy import alike, given
from optional import BACKENDS

import srcad
from srcad import rules

HELD = {"v": None}
X = np.array([1.0, 2.0, 3.0])


@rules.nondiff
def look(x):
    return HELD["v"]


def by_none(x):
    return np.sum(x) * (2.0 if look(x) is None else 3.0)


def by_class(x):
    v = look(x)
    return np.sum(x) * (v if isinstance(v, int) else v * 10)


def product(x):
    return np.sum(look(x) * x)


def by_length(x):
    return np.sum(x) * len(look(x))


def items(x):
    return np.sum(x) * sum(look(x))


def by_rank(x):
    return np.sum(x) * (1.0 + np.ndim(look(x)))


def by_truth(x):
    return np.sum(x) * (2.0 if look(x) else 3.0)


VALUES = [
    None, 2, 2.5, True, np.int64(3), np.float32(1.5), 1j, "ab", (1.0, 2.0), (1, 2), (1.0, 2.0, 3.0),
    (1.0, None), [1.0, 2.0], {0: 1.0}, np.ones(3), np.ones(3, np.float32), np.ones(1), np.ones(4),
    np.ones((2, 3)), np.array(2.0),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(len(VALUES)))
@pytest.mark.parametrize("f", [by_none, by_class, product, by_length, items, by_rank, by_truth])
def test_another_result_is_refused(f, first):
    run = srcad.compile(f, backend="numpy")
    for v in (VALUES[first], *VALUES[::3], VALUES[first]):
        HELD["v"] = v
        wanted, found = given(f, X), given(run, X)
        if isinstance(found, srcad.SrcadError | NotImplementedError):
            continue
        if isinstance(found, Exception):
            assert type(found) is type(wanted)
        else:
            alike(found, wanted)


@pytest.mark.parametrize("backend", BACKENDS)
def test_message(backend):
    HELD["v"] = 2.0
    slope = srcad.grad(product, backend=backend)
    np.testing.assert_array_equal(slope(X), [2.0, 2.0, 2.0])
    HELD["v"] = 3.0
    np.testing.assert_array_equal(slope(X), [3.0, 3.0, 3.0])
    HELD["v"] = np.ones(3)
    with pytest.raises(NotImplementedError, match=r"`look`.* an array of float64 of shape \(3,\)"):
        slope(X)


@rules.nondiff
def one_of_two(x):
    return 1 if x[0] > 0 else 0.5


@rules.nondiff
def of_many(x):
    return x[1:] > 0, len(x), None, "a", x.sum(), np.argsort(x), x.shape


@rules.nondiff
def nothing(x):
    return ()


@rules.nondiff
def reported(x):
    print(np.sum(x))


def uses(x):
    signs, n, none, text, total, order, shape = of_many(x)
    assert shape
    return (
        np.sum(x[1:] * signs) * n * (2.0 if none is None else 3.0),
        f"{text}" == "a",
        total,
        x[order],
        one_of_two(x),
        one_of_two(x) * 2,
        nothing(x),
        reported(x) is None,
    )


@pytest.mark.parametrize("x", [X, -X, np.ones(5)])
def test_as_told(x, capsys):
    run = srcad.compile(uses, backend="numpy")
    for _ in range(2):
        alike(run(x), uses(x))
    printed = capsys.readouterr().out.splitlines()
    assert printed == [str(np.sum(x))] * 4


@rules.nondiff
def unread(x):
    return eval("HELD['v']")


def is_none(x):
    return np.sum(x) * (2.0 if unread(x) is None else 3.0)


def test_what_is_not_read_may_be_none():
    with pytest.raises(srcad.SrcadError, match="E128"):
        srcad.compile(is_none)(X)
