import ctypes

import numpy as np
import pytest

from srcad.kernels.products import blas
from srcad.pipeline.disk import surroundings


@pytest.fixture(autouse=True)
def fresh():
    blas.find_gemm.cache_clear()
    yield
    blas.find_gemm.cache_clear()


def test_both_precisions_are_found_or_none():
    found = blas.find_gemm()
    assert found == {} or set(found) == {"s", "d"}
    assert all(address and bits in (32, 64) for address, bits in found.values())


def test_names_that_no_blas_has_find_nothing(monkeypatch):
    monkeypatch.setattr(blas, "NAMED_BY_BITS", (("no_blas_{}gemm", 64),))
    assert blas.find_gemm() == {}


def test_a_function_that_computes_something_else_is_not_taken(monkeypatch):
    monkeypatch.setattr(blas, "multiplies", lambda *_: False)
    assert blas.find_gemm() == {}


def test_plain_names_with_integers_of_unknown_width_are_not_taken(monkeypatch):
    """A BLAS of 64 bits under the names of one of 32 would read past the arguments."""
    if not getattr(blas._umath_linalg, "_ilp64", False):
        pytest.skip("NumPy's BLAS has integers of 32 bits")
    named = [(name, 32) for name, _ in blas.NAMED_BY_BITS]
    monkeypatch.setattr(blas, "NAMED_BY_BITS", named)
    assert blas.find_gemm() == {}


def test_openblas_tells_whose_kernels_it_takes(monkeypatch):
    core = blas.openblas_core.__wrapped__
    assert core() == "" or core().isidentifier()
    monkeypatch.setattr(blas, "CORE_NAMED_BY", ("no_blas_get_corename",))
    assert core() == ""


def test_machine_code_depends_on_whose_kernels_are_taken(monkeypatch):
    facts = surroundings.compiler_versions.__wrapped__
    here = facts()
    monkeypatch.setattr(blas, "openblas_core", lambda: "another")
    assert facts() != here


def test_the_product_is_compared():
    def gemm(letter, scale):
        dtype = {"s": np.float32, "d": np.float64}[letter]
        number = {"s": ctypes.c_float, "d": ctypes.c_double}[letter]

        def call(order, turn_a, turn_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc):
            def at(p, rows, lead):
                pointer = ctypes.cast(p, ctypes.POINTER(number))
                return np.ctypeslib.as_array(pointer, (rows.value, lead.value))

            x, y = at(a, k, lda)[:, : m.value], at(b, k, ldb)[:, : n.value]
            at(c, m, ldc)[:] = scale * (x.T @ y).astype(dtype)

        return call

    for letter in ("s", "d"):
        assert blas.multiplies(gemm(letter, 1), letter, 64)
        assert not blas.multiplies(gemm(letter, 2), letter, 64)


def test_machine_code_depends_on_the_blas_that_is_found(monkeypatch):
    """Loaded where its function of BLAS is missing, it would end the process."""
    facts = surroundings.compiler_versions.__wrapped__
    here = facts()
    monkeypatch.setattr(blas, "NAMED_BY_BITS", (("no_blas_{}gemm", 64),))
    blas.find_gemm.cache_clear()
    assert facts()[-1] == ""
    assert facts()[:-1] == here[:-1]
