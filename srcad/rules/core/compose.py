"""Functions that NumPy writes in terms of others, with the body put in place of the call.

y = np.trapezoid(f, dx=h)      mean = (f[1:] + f[:-1]) / 2.0
                               y = np.sum(h * mean, axis=-1)

The body of `composed(fn, body)` runs on staged arguments, wherever the function is met: in the
user's program and in the bodies of other rules. What it emits has rules, from which both modes of
every order follow. Options must be known while compiling; `known` asks for that.
"""

from __future__ import annotations

from typing import Any

from srcad.ir.nodes import Block, If, Op, Value
from srcad.ir.types import Extent, NumberType, Type
from srcad.ir.walk import map_tree
from srcad.rules.core.sequences import refilled
from srcad.rules.core.staged import Builder, Staged, find_builder, type_of, unwrap
from srcad.rules.core.table import Body
from srcad.runtime.effects import raise_


def composed_type(body: Body) -> Any:
    """The type function of a composed function: its body runs on values of the given types."""

    def of_result(*args: object, **kwargs: object) -> Any:
        builder = Builder()
        xs, options = map_tree(_as_value, (args, kwargs))
        result = unwrap(body(*builder.wrap(xs), **builder.wrap(options)))
        if isinstance(result, list | tuple):
            return refilled(result, tuple(map(type_of, result)))
        return type_of(result)

    return of_result


def _as_value(x: object) -> object:
    return Value("", x) if isinstance(x, Type) else x


def known(x: Any, what: str = "an option") -> Any:
    """`x`, an int or a tuple of them, as a constant: programs are specialised to it, or refused.

    Args:
        x: an int of the run, or a tuple of them.
        what: what messages call it.

    Returns:
        The int or the tuple.

    Raises:
        UnsupportedSyntax: E123, it is computed from arrays.
    """
    if isinstance(x, tuple | list):
        return type(x)(known(item, what) for item in x)
    if not isinstance(x, Staged):
        return x
    extent = _extent(x)
    if isinstance(extent, int):
        return extent
    if isinstance(x.value, Value):
        return x.builder.constant(x.value, what)
    return x.value


def raise_unless(holds: Any, problem: type[Exception], message: str, *, beside: Any = None) -> None:
    """Have the program raise where a condition does not hold, as the function itself does.

    Args:
        beside: an argument of the function. Where it is known while compiling that the condition
            does not hold, what is staged beside it raises always; without it the call is refused.
    """
    builder = find_builder((holds, beside))
    if builder is None or (beside is None and not isinstance(holds, Staged)):
        if not holds:
            raise problem(message)
        return
    raising = Op(raise_, (problem, message), {}, (), builder.loc, effect=True)
    if isinstance(holds, Staged):
        blocks = Block([], [], []), Block([], [raising], [])
        builder.body.append(If(holds.value, *blocks, (), builder.loc))
    elif not holds:
        builder.body.append(raising)


def raise_unless_equal(
    n: Any, m: Any, problem: type[Exception], message: str, *, beside: Any = None
) -> None:
    """Have the program raise where two extents differ, unless their types say that they do not."""
    first, second = (_extent(x) for x in (n, m))
    if first is None or first != second:
        raise_unless(n == m, problem, message, beside=beside)


def _extent(x: Any) -> Extent | None:
    if not isinstance(x, Staged):
        return x if isinstance(x, int) else None
    return x.type.extent if isinstance(x.type, NumberType) else None


__all__ = ["composed_type", "known", "raise_unless", "raise_unless_equal"]
