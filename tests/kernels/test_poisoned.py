"""Kernels read only what was written: in memory that is full of what shows, without a warning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import needs_numba
from poison import PATTERNS, poisoned

from srcad import kernels

MODULES = ["plain", pytest.param("compiled", marks=needs_numba)]
DTYPES = [np.float32, np.float64]

# Images, filters, options: numbers of samples, channels, filters and columns with odd remainders.
CONVOLUTIONS = [
    ((9, 3, 7, 5), (5, 3, 3, 2), {}),
    ((8, 2, 6, 6), (1, 2, 3, 3), {"padding": 1}),
    ((17, 6, 5, 9), (6, 2, 2, 3), {"groups": 3, "stride": 2}),
    ((11, 4, 8, 7), (10, 2, 1, 1), {"groups": 2, "padding": ((1, 2), (0, 3))}),
    ((5, 1, 9, 11), (7, 1, 2, 2), {"dilation": (2, 3), "padding": "same"}),
    ((33, 5, 4, 4), (3, 5, 4, 4), {}),
    ((1, 3, 5, 5), (2, 3, 3, 3), {}),
    ((2, 14, 5, 6), (3, 14, 2, 2), {"padding": "same"}),
    ((0, 2, 5, 5), (3, 2, 3, 3), {}),
    ((19, 7, 1, 21), (6, 7, 1, 3), {}),
    ((40, 50, 3, 4), (2, 50, 2, 2), {}),
]
POOLS = [(2, None), (3, 2), ((1, 2), None), (1, 2), ((2, 1), (1, 3))]


@pytest.fixture(params=MODULES)
def module(request: Any) -> Any:
    if request.param == "plain":
        return kernels
    from srcad.kernels import compiled

    return compiled


def numbers(shape: Any, dtype: Any) -> Any:
    rng = np.random.default_rng(len(shape) + sum(shape))
    return rng.standard_normal(shape).astype(dtype)


def convolve(module: Any, case: Any, dtype: Any) -> list[Any]:
    x, w, options = numbers(case[0], dtype), numbers(case[1], dtype), case[2]
    y = module.conv2d(x, w, **options)
    g = numbers(y.shape, dtype)
    made = [y, module.conv2d_input(g, w, x.shape, **options)]
    made.append(module.conv2d_weights(x, g, w.shape, **options))
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    made += [module.conv2d(last, w, **options), module.conv2d_input(g, w, last, **options)]
    return [*made, module.conv2d_weights(last, g, w.shape, **options)]


def chain(module: Any, case: Any, dtype: Any) -> list[Any]:
    x, w, options = numbers(case[0], dtype), numbers(case[1], dtype), case[2]
    out, made = kernels.conv2d(x, w, **options).shape, []
    for size in (1, 2, (1, 2), (3, 1)):
        if np.any(np.array(out[2:]) < size):
            continue
        y, places = module.conv_pool2d(x, w, numbers(w.shape[:1], dtype), size, **options)
        g = numbers(y.shape, dtype)
        made += [y, places, module.conv_pool2d_input(g, places, w, x.shape, size, **options)]
        made.append(module.conv_pool2d_weights(x, g, places, w.shape, size, **options))
    return made


def pool(module: Any, case: Any, dtype: Any) -> list[Any]:
    x, made = numbers(case[0], dtype), []
    for size, stride in POOLS:
        if np.any(np.array(x.shape[2:]) < size):
            continue
        y, places = module.max_pool2d(x, size, stride)
        g, mean = numbers(y.shape, dtype), module.avg_pool2d(x, size, stride)
        made += [y, places, mean, module.pick2d(x, places, size, stride)]
        made.append(module.unpool2d(g, places, x.shape, size, stride))
        made.append(module.avg_unpool2d(g, x.shape, size, stride))
    return made


def rows(module: Any, case: Any, dtype: Any) -> list[Any]:
    n, m, k = case[0][0], case[0][1], case[0][3]
    table, ids = numbers((m + 3, k), dtype), np.arange(n * 3).reshape(n, 3) % (m + 3)
    values = numbers((n, 3, k), dtype)
    made = [module.embedding(table, ids), module.scatter_rows(values, table.shape, ids)]
    made += module.summed_rows(values, table.shape, ids)
    sparse = module.SparseRows(ids, values, table.shape)
    return [*made, np.asarray(sparse), np.asarray(2 * sparse + sparse), np.tanh(sparse)]


def multiply(module: Any, case: Any, dtype: Any) -> list[Any]:
    n, m, k = case[0][0] * 11, case[0][3] * 7, case[1][0] * 13
    a, b = numbers((n, m), dtype), numbers((m, k), dtype)
    product = module.product if module is not kernels else kernels.product
    return [product(a, b), product(b.T, a.T), product(a, b[:, 0]), product(a[:, :0], b[:0])]


@pytest.mark.parametrize("dtype", DTYPES, ids=["single", "double"])
@pytest.mark.parametrize("make", [convolve, chain, pool, rows, multiply])
def test_what_nobody_wrote_changes_nothing(module: Any, make: Any, dtype: Any) -> None:
    for case in CONVOLUTIONS:
        expected = make(module, case, dtype)
        kernels.release_memory()
        for name in PATTERNS:
            with poisoned(name), np.errstate(all="raise"):
                found = make(module, case, dtype)
            for a, b in zip(found, expected, strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_array_equal(a, b, err_msg=f"{case} {name}")


def test_the_poison_shows() -> None:
    """What reads memory before it writes it does not pass."""

    def wrong(n: int) -> Any:
        return np.add.reduce(kernels.empty((n, 4)), axis=0)

    for n in (3, 4096, 4096):
        with poisoned("huge"), pytest.raises(RuntimeWarning, match="overflow"):
            wrong(n)
        with poisoned("quiet"):
            assert np.all(np.isnan(kernels.threads.scratch((n, 4), float)))
            assert np.all(np.isnan(kernels.empty_like(np.ones((n, 4)))))
