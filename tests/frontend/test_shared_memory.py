"""What functions return shares memory with their argument as it does in Python, or it is refused.

Each expression of `x` makes a `y`; one of the two is written, and both are read then. Functions may
return views, their argument itself or new arrays, as options and the layout of memory say.
"""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest

import srcad

EXPRESSIONS = """
np.nan_to_num(x, copy=False)
np.nan_to_num(x, False)
np.nan_to_num(x)
np.astype(x, np.float64, copy=False)
x.astype(np.float64, copy=False)
x.astype(float, "K", "unsafe", True, False)
np.array(x, copy=False)
np.array(x, copy=None)
np.array(x, float, copy=None)
np.array(x)
np.array(x, subok=True)
np.array(x, ndmin=1, copy=None)
np.array(x, ndmin=3, copy=None)
np.array(x, order="F", copy=None)
np.asarray(x)
np.asarray(x, float)
np.asarray(x, order="F")
np.asarray(x, order="C")
np.asarray(x, copy=True)
np.asanyarray(x)
np.ascontiguousarray(x)
np.asfortranarray(x)
np.require(x, float, ["C"])
np.require(x, requirements="F")
np.asarray_chkfinite(x)
np.atleast_1d(x)
np.atleast_2d(x)
np.atleast_3d(x)
np.broadcast_arrays(x)[0]
np.broadcast_arrays(x, x)[0]
np.broadcast_arrays(x, 1.0)[0]
np.ravel(x)
np.ravel(x, "F")
np.ravel(x, "K")
x.flatten()
x.ravel()
x.ravel("A")
x.reshape(-1)
x.reshape(x.shape)
np.reshape(x, -1)
np.reshape(x, x.shape)
np.reshape(x, x.shape, order="F")
np.reshape(x, -1, order="F")
np.reshape(x, -1, copy=True)
np.reshape(x, (1, *x.shape))
np.squeeze(x)
np.squeeze(x[None])
np.squeeze(x[None], 0)
np.expand_dims(x, 0)
np.real(x)
np.real_if_close(x)
x.real
np.conj(x)
x.conj()
x.conjugate()
np.conjugate(x)
np.positive(x)
+x
np.transpose(x)
x.T
x.transpose()
np.permute_dims(x)
np.swapaxes(x, 0, -1)
np.moveaxis(x, 0, -1)
np.rollaxis(x, 0)
np.rollaxis(x, -1)
np.flip(x)
np.flip(x, ())
np.flipud(x)
np.rot90(np.atleast_2d(x), 0)
np.rot90(np.atleast_2d(x), 2)
np.rot90(np.atleast_2d(x), 1)
np.diagonal(np.atleast_2d(x)).copy()
np.split(x, 1)[0]
np.array_split(x, 1)[0]
np.split(x, [1])[0]
np.vsplit(np.atleast_2d(x), 1)[0]
np.unstack(x[None])[0]
np.trim_zeros(x[:, 0] if x.ndim > 1 else x)
np.einsum("...->...", x)
np.einsum("i...->i...", x)
np.einsum("ij->ji", np.atleast_2d(x))
np.linalg.matrix_transpose(np.atleast_2d(x))
np.matrix_transpose(np.atleast_2d(x))
np.clip(x, None, None)
np.clip(x, -9, 9)
np.roll(x, 0)
np.repeat(x, 1)
np.repeat(x, 1, axis=0)
np.tile(x, 1)
np.tile(x, ())
np.pad(x, 0)
np.concatenate([x])
np.concatenate((x,), axis=0)
np.hstack([x])
np.vstack([x])
np.stack([x])[0]
np.block([x])
np.append(x, [])
np.delete(x, [])
np.delete(x, [], axis=0)
np.insert(x, [], [])
np.take(x, np.arange(x.shape[0]), axis=0)
np.compress([True] * x.shape[0], x, axis=0)
np.extract(x == x, x)
np.where(True, x, x)
np.where(x > 0, x, x)
np.choose(0, [x])
np.select([x == x], [x])
np.diff(x, n=0)
np.diff(x, 0)
np.sum(x, axis=())
np.fft.fftshift(x)
np.fft.fftn(x, axes=()).real
np.meshgrid(x[0] if x.ndim > 1 else x, copy=False)[0]
np.meshgrid(x[0] if x.ndim > 1 else x)[0]
np.polyint(x[0] if x.ndim > 1 else x, 0)
np.polyder(x[0] if x.ndim > 1 else x, 0)
np.copy(x)
x.copy()
np.add(x, 0)
x + 0
x * 1
x ** 1
x[:]
x[...]
x[()]
x[None]
x[::1]
x[np.arange(len(x))]
x[[0]]
x[0]
x[0:1]
x[x == x]
np.maximum(x, x)
np.float64(x)
np.nan_to_num(x, nan=1.0)
np.squeeze(x, axis=())
np.expand_dims(x, ())
x.view()
x.view(np.float64)
x.swapaxes(0, 0)
x.squeeze()
x.diagonal() if x.ndim > 1 else x
x.repeat(1)
x.take([0], axis=0)
x.clip(-9, 9)
x.cumsum(axis=0)
np.ndarray.flatten(x)
np.asarray([x])[0]
np.array([x, x])[1]
list(x)[0] if x.ndim > 1 else x
[r for r in x][0] if x.ndim > 1 else x
np.outer(x, 1.0)
np.add.reduce(x, axis=())
np.add.accumulate(x)
np.ix_(x[0] if x.ndim > 1 else x)[0]
np.broadcast_to(x, x.shape).copy()
""".strip().splitlines()
FORMS = {
    "what was made is written": "y[...] = y * 2.0 + 1.0",
    "the argument is written": "x[...] = x * 2.0 + 1.0",
}
LAYOUTS = ["in a row", "by columns", "apart", "one"]


