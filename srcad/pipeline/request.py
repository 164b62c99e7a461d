"""What is asked of the compiler: which derivative of which function, and with which options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from srcad.pipeline.targets import AUTO, Target, targets_of

Kind = Literal[
    "grad", "value_and_grad", "elementwise_grad", "derivative", "jacrev", "jacfwd", "jacobian",
    "hessian", "hvp", "jvp", "vjp", "primal", "compile",
    "vmap", "sparsity", "path_sparsity", "products", "linearize",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """A derivative to be compiled; or, of kind "compile", the function itself, which changes its
    arguments as it does in Python ("primal" is the function of copies).

    `argnums` are positions of arguments or names of parameters; `single` tells an int from a
    one-tuple, which decides whether a gradient or a tuple of them is returned. `holomorphic`:
    the derivative of a complex result by complex arguments. `axes`: those of the samples in the
    arguments and in the results of `vmap`. `debug_nans`: each operation is checked, by NumPy.
    `general`: the paths of extents that may be 1, and of dicts whose keys may have another order
    where the program does not ask for it; else these are as in the call that is compiled for.
    `over`: the paths of arrays of which the program is given a part, and its share of the samples.
    """

    kind: Kind
    primal: Callable[..., Any]
    argnums: tuple[int | str, ...] = (0,)
    single: bool = True
    has_aux: bool = False
    holomorphic: bool = False
    backend: str = AUTO
    fast_math: bool = False
    cache: bool = True
    axes: tuple[Any, Any] | None = None
    debug_nans: bool = False
    general: frozenset[str] = frozenset()
    over: tuple[str, ...] = ()

    @property
    def target(self) -> Target:
        """What the program is made for; it may be taken over by another's."""
        return targets_of(self.backend)[0]

    @property
    def name(self) -> str:
        """The primal's name, for messages."""
        return getattr(self.primal, "__name__", type(self.primal).__name__)

    def options(self) -> tuple[Any, ...]:
        """Everything but the primal: what the cache key needs besides the program itself."""
        return (
            self.kind, self.argnums, self.single, self.has_aux, self.holomorphic, self.target.name,
            self.fast_math, self.axes, self.debug_nans, self.general, self.over,
        )  # fmt: skip
