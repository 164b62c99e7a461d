"""Convolution and pooling: the compiled kernels against those of NumPy, and against PyTorch's.

    python benchmarks/convolutions.py [--quick] [--only cnn] [--threads 2] [--no-peers]

Each row is a layer of a network, each group of columns one of its passes: forward, back to the
images, back to the filters. Ratios are of medians of calls that took turns in one process: below 1
the compiled kernel is faster. `chain` rows have bias, ReLU and pooling in them; the others are the
convolution alone. Needs Numba. PyTorch takes part where it is installed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Layer(NamedTuple):
    """A layer: shapes of its images and filters, its padding, and the size of its pooling."""

    name: str
    x: tuple[int, ...]
    w: tuple[int, ...]
    padding: int = 0
    pool: tuple[int, int] | None = None


LAYERS = (
    Layer("cnn 1: 6@3x3 of 28x28", (100, 1, 28, 28), (6, 1, 3, 3)),
    Layer("cnn 1 chain", (100, 1, 28, 28), (6, 1, 3, 3), pool=(2, 2)),
    Layer("cnn 2: 16@3x3 of 6x13x13", (100, 6, 13, 13), (16, 6, 3, 3)),
    Layer("cnn 2 chain", (100, 6, 13, 13), (16, 6, 3, 3), pool=(2, 2)),
    Layer("text: 8@3 of 50x130", (64, 50, 1, 130), (8, 50, 1, 3)),
    Layer("text chain", (64, 50, 1, 130), (8, 50, 1, 3), pool=(1, 2)),
    Layer("32@3x3 of 16x32x32", (32, 16, 32, 32), (32, 16, 3, 3), 1),
    Layer("32@3x3 of 16x32x32 chain", (32, 16, 32, 32), (32, 16, 3, 3), 1, (2, 2)),
)


def options(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--only", default="", help="layers whose name contains this")
    parser.add_argument("--threads", type=int, default=1, help="of every system (default: 1)")
    parser.add_argument("--no-peers", action="store_true", help="without PyTorch")
    return parser.parse_args(argv)


def limit_threads(n: int) -> None:
    """Give all thread pools `n` threads; to be called before any of them is imported."""
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "SRCAD_NUM_THREADS"):
        os.environ[variable] = str(n)
    os.environ["OMP_WAIT_POLICY"] = "passive"  # spinning threads would take the others' time


def calls_of(module: Any, layer: Layer, x: Any, w: Any, b: Any) -> list[Callable[[], Any]]:
    """Forward and both backward passes by kernels of srcad."""
    import numpy as np

    options: dict[str, Any] = {"padding": layer.padding}
    if layer.pool is None:
        y = module.conv2d(x, w, **options)
        return [
            lambda: module.conv2d(x, w, **options),
            lambda: module.conv2d_input(y, w, x.shape, **options),
            lambda: module.conv2d_weights(x, y, w.shape, **options),
        ]
    y, places = module.conv_pool2d(x, w, b, layer.pool, **options)
    y = np.ones_like(y)
    return [
        lambda: module.conv_pool2d(x, w, b, layer.pool, **options)[0],
        lambda: module.conv_pool2d_input(y, places, w, x.shape, layer.pool, **options),
        lambda: module.conv_pool2d_weights(x, y, places, w.shape, layer.pool, **options),
    ]


def calls_of_torch(layer: Layer, x: Any, w: Any, b: Any) -> list[Callable[[], Any]]:
    """The same by PyTorch; empty where it is not installed."""
    try:
        import torch
    except ImportError:
        return []
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    fn = torch.nn.functional
    images, filters, bias = (torch.tensor(a, requires_grad=True) for a in (x, w, b))

    def forward() -> Any:
        if layer.pool is None:
            return fn.conv2d(images, filters, padding=layer.padding)
        y = fn.conv2d(images, filters, bias, padding=layer.padding)
        return fn.max_pool2d(fn.relu(y), layer.pool)

    def back(*inputs: Any) -> Callable[[], Any]:
        y = forward()
        g = torch.ones_like(y) if layer.pool else y.detach()
        return lambda: torch.autograd.grad(y, inputs, g, retain_graph=True)[0].numpy()

    def primal() -> Any:
        with torch.no_grad():
            return forward().numpy()

    return [primal, back(images), back(filters)]


def measure(layer: Layer, seconds: float, with_torch: bool) -> list[str]:
    """The cells of a layer's row."""
    import numpy as np
    from timing import interleave

    from srcad import kernels
    from srcad.kernels import compiled

    rng = np.random.default_rng(0)
    x, w, b = (rng.standard_normal(s).astype(np.float32) for s in (layer.x, layer.w, layer.w[:1]))
    systems = {
        "NumPy": calls_of(kernels, layer, x, w, b),
        "compiled": calls_of(compiled, layer, x, w, b),
        "PyTorch": calls_of_torch(layer, x, w, b) if with_torch else [],
    }
    cells = [layer.name]
    for k in range(3):
        calls = {name: passes[k] for name, passes in systems.items() if passes}
        wanted = calls["NumPy"]()
        for call in calls.values():
            np.testing.assert_allclose(call(), wanted, rtol=2e-3, atol=2e-3 * np.abs(wanted).max())
        medians = interleave(calls, seconds)
        own = medians["compiled"]
        cells.append(f"{own * 1e3:.2f}")
        cells += [
            f"{own / medians[name]:.2f}" if name in medians else "-"
            for name in ("NumPy", "PyTorch")
        ]
    return cells


def main(argv: list[str] | None = None) -> None:
    """Measure, and print the table."""
    args = options(argv)
    limit_threads(args.threads)
    try:
        import numba  # noqa: F401 - to say so before anything is measured
    except ImportError:
        sys.exit("benchmarks/convolutions.py needs Numba: pip install -e '.[fast]'")
    from timing import print_table

    from srcad import kernels

    kernels.keep_memory()
    passes = ("forward", "to images", "to filters")
    head = [f"{name}{part}" for name in passes for part in (", ms", " / NumPy", " / PyTorch")]
    layers = [layer for layer in LAYERS if args.only in layer.name]
    seconds = 0.1 if args.quick else 1.0
    rows = [measure(layer, seconds, not args.no_peers) for layer in layers]
    print_table(["layer", *head], rows)


if __name__ == "__main__":
    main()
