"""What the products of two chained matrix products take alone, over their gradient in JAX.

    python benchmarks/products_alone.py
    OPENBLAS_CORETYPE=SkylakeX python benchmarks/products_alone.py

A gradient of `alpha * a @ b @ c + beta * d` takes six products: two for the value, two for each of
those. They are made here by NumPy's BLAS, into memory that is there, and take turns with the whole
gradients at the sizes of `benchmarks/kernels.py`; the figures are ratios of medians. They say what
can be expected where products are BLAS's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from numerical import systems
from numerical.programs import PROGRAMS
from timing import interleave, print_table

PROGRAM = PROGRAMS["two_products"]


def products_alone(args: tuple[Any, ...]) -> Callable[[], None]:
    """Return what makes the six products, and nothing else."""
    a, b, c = args[2:5]
    ab = a @ b
    abc = ab @ c
    pairs = [(a, b), (ab, c), (abc, c.T), (ab.T, abc), (ab, b.T), (a.T, ab)]
    rooms = [np.empty((len(x), y.shape[1])) for x, y in pairs]

    def run() -> None:
        for (x, y), room in zip(pairs, rooms, strict=True):
            np.matmul(x, y, out=room)

    return run


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each of the three")
    seconds = parser.parse_args().seconds
    rows = []
    for size in ("S", "M"):
        args = PROGRAM.arguments(size)
        times = interleave(
            {
                "jax": systems.gradient("loops", PROGRAM, args),
                "products": products_alone(args),
                "native": systems.gradient("native", PROGRAM, args),
            },
            seconds,
        )
        jax = times["jax"]
        ratios = [f"{times[name] / jax:.2f}" for name in ("products", "native")]
        rows.append([size, f"{1e3 * jax:.1f}", *ratios])
    print_table(["size", "JAX, ms", "products alone / JAX", "srcad's gradient / JAX"], rows)


if __name__ == "__main__":
    main()
