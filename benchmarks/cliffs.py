"""Small programs by scientists' habits, 127 of them: which loops of their gradients are compiled.

    python benchmarks/cliffs.py [--only NAME ...] [--untimed]

One construct without a form as a loop over numbers leaves the loop around it to Python, and the
gradient falls off a cliff. For each program: how many functions are compiled, how many loops stay
Python's and why, and the time of value and gradient over that of the function in plain NumPy,
compiled and by the NumPy backend. The worst ten and a histogram of the ratios come last.
Values, their types and gradients are compared with those of `backend="numpy"`. Twenty of the
programs are models, in `cliff_models.py`; thirty are out of textbooks, in `cliff_textbooks.py` and
`cliff_numerics.py`; 27 are out of the books of several fields, in `cliff_fields.py` and
`cliff_books.py`.
"""

# ruff: noqa: D103 - programs are as their authors write them, and their names tell what they are

from __future__ import annotations

import argparse
import ast
import copy
import math
import warnings
from collections.abc import Sequence
from itertools import pairwise

import cliff_books  # noqa: F401 - its programs are noted
import cliff_fields  # noqa: F401 - as of the first
import cliff_mechanics  # noqa: F401 - as of the first
import cliff_methods  # noqa: F401 - as of the first
import cliff_models  # noqa: F401 - as of the first
import cliff_numerics  # noqa: F401
import cliff_textbooks  # noqa: F401
import numpy as np
from habits import PROGRAMS, numbers, program
from timing import interleave, median, print_table

import srcad

X, Y = numbers(400), numbers(400, seed=1)


# Accumulators --------------------------------------------------------------------------------


@program(X, Y)
def mean_square(w, x):
    total = 0.0
    for i in range(len(x)):
        total += (w[i] - x[i]) ** 2
    return total / len(x)


@program(X, Y)
def third_of_sum(w, x):
    total = 0
    for i in range(x.shape[0]):
        total += np.sin(w[i]) * x[i]
    return total / 3.0


@program(X, Y)
def squared_sum(w, x):
    total = 0.0
    for a, b in zip(w, x):  # noqa: B905 - as it is written
        total += a * b
    return total**2


@program(X, Y)
def masked_mean(w, x):
    total, count = 0.0, 0
    for i in range(len(x)):
        if x[i] > 0.5:
            total += w[i] * x[i]
            count += 1
    return total / count


@program(X, Y)
def variance(w, x):
    mean = 0.0
    for i in range(len(w)):
        mean += w[i]
    mean /= len(w)
    spread = 0.0
    for i in range(len(w)):
        spread += (w[i] - mean) ** 2 * x[i]
    return np.sqrt(spread / (len(w) - 1))


@program(X, Y)
def correlation(w, x):
    sx = sy = sxy = sxx = syy = 0.0
    n = len(w)
    for i in range(n):
        sx += w[i]
        sy += x[i]
        sxy += w[i] * x[i]
        sxx += w[i] ** 2
        syy += x[i] ** 2
    return (n * sxy - sx * sy) / np.sqrt((n * sxx - sx**2) * (n * syy - sy**2))


@program(X, Y)
def harmonic(w, x):
    total = 0.0
    for i in range(len(w)):
        total += x[i] / w[i]
    return 1.0 / total


@program(X, Y)
def weighted_mean(w, x):
    top = bottom = 0.0
    for i in range(len(w)):
        k = math.exp(-0.1 * i) * x[i]
        top += k * w[i]
        bottom += k
    return top / bottom


# Extremes and clamps -------------------------------------------------------------------------


@program(X, Y)
def running_maximum(w, x):
    best = -np.inf
    total = 0.0
    for i in range(len(w)):
        best = max(best, w[i] * x[i])
        total += best
    return total / len(w)


@program(np.array([0.003, 0.4]))
def adaptive_steps(w):
    t, y = 0.0, 1.0
    while t < 1.0:
        dt = min(0.1, 1.0 - t, w[0])
        y = y - dt * w[1] * y
        t = t + dt
    return y


@program(X, Y)
def bucket(w, rain):
    storage, out = 0.5, 0.0
    for i in range(len(rain)):
        storage = storage + rain[i] - min(storage, w[i])
        spill = max(0.0, storage - 1.0)
        storage -= spill
        out += spill**2
    return out / len(rain)


@program(X, Y)
def battery(w, load):
    charge, cost = 0.5, 0.0
    for i in range(len(load)):
        charge = min(max(charge + 0.1 * w[i] - 0.05 * load[i], 0.0), 1.0)
        cost += (charge - 0.3) ** 2
    return cost / len(load)


@program(X, Y)
def hinge(w, x):
    loss = 0.0
    for i in range(len(x)):
        loss += max(0.0, 1.0 - w[i] * x[i])
    return loss / len(x)


