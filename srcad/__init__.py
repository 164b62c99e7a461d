"""srcad: gradients of ordinary Python and NumPy code, by source transformation.

@srcad.grad
def loss(w, x, y):
    return np.mean((np.tanh(x @ w) - y) ** 2)

loss(w, x, y)              # the gradient with respect to w
print(loss.source())       # the program that computes it
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from srcad.api.arguments.trees import stop_gradient
from srcad.api.checkpoint import checkpoint
from srcad.api.compiled import compile
from srcad.api.debugging import debug_nans
from srcad.api.hessian_products import hvp
from srcad.api.implicit import fixed_point, implicit, solve_ivp_by_adjoint
from srcad.api.jacobians import hessian, jacfwd, jacobian, jacrev
from srcad.api.products import jvp, linearize, pullback, pushforward, vjp
from srcad.api.transformations import derivative, elementwise_grad, grad, value_and_grad
from srcad.api.transformed import Transformed
from srcad.api.vmap import vmap
from srcad.errors import (
    CacheError,
    InternalError,
    MissingRule,
    NotDifferentiable,
    NotFinite,
    RuleError,
    ShapeError,
    SrcadError,
    UnsupportedSyntax,
)

if TYPE_CHECKING:
    from srcad.api.arguments.vectors import flatten
    from srcad.kernels.threads import num_threads, set_num_threads

__version__ = "0.1.0"

__all__ = [
    "CacheError",
    "InternalError",
    "MissingRule",
    "NotDifferentiable",
    "NotFinite",
    "RuleError",
    "ShapeError",
    "SrcadError",
    "Transformed",
    "UnsupportedSyntax",
    "checkpoint",
    "compile",
    "debug_nans",
    "derivative",
    "elementwise_grad",
    "fixed_point",
    "flatten",
    "grad",
    "hessian",
    "hvp",
    "implicit",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "nn",
    "num_threads",
    "parallel",
    "pullback",
    "pushforward",
    "rules",
    "set_num_threads",
    "solve_ivp_by_adjoint",
    "stop_gradient",
    "testing",
    "value_and_grad",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    # Heavy parts are imported when first used: `import srcad` stays close to `import numpy`.
    if name in ("nn", "parallel", "rules", "testing"):
        return importlib.import_module(f"srcad.{name}")
    if name == "flatten":
        from srcad.api.arguments.vectors import flatten

        return flatten
    if name in ("num_threads", "set_num_threads"):
        return getattr(importlib.import_module("srcad.kernels.threads"), name)
    raise AttributeError(f"module 'srcad' has no attribute {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    if name.startswith("__"):  # Python asks for many of these
        return ""
    from srcad.api.names import hint_for_name

    return hint_for_name(name, __all__)
