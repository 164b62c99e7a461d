"""Jacobians and Hessians: many directions at a time against one by one, and against others.

    python benchmarks/jacobians.py [--seconds 0.5]

`loop` is the same program with a sweep for each direction. JAX (jit, float64) and autograd take
part where they are installed. The columns are times over that of srcad: above 1, srcad is faster.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from timing import geometric_mean, interleave, print_table

import srcad
from srcad.transform.jacobians import directions
from srcad.transform.jacobians.batch import NotBatched

RNG = np.random.default_rng(0)


def layer(np: Any) -> Callable[..., Any]:
    """A dense layer with tanh, 100 to 100."""
    return lambda x, w: np.tanh(w @ x) * np.sum(x * x)


def two_layers(np: Any) -> Callable[..., Any]:
    """Ten outputs of a network with 784 inputs."""
    return lambda x, w, u: u @ np.tanh(w @ x)


def decay(np: Any) -> Callable[..., Any]:
    """Residuals of a model with three parameters."""
    return lambda p, t: p[0] * np.exp(-p[1] * t) + p[2]


def rosenbrock(np: Any) -> Callable[..., Any]:
    """Rosenbrock's function."""
    return lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def logistic(np: Any) -> Callable[..., Any]:
    """Logistic regression, 500 samples."""
    return lambda w, x, y: np.sum(np.log1p(np.exp(-y * (x @ w)))) + 0.5 * np.sum(w * w)


def steps(np: Any) -> Callable[..., Any]:
    """Twenty explicit steps of heat conduction."""

    def run(u: Any) -> Any:
        for _ in range(20):
            u = u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1)) * u
        return u

    return run


def normal(*shape: int) -> Any:
    """Random entries."""
    return RNG.normal(size=shape)


CASES: tuple[tuple[str, str, Any, Sequence[Any]], ...] = (
    ("layer 100x100", "jacobian", layer, (normal(100), normal(100, 100) / 10)),
    ("layer 300x300", "jacobian", layer, (normal(300), normal(300, 300) / 17)),
    (
        "network 784-128-10",
        "jacobian",
        two_layers,
        (normal(784), normal(128, 784), normal(10, 128)),
    ),
    ("3 parameters, 1000 residuals", "jacobian", decay, (np.ones(3), np.linspace(0, 4, 1000))),
    ("20 steps in a loop, n = 64", "jacobian", steps, (0.1 * normal(64),)),
    ("Rosenbrock, n = 10", "hessian", rosenbrock, (normal(10),)),
    ("Rosenbrock, n = 200", "hessian", rosenbrock, (normal(200),)),
    ("logistic regression, 50", "hessian", logistic, (normal(50), normal(500, 50), normal(500))),
)


def looped(kind: str, f: Any, args: Sequence[Any]) -> Callable[[], Any]:
    """The derivative by one sweep for each direction."""

    def refuse(*_: Any) -> None:
        raise NotBatched

    run, directions.Batch.run = directions.Batch.run, refuse  # type: ignore[method-assign]
    try:
        made = getattr(srcad, kind)(f, cache=False)
        made(*args)
    finally:
        directions.Batch.run = run  # type: ignore[method-assign]
    return lambda: made(*args)


def others(kind: str, make: Any, args: Sequence[Any]) -> dict[str, Callable[[], Any]]:
    """The same with JAX and autograd."""
    found: dict[str, Callable[[], Any]] = {}
    try:
        import jax
    except ImportError:
        pass
    else:
        jax.config.update("jax_enable_x64", True)
        fewer_rows = kind == "jacobian" and np.size(make(np)(*args)) < np.size(args[0])
        transform = jax.hessian if kind == "hessian" else jax.jacrev if fewer_rows else jax.jacfwd
        compiled = jax.jit(transform(make(jax.numpy)))
        on_device = [jax.numpy.asarray(arg) for arg in args]
        found["JAX"] = lambda: compiled(*on_device).block_until_ready()
    try:
        import autograd
        import autograd.numpy as anp
    except ImportError:
        pass
    else:
        transformed = getattr(autograd, kind)(make(anp))
        found["autograd"] = lambda: transformed(*args)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each, default 0.5")
    seconds = parser.parse_args().seconds
    names = ["srcad", "loop", "JAX", "autograd"]
    rows, ratios = [], {name: [] for name in names[1:]}
    for title, kind, make, args in CASES:
        f = make(np)
        made = getattr(srcad, kind)(f, cache=False)
        wanted = made(*args)
        calls = {"srcad": lambda made=made, args=args: made(*args), "loop": looped(kind, f, args)}
        calls |= others(kind, make, args)
        for call in calls.values():
            np.testing.assert_allclose(call(), wanted, rtol=1e-8, atol=1e-8)
        times = interleave(calls, seconds)
        row = [f"{kind}: {title}", f"{times['srcad'] * 1e6:.0f}"]
        for name in names[1:]:
            ratio = times[name] / times["srcad"] if name in times else None
            row.append("-" if ratio is None else f"{ratio:.2f}")
            if ratio is not None:
                ratios[name].append(ratio)
        rows.append(row)
    means = [f"{geometric_mean(r):.2f}" if r else "-" for r in ratios.values()]
    rows.append(["geometric mean", "", *means])
    print_table(["program", "srcad, us", "loop", "JAX", "autograd"], rows)


if __name__ == "__main__":
    main()
