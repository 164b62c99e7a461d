"""Program transforms: reverse mode, forward mode, and the functions made with them.

activity   which values vary with the inputs and reach a result
reverse    reverse mode: `adjoint`, and its parts for branches, loops and calls
forward    forward mode: `tangent`, and its parts
derive     gradient, pushforward (jvp) and pullback (vjp) as whole functions
implicit, integrals, rk_steps, solutions   calls of solvers, entered into a table
"""

from srcad.transform import implicit, integrals, rk_steps, solutions
from srcad.transform.derive import gradient, pullback, pushforward
from srcad.transform.forward.tangent import Tangent, build_tangent
from srcad.transform.reverse.adjoint import Adjoint, build_adjoint

__all__ = [
    "Adjoint",
    "Tangent",
    "build_adjoint",
    "build_tangent",
    "gradient",
    "implicit",
    "integrals",
    "pullback",
    "pushforward",
    "rk_steps",
    "solutions",
]
