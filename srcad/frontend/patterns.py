"""`match` as `if` and `elif`, before anything else looks at a function's tree.

    match p:                              <p is remembered>
        case [x, 0] if x > 0:             if <p fits [x, 0]>:
            return x                          <x bound>
        case _:                     ->        if x > 0:
            return 0.0                            return x
                                              else:
                                                  return 0.0
                                          else:
                                              return 0.0

The nodes in brackets are the three classes below; `srcad.frontend.statements.matching` lowers them.
A case whose guard fails goes on with the next one, its names bound.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import gast


class Subject(gast.AST):  # type: ignore[misc]  # gast is untyped
    """Remember the value of `value` as the subject called `key`."""

    _fields = ("value",)


class Fits(gast.AST):  # type: ignore[misc]  # gast is untyped
    """An expression: whether the subject called `key` fits `pattern`."""

    _fields = ()


class Capture(gast.AST):  # type: ignore[misc]  # gast is untyped
    """Bind the names of `pattern`, which the subject called `key` fits, to its parts."""

    _fields = ("names",)


def without_match(tree: gast.AST) -> gast.AST:
    """`tree` with each `match` statement replaced."""
    has_match = any(isinstance(node, gast.Match) for node in gast.walk(tree))
    return _Replacing().visit(tree) if has_match else tree


class _Replacing(gast.NodeTransformer):  # type: ignore[misc]  # gast is untyped
    def __init__(self) -> None:
        self.count = 0

    def visit_Match(self, node: Any) -> Any:  # noqa: N802 -- named as the class it visits
        """The statements that stand for a `match`."""
        self.count += 1
        key = f"match{self.count}"
        self.generic_visit(node)
        return [_made(Subject, node, key=key, value=node.subject), *_cases(key, node.cases)]


def _cases(key: str, cases: list[Any]) -> list[Any]:
    if not cases:
        return []
    case, *rest = cases
    otherwise = _cases(key, rest)
    chain = otherwise
    # After an alternative that fits, a guard that fails leads to the next case, not to the next
    # alternative.
    for pattern in reversed(list(_alternatives(case.pattern))):
        body = case.body
        if case.guard is not None:
            body = [_made(gast.If, case.guard, test=case.guard, body=body, orelse=otherwise)]
        names = [gast.Name(n, gast.Store(), None, None) for n in bound_names(pattern)]
        bind = [_made(Capture, pattern, key=key, pattern=pattern, names=names)] if names else []
        test = _made(Fits, pattern, key=key, pattern=pattern)
        chain = [_made(gast.If, pattern, test=test, body=[*bind, *body], orelse=chain)]
    return chain


def _alternatives(pattern: Any) -> Iterator[Any]:
    """The alternatives of a pattern that binds names, one by one; else the pattern."""
    if isinstance(pattern, gast.MatchOr) and bound_names(pattern):
        for each in pattern.patterns:
            yield from _alternatives(each)
    elif isinstance(pattern, gast.MatchAs) and isinstance(pattern.pattern, gast.MatchOr):
        for each in pattern.pattern.patterns:
            named = copy.copy(pattern)
            named.pattern = each
            yield from _alternatives(named)
    else:
        yield pattern


def bound_names(pattern: Any) -> list[str]:
    """The names that a pattern binds, in order."""
    found: dict[str, None] = {}
    for node in gast.walk(pattern):
        for field in ("name", "rest"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                found[name] = None
    return list(found)


def _made(kind: Any, place: Any, **fields: Any) -> Any:
    node = kind()
    for name, x in fields.items():
        setattr(node, name, x)
    return gast.copy_location(node, place)
