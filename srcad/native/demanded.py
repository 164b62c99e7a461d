"""Values that are read wherever they are bound, so that a path that leaves them unbound raises.

for v in x:                            last: demanded. Compiled code has 0.0 where nothing is
    last = v * v                       bound; Python raises UnboundLocalError
y = last + 1.0

if c: t = sin(x)                       t: not demanded, it is read under a condition
if c: y = y + t
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from srcad.ir import UNDEFINED, Block, If, Op, Value
from srcad.ir.nodes import For, While
from srcad.ir.walk import blocks, inputs, outputs, values_in

if TYPE_CHECKING:
    from srcad.native.scalarise import Scalariser


def find_demanded(block: Block) -> set[Value]:
    """What loops and branches in a block bind and an operation behind them in the same block reads,
    or is so in the end.
    """
    found: set[Value] = set()
    _walk(block, (), found)
    return found


def may_miss(s: Scalariser, outs: Sequence[Value], starts: Sequence[Any]) -> bool:
    """Whether a loop without turns leaves something unbound that is read behind it."""
    pairs = zip(outs, starts, strict=False)
    missing = [out for out, start in pairs if start is UNDEFINED or start in s.unbound]
    return not s.demanded.isdisjoint(missing)


def _walk(block: Block, wanted: Iterable[Value], found: set[Value]) -> None:
    demanded = set(wanted)
    for stmt in reversed(block.body):
        own = [k for k, out in enumerate(outputs(stmt)) if out in demanded]
        found.update(out for out in outputs(stmt) if out in demanded)
        match stmt:
            case Op():
                demanded.update(values_in(inputs(stmt)))
            case If():
                demanded.update(values_in(stmt.cond))
                for side in (stmt.then, stmt.orelse):
                    ends = [side.results[k] for k in own if k < len(side.results)]
                    _walk(side, values_in(ends), found)
            case For() | While():
                ends = [stmt.turned[k] for k in own if k < len(stmt.turned)]
                _walk(stmt.body, values_in(ends), found)
            case _:
                for inner in blocks(stmt):
                    _walk(inner, (), found)
