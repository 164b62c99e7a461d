"""Program transforms: reverse mode, forward mode, and the functions made with them.

activity   which values vary with the inputs and reach a result
reverse    reverse mode: `adjoint`, and its parts for branches, loops and calls
forward    forward mode: `tangent`, and its parts
derive     gradient, pushforward (jvp) and pullback (vjp) as whole functions
kinds      the derivatives that can be asked for, by name
implicit, integrals, rk_steps, solutions   calls of solvers, entered into a table
"""
