"""Calls in loops that are made of loops and simpler operations, one kind after the other."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, looped, whole

from srcad import runtime
from srcad.native.scalarize.forms import (
    along_axes,
    groups,
    missing,
    orthogonal,
    pointwise,
    sorting,
    spaced,
    transforms,
)
from srcad.pipeline.request import Request
from srcad.runtime import scatter_along_axis

RNG = np.random.default_rng(0)
V = np.array([0.4, 0.2, 0.8, 0.6])
U = np.array([0.3, 0.1, 0.7, 0.5])
M = RNG.uniform(0.1, 1.0, (4, 4))
LONG = RNG.uniform(0.1, 1.0, 30)

FORMS = {
    "triangles": lambda v, m: np.tril(m) @ v + np.triu(m, 1) @ v,
    "trace": lambda v, m: np.trace(m) * v,
    "flat": lambda v, m: np.ravel(m)[3:7] * v,
    "matrix": lambda v, m: np.outer(v, v).reshape(2, 8)[:, :4] @ m,
    "three axes": lambda v, m: np.reshape(m, (2, 2, 4)).reshape(8, 2)[:4, 0] * v,
    "copies": lambda v, m: np.tile(v, 2)[2:6] * np.repeat(v, 3)[:4],
    "many axes": lambda v, m: (
        np.reshape(v * m, (2, 2, -1, 2))[1, 0, :, 1].repeat(2)
        + np.reshape(np.outer(m, v).T, (8, 4, 2))[3, :, 1] * np.reshape(m > 0.4, (8, 2))[2, 1]
    ),
    "complex numbers": lambda v, m: np.abs(np.reshape(v * m * (1 + 2j), (2, -1))[1, 3:7]),
    "rows again": lambda v, m: (
        np.tile(v, (3, 1))[1] * np.tile(v * m, 2)[0, 3:7] + np.tile(m, (2, 3))[6, 2]
    ),
    "all again": lambda v, m: np.tile(v[:1], (2, 2, 5)).sum() * v + np.tile(v, 0).sum(),
    "a column more": lambda v, m: (
        np.column_stack([v, m, U]) @ np.ones(6) + np.vstack([m, v])[4] * np.vstack([v, m * v])[3]
    ),
    "kron": lambda v, m: np.kron(v, v)[1:5],
    "append": lambda v, m: np.append(v, 1.5)[1:] * np.append(v, v)[2:6],
    "turned": lambda v, m: np.rot90(m) @ v + np.rot90(m, -1) @ v,
    "differences": lambda v, m: np.diff(v, n=2),
    "columns": lambda v, m: np.column_stack([v, U])[:, 0] * np.stack([v, U], axis=1)[:, 1],
    "places": lambda v, m: np.take(v, [0, 2, 2]) * v[[1, 3, 0]],
    "bins": lambda v, m: (
        v * np.digitize(v, [0.3, 0.5, 1]) + np.digitize(v[0], (0.2, 0.4), right=True)
    ),
    "bins of an array": lambda v, m: v * np.digitize(v, np.sort(U)) + np.digitize(v[1], np.sort(U)),
    "norms along axes": lambda v, m: (
        v * np.linalg.norm(v * m, axis=(0, 1))
        + np.linalg.norm(np.outer(v, m).reshape(4, 4, 4), axis=(0, 2), keepdims=True)[0, :, 0]
        + np.linalg.norm(v * m, "fro")
    ),
    "sinc": lambda v, m: np.sinc(v - 0.4 * v),
    "steps": lambda v, m: np.heaviside(v - 0.5, 0.5) * v + np.nan_to_num(v),
    "close": lambda v, m: np.where(np.isclose(v, U), v, 2.0 * v),
    "rests": lambda v, m: np.fmod(3.0 * v, 0.7) + np.fix(3.0 * v) * v,
    "decimals": lambda v, m: np.round(v, 1) * v + np.round(10.0 * v) * v,
    "sort": lambda v, m: np.sort(v) * U,
    "sort columns": lambda v, m: np.sort(U[:, None] * np.ones((4, 2)), axis=0)[:, 0] * v,
    "order": lambda v, m: v[np.argsort(U)] * U + np.median(v),
    "search": lambda v, m: v * np.searchsorted(np.sort(U), U),
    "interpolation": lambda v, m: np.interp(v, np.sort(U), U),
    "sorted rows": lambda v, m: np.sort(np.outer(v, U), axis=1)[:, 0] * U,
    "sorted columns": lambda v, m: np.sort(np.outer(v, U), axis=0)[1] * np.median(v * m, axis=1),
    "places along": lambda v, m: np.take_along_axis(v * m, np.argsort(m, axis=1), axis=1)[:, 2],
    "places down": lambda v, m: np.take_along_axis(v * m, np.argsort(m, axis=0), axis=0)[2],
    "largest": lambda v, m: np.argmax(m, axis=1) * v + np.argmin(m, axis=0) * v,
    "running extremes": lambda v, m: np.maximum.accumulate(v) + np.minimum.accumulate(U * v),
    "choices": lambda v, m: np.select([v < 0.3, v < 0.6], [v * v, np.sin(v)], 0.5),
    "polynomial": lambda v, m: np.polyval([0.1, -0.2, 0.9], v),
    "polynomial by data": lambda v, m: np.polyval(v, m[0]) * v,
    "cholesky": lambda v, m: np.linalg.cholesky(m @ m.T + 3.0 * np.eye(4)) @ v,
    "powers": lambda v, m: np.linalg.matrix_power(m, 3) @ v,
    "chain": lambda v, m: np.linalg.multi_dot([m, m, m]) @ v,
    "running": lambda v, m: np.cumprod(v) + np.maximum.accumulate(U) * v,
    "logarithms": lambda v, m: np.logaddexp.reduce(v) * v,
    "means": lambda v, m: np.average(v, weights=U) * v + np.nanmean(v),
    "einsum": lambda v, m: np.einsum("ij,j->i", m, v) + np.einsum("ij,jk->ik", m, m)[0],
    "diagonal": lambda v, m: np.einsum("ii", m) * np.einsum("i,i->i", v, v),
    "tensordot": lambda v, m: np.tensordot(m, m, axes=1) @ v,
    "fft": lambda v, m: np.abs(np.fft.fft(v)) + np.real(np.fft.ifft(np.fft.fft(v) * U)),
    "rfft": lambda v, m: np.abs(np.fft.rfft(v)),
    "fft of rows": lambda v, m: np.abs(np.fft.fft2(m))[0] + np.abs(np.fft.fft(m, axis=0))[1],
    "convolution": lambda v, m: np.convolve(v, U)[1:5] + np.convolve(v, U[:2], mode="same"),
    "edge": lambda v, m: np.pad(v, 1, mode="edge")[2:] + np.pad(m, 1, mode="edge")[0, 1:5],
    "reflect": lambda v, m: np.pad(v, 2, mode="reflect")[:4] + np.pad(v, 1, mode="symmetric")[:4],
    "wrap": lambda v, m: np.pad(v, (1, 2), mode="wrap")[3:],
    "qr": lambda v, m: np.linalg.qr(m[:, :2] + v[1])[1][0] * np.linalg.qr(m)[0][1, :2],
    "upper factor": lambda v, m: np.linalg.qr(m[:2] + v[0], mode="r")[1],
    "pseudo-inverse": lambda v, m: np.linalg.pinv(m[:, :2] + v[0])[1] + np.linalg.pinv(m[:2])[:, 1],
    "binned": lambda v, m: v * np.digitize(v, U[:0]) + np.digitize(v[0], np.array([0.0, 0.5])),
    "scaled": lambda v, m: np.ldexp(v, 3) + np.ldexp(m[0], -2),
    "fraction": lambda v, m: np.modf(9.0 * v)[0] + np.modf(v[0])[0] + np.modf(m[0])[1],
    "polynomials": lambda v, m: np.polyval(v, m[0]) + np.polyval(m[1], v[2]),
    "running maximum": lambda v, m: np.maximum.accumulate(m, axis=0)[2] * np.maximum.accumulate(v),
    "running minimum": lambda v, m: np.minimum.accumulate(m, axis=1)[1],
    "high power": lambda v, m: np.linalg.matrix_power(m * 0.3, 5)[0],
    "moved axis": lambda v, m: np.moveaxis(m * v, 0, 1)[1],
    "backwards": lambda v, m: v[:0:-1] * m[0, -2::-1] + v[2::-2][0],
    "least squares": lambda v, m: np.linalg.lstsq(m[:, :2] + v[0], v, rcond=None)[0],
    "distinct": lambda v, m: np.unique(np.round(v, 1))[0] * v + np.unique(v)[::-1],
    "times": lambda v, m: np.unique(np.trunc(9 * v), return_counts=True)[1].sum() * v,
    "groups": lambda v, m: np.bincount(np.unique(-v, return_inverse=True)[1], v) * U,
    "counted bins": lambda v, m: np.bincount(np.argsort(v)) * v,
    "by two keys": lambda v, m: v[np.lexsort((U, v > 0.5))] * U,
    "segments": lambda v, m: np.add.reduceat(v * U, np.argsort(v) // 2) * v,
    "without nan": lambda v, m: np.nanmax(np.where(v > 0.7, np.nan, v)) * np.nanmin(v) * v,
    "of numbers": lambda v, m: np.nansum(v) * v + np.nanstd(v) + np.nanvar(m, axis=1, ddof=1),
    "of columns": lambda v, m: np.nanmean(m, axis=0) * v + np.nanmax(m, axis=1) * v,
    "place of number": lambda v, m: v * v[np.nanargmax(np.where(v > 0.6, np.nan, v))],
    "unwrapped": lambda v, m: np.unwrap(np.cumsum(40 * v) % 6.0) * v,
    "three factors": lambda v, m: np.einsum("ij,jk,k->i", m, m, v) * v,
    "complex products": lambda v, m: (
        np.abs(np.einsum("ab,xby->xay", m * (1 + 1j), np.reshape(m, (2, 4, 2)))[0, :, 1]) * v
    ),
    "running product": lambda v, m: np.cumprod(m, axis=1)[:, 2] + np.cumprod(m, axis=0)[2],
    "within": lambda v, m: np.interp(v, np.sort(U), U, left=0.0, right=2.0) * v,
    "finite": lambda v, m: np.where(np.isfinite(v + 1j * U) & ~np.isnan(v * 1j), v, 0.0) * v,
    "quartiles": lambda v, m: np.percentile(v, [25, 75])[0] * v + np.quantile(v, 0.9),
    "counts so far": lambda v, m: np.cumsum(np.argsort(v)) * v + np.cumsum(v > 0.5),
    "repeated": lambda v, m: np.repeat(v, np.argsort(v))[:4] * v,
    "halves": lambda v, m: np.concatenate((v[len(v) // 2 :], v[: len(v) // 2])) * U,
}


@pytest.mark.parametrize("name", FORMS)
def test_a_call_in_a_loop_is_compiled(name):
    whole(looped(FORMS[name]), (V, M))


def test_transforms_of_any_length_are_numpys():
    for n in (1, 2, 3, 5, 8, 12, 30, 61):
        x = RNG.standard_normal(n) + 1j * RNG.standard_normal(n)
        np.testing.assert_allclose(transforms.fourier(x, False, False), np.fft.fft(x), atol=1e-12)
        np.testing.assert_allclose(transforms.fourier(x, True, True), np.fft.ifft(x), atol=1e-12)
        half = transforms.half_spectrum(x.real, False)
        np.testing.assert_allclose(half, np.fft.rfft(x.real), atol=1e-12)
        again = transforms.of_half_spectrum(half, n, True)
        np.testing.assert_allclose(again, x.real, atol=1e-12)
    with pytest.raises(ValueError, match="prime"):
        transforms.fourier(np.ones(67), False, False)


def test_what_is_sorted_is_numpys():
    for n in (0, 1, 2, 7, 16, 33):
        v = RNG.integers(0, 9, n) / 4.0
        v[n // 3 : n // 2] = np.nan
        np.testing.assert_array_equal(sorting.sorted_vector(v), np.sort(v))
        np.testing.assert_array_equal(sorting.order(v), np.argsort(v, kind="stable"))


def test_an_order_that_depends_on_the_algorithm_is_numpys():
    def first(v, places):
        total = 0.0
        for i in range(3):
            v = v * (i + 1)
            total += np.sum(v[np.argsort(v)] * places)
        return total

    pair = whole(first, (LONG, np.arange(30.0)))
    assert compare(pair, (np.repeat(V, 8)[:30], np.arange(30.0))) == "left"


def test_rows_and_columns_are_numpys():
    a = RNG.integers(0, 4, (5, 6)) / 4.0
    a[2, 3] = a[2, 5] = np.nan
    for axis, at in ((0, along_axes.places_in_columns), (1, along_axes.places_in_rows)):
        np.testing.assert_array_equal(at(a, True), np.argmax(a, axis=axis))
        np.testing.assert_array_equal(at(a, False), np.argmin(a, axis=axis))
    for axis, at in ((0, sorting.places_in_columns), (1, sorting.places_in_rows)):
        np.testing.assert_array_equal(at(a, True), np.argsort(a, axis=axis, kind="stable"))
    places = np.argsort(a, axis=1)
    found = along_axes.taken_in_rows(a, places[:, ::2])
    np.testing.assert_array_equal(found, np.take_along_axis(a, places[:, ::2], axis=1))
    places = np.argsort(a, axis=0)[:2]
    found = along_axes.taken_in_columns(a, places)
    np.testing.assert_array_equal(found, np.take_along_axis(a, places, axis=0))


def test_a_cotangent_goes_where_its_entry_came_from():
    g = RNG.standard_normal((5, 3))
    places = RNG.integers(0, 4, (5, 3))
    found = along_axes.scattered_in_rows(g, places, 5, 4)
    np.testing.assert_allclose(found, scatter_along_axis(g, (5, 4), places, 1))
    found = along_axes.scattered_in_columns(g, places, 4, 3)
    np.testing.assert_allclose(found, scatter_along_axis(g, (4, 3), places, 0))


def test_polynomials_are_numpys():
    for p in (LONG[:1], LONG[:2], LONG[:5]):
        np.testing.assert_array_equal(pointwise.polynomial_of_entries(p, V), np.polyval(p, V))
        np.testing.assert_array_equal(pointwise.powers(V, len(p)), np.vander(V, len(p)))


def test_reflections_have_the_signs_of_lapack():
    square, tall, wide = (RNG.standard_normal(shape) for shape in ((4, 4), (6, 3), (3, 5)))
    square[2:, 1] = 0.0
    for a in (square, tall, wide, np.zeros((3, 2)), np.eye(3), -np.eye(2), tall[:, :1], tall[:1]):
        for found, wanted in zip(orthogonal.factors(a), np.linalg.qr(a), strict=True):
            np.testing.assert_allclose(found, wanted, atol=1e-12)
    for a in (square, wide, wide.T):
        np.testing.assert_allclose(orthogonal.pseudo_inverse(a), np.linalg.pinv(a), atol=1e-12)
    tall[:, 1] = 2 * tall[:, 0]
    for dependent in (tall, np.eye(3)[:, [0, 0]], np.ones((4, 2))):
        with pytest.raises(ValueError, match="depend on others"):
            orthogonal.factors(dependent)
    with pytest.raises(ValueError, match="short of rank"):
        orthogonal.pseudo_inverse(np.eye(3)[:, [0, 1, 1]] * [1.0, 1.0, 0.0])


def test_spaced_numbers_are_numpys():
    for ends in ((0.0, 1.3), (2.0, 2.0), (-1.0, 1e300), (3.0, -1.0)):
        for n in (0, 1, 2, 7):
            for with_end in (True, False):
                wanted = np.linspace(*ends, n, endpoint=with_end)
                np.testing.assert_array_equal(spaced.spaced(*ends, n, with_end), wanted)
    form = looped(lambda v, m: np.linspace(v[0], v[1], 4) + np.linspace(0, v[2], 4, endpoint=False))
    pair = both(Request("value_and_grad", form, (0,), single=False), (V, M), 2)
    assert pair.reasons == []
    assert compare(pair, (V, M)) == "equal"


def test_bins_are_numpys():
    x = np.array([-1.0, 0.0, 0.5, np.nan, 2.0])
    for is_right in (True, False):
        bins = np.array([0.0, 0.5, 0.5, 1.0])
        wanted = np.digitize(x, bins, right=is_right)
        np.testing.assert_array_equal(spaced.bins_of(x, bins, is_right), wanted)
    with pytest.raises(ValueError, match="rise"):
        spaced.bins_of(x, bins[::-1], False)


def test_what_is_not_finite_has_no_bins():
    form = looped(lambda v, m: np.sum(np.histogram(v * m[0, 0], bins=3)[1]))
    pair = both(Request("value_and_grad", form, (0,), single=False), (V, M), 2)
    assert pair.reasons == []
    assert compare(pair, (V, M)) == "equal"
    assert compare(pair, (np.where(V == V[0], np.nan, V), M)) in ("equal", "left")


def test_parts_of_any_number_are_numpys():
    def parts(v, m):
        total = 0.0
        for k in range(2):
            behind, ahead = np.modf(v * (1.0 + k))
            total += np.sum(behind * 2.0 + ahead)
        return total

    pair = whole(parts, (V, M))
    for v in (np.array([np.inf, 1.5, -0.25, 0.0]), np.array([np.nan, -np.inf, -0.0, 7.0])):
        assert compare(pair, (v, M)) == "equal"


def test_groups_are_numpys():
    v = RNG.integers(-3, 4, 20) / 2.0
    flags = (False, True)
    for x in (v, (2 * v).astype(int), v[:1], v[:0]):
        for some in ((a, b, c) for a in flags for b in flags for c in flags):
            found, wanted = groups.distinct(x, *some), np.unique(x, *some)
            pairs = zip(found, wanted, strict=True) if any(some) else [(found, wanted)]
            for each, other in pairs:
                np.testing.assert_array_equal(each, other)
                assert each.dtype == other.dtype
    for odd in (np.array([1.0, np.nan]), np.array([0.0, -0.0])):
        with pytest.raises(ValueError, match=r"equals none|both signs"):
            groups.distinct(odd, False, False, False)


def test_bins_are_as_many_as_numpys():
    for x in (np.array([3, 0, 3]), np.array([0]), np.array([], dtype=int)):
        for least in (0, 2, 6):
            np.testing.assert_array_equal(
                groups.counts_of_all(x, least), np.bincount(x, minlength=least)
            )
            found = groups.sums_of_all(x, 0.5 * x, least)
            np.testing.assert_array_equal(found, np.bincount(x, 0.5 * x, least))
    for x in (np.array([-1]), np.array([1000])):
        with pytest.raises(ValueError, match="bin beyond"):
            groups.counts_of_all(x, 0)


def test_keys_are_sorted_as_by_numpy():
    a, b, c = RNG.integers(0, 3, (3, 30))
    np.testing.assert_array_equal(groups.order_by_two(a, b), np.lexsort((a, b)))
    np.testing.assert_array_equal(groups.order_by_three(a, b, c), np.lexsort((a, b, c)))


def test_an_order_is_that_of_sorted():
    v = RNG.integers(0, 5, 12) / 2.0
    for is_reversed in (False, True):
        found = groups.order_of(v, is_reversed)
        assert found.tolist() == sorted(range(12), key=v.tolist().__getitem__, reverse=is_reversed)
    np.testing.assert_array_equal(groups.first_places(v), np.unique(v, return_index=True)[1])
    with pytest.raises(ValueError, match="equals none"):
        groups.order_of(np.array([np.nan]), False)


def test_places_are_those_of_a_search():
    keys, others = np.array([4, 2, 7, 2]), np.array([1, 1, 0, 3])
    for key in (4, 2, 9):
        assert groups.place_of(key, keys) == runtime.place_of(key, keys)
        for other in (1, 3):
            pair = (key, other, keys, others)
            assert groups.place_of_pair(*pair) == runtime.place_of_pair(*pair)
    assert groups.place_of(1, keys[:0]) == runtime.place_of(1, keys[:0]) == -1


def test_segments_are_numpys():
    v = RNG.standard_normal(9)
    for starts in ([0, 4, 8], [5, 2, 2, 7], [8]):
        found = groups.segment_sums(v, np.array(starts))
        np.testing.assert_allclose(found, np.add.reduceat(v, starts))
    for starts in ([0, 9], [-1]):
        with pytest.raises(IndexError, match="out of bounds"):
            groups.segment_sums(v, np.array(starts))


def test_numbers_beside_nan_are_reduced_as_by_numpy():
    a = RNG.standard_normal((4, 5))
    a[0, 1] = a[2, 2] = a[2, 4] = np.nan
    for how, fn in (
        ("largest", np.nanmax), ("smallest", np.nanmin), ("mean", np.nanmean), ("sum", np.nansum),
        ("deviation", np.nanstd), ("variance", np.nanvar),
    ):  # fmt: skip
        np.testing.assert_allclose(missing.reduced(a[2], how, 0), fn(a[2]))
        np.testing.assert_allclose(missing.kept(a[2], how, 0), fn(a[2], keepdims=True))
        for axis, forms in (
            (1, (missing.reduced_rows, missing.kept_rows)),
            (0, (missing.reduced_columns, missing.kept_columns)),
        ):
            np.testing.assert_allclose(forms[0](a, how, 0), fn(a, axis=axis))
            np.testing.assert_allclose(forms[1](a, how, 0), fn(a, axis=axis, keepdims=True))
    with pytest.raises(ValueError, match="no number"):
        missing.reduced(np.array([np.nan]), "largest", 0)
    assert missing.reduced(np.array([np.nan]), "sum", 0) == 0.0


def test_phases_are_unwrapped_as_by_numpy():
    for v in (RNG.uniform(-20, 20, 30), np.array([0.0, np.pi, 0.0, -np.pi]), np.array([1.0])):
        for period in (2 * np.pi, 5.0):
            found = along_axes.unwrapped(v, period / 2, 0, period)
            np.testing.assert_allclose(found, np.unwrap(v, period=period), atol=1e-12)


def test_windows_are_numpys():
    for n in (-1, 0, 1, 2, 5, 8):
        for fn in (np.hanning, np.hamming, np.bartlett, np.blackman):
            np.testing.assert_allclose(spaced.window(n, fn.__name__), fn(n), atol=1e-15)


def test_lengths_are_fitted_as_by_numpy():
    for x in (LONG[:7], LONG[:6] + 1j * LONG[6:12]):
        for n in (1, 4, 7, 12):
            found = transforms.fourier_of_length(x, n, False, False)
            np.testing.assert_allclose(found, np.fft.fft(x, n), atol=1e-12)
    with pytest.raises(ValueError, match="nothing"):
        transforms.fitted(LONG, 0)


def test_samples_are_as_spread_as_by_numpy():
    a = RNG.standard_normal((4, 5))
    for form, axis in ((along_axes.variances_in_rows, 1), (along_axes.variances_in_columns, 0)):
        np.testing.assert_allclose(form(a, 1, False), np.var(a, axis=axis, ddof=1))
        np.testing.assert_allclose(form(a, 2, True), np.std(a, axis=axis, ddof=2))
        with pytest.raises(ValueError, match="too few"):
            form(a, 5, False)
