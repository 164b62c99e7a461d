"""Gradients of loops that store into arrays, as scientists write them, against their primals.

    python benchmarks/loops.py [--steps 10 100 1000 10000] [--quick] [--only stencil] [--plot FILE]

Each kernel runs at several trip counts. The first table has the time of `value_and_grad` over that
of the primal, the second the time of a step of the gradient in microseconds, the third the memory
of the gradient at its peak in bytes a step (`tracemalloc`): where time and memory are linear in the
trip count, the rows of these settle. Times are of the processor, so that other programs matter less
(the long calls would be interrupted more often than the short). Gradients are checked against
differences. Nothing else is asserted.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from timing import median, print_table

import srcad

WIDTH = 200  # entries of what a step of the vector kernels works on


def stencil(u, c, steps):
    """Diffusion on a line, in place."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def advection(u, c, steps):
    """Burgers' equation, upwind: not linear, so that each step is saved."""
    u = u.copy()
    for _ in range(steps):
        u[1:] = u[1:] - c * u[1:] * (u[1:] - u[:-1])
    return np.sum(u * u)


def laplace(u, c, steps):
    """Relaxation of a grid."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = c * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return np.sum(u * u)


def heat(u, c, steps):
    """Diffusion with two buffers that are swapped."""
    v = u.copy()
    for _ in range(steps):
        v[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, v = v, u
    return np.sum(u * u)


def prefix(a, b):
    """A linear recurrence by scalars."""
    u = np.zeros_like(b)
    u[0] = b[0]
    for i in range(1, len(b)):
        u[i] = a[i] * u[i - 1] + b[i]
    return np.sum(u * u)


def recurrent(w, x):
    """A recurrent network: rows of `h` from the row before."""
    h = np.zeros_like(x)
    h[0] = x[0]
    for t in range(1, len(x)):
        h[t] = np.tanh(h[t - 1] @ w + x[t])
    return np.sum(h * h)


def banded_solve(lower, b):
    """Forward substitution by rows, with a band of fixed width."""
    width = lower.shape[1] - 1
    x = np.zeros(len(b) + width)
    for i in range(len(b)):
        x[i + width] = (b[i] - lower[i, :width] @ x[i : i + width]) / lower[i, width]
    return np.sum(x * x)


def elimination(a, rounds):
    """Elimination by row operations (the first column again and again)."""
    a = a.copy()
    n = len(a)
    for k in range(rounds):
        i = 1 + k % (n - 1)
        m = a[i, 0] / a[0, 0]
        a[i] -= 0.5 * m * a[0]
    return np.sum(a * a)


def cumulative(x):
    """A cumulative sum by scalars."""
    y = np.zeros_like(x)
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        y[i] = s
    return np.sum(y * y)


def read(x):
    """A sum over entries: a read must not cost the length of the array."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def horner(c, x):
    """A polynomial at many places, in place."""
    y = np.zeros_like(x)
    for i in range(len(c)):
        y *= x
        y += c[i]
    return np.sum(y)


@dataclass(frozen=True)
class Kernel:
    """A loop; `make(rng, steps)` draws its arguments, the first of which is varied."""

    primal: Callable[..., float]
    make: Callable[[np.random.Generator, int], tuple]


def _vector(factor):
    return lambda rng, steps: (rng.uniform(0.5, 1.0, WIDTH), factor, steps)


KERNELS = (
    Kernel(stencil, _vector(0.1)),
    Kernel(advection, _vector(0.01)),
    Kernel(laplace, lambda rng, steps: (rng.standard_normal((20, 20)), 0.25, steps)),
    Kernel(heat, _vector(0.1)),
    Kernel(prefix, lambda rng, n: (rng.uniform(0.2, 0.9, n), rng.standard_normal(n))),
    Kernel(
        recurrent,
        lambda rng, n: (0.1 * rng.standard_normal((32, 32)), rng.standard_normal((n, 32))),
    ),
    Kernel(banded_solve, lambda rng, n: (0.1 * rng.random((n, 9)) + 1.0, rng.standard_normal(n))),
    Kernel(elimination, lambda rng, n: (rng.uniform(1.0, 2.0, (8, 64)), n)),
    Kernel(cumulative, lambda rng, n: (rng.standard_normal(n) / n,)),
    Kernel(read, lambda rng, n: (rng.standard_normal(n),)),
    Kernel(horner, lambda rng, n: (rng.standard_normal(n), rng.uniform(-0.9, 0.9, WIDTH))),
)


