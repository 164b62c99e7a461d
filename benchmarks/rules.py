"""The twenty dearest rules: the time of the gradient over that of the function alone.

    python benchmarks/rules.py [--quick] [--only svd]

Every ratio is of medians of calls that took turns in one process. A gradient runs the function too,
so 1 cannot be reached; `growth` is the bytes that the gradient takes at a doubled size over those
at the size itself: 2 where they grow with the entries of an argument, 4 where with their square.
For matrices the size is the number of rows, so 4 is right.
"""

# ruff: noqa: D103 - the functions that are measured are their own description
from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import geometric_mean, interleave, print_table

import srcad


def vector(n):
    """A vector with no two entries alike."""
    return np.random.default_rng(0).uniform(0.5, 1.5, n)


def matrix(n):
    """A regular matrix."""
    return np.random.default_rng(0).standard_normal((n, n)) / n + np.eye(n)


def positive(n):
    """A symmetric matrix with well separated positive eigenvalues."""
    a = np.random.default_rng(0).standard_normal((n, n)) / n
    return a + a.T + np.diag(np.linspace(1.0, 3.0, n))


def inverse(x):
    return np.sum(np.linalg.inv(x))


def solve(x):
    return np.sum(np.linalg.solve(x, x[0]))


def determinant(x):
    return np.linalg.det(x)


def log_determinant(x):
    return np.linalg.slogdet(x)[1]


def cholesky(x):
    return np.sum(np.linalg.cholesky(x))


def eigh(x):
    w, v = np.linalg.eigh(x)
    return np.sum(w) + np.sum(v * v * v)


def svd(x):
    u, s, v = np.linalg.svd(x)
    return np.sum(u * u * u) + np.sum(s) + np.sum(v * v * v)


def qr(x):
    q, r = np.linalg.qr(x)
    return np.sum(q * q * q) + np.sum(r)


def pinv(x):
    return np.sum(np.linalg.pinv(x))


def lstsq(x):
    return np.sum(np.linalg.lstsq(x, x[0], rcond=None)[0])


def trace(x):
    return np.trace(x @ x)


def diagonal(x):
    return np.sum(np.diag(x) ** 2)


def einsum(x):
    return np.sum(np.einsum("ij,jk,k->i", x, x, x[0]))


def sort(x):
    return np.sum(np.sort(x) ** 2)


def take(x):
    return np.sum(np.take(x, np.arange(len(x)) % 7) ** 2)


def gather(x):
    return np.sum(x[np.arange(len(x)) // 2] ** 2)


def cumsum(x):
    return np.sum(np.cumsum(x) ** 2)


def cumprod(x):
    return np.sum(np.cumprod(x))


def prod(x):
    return np.prod(x)


def median(x):
    return np.median(x)


def quantile(x):
    return np.sum(np.quantile(x, [0.1, 0.5, 0.9]))


def maximum(x):
    return np.max(x) * np.min(x)


def std(x):
    return np.std(x)


def logsumexp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def where(x):
    return np.sum(np.where(x > 1, np.log(x), x * x))


def interpolate(x):
    return np.sum(np.interp(x, np.linspace(0, 2, 50), np.linspace(0, 1, 50) ** 2))


def convolve(x):
    return np.sum(np.convolve(x, x[:32]) ** 2)


def kron(x):
    return np.sum(np.kron(x, x[:16]) ** 2)


def fourier(x):
    return np.sum(np.abs(np.fft.rfft(x)) ** 2)


MATRICES = {
    f.__name__: (f, matrix if f not in (cholesky, eigh) else positive, 64)
    for f in (
        inverse, solve, determinant, log_determinant, cholesky, eigh, svd, qr, pinv, lstsq, trace,
        diagonal, einsum,
    )
}  # fmt: skip
VECTORS = {
    f.__name__: (f, vector, 4096)
    for f in (
        sort, take, gather, cumsum, cumprod, prod, median, quantile, maximum, std, logsumexp, where,
        interpolate, convolve, kron, fourier,
    )
}  # fmt: skip
RULES: dict[str, tuple[Callable[..., Any], Callable[[int], Any], int]] = MATRICES | VECTORS


def peak(call: Callable[[], object]) -> int:
    """The most bytes that a call has taken at once; the second makes the way for those after it."""
    for _ in range(2):
        call()
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def growth(name: str) -> float:
    """How the bytes of a gradient grow when the size doubles."""
    f, make, size = RULES[name]
    gradient = srcad.grad(f)
    small, large = (make(n * size) for n in (1, 2))
    return peak(lambda: gradient(large)) / peak(lambda: gradient(small))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--only", help="the functions whose names hold this")
    options = parser.parse_args()
    rows, ratios = [], []
    for name, (f, make, size) in RULES.items():
        if options.only and options.only not in name:
            continue
        x, gradient = make(size), srcad.grad(f)
        gradient(x)
        calls = {"function": lambda f=f, x=x: f(x), "gradient": lambda g=gradient, x=x: g(x)}
        times = interleave(calls, 0.05 if options.quick else 0.5)
        ratios.append(times["gradient"] / times["function"])
        shown = [f"{times[k] * 1e6:.0f}" for k in calls]
        rows.append([f"`{name}`", str(size), *shown, f"{ratios[-1]:.1f}", f"{growth(name):.1f}"])
    rows.append(["geometric mean", "", "", "", f"{geometric_mean(ratios):.1f}", ""])
    print_table(["function", "size", "function, us", "gradient, us", "ratio", "growth"], rows)


if __name__ == "__main__":
    main()
