"""Elementary functions and reductions that loops of Numba code can be vectorised with.

    @njit
    def f(x, y):
        for i in range(x.size):
            y[i] = exp(x[i])          # `np.exp` here would be a call of the C library per entry

lanes           the language: one float whose operators print LLVM instructions
variants        rare calls of the C library beside vector code
coefficients    minimax polynomials, printed by benchmarks/minimax_coefficients.py
exponential, logarithm, power, trigonometric, roots, error_function      the functions
lapack          decompositions of matrices, by the LAPACK that NumPy calls
matrices        products of matrices, by BLAS or by loops (`srcad.kernels.products`)
called          functions of NumPy's that compiled code calls as they are
places          positions counted from the front
choice          one of two numbers
reductions      sums, products and extrema that may be reordered
waiting, teams  threads that run one function together

All of it needs Numba; `srcad.native.vectorised` names the functions without it.
"""

from srcad.native.functions.called import (
    eigenvalues_into,
    eigenvectors_into,
    parted_into,
    transformed_into,
)
from srcad.native.functions.calling import call_all
from srcad.native.functions.choice import where
from srcad.native.functions.error_function import erf, erfc
from srcad.native.functions.exponential import cosh, exp, exp2, expm1, sigmoid, sinh, tanh
from srcad.native.functions.lapack import (
    cholesky_into,
    complex_cholesky_into,
    complex_product_into,
    complex_reflectors_into,
    complex_singular_into,
    complex_solved_into,
    eigen_into,
    hermitian_eigen_into,
    least_squares_into,
    orthogonal_into,
    reflectors_into,
    singular_into,
    solved_into,
    unitary_into,
)
from srcad.native.functions.logarithm import (
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
from srcad.native.functions.matrices import matmul_into, matmul_rows
from srcad.native.functions.places import at, at_common
from srcad.native.functions.power import power
from srcad.native.functions.reductions import add, larger, multiply, smaller
from srcad.native.functions.roots import cbrt, hypot
from srcad.native.functions.teams import (
    got,
    keep,
    largest_of,
    lend,
    merge,
    mine,
    own_part,
    product_of,
    put,
    share,
    shared,
    smallest_of,
    sum_of,
    theirs,
    wait,
)
from srcad.native.functions.trigonometric import arccos, arcsin, arctan, arctan2, cos, sin, tan
from srcad.native.vectorised import VECTORISED

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
    "at",
    "at_common",
    "call_all",
    "cbrt",
    "cholesky_into",
    "complex_cholesky_into",
    "complex_product_into",
    "complex_reflectors_into",
    "complex_singular_into",
    "complex_solved_into",
    "cos",
    "cosh",
    "eigen_into",
    "eigenvalues_into",
    "eigenvectors_into",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "got",
    "hermitian_eigen_into",
    "hypot",
    "keep",
    "larger",
    "largest_of",
    "least_squares_into",
    "lend",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "matmul_into",
    "matmul_rows",
    "merge",
    "mine",
    "multiply",
    "orthogonal_into",
    "own_part",
    "parted_into",
    "power",
    "product_of",
    "put",
    "reflectors_into",
    "share",
    "shared",
    "sigmoid",
    "sin",
    "singular_into",
    "sinh",
    "smaller",
    "smallest_of",
    "softplus",
    "solved_into",
    "sum_of",
    "tan",
    "tanh",
    "theirs",
    "transformed_into",
    "unitary_into",
    "wait",
    "where",
]
