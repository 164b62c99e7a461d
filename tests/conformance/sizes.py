"""Sizes, positions and numbers by data, at which NumPy or Python raises, or does not.

x[:k] + x[:m]       alone, read and not read; in a loop, on one path of a loop, once in a loop
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
from conformance.case import Case
from conformance.kinds import Kind

EXPRESSIONS = (
    # what has no entries, or other extents
    "np.max(x[:k])", "x[k:].min()", "float(np.argmax(x[:k]))", "np.sum(x[:k] + x[:m])",
    "np.sum(x[k:] * x[m:])", "np.dot(x[:k], x[:m])", "np.sum(np.ones((2, k)) @ np.ones((m, 2)))",
    "np.sum(np.outer(x[:k], x[:m]))", "np.sum(np.where(x[:k] > 0, x[:k], x[:m]))",
    "np.sum(np.minimum(x[:k], x[:m]))", "np.sum(np.clip(x[:k], 0, x[:m]))",
    "np.einsum('i,i->', x[:k], x[:m])", "np.tensordot(x[:k], x[:m], 1)",
    "np.trace(np.ones((k, m)))", "np.median(x[:k])", "np.sum(np.cross(x[:k], x[:m]))",
    "np.linalg.norm(x[:k] - x[:m])", "np.sum(np.kron(x[:k], x[:m]))", "np.mean(x[:k])",
    "np.sum(np.convolve(x[:k], x[:m]))", "np.trapezoid(x[:k], x[:m])", "np.std(x[:k])",
    "np.var(x[:k], ddof=1)", "np.sum(np.diff(x[:k]))", "np.prod(x[:k])", "np.ptp(x[:k])",
    "np.interp(x[0], x[:k], x[:m])", "np.sum(np.cumsum(x[:k]))", "1.0 * np.any(x[:k] > 1)",
    # joined, in another shape, made so long
    "np.sum(np.concatenate([np.ones((1, k)), np.ones((1, m))]))",
    "np.sum(np.stack([x[:k], x[:m]]))",
    "np.sum(np.vstack([x[:k], x[:m]]))", "np.sum(np.hstack([x[:k], x[:m]]))",
    "np.sum(np.column_stack([x[:k], x[:m]]))", "np.sum(x[:4].reshape(k, -1))",
    "np.sum(x[:4].reshape(k, m))", "np.sum(np.split(x[:4], k)[0])", "np.sum(np.zeros(k - 2))",
    "np.sum(np.repeat(x[0], k - 2))", "np.sum(np.eye(k - 2))", "np.sum(np.tile(x[:2], k - 2))",
    "np.sum(np.linspace(0, x[0], k - 2))", "np.sum(np.full((2, k - 2), x[0]))",
    "np.sum(np.broadcast_to(x[:k], (2, m)))", "np.sum(np.pad(x, k - 1))",
    # positions
    "np.take(x, k)", "x[k]", "np.sort(x[:k])[m]", "float(np.argsort(x[:k])[m])", "np.roll(x, k)[m]",
    "np.ones(x.shape[0])[k]", "(np.arange(x.shape[0]) * x[0])[k]", "(1.0, 2.0, 3.0)[k]",
    "[1.0, x[0], 3.0][k]", "{1: 1.0, 2: x[0]}[k]", "np.sum(np.delete(x, k))",
    "np.sum(np.insert(x, k, 1.0))", "np.diag(np.ones((3, 3)))[k]", "np.eye(3)[k, m]",
    # numbers
    "float(k // m)", "float(k % m)", "k / m", "x[0] / m", "2.0 / float(m)", "0.0 ** (k - 3)",
    "math.sqrt(k - 2)", "math.log(k - 2)", "math.exp(k * 300.0)", "math.acos(k - 2.0)",
    "math.pow(0.0, k - 3)", "float(math.factorial(k - 2))", "math.fmod(1.0, m)", "math.gamma(m)",
    "float(math.comb(k, m))", "float(int(np.log(k - 2.0)))", "float(int(x[0] / (k - 3.0)))",
    "float(math.floor(np.log(k - 2.0)))", "float(1 << (k - 2))", "float(x[:k])", "x[:k].item()",
    "1.0 if x[:k] > 0 else 2.0", "1.0 if not x[:k] else 2.0",
    "float(np.bincount(np.array([k - 2, 1]))[0])",
    # matrices
    "np.sum(np.linalg.inv(np.array([[1.0, k], [m, 2.0]])))", "np.linalg.det(np.ones((k, m)))",
    "np.sum(np.linalg.solve(np.array([[k * 1.0, 2.0], [2.0, 4.0]]), x[:2]))",
    "np.sum(np.linalg.cholesky(np.array([[1.0, k], [k, m * 1.0]])))",
    # what runs over them, and what statements do
    "sum(x[i] for i in range(k))", "max([x[i] for i in range(k)])", "next(v for v in x if v > k)",
    "sum([a * b for a, b in zip(x[:k], x[:m])])", "checked(x, k)", "raised(x, k)",
    "stored(x, k, m)", "one_stored(x, k)", "added(x, k, m)", "popped(x, k)", "unpacked(x, k)",
)  # fmt: skip


def checked(x, k):
    assert k < 2, "too large"
    return x[0]


def raised(x, k):
    if k > 1:
        raise KeyError("key")
    return x[1]


def stored(x, k, m):
    b = np.zeros(5)
    b[:k] = x[:m]
    return np.sum(b)


def one_stored(x, k):
    b = np.zeros(5)
    b[k] = x[0]
    return np.sum(b)


def added(x, k, m):
    b = x * 2
    b[:k] += x[:m]
    return np.sum(b)


def popped(x, k):
    s = [x[0], x[1]]
    for i in range(k):
        s.pop()
    return sum(s)


def unpacked(x, k):
    a, b = x[:k]
    return a * b


SCOPE = {
    "math": math, "checked": checked, "raised": raised, "stored": stored, "one_stored": one_stored,
    "added": added, "popped": popped, "unpacked": unpacked,
}  # fmt: skip
PLACES = (
    "r = {}\nreturn r * x[0] + np.sum(x)",
    "{}\nreturn np.sum(x)",
    "s = 0.0\nfor t in range(x.shape[0]):\n    s = s + {} * x[t]\nreturn s",
    "s = np.sum(x)\nfor t in range(x.shape[0]):\n    if x[t] > 2:\n        s = s + {}\nreturn s",
    "s = np.sum(x)\nfor t in range(x.shape[0]):\n    if t == 3:\n        s = s * {}\nreturn s",
)
SIZES = ((2, 2), (3, 2), (0, 0), (1, 1), (1, 3), (5, 0), (-1, 2), (7, 7), (2, 4))


def _number(name: str, first: int, second: int) -> Kind:
    return Kind(f"{name}={first}, then {second}", lambda: first, lambda: second)


def cases() -> Iterator[Case]:
    """Each at all sizes; a program made for one pair of them is called with the next."""
    x = Kind("1.0 to 5.0", lambda: np.arange(5.0) + 1.0, lambda: np.arange(5.0) + 1.5)
    following = zip(SIZES, (*SIZES[1:], SIZES[0]), strict=True)
    for (here, there), expression, place in product(following, EXPRESSIONS, PLACES):
        sizes = {name: _number(name, *pair) for name, *pair in zip("km", here, there, strict=True)}
        yield Case(place.format(expression), {"x": x, **sizes}, scope=SCOPE)
