"""What emitted code may call besides NumPy and the standard library.

Each helper is self-contained NumPy: its source is copied into the emitted module, which then needs
no srcad. A helper may call helpers of its own module.
"""

from srcad.runtime.activations import relu
from srcad.runtime.arrays import (
    add_at,
    as_tried,
    attached,
    first_places,
    index_add,
    index_update,
    inverse,
    last_writes,
    order_of,
    own_dtype,
    scatter,
    scatter_along_axis,
    stop_gradient,
    unbroadcast,
    with_imag,
    with_real,
)
from srcad.runtime.filters import (
    cropped,
    filter_back,
    filter_weights,
    gaussian_weights,
    lag_products,
    uncropped,
)
from srcad.runtime.fourier import fitted, scale_ends, scale_pairs
from srcad.runtime.integrals import quad, quad_vec, solve_ivp, solve_ivp_by_steps
from srcad.runtime.items import cut, is_or_equals, joined, listed, stacked, taken_apart
from srcad.runtime.matrix_functions import logarithm, order_of_pivots, square_root
from srcad.runtime.recurrence import recurrence
from srcad.runtime.solvers import (
    as_solution,
    at_solution,
    fixed_point,
    least_squares,
    minimize,
    newton,
    root,
    root_scalar,
)
from srcad.runtime.sparse import (
    factored_solve,
    sparse_outer,
    sparse_places,
    sparse_product,
    sparse_solve,
)
from srcad.runtime.special import polygamma
from srcad.runtime.spectra import (
    cofactors,
    cofactors_change,
    complex_eig,
    complex_eigvals,
    determined,
    free_of_phase,
    over_gaps,
    over_values,
)

__all__ = [
    "add_at",
    "as_solution",
    "as_tried",
    "at_solution",
    "attached",
    "cofactors",
    "cofactors_change",
    "complex_eig",
    "complex_eigvals",
    "cropped",
    "cut",
    "determined",
    "factored_solve",
    "filter_back",
    "filter_weights",
    "first_places",
    "fitted",
    "fixed_point",
    "free_of_phase",
    "gaussian_weights",
    "index_add",
    "index_update",
    "inverse",
    "is_or_equals",
    "joined",
    "lag_products",
    "last_writes",
    "least_squares",
    "listed",
    "logarithm",
    "minimize",
    "newton",
    "order_of",
    "order_of_pivots",
    "over_gaps",
    "over_values",
    "own_dtype",
    "polygamma",
    "quad",
    "quad_vec",
    "recurrence",
    "relu",
    "root",
    "root_scalar",
    "scale_ends",
    "scale_pairs",
    "scatter",
    "scatter_along_axis",
    "solve_ivp",
    "solve_ivp_by_steps",
    "sparse_outer",
    "sparse_places",
    "sparse_product",
    "sparse_solve",
    "square_root",
    "stacked",
    "stop_gradient",
    "taken_apart",
    "unbroadcast",
    "uncropped",
    "with_imag",
    "with_real",
]
