"""Sparse Jacobians: times the function, against differences, against what a person writes.

    python benchmarks/sparse_jacobians.py [--seconds 0.5] [--full]

`srcad` and `native` are `srcad.jacobian(f, sparse=True)` by the two backends. `differences` are
SciPy's, two points, with the columns grouped by `group_columns` (Curtis, Powell, Reid 1974). `by
hand` is written for the program; `dense` is `srcad.jacobian(f)` where its result fits into memory.
The columns are times over that of the function; memory is that of the matrix, in bytes an entry.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize._numdiff import approx_derivative, group_columns
from timing import interleave, print_table

import srcad

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from bundle_adjustment import residuals, scene

DENSE_BYTES = 2e8  # of the largest dense matrix that is made
Jacobian = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """A function of `x` and constants, and its Jacobian by hand if there is one."""

    title: str
    f: Callable[..., Any]
    x: Any
    given: tuple[Any, ...]
    by_hand: Jacobian | None = None


def bratu(u, n, strength):
    """What is left of the equation of Bratu, on a grid of n x n points."""
    v = np.zeros((n + 2, n + 2))
    v[1:-1, 1:-1] = u.reshape(n, n)
    around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
    laplacian = (around - 4 * v[1:-1, 1:-1]) * (n + 1) ** 2
    return (laplacian + strength * np.exp(v[1:-1, 1:-1])).ravel()


def bratu_by_hand(n: int) -> Jacobian:
    """The five diagonals; that of the matrix alone changes."""
    line = sp.diags_array([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = sp.eye_array(n)
    laplacian = sp.csr_array((sp.kron(eye, line) + sp.kron(line, eye)) * (n + 1) ** 2)
    laplacian.sort_indices()
    rows = np.repeat(np.arange(n * n), np.diff(laplacian.indptr))
    on_diagonal = laplacian.indices == rows

    def jacobian(u, n, strength):
        found = laplacian.copy()
        found.data[on_diagonal] += strength * np.exp(u)
        return found

    return jacobian


def grid(n: int) -> Program:
    """The partial differential equation with n x n unknowns."""
    u = np.random.default_rng(0).uniform(0, 0.5, n * n)
    return Program(f"Bratu, {n * n} unknowns", bratu, u, (n, 6.0), bratu_by_hand(n))


def pictures(cameras: int, points: int) -> Program:
    """Bundle adjustment, as in the example."""
    x, camera, point, seen = scene(cameras, points, np.random.default_rng(0))
    title = f"bundle adjustment, {x.size} unknowns"
    return Program(title, residuals, x, (cameras, camera, point, seen))


def ways(program: Program) -> dict[str, Jacobian]:
    """The Jacobian in all ways that this program has."""
    f, x, given = program.f, program.x, program.given
    made = {name: srcad.jacobian(f, sparse=True, backend=backend)
            for name, backend in (("srcad", "numpy"), ("native", "native"))}  # fmt: skip
    pattern = sp.csr_matrix(made["srcad"].pattern(x, *given).astype(int))
    groups = group_columns(pattern)

    def differences(x, *given):
        options = {"args": given, "method": "2-point", "sparsity": (pattern, groups)}
        return approx_derivative(f, x, **options)

    found = {**made, "differences": differences}
    if program.by_hand is not None:
        found["by hand"] = program.by_hand
    if 8 * pattern.shape[0] * pattern.shape[1] <= DENSE_BYTES:
        found["dense"] = srcad.jacobian(f)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each, default 0.5")
    parser.add_argument("--full", action="store_true", help="up to 100,000 unknowns")
    options = parser.parse_args()
    names = ["srcad", "native", "differences", "by hand", "dense"]
    programs = [grid(30), pictures(6, 50)]
    if options.full:
        programs += [grid(100), grid(316), pictures(20, 2000), pictures(5, 33000)]
    rows = []
    for program in programs:
        f, x, given = program.f, program.x, program.given
        made = ways(program)
        wanted = made["srcad"](x, *given)
        for name, jacobian in made.items():
            rtol = 1e-4 if name == "differences" else 1e-9
            found = sp.csr_array(jacobian(x, *given))
            scale = abs(wanted).max()
            assert abs(found - wanted).max() <= rtol * scale, (program.title, name)
        calls = {"f": lambda f=f, x=x, given=given: f(x, *given)}
        for name, jacobian in made.items():
            calls[name] = lambda jacobian=jacobian, x=x, given=given: jacobian(x, *given)
        times = interleave(calls, options.seconds)
        ratios = [f"{times[n] / times['f']:.1f}" if n in times else "-" for n in names]
        held = sum(each.nbytes for each in (wanted.data, wanted.indices, wanted.indptr))
        cells = [f"{times['f'] * 1e3:.2f}", str(wanted.nnz), f"{held / wanted.nnz:.1f}"]
        rows.append([program.title, *cells, *ratios])
    print_table(["program", "f, ms", "entries", "bytes an entry", *names], rows)


if __name__ == "__main__":
    main()
