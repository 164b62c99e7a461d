"""What srcad has in the place of names that other tools use.

srcad.jit             AttributeError: module 'srcad' has no attribute 'jit': gradients are...
srcad.gard            AttributeError: module 'srcad' has no attribute 'gard': did you mean `grad`?
grad(f, argnum=1)     TypeError: unexpected option 'argnum': the name is 'argnums'
"""

from __future__ import annotations

from collections.abc import Iterable

from srcad.errors.misspelt import did_you_mean

_NUMPY = "functions are written with NumPy itself: import numpy as np"
_RULES = "srcad.rules states the derivative of a function: docs/write-a-rule.md"
_TREES = "the package optree has maps and sums over containers; srcad.flatten makes them one vector"
_CONSTANT = "srcad.stop_gradient takes a value as a constant; nothing is recorded outside gradients"
_COMPILES = "gradients are compiled at their first call, whole training steps by srcad.compile"

# Names of JAX, autograd, PyTorch and TensorFlow.
_MODULE_NAMES = {
    **dict.fromkeys(("jit", "function", "njit"), _COMPILES),
    "pmap": "srcad.vmap maps over an axis, in one process",
    **dict.fromkeys(("custom_vjp", "custom_jvp", "custom_gradient", "defvjp", "primitive"), _RULES),
    "remat": "srcad.checkpoint saves less and computes again",
    **dict.fromkeys(("numpy", "np"), _NUMPY),
    "scipy": "functions are written with SciPy itself",
    **dict.fromkeys(("detach", "no_grad", "stop_grad"), _CONSTANT),
    "lax": "loops and branches are Python's own: for, while, if, break",
    **dict.fromkeys(("Variable", "tensor", "Tensor", "array"), _NUMPY),
    **dict.fromkeys(
        ("backward", "gradient", "GradientTape"), "srcad.grad(f)(x) returns the gradient"
    ),
    **dict.fromkeys(("tree_map", "tree_util", "tree"), _TREES),
    "check_grads": "it is in srcad.testing",
    "ravel_pytree": "it is srcad.flatten",
    "hessian_vector_product": "it is srcad.hvp",
    "make_vjp": "it is srcad.vjp",
    "make_jvp": "it is srcad.jvp",
    **dict.fromkeys(("make_jaxpr", "xla_computation"), "srcad.grad(f).source(x) is the program"),
    "value_and_gradient": "it is srcad.value_and_grad",
}
# Options of the same tools.
_OPTIONS = {
    "argnum": "the name is 'argnums'",
    "static_argnums": "arguments that are no numbers and no arrays are static by themselves",
    "static_argnames": "arguments that are no numbers and no arrays are static by themselves",
    "allow_int": "an int in a container has the gradient None",
    "donate_argnums": "a gradient's buffers are used again by themselves",
    "create_graph": "gradients are differentiated again: srcad.grad(srcad.grad(f))",
    "retain_graph": "a pullback of srcad.vjp can be called many times",
    "jit": _COMPILES,
    "device": "gradients run on the processor; backend= chooses NumPy or machine code",
}


def hint_for_name(name: str, known: Iterable[str]) -> str:
    """What to say of a name that srcad has not, from a colon on; "" if there is nothing to say."""
    return _hint(name, _MODULE_NAMES, known)


def hint_for_option(name: str, known: Iterable[str]) -> str:
    """The same for an option that a transformation has not."""
    return _hint(name, _OPTIONS, known)


def _hint(name: str, hints: dict[str, str], known: Iterable[str]) -> str:
    if name in hints:
        return f": {hints[name]}"
    return "".join(f": {note}" for note in did_you_mean(name, known))
