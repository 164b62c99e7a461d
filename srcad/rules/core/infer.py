"""The types of results, by the type functions of the rules."""

from __future__ import annotations

from typing import Any

from srcad.errors import SrcadError, error
from srcad.ir.nodes import Atom, Function, Value
from srcad.ir.types import ArrayType, Type
from srcad.ir.walk import map_values
from srcad.rules.core.facts import UncoveredError, stated_type, type_of_constant
from srcad.rules.core.table import name_of, no_rule, rule_for


def infer(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The type of `fn(*args, **kwargs)`, by the type function of its rule.

    Of several results their types in a tuple, a list or a named tuple, as the function gives them.
    """
    if isinstance(fn, Function):
        results = tuple(_type_of(result) for result in fn.body.results)
        return results[0] if len(results) == 1 else results
    rule = rule_for(fn, kwargs)
    if rule is None:
        raise no_rule(fn)
    try:
        result = stated_type(rule.type_of(*types_in(args), **types_in(kwargs)))
        _refuse_objects(fn, result)
        return result
    except SrcadError:
        raise
    except UncoveredError as use:
        note = f"there is no rule for {use}"
        raise error("E203", None, what=f"`{name_of(fn)}`", notes=(note,)) from None
    except (TypeError, ValueError) as reason:
        raise error("E132", None, what=f"`{name_of(fn)}` ({reason})") from reason


def _refuse_objects(fn: Any, types: Any) -> None:
    """Refuse arrays of objects: what is in them, and how it varies, is not known."""
    for t in types if isinstance(types, list | tuple) else (types,):
        if isinstance(t, ArrayType) and t.dtype.kind == "O":
            raise error("E309", None, what=f"the result of `{name_of(fn)}`, an array")


def types_in(tree: Any) -> Any:
    """`tree` with the type of each value in its place."""
    return map_values(lambda value: value.type, tree)


def _type_of(atom: Atom) -> Type:
    return atom.type if isinstance(atom, Value) else type_of_constant(atom)
