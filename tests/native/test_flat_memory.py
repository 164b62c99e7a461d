"""Arrays whose extents iterations and branches tell: carried, saved, and read again."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare

import srcad
from srcad.pipeline.request import Request

X = np.sin(np.arange(1.0, 17.0))
M = np.sin(np.arange(36.0) ** 2).reshape(6, 6)


def pair_of(fn, *args, numba=False, mode="value_and_grad"):
    return both(Request(mode, fn, (0,), single=False), args, len(args), numba)


def halved(x):
    """A sum by pairs."""
    while len(x) > 1:
        x = np.tanh(x[::2] + x[1::2])
    return x[0]


def halved_or_filled(x):
    """A branch that makes an array longer."""
    total = 0.0
    while len(x) > 1:
        if len(x) % 2 == 1:
            x = np.append(x, 0.5)
        x = np.sin(x[::2] * x[1::2])
        total += np.sum(x)
    return total + x[0]


def one_or_other(x):
    """Branches of which each makes another length."""
    total = 0.0
    for k in range(5):
        if len(x) > 4:
            x = x[2:] * x[:-2]
        elif len(x) > 2:
            x = np.concatenate((x, x[:3] ** 2))
        total += np.sum(x) * (k + 1)
    return total


def listed(x):
    """Lists that shrink."""
    v = list(x)
    while len(v) > 1:
        v = [0.6 * a + np.sin(b) for a, b in zip(v, v[1:])]  # noqa: RUF007 - as it is written
    return v[0]


def indexed(x):
    """Lists read by place, and what is saved of each item."""
    v = [y * y for y in x]
    while len(v) > 1:
        v = [np.tanh(v[2 * i] - v[2 * i + 1]) for i in range(len(v) // 2)]
    return v[0] * 2


def wavelet(x):
    """Two arrays of each half."""
    total = 0.0
    while len(x) > 1:
        d = (x[0::2] - x[1::2]) / np.sqrt(2)
        x = (x[0::2] + x[1::2]) / np.sqrt(2)
        total += np.sum(np.abs(d) ** 3)
    return total + x[0] ** 2


def sliced(x):
    """Slices by a number that is carried, too."""
    n, total = len(x), 0.0
    while n > 1:
        x = x[: n // 2] * x[n // 2 : 2 * (n // 2)]
        n = n // 2
        total += np.sum(np.exp(x))
    return total


def complement(a):
    """Matrices that lose a row and a column."""
    logdet = 0.0
    while a.shape[0] > 1:
        logdet += np.log(np.abs(a[0, 0]))
        a = a[1:, 1:] - np.outer(a[1:, 0], a[0, 1:]) / a[0, 0]
    return logdet + np.log(np.abs(a[0, 0]))


def thinned(a):
    """Matrices that lose rows only."""
    total = 0.0
    while len(a) > 2:
        a = a[1:] * np.cos(a[:-1])
        total += np.sum(a[0] ** 2)
    return total


def exchanged(x):
    """Two arrays that take each other's place."""
    a, b = x[:7], x[7:] * 2
    total = 0.0
    while len(a) > 1 and len(b) > 1:
        a, b = b[:-1], a * a[0]
        total += np.sum(a) * b[-1]
    return total


def twice(x):
    """Two names of what was one array."""
    a, b, total = x, x, 0.0
    for k in range(4):
        b = np.sin(a[1:])
        a = b
        b = 2.0 * b[k:]
        total += np.sum(a**2) + np.sum(b)
    return total


def written(x):
    """What is written in place before it loses an entry."""
    total = 0.0
    x = x.copy()
    while len(x) > 2:
        x[0] = x[0] * x[-1]
        x[1:] += 0.1
        total += x[0]
        x = x[:-1]
    return total


def nested(x):
    """Loops over arrays that shrink, inside of loops."""
    total = 0.0
    for k in range(3, len(x), 4):
        v = x[:k] * 1.1
        while len(v) > 1:
            v = np.sin(v[1:]) * v[:-1]
            total += v[0]
        total *= 0.5 + v[0]
    return total


