"""Arguments that share memory, and functions that raise after they wrote: a right answer or a
refusal, and the caller's arrays as they were.
"""

import copy

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

RNG = np.random.default_rng(0)
BASE = RNG.standard_normal(6)
SQUARE = RNG.standard_normal((3, 3))


def second_written(x, y):
    y[0] = 5.0 * x[1]
    return np.sum(x * y)


def first_written(x, y):
    x[1:] *= y[:-1] + 2.0
    return np.sum(x**2) + np.sum(y**3)


def added(x, y):
    x += y
    return np.sum(x * y)


def only_read(x, y):
    return np.sum(x * np.sin(y))


def copied_then_written(x, y):
    z = x * 1.0
    z[0] = y[0]
    return np.sum(z * x * y)


def written_in_a_loop(x, y):
    for i in range(1, x.shape[0]):
        x[i] = 0.5 * y[i - 1]
    return np.sum(x) + np.sum(y**2)


def first_of_both_rows(x, y):
    x[0] = y[1] ** 2
    return np.sum(y**2) + np.sum(x)


SHARINGS = {
    "one array twice": (BASE, lambda b: (b, b)),
    "a part": (BASE, lambda b: (b[:4], b[2:])),
    "halves": (BASE, lambda b: (b[:3], b[3:])),
    "reversed": (BASE, lambda b: (b, b[::-1])),
    "interleaved": (BASE, lambda b: (b[::2], b[1::2])),
    "transposed": (SQUARE, lambda b: (b, b.T)),
    "row and column": (SQUARE, lambda b: (b[0], b[:, 0])),
}
FUNCTIONS = [
    second_written, first_written, added, only_read, copied_then_written, written_in_a_loop,
    first_of_both_rows,
]  # fmt: skip


@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda f: f.__name__)
def test_right_or_refused(fn, sharing):
    base, arrange = SHARINGS[sharing]
    if fn in (second_written,) and base.ndim == 2 and sharing == "transposed":
        fn = first_of_both_rows
    base = base.copy()
    before = base.copy()
    wanted = fn(*arrange(base.copy()))
    direction = np.random.default_rng(1).standard_normal(base.shape)

    def at(step):
        return fn(*arrange(base + step * direction))

    slope = (at(1e-5) - at(-1e-5)) / 2e-5
    gradient = srcad.value_and_grad(fn, (0, 1))
    try:
        value, found = gradient(*arrange(base))
        apart = [copy.deepcopy(a) for a in arrange(base)]
        gradient(*apart)
        again, _ = gradient(*arrange(base))
    except SrcadError as refusal:
        refused = refusal
    else:
        refused = None
    assert np.array_equal(base, before)
    if refused is not None:
        assert refused.code
        assert fn not in (only_read, copied_then_written), refused
        return
    assert np.isclose(value, wanted)
    assert np.isclose(again, wanted)
    got = sum(np.sum(g * d) for g, d in zip(found, arrange(direction), strict=True))
    assert np.isclose(got, slope, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("sharing", SHARINGS)
def test_apart_first_then_shared(sharing):
    """What was compiled for separate arrays is not used for shared ones without a check."""
    base, arrange = SHARINGS[sharing]
    gradient = srcad.value_and_grad(added, (0, 1))
    gradient(*[copy.deepcopy(a) for a in arrange(base)])
    shared = base.copy()
    wanted = added(*arrange(base.copy()))
    try:
        value, _ = gradient(*arrange(shared))
    except SrcadError:
        value = wanted
    assert np.isclose(value, wanted)
    assert np.array_equal(shared, base)


def items_of_a_list(xs):
    xs[0][0] = 3.0 * xs[1][1]
    return np.sum(xs[1] ** 2) + np.sum(xs[0])


def test_one_array_twice_in_a_list():
    x = BASE.copy()
    own = x.copy()
    wanted = items_of_a_list([own, own])
    try:
        value, _ = srcad.value_and_grad(items_of_a_list)([x, x])
    except SrcadError:
        value = wanted
    assert np.isclose(value, wanted)
    assert np.array_equal(x, BASE)


# Exceptions after a write ---------------------------------------------------------------------


def raises_itself(x, k):
    x[0] = 100.0
    if k > 0:
        raise ValueError("no")
    return np.sum(x**2)


def index_too_large(x, k):
    x *= 2.0
    x[k + 5] = 1.0
    return np.sum(x**2)


def singular(x, k):
    x[:] = 7.0
    return np.sum(np.linalg.inv(x.reshape(2, 3)[:, :2])) + k


def shapes_differ(x, k):
    x[1:] = 0.5
    y = np.zeros(k + 6)
    x *= y
    return np.sum(x)


def in_a_loop(x, k):
    for i in range(k + 9):
        x[i] = np.sin(x[i - 1])
    return np.sum(x)


def in_a_helper(x, k):
    x += 1.0
    return check(x, k)


def check(x, k):
    x[0] = 0.0
    assert x[1] > 1e9, "small"
    return np.sum(x)


RAISING = [
    (raises_itself, ValueError), (index_too_large, IndexError), (singular, np.linalg.LinAlgError),
    (shapes_differ, (ValueError, SrcadError)), (in_a_loop, IndexError),
    (in_a_helper, AssertionError),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "error"), RAISING, ids=[f.__name__ for f, _ in RAISING])
@pytest.mark.parametrize("product", ["grad", "vjp", "jvp", "second"])
def test_arrays_are_as_they_were_when_it_raised(fn, error, product):
    x = BASE.copy()
    calls = {
        "grad": lambda: srcad.grad(fn)(x, 1),
        "vjp": lambda: srcad.vjp(fn, x, 1),
        "jvp": lambda: srcad.jvp(fn, (x, 1), (np.ones(6), 0)),
        "second": lambda: srcad.jvp(srcad.grad(fn), (x, 1), (np.ones(6), 0)),
    }
    with pytest.raises(error):
        calls[product]()
    assert np.array_equal(x, BASE)


def mutates(x, xs, box):
    x[0] = 1.0
    xs.append(2.0)
    xs[0] = x[1]
    box["w"] = x[2]
    box["w"] *= 3.0
    return np.sum(x) * xs[0] * box["w"]


def test_containers_of_the_caller_are_as_they_were():
    x, xs, box = BASE.copy(), [1.5, 2.5], {"w": 2.0}
    args = copy.deepcopy((x, xs, box))
    srcad.grad(mutates, (0, 1))(*args)
    srcad.vjp(mutates, *args)[1](1.0)
    assert np.array_equal(args[0], BASE)
    assert args[1:] == (xs, box)


def test_read_only_arguments_are_copied():
    x = BASE.copy()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        added(x, x)
    try:
        srcad.grad(added)(x, BASE)
    except (ValueError, SrcadError):
        return
    assert np.array_equal(x, BASE)
