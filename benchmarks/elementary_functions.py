"""Elementary functions and reductions in compiled loops: nanoseconds an entry, beside NumPy's.

    python benchmarks/elementary_functions.py                     all functions, 1000 entries
    python benchmarks/elementary_functions.py exp tanh --size 100000

Each function fills an array: by a compiled loop with srcad's function, by NumPy, and by a compiled
loop with the function of that name of Numba (the C library's, where it has one). The three run
alternately in one process; the figure is the fastest of many rounds. `ulps` is the greatest error
on the numbers measured, against 80-bit arithmetic.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from srcad.native import functions
from srcad.native.vectorised import VECTORISED

ROUNDS = 60
# Where the arguments are drawn from, if not between -5 and 5.
DOMAINS = {
    **dict.fromkeys(("arcsin", "arccos", "arctanh"), (-1.0, 1.0)),
    **dict.fromkeys(("log", "log2", "log10", "power"), (0.01, 20.0)),
    "log1p": (-0.99, 5.0),
    "logaddexp": (0.0, 5.0),
    "arccosh": (1.0, 20.0),
}
BY_HAND: dict[str, Callable[..., Any]] = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(x.dtype.type(0), x),
}
UFUNCS = {name: fn for fn, name in VECTORISED.items() if fn is not np.float_power}


def loop(fn: Any, dtype: type, arity: int) -> Any:
    """A compiled loop over arrays, or None where Numba does not know the function."""
    array = numba.types.Array(numba.from_dtype(np.dtype(dtype)), 1, "C")

    def unary(x: Any, y: Any) -> None:
        for i in range(x.size):
            y[i] = fn(x[i])

    def binary(x: Any, w: Any, y: Any) -> None:
        for i in range(x.size):
            y[i] = fn(x[i], w[i])

    signature = numba.void(*[array] * (arity + 1))
    try:
        chosen: Any = unary if arity == 1 else binary
        return numba.njit(signature, error_model="numpy")(chosen)
    except numba.NumbaError:
        return None


def fastest(calls: list[Callable[[], Any]], count: int) -> list[float]:
    """Seconds of each call, measured in turns."""
    best = [np.inf] * len(calls)
    for _ in range(ROUNDS):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(count):
                call()
            best[k] = min(best[k], (time.perf_counter() - start) / count)
    return best


def ulps(y: np.ndarray, exact: np.ndarray) -> float:
    """The greatest error in units in the last place."""
    return float(np.max(np.abs(y - exact) / np.spacing(np.abs(exact.astype(y.dtype)))))


def measure(name: str, dtype: type, size: int) -> str:
    """One row of the table."""
    ufunc = UFUNCS.get(name)
    numpys = ufunc or BY_HAND[name]
    arity = ufunc.nin if isinstance(ufunc, np.ufunc) else 1
    rng = np.random.default_rng(0)
    domain = DOMAINS.get(name, (-5.0, 5.0))
    x = [rng.uniform(*domain, size).astype(dtype) for _ in range(arity)]
    y = np.empty_like(x[0])
    ours = loop(getattr(functions, name), dtype, arity)
    plain = loop(ufunc, dtype, arity) if ufunc else None
    calls = [lambda: ours(*x, y), lambda: numpys(*x)]
    if plain is not None:
        calls.append(lambda: plain(*x, y))
    times = [f"{t / size * 1e9:.2f}" for t in fastest(calls, max(1, 20_000 // size))]
    times += ["-"] * (3 - len(times))
    ours(*x, y)
    error = ulps(y, numpys(*(a.astype(np.longdouble) for a in x)))
    return f"| {name} | {np.dtype(dtype).name} | {' | '.join(times)} | {error:.1f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[*UFUNCS, *BY_HAND])
    parser.add_argument("--size", type=int, default=1000)
    options = parser.parse_args()
    print(f"ns an entry, {options.size} entries, Numba {numba.__version__}, NumPy {np.__version__}")
    print("\n| function | dtype | srcad | NumPy | Numba's own | ulps |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in options.names:
        for dtype in (np.float64, np.float32):
            print(measure(name, dtype, options.size), flush=True)


if __name__ == "__main__":
    main()
