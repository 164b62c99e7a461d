"""Optimisers: they change the parameters in place, whatever containers these stand in.

    optimiser = optim.adam(1e-3)
    state = optimiser.init(params)
    for x, y in batches:
        value, gradient = loss(params, x, y)
        optimiser.update(params, gradient, state)

A state is a dict of arrays and numbers, in the structure of the parameters: to be saved and read
as any other. Of a gradient that is a `SparseRows` only the rows that it names are touched, in the
parameters and in the state (for `adam` as TensorFlow's LazyAdam does).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srcad.api.arguments.trees import leaves
from srcad.api.arguments.updates import updated_leaves, zeros_of
from srcad.kernels import SparseRows

Array = NDArray[Any]
State = dict[str, Any]
# change(parameter, its gradient, the state, what the state keeps of the parameter: one array each)
Change = Callable[..., None]


class Optimiser(NamedTuple):
    """`init(params)` makes a state; `update(params, gradient, state)` changes both in place."""

    init: Callable[[Any], State]
    update: Callable[[Any, Any, State], None]


def sgd(lr: float, momentum: float = 0.0, *, weight_decay: float = 0.0) -> Optimiser:
    """Stochastic gradient descent: `v = momentum * v + g`, `p -= lr * v`.

    Args:
        lr: the step; `state["lr"]` may be changed at any time.
        momentum: how much of the last step is kept.
        weight_decay: times the parameter is added to its gradient.

    Returns:
        An `Optimiser`, with `init(params)` and `update(params, gradient, state)`.

    Raises:
        ValueError: a number is out of range.

    >>> import numpy as np
    >>> from srcad.nn import optim
    >>> params = {"w": np.ones(2)}
    >>> optimiser = optim.sgd(0.5)
    >>> state = optimiser.init(params)
    >>> optimiser.update(params, {"w": np.array([1.0, 2.0])}, state)
    >>> params["w"]
    array([0.5, 0. ])
    """
    _check(
        lr=(lr, 0, math.inf), momentum=(momentum, 0, 1), weight_decay=(weight_decay, 0, math.inf)
    )

    decays = weight_decay != 0  # a constant in compiled steps

    def init(params: Any) -> State:
        return {"lr": lr, **({"velocity": zeros_of(params)} if momentum else {})}

    def change(p: Array, g: Array, state: State, velocity: Array | None = None) -> None:
        if decays:
            g = g + weight_decay * p
        if velocity is not None:
            velocity *= momentum
            velocity += g
            g = velocity
        p -= float(state["lr"]) * g

    return Optimiser(init, _updating(change, ("velocity",) if momentum else ()))


def adam(
    lr: float = 1e-3,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    *,
    weight_decay: float = 0.0,
) -> Optimiser:
    """Adam, after Kingma and Ba (2015), algorithm 1; with decay AdamW, after Loshchilov and Hutter.

    Args:
        lr: the step; `state["lr"]` may be changed at any time.
        b1: decay of the mean of gradients.
        b2: decay of the mean of their squares.
        eps: added to the root of the second.
        weight_decay: times the step and the parameter is taken off the parameter (2019, decoupled).

    Returns:
        An `Optimiser`, with `init(params)` and `update(params, gradient, state)`.

    Raises:
        ValueError: a number is out of range.
    """
    _check(
        lr=(lr, 0, math.inf), b1=(b1, 0, 1), b2=(b2, 0, 1), eps=(eps, 0, math.inf),
        weight_decay=(weight_decay, 0, math.inf),
    )  # fmt: skip

    decays = weight_decay != 0  # a constant in compiled steps

    def init(params: Any) -> State:
        return {"lr": lr, "step": 0, "mean": zeros_of(params), "square": zeros_of(params)}

    def change(p: Array, g: Array, state: State, mean: Array, square: Array) -> None:
        # Numbers of Python do not widen the arithmetic of arrays; NumPy's may.
        lr, step = float(state["lr"]), state["step"]
        mean += (1 - b1) * (g - mean)
        square += (1 - b2) * ((g * np.conj(g) if np.iscomplexobj(p) else g * g) - square)
        if decays:
            p *= 1 - lr * weight_decay
        bound = np.sqrt(square)
        bound += eps * math.sqrt(1 - b2**step)
        if np.ndim(p) == 0:  # of arrays without axes NumPy makes numbers
            bound = mean / bound
        else:
            np.divide(mean, bound, out=bound)
        bound *= lr * math.sqrt(1 - b2**step) / (1 - b1**step)
        p -= bound

    return Optimiser(init, _updating(change, ("mean", "square"), counts=True))


def adamw(
    lr: float = 1e-3,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 1e-2,
) -> Optimiser:
    """`adam` with weights that decay by default.

    Args:
        lr, b1, b2, eps, weight_decay: as of `adam`.

    Returns:
        An `Optimiser`.

    Raises:
        ValueError: a number is out of range.
    """
    return adam(lr, b1, b2, eps, weight_decay=weight_decay)


def _updating(
    change: Change, kept: tuple[str, ...], counts: bool = False
) -> Callable[[Any, Any, State], None]:
    """The update that changes each array by `change`, given its parts of what a state keeps."""

    def update(params: Any, gradient: Any, state: State) -> None:
        arrays, changes = updated_leaves(params, gradient)
        own = [leaves(state[key]) for key in kept]
        if counts:
            state["step"] += 1
        for p, g, *parts in zip(arrays, changes, *own, strict=True):
            if isinstance(g, SparseRows):
                _change_rows(change, p, g, state, parts)
            else:
                change(p, _ascent(p, g), state, *parts)

    return update


def _ascent(p: Array, g: Array) -> Array:
    """The direction of steepest ascent: of x + iy the gradient is df/dx - i df/dy."""
    return np.conj(g) if np.iscomplexobj(p) else g


def _change_rows(change: Change, p: Array, g: SparseRows, state: State, parts: list[Array]) -> None:
    rows, values = g.summed()
    of_rows = [x[rows] for x in (p, *parts)]
    change(of_rows[0], _ascent(p, values), state, *of_rows[1:])
    for x, changed in zip((p, *parts), of_rows, strict=True):
        x[rows] = changed


def _check(**numbers: tuple[float, float, float]) -> None:
    for name, (x, low, high) in numbers.items():
        if not low <= x < high or (name == "lr" and x == 0):
            raise ValueError(f"{name}: expected a number from {low} to {high}, got {x!r}")


__all__ = ["Optimiser", "adam", "adamw", "sgd"]
