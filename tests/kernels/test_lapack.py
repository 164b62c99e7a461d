"""Which LAPACK is found, and that it is one that decomposes as NumPy does."""

from __future__ import annotations

from srcad.kernels import lapack
from srcad.kernels.products.blas import find_gemm, named


def test_it_lies_where_the_blas_does():
    found = lapack.find_lapack()
    if find_gemm() and found:
        assert found.keys() == set(lapack.ROUTINES)
        assert {bits for _, bits in found.values()} == {bits for _, bits in find_gemm().values()}
        assert all(address for address, _ in found.values())


def test_nothing_is_found_under_other_names(monkeypatch):
    lapack.find_lapack.cache_clear()
    monkeypatch.setattr(lapack, "LAPACK_NAMED_BY_BITS", (("nobody_{}_", 64),))
    assert lapack.find_lapack() == {}
    lapack.find_lapack.cache_clear()


def test_another_routine_is_refused(monkeypatch):
    name = next(
        (name for name, bits in lapack.LAPACK_NAMED_BY_BITS if named(name.format("dsyevd"))), None
    )
    if name is None:
        return
    lapack.find_lapack.cache_clear()
    monkeypatch.setattr(lapack, "decomposes", lambda routine, bits: False)
    assert lapack.find_lapack() == {}
    lapack.find_lapack.cache_clear()
