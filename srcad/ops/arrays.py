"""srcad's own functions of arrays: of `runtime`, of `kernels`, and what the IR has besides."""

from srcad import kernels, runtime
from srcad.ir import inplace
from srcad.ops.table import Row, named, state
from srcad.runtime import effects, saved
from srcad.runtime.checkpoints.states import Checkpoints

state(Row(store=True, in_place=inplace.index_set, memory="fresh"), runtime.index_update)
state(Row(store=True, in_place=inplace.index_iadd, memory="fresh"), runtime.index_add)
state(Row(store=True, in_place=inplace.index_isub, memory="fresh"), inplace.index_sub)
state(Row(store=True, in_place=inplace.index_imul, memory="fresh"), inplace.index_mul)
state(Row(store=True, in_place=inplace.index_itruediv, memory="fresh"), inplace.index_truediv)

state(Row(memory="view"), runtime.own_dtype, runtime.plain_array, runtime.array_of_file)
state(Row(memory="fresh", allocates=True), runtime.own_array)
state(Row(memory="view", allocates=True, new_view=True), runtime.own_view)
state(Row(memory="view", raises="values"), runtime.as_tried)
state(Row(memory="either", by_layout=True, read_only=True, raises="values"), runtime.by_strides)
state(Row(memory="either"), runtime.unbroadcast)
# Written arguments themselves, and arguments in a tuple.
state(Row(memory="unknown"), *inplace.DESTROYS)
state(Row(memory="unknown"), saved.pack, saved.unpack, saved.unpack_one)
state(Row(memory="fresh"), Checkpoints.restore)
state(Row(memory="unknown"), saved.tape_items, saved.tape_numbers, saved.tape_tuples)
state(Row(memory="fresh"), saved.tape_array, saved.tape_column, effects.picked)
state(
    Row(memory="unknown"),
    runtime.cut,
    runtime.in_turn,
    runtime.marked,
    runtime.taken_apart,
    runtime.stop_gradient,
    runtime.attached,
    runtime.free_of_phase,
    runtime.determined,
    runtime.simple,
    runtime.at_solution,
    runtime.isolated,
    runtime.entries_of_fixed,
    runtime.regular,
    runtime.told,
    effects.unwritten,
    effects.as_told,
)

_RUNTIME = """active_rows adjoint_of_ivp as_held as_listed as_solution at_bounds banded_outer
    banded_product banded_transposed beside_solution bracketed cofactors cofactors_change
    complex_eig complex_eigvals complex_roots convolve_rows cropped expm_change factored_solve
    filter_back filter_weights first_places fitted fitted_by_iteration fixed_point
    fsolve_in_full gaussian_weights
    in_triangle inner_quad interp_rows inverse is_numpys is_or_equals iterated iterated_further
    iterated_quad joined lag_products last_writes least_squares leastsq linear_program
    logarithm minimize minimize_scalar minimum minimum_of_vector newton newton_in_full
    newton_of_entries normal_solve only_residual order_of order_of_pivots over_gaps overlapped
    over_values place_of place_of_pair polygamma polyval_rows quad quad_vec quasi_newton recurrence
    relu rk_table root root_scalar scale_ends scale_pairs
    scatter_along_axis search_rows solve_ivp solve_ivp_between_steps solve_ivp_by_adjoint
    solve_ivp_by_steps solve_ivp_in_steps solve_triangular sparse_form sparse_outer sum_by_strides
    sparse_places sparse_product
    sparse_solve spline_values square_root stacked substitute uncropped unmoved with_imag
    with_real"""
_KERNELS = """avg_pool2d avg_unpool2d conv2d conv2d_input conv2d_weights conv_pool2d
    conv_pool2d_input conv_pool2d_weights embedding empty empty_like max_pool2d pick2d product
    summed_rows unpool2d"""
state(Row(memory="fresh", scatters=True), runtime.scatter, kernels.scatter_rows)
state(Row(memory="fresh"), *named(runtime, _RUNTIME), *named(kernels, _KERNELS))