def make(layout: str) -> Any:
    """An array that lies in memory in some way."""
    a = np.array([[1.25, -2.5, 0.75], [3.0, 0.5, -1.0]])
    if layout == "by columns":
        return np.asfortranarray(a)
    if layout == "apart":
        room = np.zeros((4, 6))
        room[::2, ::2] = a
        return room[::2, ::2]
    return a if layout == "in a row" else np.array([2.5])


@pytest.fixture(scope="module")
def functions(tmp_path_factory: Any) -> Any:
    """The function of each expression and form."""
    text = "import numpy as np\n\n"
    for k, expression in enumerate(EXPRESSIONS):
        for j, write in enumerate(FORMS.values()):
            text += f"def f{k}_{j}(x):\n    y = {expression}\n    {write}\n"
            text += "    return np.sum(x * x) + 3.0 * np.sum(y * np.arange(1.0, 2.0 + y.size)[:-1]"
            text += ".reshape(y.shape))\n\n"
    path = tmp_path_factory.mktemp("shared") / "sharing.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("sharing", path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("form", FORMS)
def test_writes_are_seen_where_python_sees_them(form: str, layout: str, functions: Any) -> None:
    answered, j = 0, list(FORMS).index(form)
    for k, expression in enumerate(EXPRESSIONS):
        fn, x = getattr(functions, f"f{k}_{j}"), make(layout)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                want = fn(x)
            except (ValueError, TypeError, IndexError, AttributeError):
                continue  # not of this rank
            for check in (check_written, check_gradient):
                try:
                    check(fn, make(layout), x, want)
                    answered += 1
                except srcad.InternalError:
                    raise
                except srcad.SrcadError:
                    pass  # it may or may not share memory
                except AssertionError as wrong:
                    wrong.add_note(f"{expression}, {layout}")
                    raise
    assert answered > 60


def check_written(fn: Any, x: Any, written: Any, want: Any) -> None:
    np.testing.assert_allclose(srcad.compile(fn, backend="numpy", cache=False)(x), want)
    np.testing.assert_array_equal(x, written)


def check_gradient(fn: Any, x: Any, written: Any, want: Any) -> None:
    value, x_bar = srcad.value_and_grad(fn, backend="numpy", cache=False)(x)
    np.testing.assert_allclose(value, want)
    step = 1e-6 * np.linspace(1.0, 2.0, x.size).reshape(x.shape)
    there, back = x.copy(order="K"), x.copy(order="K")
    there += step
    back -= step
    if not x.flags.c_contiguous and not x.flags.f_contiguous:
        there, back = (np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2] for a in (there, back))
    np.testing.assert_allclose(np.sum(x_bar * step), (fn(there) - fn(back)) / 2, rtol=1e-6)
