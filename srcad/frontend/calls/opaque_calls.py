"""Calls of the user's functions without derivative (`srcad.rules.nondiff`): kept as they are.

Such a function may write a log or count: its call is an effect, made once for each run of the
statement. The type of its result is found by reading its source beside the program.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import FunctionType
from typing import Any

from srcad.errors import SrcadError
from srcad.frontend.abstract.containers.contents import contained
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.state import is_leaf, restore, snapshot
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ObjectType
from srcad.rules import RULES, Rule
from srcad.rules.core import facts
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.infer import infer
from srcad.rules.core.sequences import OnlyItem, refilled


def call_kept(
    frame: Frame, callee: Ref, args: tuple[Abstract, ...], kwargs: dict[str, Any],
    read: Callable[[], Abstract],
) -> Abstract:  # fmt: skip
    """Emit the call with its effects; `read` lowers the function's body, to be thrown away."""
    session = frame.session
    atoms = session.atom(args), session.atom(kwargs)
    if RULES[callee.obj].type_of is facts.told_by_source:
        types = _types(_result(frame, read))
    else:
        types = infer(callee.obj, *atoms)
    several = isinstance(types, list | tuple)
    outs = tuple(Value("", t) for t in (types if several else (types,)))
    fn = OnlyItem(callee.obj) if several and len(outs) == 1 else callee.obj
    session.add(Op(fn, *atoms, outs, session.builder.loc, effect=True))
    if several:
        return contained(refilled(types, outs)) if outs else None
    return outs[0]


def has_effects(rule: Rule) -> bool:
    """Whether calls of a function without derivative must be kept: it is the user's own."""
    return (
        rule.kind in ("zero", "nondiff")
        and isinstance(rule.fn, FunctionType)
        and (rule.fn in of_users)
    )


def _types(found: Abstract) -> Any:
    """The type of a result, or a tuple of types; none for None."""
    if found is None:
        return ()
    if isinstance(found, tuple):
        return tuple(_types(x) or ObjectType("None") for x in found)
    return type_of_leaf(found) if is_leaf(found) else ObjectType()


class _Unreadable:
    """The result of a function whose source srcad does not read."""


def _result(frame: Frame, read: Callable[[], Abstract]) -> Abstract:
    inputs, before = frame.session.inputs, snapshot(frame)
    known = {name: copy.copy(content) for name, content in vars(inputs).items()}
    try:
        with frame.session.block():
            return read()
    except SrcadError:
        return _Unreadable()
    finally:
        restore(before)
        vars(inputs).update(known)
