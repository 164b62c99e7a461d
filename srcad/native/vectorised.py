"""Which functions of NumPy have a twin in `srcad.native.functions`: names only, without Numba.

    VECTORISED[np.exp]      "exp"

`math.exp` is not among them: it raises where NumPy answers infinity (`python_semantics` has it).
Integer arguments count as float64, so an exact power of integers is not to be asked of `power`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir import Op

VECTORISED: dict[Callable[..., Any], str] = {
    getattr(np, name): name
    for name in (
        *("exp", "exp2", "expm1", "sinh", "cosh", "tanh"),
        *("log", "log2", "log10", "log1p", "logaddexp", "arcsinh", "arccosh", "arctanh"),
        *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2"),
        *("cbrt", "hypot"),
    )
}
VECTORISED |= {np.power: "power", np.float_power: "power"}


class Twin:
    """A function of a target's runtime, such as `srcad.native.functions`, in a program; called, it
    computes by NumPy.

    writes: of how many arrays, its first arguments, it writes entries.
    """

    def __init__(self, name: str, of: Callable[..., Any], writes: int = 0) -> None:
        self.__name__, self.of, self.writes = name, of, writes

    def __call__(self, /, *args: Any) -> Any:
        """What NumPy's function says."""
        return self.of(*args)

    @property
    def name_in_runtime(self) -> str:
        """What emitted code imports."""
        return self.__name__


TWINS = {fn: Twin(name, fn) for fn, name in VECTORISED.items()}


def is_elementary(fn: Any) -> bool:
    """Whether a function in a compiled program is an elementary one of a target's runtime."""
    return isinstance(fn, Twin) and TWINS.get(fn.of) is fn


# Steps of sums, products and extrema, in whatever order is fastest.
ADD, MULTIPLY = Twin("add", np.add), Twin("multiply", np.multiply)
LARGER, SMALLER = Twin("larger", np.maximum), Twin("smaller", np.minimum)
# One of two numbers that are there.
WHERE = Twin("where", lambda cond, a, b: a if cond else b)


def _place(*index: int) -> tuple[int, ...]:
    return index


# Places counted from the front: in an array without memory in common with others, and in any.
AT, AT_COMMON = Twin("at", _place), Twin("at_common", _place)


def _matmul_into(
    out: np.ndarray, x: np.ndarray, x_at: tuple[int, ...], x_transposed: bool, y: np.ndarray,
    y_at: tuple[int, ...], y_transposed: bool, k: int,
) -> None:  # fmt: skip
    """`out[...] = x[x_at:] @ y[y_at:]`, with factors transposed where it is said so."""
    _matmul_rows(0, math.prod(out.shape[:-1]), out, x, x_at, x_transposed, y, y_at, y_transposed, k)


def _matmul_rows(
    first: int, last: int, out: np.ndarray, x: np.ndarray, x_at: tuple[int, ...],
    x_transposed: bool, y: np.ndarray, y_at: tuple[int, ...], y_transposed: bool, k: int,
) -> None:  # fmt: skip
    """The rows from `first` to `last` of that."""
    n = out.shape[-1]
    m = math.prod(out.shape[:-1])
    a = _part(x, x_at, (k, m) if x_transposed else (m, k))
    b = _part(y, y_at, (n, k) if y_transposed else (k, n))
    product = np.matmul(a.T if x_transposed else a, b.T if y_transposed else b)
    np.copyto(out.reshape(m, n)[first:last], product[first:last])


def _part(x: np.ndarray, at: tuple[int, ...], shape: tuple[int, int]) -> np.ndarray:
    x = x.view(np.ndarray)
    place = [i + n if i < 0 else i for i, n in zip(at, x.shape, strict=True)]
    row = 0
    for i, n in zip(place[:-1], x.shape[:-1], strict=True):
        row = row * n + i
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    part = rows[row : row + shape[0], place[-1] : place[-1] + shape[1]]
    assert part.shape == shape
    return part


def written_by(op: Op) -> tuple[Any, ...]:
    """The arrays that a call of a target's runtime writes."""
    return op.args[: op.fn.writes] if isinstance(op.fn, Twin) else ()


# A product of matrices, or of parts of arrays, in memory that is there.
MATMUL_INTO = Twin("matmul_into", _matmul_into, writes=1)
MATMUL_ROWS = Twin("matmul_rows", _matmul_rows)
