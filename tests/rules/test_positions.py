"""Options that are given by position are those that the function has there, or are refused.

Rules leave out what they do not cover: `out`, `dtype`, `copy`, `overwrite_x`. What stands behind
these in a call must not move up.
"""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.ndimage

import srcad

EXPRESSIONS = """
np.nan_to_num(h, True)
np.nan_to_num(h, True, 5.0)
np.nan_to_num(h, False, 5.0)
np.nan_to_num(h, True, 5.0, 1.0, 2.0)
np.var(x, 0, np.float32)
np.var(x, 0, None)
np.var(x, 0, None, None, 1)
np.std(x, None, None, None, 1, True)
np.prod(x, 0, float)
np.prod(x, 0, None, None, True)
np.sum(x, 0, None, None)
np.sum(x, 0, None, None, True)
np.sum(x, 0, None, None, False, 5.0)
np.mean(x, 0, None, None, True)
np.max(x, 0, None, True)
np.max(x, 0, None, False, 9.0)
np.ptp(x, 0, None, True)
np.average(x, 0, None, True)[0]
np.average(x, 0, None, False)
np.linspace(x[0], x[1], 3, True, False)
np.linspace(0.0, 1.0, 3, True, True)[1] * x
np.full_like(x, 2.0, None, "K") * x
np.full_like(x, 2.0, float) * x
np.asarray(x, float, "F")
np.median(x, 0, None, False, True)
np.quantile(x, 0.5, 0, None, False, "lower")
np.linalg.pinv(x[:, :2], 1e-3)
np.linalg.pinv(x[:, :2], 1e-3, True)
np.clip(x, 0, 1, None)
np.choose(np.array([0, 1, 0]), x, None, "clip")
np.take(x, np.array([0]), 1, None)
np.trace(x, 0, 0, 1, None, None)
np.cumsum(x, 0, None, None)
np.tensordot(x, x, ([0, 1], [0, 1]))
np.interp(x[0], [0.0, 1.0], [0.0, 1.0], None, None, 2.0)
""".strip().splitlines()
SCIPYS = """
scipy.fft.fft(x, None, -1, None, False).real
scipy.fft.fft(x, None, -1, None, True).real
scipy.fft.dct(x, 2, None, -1, "ortho", False)
scipy.fft.dct(x, 2, None, -1, None, False, None, True)
scipy.ndimage.gaussian_filter(x, 1.0, 0, None, "wrap")
scipy.ndimage.gaussian_filter1d(x, 1.0, 0, 0, None, "wrap")
scipy.ndimage.uniform_filter(x, 3, None, "wrap")
scipy.ndimage.correlate1d(x, [1.0, 2.0, 1.0], 0, None, "wrap")
scipy.ndimage.correlate(x, np.ones((3, 3)), None, "wrap")
scipy.ndimage.laplace(x, None, "wrap")
scipy.signal.hilbert(x[0], 4).real
scipy.signal.hilbert(x, None, 0).real
scipy.special.logsumexp(x, 0, None, True)
""".strip().splitlines()
X = np.array([[1.25, -2.5, 0.75], [3.0, 0.5, -1.0]])


def outcomes(expressions: list[str], imports: str, folder: Any) -> Any:
    """What Python gives for each expression, and what srcad does."""
    text = imports + "import numpy as np\n\n"
    for k, each in enumerate(expressions):
        text += f"def f{k}(x, h):\n    return {each}\n\n"
    path = folder / "calls.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("calls", path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    for k, expression in enumerate(expressions):
        fn = getattr(module, f"f{k}")
        for make in (srcad.compile(fn, cache=False), lambda *a, fn=fn: srcad.vjp(fn, *a)[0]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                h = np.where(X > 1, np.nan, X)
                want = fn(X.copy(), h.copy())
                try:
                    yield expression, want, make(X.copy(), h.copy())
                except srcad.MissingRule:
                    yield expression, want, None


def check(expressions: list[str], imports: str, folder: Any) -> None:
    answered = 0
    for expression, want, got in outcomes(expressions, imports, folder):
        if got is not None:
            answered += 1
            np.testing.assert_allclose(got, want, err_msg=expression)
            assert np.shape(got) == np.shape(want), expression
    assert answered >= len(expressions)  # half of two calls each


def test_numpys_options_by_position(tmp_path: Any) -> None:
    check(EXPRESSIONS, "", tmp_path)


def test_scipys_options_by_position(tmp_path: Any) -> None:
    pytest.importorskip("scipy")
    names = ("fft", "ndimage", "signal", "special")
    check(SCIPYS, "".join(f"import scipy.{name}\n" for name in names), tmp_path)


def with_defaults(x: Any) -> Any:
    """Options that have the defaults of the functions, which the rules do not name."""
    y = np.trace(x, offset=0, axis1=-2, axis2=-1, dtype=None, out=None)
    return y + np.sum(scipy.ndimage.gaussian_filter(x, 1.0, output=None, cval=0.0, truncate=4.0))


def test_an_option_that_has_the_default_is_as_if_left_out() -> None:
    x = np.arange(9.0).reshape(3, 3)
    value, x_bar = srcad.value_and_grad(with_defaults)(x)
    assert value == with_defaults(x)
    np.testing.assert_allclose(x_bar, np.eye(3) + 1.0, rtol=1e-6)
    with pytest.raises(srcad.errors.SrcadError, match="subok"):
        srcad.grad(lambda x: np.sum(np.broadcast_to(x, (3, 3), subok=True)))(x)
