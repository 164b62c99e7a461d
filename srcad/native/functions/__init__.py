"""Elementary functions and reductions that loops of Numba code can be vectorised with.

    @njit
    def f(x, y):
        for i in range(x.size):
            y[i] = exp(x[i])          # `np.exp` here would be a call of the C library per entry

lanes           the language: one float whose operators print LLVM instructions
variants        rare calls of the C library beside vector code
coefficients    minimax polynomials, printed by benchmarks/minimax_coefficients.py
exponential, logarithm, power, trigonometric, error_function      the functions
reductions      sums, products and extrema that may be reordered

All of it needs Numba; `srcad.native.vectorised` names the functions without it.
"""

from srcad.native.vectorised import VECTORISED

from .error_function import erf
from .exponential import cosh, exp, exp2, expm1, sigmoid, sinh, tanh
from .logarithm import (
    arccosh,
    arcsinh,
    arctanh,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    softplus,
)
from .power import power
from .reductions import add, larger, multiply, smaller
from .trigonometric import arccos, arcsin, arctan, arctan2, cos, sin, tan

__all__ = [
    "VECTORISED",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cos",
    "cosh",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "larger",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "multiply",
    "power",
    "sigmoid",
    "sin",
    "sinh",
    "smaller",
    "softplus",
    "tan",
    "tanh",
]
