"""Programs of which every loop is compiled, with what was once a reason to leave it to NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome, whole

from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4])
LABELS = np.array([1, 2, 0, 2])


def pair_of(fn, *args, numba=False):
    return both(Request("value_and_grad", fn, (0,), single=False), args, len(args), numba)


def labelled(x, labels):
    """An integer of Python's, or one of NumPy's, picks an entry."""
    total = 0.0
    for k in range(2 * len(labels)):
        label = 0 if k % 2 == 0 else labels[k // 2]
        if label != 0:
            total += np.sin(x[label])
        total += x[label + 1] ** 2
    return total


def binned(x, labels):
    """Whole quotients and remainders of NumPy's integers and floats."""
    total = 0.0
    for i in range(len(labels)):
        total += x[labels[i] % 2] * (labels[i] // 2 + 1) + (x[i] % 0.4) ** 2 + x[i] // 0.5
        total += x[-labels[i] // 2] * (7 % labels[i])  # 0 where the divisor is
    return total


def turned(x):
    """A matrix written as a list of lists."""
    v = np.array([1.0, 0.5])
    for i in range(len(x)):
        v = np.array([[1.0, 0.1 * x[i]], [-x[i], 1]]) @ v
    return v[0] ** 2 + v[1]


def stacked(x):
    """Lists of lists of arrays."""
    total = 0.0
    for i in range(len(x)):
        cube = np.array([[x, 2 * x, x * x], [x[i] * x, -x, np.sin(x)]])
        total += np.sum(cube[i % 2, 1] * cube[1, 2])
    return total


def rotated(w):
    """A complex number that a loop carries."""
    z = 1.0 + 0.0j
    total = 0.0
    for i in range(len(w)):
        z = z * np.exp(1j * w[i])
        total += z.real
    return total


def propagated(w):
    """A state of complex numbers, written in place and normed."""
    psi = np.ones(4, complex) / 2
    for i in range(len(w)):
        psi = psi * np.exp(-1j * w[i] * np.arange(4))
        psi[1:] += 1j * w[i] * psi[:-1]
        psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2))
    return np.sum(np.abs(psi[:2]) ** 2) + (np.conj(psi) * psi)[1].real + np.angle(psi[1])


def iterated(w):
    """Python's complex numbers, and their parts and quotients."""
    z, turns = 0j, 0
    for i in range(len(w)):
        z = z**2 / (1 + abs(z)) + complex(w[i], 0.1)
        if abs(z) > 1:
            z = z.conjugate() * 0.5
            turns += 1
    return z.real + 2 * z.imag + turns


def layers(w):
    """Products of small matrices of complex numbers, and of integers."""
    m, power = np.eye(2, dtype=complex), np.array([[1, 1], [1, 0]])
    total = 0.0
    for i in range(len(w)):
        m = m @ np.array([[np.cos(w[i]), 1j * np.sin(w[i])], [2j * np.sin(w[i]), np.cos(w[i])]])
        power = power @ np.array([[1, 1], [1, 0]])
        total += w[i] * power[0, 1]
    return np.abs(m[0, 0] + m[0, 1]) ** 2 + total


def reflected(a):
    """The diagonal of a matrix that is not square, in a loop that writes it."""
    r = a.copy()
    total = 0.0
    for k in range(a.shape[1]):
        r[k:, :] = r[k:, :] * (1.0 + 0.1 * np.sum(r[k:, k]))
        total += np.sum(np.log(np.abs(np.diag(r))))
    return total


def streamed(x, shifts):
    """Entries rolled by numbers that the data tell, and by more than there are."""
    total = 0.0
    for i in range(len(shifts)):
        x = np.roll(x * 1.1, shifts[i]) + np.roll(x, -i)
        total += np.sum(x * np.arange(len(x))) + np.sum(
            np.roll(np.outer(x, x), shifts[i], axis=1)[0]
        )
    return total


def accumulated(w, h):
    """A row up to a length that another array tells."""
    for _ in range(2):
        new = []
        for i in range(len(h)):
            total = 0.0
            for j in range(len(h)):
                total += w[i, j] * h[j]
            new.append(np.sin(total))
        h = np.array(new)
    return np.sum(h**2)


def queued(x, w):
    """Shapes compared in a loop: by a store that may be of a larger array, and as written."""
    queue, total = np.zeros(3), 0.0
    for i in range(len(x)):
        queue = np.roll(queue, -1)
        queue += w * x[i]
        if queue.shape == w.shape and w.shape != (i,):
            total += queue[0] ** 2
        if (len(w), i) == (3, 2) or x.shape == w.shape or queue.shape == (i, 3):
            total += queue[1] * x[i]
    return total


def candidates(x, steps):
    """A list that is longer on some paths: its length is that of the path."""
    total = 0.0
    for i in range(len(x)):
        terms = [x[i]]
        if i >= 1:
            terms.append(2.0 * x[i - 1])
        if i >= 2 and steps[i % len(steps)] > 0:
            terms.append(x[i - 2] ** 2)
        best = max(terms)
        rest = 0.0
        for term in terms:
            rest += np.exp(term - best)
        total += best + np.log(rest) * np.sum(np.array(terms) ** 2)
    return total


SHIFTS = np.array([1, -2, 7, 0])
TALL = np.arange(1.0, 13.0).reshape(4, 3)
PROGRAMS = {
    layers: (X,), queued: (X, X[:3]), candidates: (X, SHIFTS), reflected: (TALL,),
    streamed: (X, SHIFTS), accumulated: (TALL, X[:3]),
    labelled: (X, LABELS), binned: (X, LABELS), turned: (X,), stacked: (X,),
    rotated: (X,), propagated: (X,), iterated: (X,),
}  # fmt: skip