# Bounds by data ------------------------------------------------------------------------------


@program(numbers(100), numbers(100, seed=1))
def window(w, x):
    n, total = len(w), 0.0
    for i in range(n):
        s = 0.0
        for j in range(max(1, i - 3), min(n - 1, i + 3) + 1):
            s += w[j] * x[i]
        total += s**2
    return total


@program(X, np.sort(np.random.default_rng(2).integers(0, 400, 21)))
def segments(w, starts):
    total = 0.0
    for k in range(len(starts) - 1):
        s = 0.0
        for j in range(starts[k], starts[k + 1]):
            s += w[j]
        total += s * s
    return total / len(starts)


@program(numbers(100), numbers(100, seed=1))
def moving_average(w, x):
    out = np.zeros_like(w)
    for i in range(len(w)):
        lo, hi = max(0, i - 2), min(len(w), i + 3)
        out[i] = np.sum(w[lo:hi]) / (hi - lo)
    return np.sum((out - x) ** 2)


@program(X, np.random.default_rng(3).integers(1, 9, 400))
def by_bins(w, k):
    total = 0.0
    for i in range(len(w)):
        total += w[i] * (k[i] % 3) + w[i] / (k[i] // 2 + 1)
    return total


@program(np.array([2.0]), X)
def newton(w, x):
    r = 1.0
    for i in range(len(x)):
        step = 1.0
        while abs(step) > 1e-8:
            step = (r * r - w[0] * x[i]) / (2 * r)
            r = r - step
    return r


@program(numbers(200), numbers(200, seed=1))
def until_small(w, x):
    residual, k = 1.0, 0
    y = x * 1.0
    while residual > 1e-3 and k < 50:
        step = 0.1 * (w * y - x)
        y = y - step
        residual = np.sqrt(np.sum(step**2))
        k += 1
    return np.sum(y * y)


# Small matrices, complex numbers -----------------------------------------------------------------


@program(numbers(200))
def rotations(w):
    v = np.array([1.0, 0.5])
    for i in range(len(w)):
        a = np.array([[1.0, 0.1 * w[i]], [-0.1 * w[i], 1.0]])
        v = a @ v
    return v[0] ** 2 + v[1]


@program(numbers(200))
def phases(w):
    z = 1.0 + 0.0j
    total = 0.0
    for i in range(len(w)):
        z = z * np.exp(1j * w[i])
        total += z.real
    return total


@program(numbers(30, 30))
def squeezed(x):
    total = 0.0
    for i in range(len(x)):
        row = x[i : i + 1]
        total += (row @ row.T).squeeze() * 2.0
    return total / len(x)


@program(numbers(60, 3), numbers(60, 2, seed=1))
def bundle(points, seen):
    camera = np.array([0.1, 0.2, 1.5])
    error = 0.0
    for i in range(len(points)):
        p = points[i] + camera
        u = np.array([p[0] / p[2], p[1] / p[2]])
        r2 = u[0] ** 2 + u[1] ** 2
        d = u * (1.0 + 0.1 * r2) - seen[i]
        error += np.sum(d**2)
    return error / len(points)


# Recurrences ---------------------------------------------------------------------------------


def sigmoid(x):
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-x))


@program(numbers(4, 8), numbers(50, 8, seed=1))
def lstm(w, x):
    h, c = np.zeros(8), np.zeros(8)
    loss = 0.0
    for t in range(len(x)):
        i, f = sigmoid(w[0] * x[t] + h), sigmoid(w[1] * x[t] + h)
        g, o = np.tanh(w[2] * x[t] + h), sigmoid(w[3] * x[t] + h)
        c = f * c + i * g
        h = o * np.tanh(c)
        loss += np.sum((h - x[t]) ** 2)
    return loss / len(x)