def nested_twice(x):
    """An array that both loops carry."""
    total = 0.0
    while len(x) > 3:
        for _ in range(len(x) // 4):
            x = x[1:] + 0.3 * x[:-1]
            if x[0] > 0.5:
                x = x * 0.9
                total += x[-1]
        x = x[:-1]
        total += np.sum(x * x)
    return total


def left_early(x):
    """A loop that ends before its test does."""
    total = 0.0
    while len(x) > 1:
        x = x[1:] * x[:-1]
        if np.sum(x) < -0.2:
            break
        total += np.sum(np.exp(x))
    return total + x[0]


def stacked(x):
    """What comes last goes first."""
    stack, damage = [], 0.0
    for v in x:
        stack.append(v)
        while len(stack) >= 3:
            first, second = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if first < second:
                break
            damage += second**3
            last = stack.pop()
            stack.pop()
            stack.pop()
            stack.append(last)
    return damage + len(stack)


def windowed(x):
    """A list that drops its first item when it is full."""
    window, total = [], 0.0
    for v in x:
        window.append(v)
        if len(window) > 3:
            window.pop(0)
        total += sum(window) / len(window) * v
    return total


def grown(x):
    """The coefficients of a product."""
    c = np.array([1.0])
    for k in range(len(x)):
        c = np.append(c, 0.0) - x[k] * np.append(0.0, c)
    return np.sum(c**2)


def convolved(x):
    """A function of the library whose result is longer each time."""
    c = np.array([1.0])
    for k in range(len(x) // 2):
        c = np.convolve(c, x[2 * k : 2 * k + 2])
    return np.sum(c**2)


def picked(x):
    """As many as a mask says."""
    total = 0.0
    while len(x) > 1:
        x = x[x > np.mean(x)] * 0.9
        total += np.sum(x**2)
    return total


def counted(x):
    """Integers, and truths, of as many."""
    places, signs, total = np.arange(len(x)), x > 0, 0.0
    while len(places) > 1:
        total += np.sum(x[places[::3]] ** 2) * np.sum(signs)
        places, signs = places[1:] - 1, signs[1:]
        places = np.abs(places)
    return total


def turned(x):
    """Complex numbers."""
    z = np.exp(1j * x)
    while len(z) > 1:
        z = z[1:] * z[:-1] * (0.5 + 0.5j)
    return z[0].real + 2 * z[0].imag


SHRINKING = {
    fn: args
    for fn, *args in (
        (halved, X), (halved_or_filled, X[:11]), (one_or_other, X), (listed, X[:9]), (indexed, X),
        (wavelet, X), (sliced, X), (complement, M), (thinned, M), (exchanged, X), (twice, X),
        (written, X), (nested, X), (nested_twice, X), (left_early, X), (stacked, X),
        (windowed, X), (grown, X[:6]), (convolved, X[:8]), (picked, X), (counted, X), (turned, X),
    )
}  # fmt: skip


BY_NUMBA = [one_or_other, complement, nested_twice, stacked, turned]


@pytest.mark.parametrize(
    ("fn", "numba"), [*((fn, False) for fn in SHRINKING), *((fn, True) for fn in BY_NUMBA)]
)
def test_loops_are_compiled_whose_arrays_change_their_lengths(fn, numba):
    if numba:
        pytest.importorskip("numba")
    args = SHRINKING[fn]
    pair = pair_of(fn, *args, numba=numba)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, args) == "equal"
    assert compare(pair, args) == "equal"  # nothing is left of the first call
    backwards = (args[0][::-1].copy(), *args[1:])
    assert compare(pair, backwards) in (("equal",) if fn is not picked else ("equal", "left"))


@pytest.mark.parametrize("fn", [halved_or_filled, listed, wavelet, nested, windowed, left_early])
def test_other_lengths_serve_too(fn):
    pair = pair_of(fn, X)
    for n in (2, 3, 5, 8, 13, 40):
        x = np.cos(np.arange(1.0, n + 1.0))
        assert compare(pair, (x,)) in (("equal",) if fn is not wavelet else ("equal", "left"))


@pytest.mark.parametrize("fn", [halved, listed, complement, one_or_other, stacked])
def test_forward_sweeps_carry_them_too(fn):
    args = SHRINKING[fn]
    pair = both(Request("jvp", fn, (0,), single=False), (*args, *args), len(args))
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (*args, *args)) == "equal"


def test_there_is_no_form_in_c(tmp_path):
    with pytest.raises(srcad.SrcadError, match=r"E506.* changes its length in a loop"):
        srcad.value_and_grad(halved).save(tmp_path / "halved.c", X)


@pytest.mark.parametrize("fn", [halved, wavelet, nested])
def test_single_precision_stays(fn):
    x = X.astype(np.float32)
    pair = pair_of(fn, x)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (x,), single=True) == "equal"


def path_of_steps(y0):
    """A step adds an array of two entries: so many has the first."""
    y = y0.copy()
    path = [y]
    for _ in range(6):
        y = y + 0.1 * np.array([y[1], -y[0]])
        path.append(y)
    path = np.array(path)
    return np.sum(path[:, :2] ** 2)


def halted(y0):
    y, n = y0, 0
    seen = [y]
    while y @ y > 0.1 and n < 20:
        y = 0.5 * (y - np.array([y[1], y[0]]))
        seen.append(y)
        n += 1
    return np.sum(np.array(seen) ** 3)


@pytest.mark.parametrize("fn", [path_of_steps, halted])
def test_what_an_iteration_is_broadcast_to_tells_the_extents_at_the_start(fn):
    pair = pair_of(fn, X[:2])
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (X[:2],)) == "equal"
    assert compare(pair, (X[:3],)) in ("left", "missed")  # NumPy raises
