"""Which branches of a loop that exits say `break` themselves.

for i in range(n) ...:                          for i in range(n):
    small = lt(norm(h), tol)                        if norm(h) < tol:
    h_3 = if small: yield h                             break
          else: h_2 = tanh(h); yield h_2            h = np.tanh(h)
    yield h_3 leaving small

One does if it ends the body and knows the flag; so does a branch at the end of such a branch. Else
`if flag: break` ends the body.
"""

from __future__ import annotations

from collections import Counter

from srcad.ir import Block, If, Value
from srcad.ir.nodes import Atom
from srcad.ir.walk import blocks

Flags = tuple[Atom, Atom]  # whether to leave, as `then` and as `orelse` know it


def find_breaks(block: Block, flag: Atom, uses: Counter[Value]) -> dict[If, Flags]:
    """The `If`s that end `block` and say `break` themselves; their reads of flags leave `uses`."""
    last = block.body[-1] if block.body else None
    if not isinstance(last, If) or not last.is_branch or not isinstance(flag, Value):
        return {}
    if flag is last.cond:
        flags: Flags = (True, False)
    elif flag in last.outs:
        at = last.outs.index(flag)
        flags = (last.then.results[at], last.orelse.results[at])
    else:
        return {}
    uses[flag] -= 1
    found = {last: flags}
    for inner, known in zip(blocks(last), flags, strict=True):
        if isinstance(known, Value) and uses[flag]:
            uses[known] += 1  # it is moved to the variable of the flag, too
        found |= find_breaks(inner, known, uses)
    return found
