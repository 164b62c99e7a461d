"""Memory of arrays that are gone: whose it becomes, and whose it never does."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from srcad.kernels import recycled
from srcad.kernels.recycled import (
    LEAST,
    empty,
    empty_like,
    product,
    release_memory,
)

N = LEAST // 8


@pytest.fixture(autouse=True)
def nothing_is_kept() -> Iterator[None]:
    release_memory()
    yield
    release_memory()


def address(x: np.ndarray) -> int:
    return x.ctypes.data


@pytest.mark.parametrize("shape", [(N,), (3, N), (), (0, N), (2,), (1, 1, N)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.bool_, np.int64, np.complex128])
def test_arrays_are_as_those_of_numpy(shape: tuple[int, ...], dtype: type) -> None:
    x, y = empty(shape, dtype), np.empty(shape, dtype)
    assert (x.shape, x.dtype, x.strides) == (y.shape, y.dtype, y.strides)
    assert type(x) is np.ndarray
    assert x.flags.writeable
    assert x.flags.aligned
    assert x.flags.c_contiguous
    x[...] = 1
    assert (x == 1).all()


def test_large_arrays_begin_with_a_line() -> None:
    kept = [empty((N + k,)) for k in range(20)]
    assert all(address(x) % 64 == 0 for x in kept)


def test_like_in_the_order_of_c() -> None:
    x = np.asfortranarray(np.ones((N, 3), np.float32))
    y = empty_like(x[::2])
    assert y.shape == (N // 2, 3)
    assert y.dtype == np.float32
    assert y.flags.c_contiguous


def test_negative_extents_are_refused_as_by_numpy() -> None:
    with pytest.raises(ValueError, match="negative dimensions"):
        empty((-N, -N))


def test_memory_of_what_is_gone_is_used_again() -> None:
    x = empty((N,))
    at = address(x)
    del x
    assert address(empty((N,))) == at
    assert address(empty((2, N // 2))) == at
    assert address(empty((N,), np.int64)) == at


@pytest.mark.parametrize(
    "hold",
    [
        lambda x: x,
        lambda x: x[5:7],
        lambda x: x[::-2].reshape(-1)[3:],
        lambda x: x.T.view(np.int64),
        memoryview,
        lambda x: np.frombuffer(x, np.uint8)[9:],
        lambda x: [{"x": (x[1:],)}],
        lambda x: iter(x),
        lambda x: x.flat,
        lambda x: lambda: x,
    ],
)
def test_memory_that_somebody_holds_is_his(hold: Callable[[Any], object]) -> None:
    x = empty((N,))
    x[:] = 7
    held, at = hold(x), address(x)
    del x
    others = [empty((N,)) for _ in range(30)]
    for other in others:
        other[:] = 1
    assert at not in map(address, others)
    del held
    del others
    assert at in {address(x) for x in [empty((N,)) for _ in range(30)]}


def test_all_arrays_in_use_are_apart() -> None:
    kept = [empty((N,)) for _ in range(100)]
    for k, x in enumerate(kept):
        x[:] = k
    assert all((x == k).all() for k, x in enumerate(kept))


def test_a_loop_of_arrays_allocates_nothing() -> None:
    def step() -> list[np.ndarray]:
        return [empty((N * (1 + k % 3),)) for k in range(12)]

    kept = step(), step()
    del kept
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for _ in range(100):
        step()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert before is not None
    assert peak < N * 8


def test_no_more_is_kept_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recycled, "_limit", 10 * LEAST)
    for k in range(100):
        empty((N + 1024 * (k % 7),))
        held = [empty((N,)) for _ in range(20)]
        del held
        kept = sum(size * len(each) for size, each in recycled._blocks.items())
        assert kept <= 10 * LEAST
    x = empty((11 * N,))
    assert x.base is None


def test_released_memory_is_the_systems_again() -> None:
    tracemalloc.start()
    x = empty((1 << 20,))
    del x
    assert tracemalloc.get_traced_memory()[0] > 1 << 22
    release_memory()
    gc.collect()
    left = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert left < 1 << 20


def test_threads_at_once_never_share() -> None:
    problems: list[int] = []

    def work(number: int) -> None:
        for k in range(400):
            x, y = empty((N,)), empty((N,))
            x[:] = number
            y[:] = -number
            if (x != number).any() or (y != -number).any():
                problems.append(k)

    threads = [threading.Thread(target=work, args=(k + 1,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


# Products ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.complex128])
@pytest.mark.parametrize(
    "shapes", [((90, 70), (70, 110)), ((2, 3), (3, 4)), ((5, 90, 70), (70, 9))]
)
def test_products_are_those_of_numpy(dtype: type, shapes: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-9, 9, shape).astype(dtype) for shape in shapes)
    y = product(a, b)
    assert y.dtype == dtype
    assert np.array_equal(y, a @ b)
    assert np.array_equal(product(b.T, a.T) if a.ndim == 2 else y.T, y.T)


def test_products_of_two_dtypes() -> None:
    a, b = np.ones((90, 90), np.float32), np.ones((90, 90))
    assert product(a, b).dtype == np.float64
