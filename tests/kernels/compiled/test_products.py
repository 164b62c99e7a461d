"""Products by tiles and by BLAS, shared out among threads, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="Numba is not installed")
from srcad.kernels import recycled, threads
from srcad.kernels.compiled import products
from srcad.kernels.compiled.products import product
from srcad.kernels.products import alone
from srcad.kernels.products.gemm import GEMM

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def tiles_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine's BLAS has kernels for, and however small the product is."""
    monkeypatch.setattr(products, "MOST_TILED_TERMS", 2**23)
    monkeypatch.setattr(products, "LEAST_TERMS", 0)
    monkeypatch.setattr(threads, "_number", 1)


@pytest.fixture
def by_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    """In three threads."""
    if not GEMM or not alone.can_be_alone():
        pytest.skip("NumPy's BLAS is not OpenBLAS")
    monkeypatch.setattr(products, "MOST_TILED_TERMS", 0)
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(threads, "_number", 3)


def normal(*shape: int, dtype: Any = np.float64) -> Any:
    return RNG.normal(size=shape).astype(dtype)


class Own(np.ndarray):
    """Somebody's own kind of array."""


@pytest.fixture
def is_left(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Whether a product is left to BLAS."""
    calls: list[Any] = []
    blas = recycled.product

    def told(a: Any, b: Any) -> Any:
        calls.append(a)
        return blas(a, b)

    monkeypatch.setattr(recycled, "product", told)

    def left(a: Any, b: Any) -> bool:
        calls.clear()
        np.testing.assert_allclose(product(a, b), a @ b, rtol=0, atol=1e-3)
        return bool(calls)

    return left


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("extents", [(40, 30, 50), (3, 9, 1), (97, 130, 140), (5, 20, 0)])
def test_factors_lie_by_rows_or_by_columns(extents: Any, transposed: Any, dtype: Any) -> None:
    m, n, k = extents
    a = normal(k, m, dtype=dtype).T if transposed[0] else normal(m, k, dtype=dtype)
    b = normal(n, k, dtype=dtype).T if transposed[1] else normal(k, n, dtype=dtype)
    a.flags.writeable = b.flags.writeable = False
    found = product(a, b)
    assert found.dtype == dtype
    assert found.flags.c_contiguous
    wanted = a.astype(np.float64) @ b
    np.testing.assert_allclose(found, wanted, rtol=0, atol=10 * (1 + k) * np.finfo(dtype).eps)


EXTENTS = [
    (40, 30, 50),
    (3, 90, 1),
    (97, 130, 140),
    (130, 40, 20),
    (5, 20, 0),
    (0, 20, 5),
    (1, 1, 9),
]


@pytest.mark.usefixtures("by_blas")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("extents", EXTENTS)
def test_blas_has_rows_or_columns_of_each_thread(
    extents: Any, transposed: Any, dtype: Any, is_left: Any
) -> None:
    m, n, k = extents
    a = normal(k, m, dtype=dtype).T if transposed[0] else normal(m, k, dtype=dtype)
    b = normal(n, k, dtype=dtype).T if transposed[1] else normal(k, n, dtype=dtype)
    assert not is_left(a, b)
    wanted = a.astype(np.float64) @ b
    atol = 10 * (1 + k) * np.finfo(dtype).eps
    np.testing.assert_allclose(product(a, b), wanted, rtol=0, atol=atol)


@pytest.mark.usefixtures("by_blas")
def test_large_products_have_the_threads_of_blas(
    is_left: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = normal(64, 64), normal(64, 65)
    monkeypatch.setattr(products, "LARGE", 64**3)
    assert is_left(a, b)
    assert not is_left(a, b[:, 1:].copy())


@pytest.mark.usefixtures("by_blas")
def test_blas_has_its_threads_back() -> None:
    functions = alone._functions()
    assert functions is not None
    get, put = functions
    before = get()
    try:
        put(2)

        def multiply() -> None:
            assert get() == 1
            product(normal(64, 64), normal(64, 64))
            assert get() == 1

        alone.in_one_thread(alone.in_one_thread, multiply)
        assert get() == 2
    finally:
        put(before)


def test_another_blas_keeps_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "_functions", lambda: None)
    assert not alone.in_one_thread(alone.can_be_alone)


@pytest.mark.parametrize("extents", [(201, 40, 300), (40, 30, 300)])
def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch, extents: Any) -> None:
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 1)
    m, k, n = extents
    a, b = normal(m, k), normal(n, k).T
    found = []
    for count in (1, 3):
        monkeypatch.setattr(threads, "_number", count)
        found.append(product(a, b))
    np.testing.assert_array_equal(*found)


def test_products_of_too_many_terms_are_not_tiled(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = normal(100, 100), normal(100, 100)
    assert products._is_tiled(a, b)
    monkeypatch.setattr(products, "MOST_TILED_TERMS", 10**6 - 1)
    assert not products._is_tiled(a, b)


def test_tiles_are_for_wide_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    def most(is_wide: bool, has_avx2: bool) -> int:
        monkeypatch.setattr(products, "has_wide_registers", lambda: is_wide)
        monkeypatch.setattr(products, "has_kernels_for_avx2", lambda: has_avx2)
        return products.most_tiled_terms()

    assert most(False, True) == most(False, False) == 0
    assert 0 < most(True, False) < most(True, True)


def test_what_tiles_do_not_take_is_blas_s(is_left: Any) -> None:
    a, b = normal(20, 30), normal(30, 40)
    assert not is_left(a, b)
    assert not is_left(a, a.T)
    assert is_left(a[:, ::2], b[::2])
    assert is_left(a, normal(30, 4))  # half a register
    assert is_left(a[:2], b)
    assert is_left(a.astype(np.float32), b)
    assert is_left(a.astype(np.int64), b.astype(np.int64))
    assert is_left(a.astype(">f8"), b.astype(">f8"))
    assert is_left(a[0], b)
    assert is_left(a.view(Own), b)
    assert is_left(normal(2, 20, 30), b)


def test_factors_that_do_not_fit_are_refused_as_by_numpy() -> None:
    with pytest.raises(ValueError, match="mismatch"):
        product(normal(20, 30), normal(29, 40))


def test_small_products_and_those_of_other_machines_are_blas_s(
    is_left: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = normal(64, 64), normal(64, 64)
    monkeypatch.setattr(products, "LEAST_TERMS", 2**18)
    assert not is_left(a, b)
    assert is_left(a[:63], b)
    monkeypatch.setattr(products, "MOST_TILED_TERMS", 0)
    assert is_left(a, b)