@program(numbers(40, 5), np.array([1, 2, 3, 2]))
def ctc(p, labels):
    s = 2 * len(labels) + 1
    alpha = np.zeros(s)
    alpha[0], alpha[1] = p[0, 0], p[0, labels[0]]
    for t in range(1, len(p)):
        new = np.zeros(s)
        for k in range(s):
            label = 0 if k % 2 == 0 else labels[k // 2]
            a = alpha[k]
            if k > 0:
                a = a + alpha[k - 1]
            if k > 1 and label != 0:
                a = a + alpha[k - 2]
            new[k] = a * p[t, label]
        alpha = new / np.sum(new)
    return -np.log(alpha[s - 1] + alpha[s - 2])


@program(numbers(20, 20))
def alignment(score):
    n, m = score.shape
    best = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best[i, j] = max(best[i - 1, j - 1] + score[i - 1, j - 1], best[i - 1, j] - 0.2)
            if best[i, j - 1] - 0.2 > best[i, j]:
                best[i, j] = best[i, j - 1] - 0.2
    return best[n, m]


@program(numbers(20, 20))
def affine_gaps(score):
    n, m = score.shape
    M = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            M[i, j] = max(M[i - 1, j - 1], M[i, j - 1]) + score[i - 1, j - 1]
            if M[i, j] < 0.5:
                M[i, j] = 0.5 * M[i - 1, j]
    return M[n, m]


@program(X, Y)
def garch(w, r):
    h, loss = 0.1, 0.0
    for i in range(len(r)):
        h = 0.05 + 0.1 * w[i] + 0.8 * h
        loss += math.log(h) + r[i] ** 2 / h
    return 0.5 * loss / len(r)


@program(X, Y)
def with_extras(w, x):
    """Return a ratio of sums with a call of NumPy between their loops."""
    s = 0.0
    for i in range(len(w)):
        s += w[i] * x[i]
    order = np.sort(w)
    t = 0.0
    for i in range(len(w)):
        t += order[i] * w[i]
    return s / t


@program(X, Y)
def average_of_good(w, x):
    good = [w[i] * x[i] for i in range(len(w)) if x[i] > 0.3]
    return sum(good) / len(good)


# Measuring ---------------------------------------------------------------------------------------


def loops_left(text: str) -> int:
    """Return how many loops of a program are outside of compiled functions."""
    plain = [f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)]
    kept = [f for f in plain if not f.decorator_list]
    return sum(isinstance(node, ast.For | ast.While) for f in kept for node in ast.walk(f))


def differs(found: object, wanted: object) -> bool:
    """Return whether values, types, or gradients are not equal to rounding."""
    (value, x_bar), (numpy_value, numpy_x_bar) = found, wanted
    is_close = np.allclose(value, numpy_value, 1e-9) and np.allclose(x_bar, numpy_x_bar, 1e-9)
    return type(value) is not type(numpy_value) or not is_close


def measure(name: str, seconds: float) -> list[str]:
    """Return the row of a program."""
    case = PROGRAMS[name]
    gradient = srcad.value_and_grad(case.function, backend="native")
    try:
        wanted = srcad.value_and_grad(case.function, backend="numpy")(*case.args)
        found = gradient(*case.args)
    except Exception as problem:
        first = str(problem).split("\n")[0]
        return [name, "-", "-", "-", "-", f"{type(problem).__name__}: {first}"]
    told = gradient.explain()
    compiled = str(len(told.compiled)) if told.runs == "native" else "-"
    left = loops_left(gradient.source(*case.args)) if told.compiled else 1
    why = "; ".join(dict.fromkeys(told.stays)) or told.why.split("\n")[0]
    if told.failed:  # NumPy served the call
        left, why = max(left, 1), told.failed
    if differs(found, wanted):
        why = f"DIFFERS: {found[0]!r}, {wanted[0]!r}"
    ratios = ["-", "-"]
    if seconds:
        by_numpy, given = (
            gradient.on("numpy"),
            copy.deepcopy(case.args),
        )  # some write their arguments
        calls = {
            "plain": lambda: case.function(*given), "native": lambda: gradient(*case.args),
            "numpy": lambda: by_numpy(*case.args),
        }  # fmt: skip
        times = interleave(calls, seconds)
        ratios = [f"{times[backend] / times['plain']:.3g}" for backend in ("native", "numpy")]
    return [name, compiled, str(left), *ratios, why if left else ""]


def histogram(ratios: Sequence[float]) -> None:
    """Print how many ratios there are between powers of two and a half."""
    bounds = (0.0, 0.01, 0.025, 0.06, 0.16, 0.4, 1.0, 2.5, math.inf)
    for low, high in pairwise(bounds):
        count = sum(low <= ratio < high for ratio in ratios)
        print(f"{low:6.3g} to {high:5.3g}  {count:3} {'#' * count}")


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=[], help="names of programs")
    parser.add_argument("--untimed", action="store_true", help="only what is compiled")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    rows = []
    for name in options.only or PROGRAMS:
        rows.append(measure(name, 0 if options.untimed else 0.1))
    head = ["program", "compiled", "loops left", "gradient / function", "by NumPy", "why"]
    print_table(head, rows)
    whole = sum(row[2] == "0" for row in rows)
    print(f"\nevery loop compiled: {whole} of {len(rows)}")
    ratios = [float(row[3]) for row in rows if row[3] != "-"]
    if ratios:
        print(f"gradient / function: median {median(ratios):.3g}, worst {max(ratios):.3g}")
        histogram(ratios)
        timed = sorted((row for row in rows if row[3] != "-"), key=lambda row: -float(row[3]))
        print("worst:", ", ".join(f"{row[0]} {row[3]}" for row in timed[:10]))


if __name__ == "__main__":
    main()
