"""Fourier transforms: extents, and that transposes are transforms of the same size."""

import numpy as np
import pytest

import srcad
from srcad.ir import ArrayType, Dim
from srcad.rules.core.infer import infer
from tests.rules.staging import Stage, vjp_text

N = Dim("n", never_one=True)


def f64(*shape):
    return ArrayType(np.dtype(float), shape)


def c128(*shape):
    return ArrayType(np.dtype(complex), shape)


@pytest.mark.parametrize(
    ("fn", "x", "options", "wanted"),
    [
        (np.fft.fft, f64(3, N), {}, c128(3, N)),
        (np.fft.fft, f64(3, N), {"n": 5}, c128(3, 5)),
        (np.fft.rfft, f64(3, 8), {}, c128(3, 5)),
        (np.fft.rfft, f64(7, 8), {"axis": 0}, c128(4, 8)),
        (np.fft.irfft, c128(3, 5), {}, f64(3, 8)),
        (np.fft.irfft, c128(3, 5), {"n": 7}, f64(3, 7)),
        (np.fft.rfftn, f64(4, 6), {}, c128(4, 4)),
        (np.fft.rfftn, f64(4, 6), {"s": (3, 8), "axes": (1, 0)}, c128(5, 3)),
        (np.fft.irfft2, c128(2, 4, 4), {}, f64(2, 4, 6)),
        (np.fft.hfft, c128(4), {}, f64(6)),
        (np.fft.ihfft, f64(6), {}, c128(4)),
        (np.fft.fftn, f64(), {}, f64()),
    ],
)
def test_types(fn, x, options, wanted):
    assert infer(fn, (_value(x),), options) == wanted


def _value(t):
    from srcad.ir import Value

    return Value("x", t)


def test_bins_of_a_spectrum_that_was_not_cut_are_as_many_as_before():
    """`irfft` of m bins has 2 (m - 1) entries, and those have m bins."""
    bins = Dim("m", never_one=True)
    entries = infer(np.fft.irfft, (_value(c128(bins)),), {})
    assert infer(np.fft.rfft, (_value(entries),), {}) == c128(bins)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_the_transpose_is_one_transform(norm):
    stage = Stage()
    text = vjp_text(np.fft.fft, 0, stage, stage.array("x", "n", dtype=complex), norm=norm)
    assert text.count("fft(") == 1
    assert "fitted" not in text
    stage = Stage()
    text = vjp_text(np.fft.irfft, 0, stage, stage.array("x", "m", dtype=complex), norm=norm)
    assert text.count("rfft(") == 1
    assert "fitted" not in text


def test_a_real_filter_needs_no_cutting():
    def smooth(x):
        spectrum = np.fft.rfft(x) * np.exp(-np.arange(len(x) // 2 + 1))
        return np.sum(np.fft.irfft(spectrum, n=len(x)) ** 2)

    text = srcad.grad(smooth).source(np.ones(8))
    assert "fitted" not in text
    code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    assert "\n".join(code).count("np.fft.") == 4


def test_frequencies_vary_with_the_spacing():
    srcad.testing.check_grads(lambda d: np.sum(np.fft.fftfreq(7, d) ** 3), (0.5,))
    srcad.testing.check_grads(lambda d: np.sum(np.fft.rfftfreq(8, d) ** 2), (0.5,))


@pytest.mark.parametrize("axes", [range(2), range(-2, 0), [1, 0]])
def test_axes_are_any_sequence(axes):
    def f(x):
        spectrum = np.fft.rfftn(x, axes=axes)
        return np.sum(np.fft.irfftn(spectrum**2, s=(3, 4), axes=axes) ** 2)

    x = np.random.default_rng(0).normal(size=(3, 4) if axes != [1, 0] else (4, 3))
    srcad.testing.check_grads(f, (x,))