@pytest.mark.parametrize("numba", [False, True])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_every_loop_is_compiled(fn, numba):
    whole(fn, PROGRAMS[fn], numba)


def growing(x, start):
    """An integer of Python's on one path, of NumPy's on the other, that grows."""
    total = 0.0
    for i in range(len(start)):
        k = start[i] if x[i] > 0 else 3
        for _ in range(40):
            k = k * 3 if x[i] < 0 else k
        total += x[i] * float(k % 5)
    return total


def test_an_integer_that_may_be_pythons_is_refused_where_it_grows():
    """Of Python's it goes on where one of NumPy's wraps around."""
    start = np.array([1, 2, 3, 4, 5])
    pair = pair_of(growing, X, start)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (np.abs(X), start)) == "equal"
    assert is_refusal(outcome(pair.native, (X, start))[0])


def divided(x, labels):
    total = 0.0
    for i in range(len(labels)):
        k = labels[i] if x[i] > 0 else 0
        total += x[i] * (7 // k) + 7 % k
    return total


def test_zero_that_may_be_pythons_is_refused_as_a_divisor():
    pair = pair_of(divided, X, LABELS)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (np.abs(X), LABELS)) in ("equal", "left")
    assert is_refusal(outcome(pair.native, (X, LABELS))[0])
    assert isinstance(outcome(pair.numpy, (X, LABELS))[0], ZeroDivisionError)


def squared(x, scale):
    """Small powers of numbers that are Python's, and of one that is so without iterations."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * scale**2
    return total**2


@pytest.mark.parametrize("scale", [1e200, 1e80, -np.inf])
def test_a_small_power_that_overflows_is_refused(scale):
    """Python raises there, where NumPy's numbers become infinite."""
    pair = pair_of(squared, X, 2.0)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (X, 2.0)) == "equal"
    wanted = outcome(pair.numpy, (X, scale))[0]
    assert isinstance(wanted, OverflowError) == (scale == 1e200)
    assert compare(pair, (X, scale)) == ("equal" if np.isinf(scale) else "left")


def mean_of_products(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total / len(x)


def test_a_sum_of_products_without_terms_is_what_it_starts_as():
    """Zero of Python's, which raises where it is divided by zero."""
    pair = whole(mean_of_products, (X, X))
    assert compare(pair, (X[:0], X[:0])) == "left"
    assert isinstance(outcome(pair.numpy, (X[:0], X[:0]))[0], ZeroDivisionError)


def masked(x):
    """Entries under a mask, read, changed and written."""
    for _ in range(3):
        x = x * np.exp(0.1 * x)
        small = x < 0.25
        x[small] = x[small] * 0.9
        x[x > 1.0] -= 0.1
    return x[x > 0].sum()


def neighbours(x, following):
    """Loops whose numbers of iterations the data tell, inside of loops that save."""
    total = 0.0
    for i in range(len(x)):
        for j in range(following[i], min(following[i] + 3, len(x))):
            k = j
            while k >= 0:
                d = x[i] * x[k] - 0.1
                if d > 0:
                    total += np.sin(d) * d
                k = following[k]
    return total


def between(x):
    """An array that is bound in the loop alone."""
    total = 0.0
    for i in range(3):
        if x[i] > 0:
            d = x * x[i]
            total += np.sum(np.sin(d) * d)
    return total


def lattice(x, n):
    """An array that has an entry less after each iteration, or more."""
    v = np.maximum(x * x - 0.2, 0.0)
    for _ in range(n):
        v = 0.6 * v[1:] + 0.4 * np.sin(v[:-1])
        v = np.maximum(v, 0.1)
    return np.sum(v * v)


def fired(x):
    """Places that a branch notes, read in a loop after it."""
    total, trace = 0.0, np.zeros(len(x))
    for k in range(3):
        places = []
        for i in range(len(x)):
            if x[i] * (k + 1) > 0.2:
                places.append(i)
        trace = 0.9 * trace
        for i in places:
            trace[i] += x[i] ** 2
        total += np.sum(trace * x)
    return total


def powers(x):
    """Powers of integers of the loops: what their derivative is less by is a truth."""
    total = 0.0
    for i in range(len(x)):
        for j in range(4):
            total += x[i] ** j * (2.0 - x[i]) ** (3 - j) + (3.0 + x[i]) ** (j - 2)
    return total


PROGRAMS_OF_TAPES = {
    fired: (X,),
    powers: (X,),
    lattice: (X, 3),
    masked: (X,),
    neighbours: (X, np.array([-1, 0, 1, 0, 2])),
    between: (X,),
}


@pytest.mark.parametrize("numba", [False, True])
@pytest.mark.parametrize("fn", PROGRAMS_OF_TAPES, ids=lambda fn: fn.__name__)
def test_what_loops_save_stays_compiled(fn, numba):
    if numba:
        pytest.importorskip("numba")
    args = PROGRAMS_OF_TAPES[fn]
    pair = pair_of(fn, *args, numba=numba)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, args) == "equal"
    assert compare(pair, (args[0][::-1].copy(), *args[1:])) == "equal"


def test_an_array_that_shrinks_ends_where_numpys_does():
    pair = pair_of(lattice, X, 3)
    for n in (0, 1, 4, -2, 5, 7):
        assert compare(pair, (X, n)) in (("equal",) if 0 <= n < 5 else ("equal", "left"))
