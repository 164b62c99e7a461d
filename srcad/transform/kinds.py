"""The derivatives that can be asked for, by name: what `grad`, `jacrev`, ... make of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from srcad.ir.interface import revealed
from srcad.ir.nodes import Function
from srcad.ir.types import Extent

# These enter what they do into the table of solvers.
from srcad.transform import implicit, integrals, rk_steps, solutions
from srcad.transform.class_results import of_entries
from srcad.transform.derive import gradient, pullback, pushforward

GRADIENTS = frozenset({"grad", "value_and_grad", "elementwise_grad"})
_JACOBIANS = ("jacrev", "jacfwd", "jacobian", "hessian", "products")
_WITHOUT_VALUE = frozenset({"grad", "elementwise_grad", "derivative", "hvp", *_JACOBIANS})


def derivative(
    fn: Function,
    kind: str,
    argnums: Sequence[int | str],
    *,
    has_aux: bool = False,
    single: bool = True,
    holomorphic: bool = False,
    border: Callable[[], None] | None = None,
) -> Function:
    """The program of the derivative `kind` of `fn`.

    Args:
        argnums, has_aux, single, holomorphic, border: as of `gradient`.
    """
    if fn.interface is not None:
        interface = revealed(fn.interface, returns_value=kind not in _WITHOUT_VALUE)
        if kind in _JACOBIANS or kind in ("sparsity", "path_sparsity", "derivative"):
            interface = of_entries(fn, interface, has_aux)
        fn = fn if interface is fn.interface else replace(fn, interface=interface)
    match kind:
        case "jvp":
            return pushforward(fn, has_aux=has_aux)
        case "vjp":
            return pullback(fn, has_aux=has_aux)
        case "linearize":
            from srcad.transform.linearize import linearized

            return linearized(fn)
        case "primal" | "compile":
            return fn
        case "vmap":  # what the frontend has put together
            return Function(f"{fn.name}_vmap", fn.body, fn.interface)
        case "derivative":
            from srcad.transform.elementwise import elementwise_derivative

            return elementwise_derivative(fn, holomorphic=holomorphic)
        case "sparsity" | "path_sparsity":
            from srcad.transform.sparsity.pattern import sparsity

            return sparsity(fn, argnums, of_path=kind == "path_sparsity")
        case "hvp":
            from srcad.transform.jacobians.second_order import hvp

            return hvp(fn, argnums, has_aux=has_aux, single=single)
    if kind in _JACOBIANS:
        from srcad.transform.jacobians import jacobians, second_order

        make = getattr(second_order if kind == "hessian" else jacobians, kind)
        found: Function = make(fn, argnums, has_aux=has_aux, single=single, holomorphic=holomorphic)
        return found
    assert kind in GRADIENTS, kind
    return gradient(
        fn,
        argnums,
        with_value=kind == "value_and_grad",
        has_aux=has_aux,
        holomorphic=holomorphic,
        single=single,
        elementwise=kind == "elementwise_grad",
        border=border,
    )


def vectorized(
    fn: Function,
    mapped: Sequence[bool],
    extent: Extent,
    *,
    is_derived: bool = True,
    same: frozenset[int] = frozenset(),
) -> Function:
    """The program of `fn` for all samples (`srcad.transform.batching.samples`)."""
    from srcad.transform.batching import samples

    return samples.vectorized(fn, mapped, extent, is_derived=is_derived, same=same)


__all__ = [
    "GRADIENTS",
    "derivative",
    "gradient",
    "implicit",
    "integrals",
    "pullback",
    "pushforward",
    "rk_steps",
    "solutions",
    "vectorized",
]
