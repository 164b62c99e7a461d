"""Programs as explicit loops over numbers, which a compiler turns into machine code.

outline       statements that can be compiled become functions of their own
scalarise     their array operations become loops over entries
alignment     loops over shifted places become one: scatters are gathers
fusion        loops over the same range become one
forwarding    what was just stored is not loaded again, what is never loaded is not stored
unchosen      loops that would add multiples of zero are not run
contraction   arrays of which an iteration needs its own part alone keep that part
slots         what a loop saves and overwrites is written where it is saved next
places        positions that cannot be negative are marked
threaded      threads share loops, and wait where one needs what another computed
separate      arrays that may share memory are marked: the compiler takes all others for separate

Each goes from IR to IR; `border` has their order, `teamwork` what is done for threads.

    y = tanh(x + b)                          y = np.empty(n)
    s = sum(y * y)                           s = 0.0
                                             for i in range(n):
                                                 y[i] = np.tanh(x[i] + b)
                                                 s += y[i] * y[i]

What no loop is made of (factorisations, transforms) stays NumPy in between; so do products of
matrices, unless loops have such: then BLAS is called from compiled code (`matrix_products`).
"""