def check(kernel, gradient):
    """Compare a gradient with central differences."""
    rng = np.random.default_rng(1)
    x, *rest = kernel.make(rng, 10)
    value, x_bar = gradient(x, *rest)
    direction = rng.standard_normal(x.shape)
    ends = [kernel.primal(x + h * direction, *rest) for h in (-1e-6, 1e-6)]
    np.testing.assert_allclose(value, kernel.primal(x, *rest), rtol=1e-12)
    np.testing.assert_allclose(np.sum(x_bar * direction), (ends[1] - ends[0]) / 2e-6, rtol=1e-5)


def peak_memory(call):
    """Return what a call takes at its peak, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def processor_times(calls, seconds):
    """Return the median processor time of one call of each, in seconds; they take turns."""
    samples = {name: [] for name in calls}
    end = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < end or min(map(len, samples.values())) < 5:
        for name, call in calls.items():
            repeats, start, spent = 0, time.process_time(), 0.0
            while spent < 1e-3:
                call()
                repeats += 1
                spent = time.process_time() - start
            samples[name].append(spent / repeats)
    return [median(times) for times in samples.values()]


def measure(kernel, steps, seconds):
    """Return the times of primal and gradient in seconds, and the gradient's peak in bytes."""
    args = kernel.make(np.random.default_rng(0), steps)
    gradient = srcad.value_and_grad(kernel.primal)
    gradient(*args)
    calls = {"primal": lambda: kernel.primal(*args), "gradient": lambda: gradient(*args)}
    primal, grad = processor_times(calls, seconds)
    return primal, grad, peak_memory(calls["gradient"])


def plot(found, steps, path):
    """Draw the ratios over the trip counts."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for k, (name, results) in enumerate(found.items()):
        style = {"color": f"C{k % 10}", "linestyle": "-" if k < 10 else ":"}
        ratios = [gradient / primal for primal, gradient, _ in results]
        axes.semilogx(steps, ratios, marker="o", markersize=4, label=name, **style)
    axes.axhline(4, color="gray", linewidth=0.8, linestyle="--")
    axes.set(xlabel="steps", ylabel="value and gradient / primal", ylim=(0, None))
    axes.legend(fontsize="small", ncols=2)
    figure.savefig(path, dpi=110)


def main(argv=None):
    """Measure, print the tables, and draw the plot if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    parser.add_argument("--plot", metavar="FILE", help="draw the ratios (needs matplotlib)")
    options = parser.parse_args(argv)
    found = {}
    for kernel in KERNELS:
        name = kernel.primal.__name__
        if options.only in name:
            check(kernel, srcad.value_and_grad(kernel.primal))
            seconds = 0.05 if options.quick else 0.5
            found[name] = [measure(kernel, n, seconds) for n in options.steps]
    counts = [f"{n:,}" for n in options.steps]
    for title, cell in (
        ("value and gradient / primal", lambda n, p, g, m: f"{g / p:.2f}"),
        ("gradient, us/step", lambda n, p, g, m: f"{g / n * 1e6:.2f}"),
        ("gradient, bytes/step", lambda n, p, g, m: f"{m / n:,.0f}"),
    ):
        rows = [
            [name, *(cell(n, *r) for n, r in zip(options.steps, results, strict=True))]
            for name, results in found.items()
        ]
        print_table([title, *counts], rows)
        print()
    if options.plot:
        plot(found, options.steps, options.plot)


if __name__ == "__main__":
    main()
