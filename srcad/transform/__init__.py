"""Program transforms: reverse mode, forward mode, and the functions made with them.

activity   which values vary with the inputs and reach a result
adjoint    reverse mode of straight lines; `regions` of branches and loops
residuals  which primal values a reversed region saves, and which it computes again
tangent    forward mode
derive     gradient, pushforward (jvp) and pullback (vjp) as whole functions
"""

from srcad.transform.derive import gradient, pullback, pushforward
from srcad.transform.forward.tangent import Tangent, build_tangent
from srcad.transform.reverse.adjoint import Adjoint, build_adjoint

__all__ = [
    "Adjoint",
    "Tangent",
    "build_adjoint",
    "build_tangent",
    "gradient",
    "pullback",
    "pushforward",
]
