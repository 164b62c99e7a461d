"""Programs as explicit loops over numbers, which a compiler turns into machine code.

outlining              statements that can be compiled become functions of their own
scalarize              their array operations become loops over entries
alignment, peeling     loops over shifted places become one: scatters are gathers
fusion                 loops over the same range become one
store forwarding       what was just stored is not loaded again, what is never loaded is not stored
zero guarding          loops that would add multiples of zero are not run
contraction            a temporary of which an iteration needs one slice keeps that slice
rematerialization      a cheap loop is run again instead of saving what it computed
tape in place          what a loop saves and overwrites is written where it is saved next
bounds checks          positions that cannot be negative are marked
threads                threads share loops, and wait where one needs what another computed
alias scopes           arrays that may share memory are marked: all others are separate

Each goes from IR to IR; `srcad.pipeline.passes` has their order.

    y = tanh(x + b)                          y = np.empty(n)
    s = sum(y * y)                           s = 0.0
                                             for i in range(n):
                                                 y[i] = np.tanh(x[i] + b)
                                                 s += y[i] * y[i]

What no loop is made of (factorisations, transforms) stays NumPy in between; so do products of
matrices, unless loops have such: then BLAS is called from compiled code (`matrix_products`).
"""
