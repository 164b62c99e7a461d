"""Whether a code object was compiled from a function's tree.

The function alone is compiled again, in scopes that stand for those around it, and its bytecode is
compared: of two lambdas on one line only one compiles to the code.
"""

from __future__ import annotations
import __future__

import ast
import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUTURE_FLAGS = sum(
    {getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}
)
# pytest rewrites `assert` before it compiles a test module, and leaves this name behind.
_PYTEST_MARK = "@pytest_ar"
_PLACE: dict[str, Any] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function's node, and the innermost class around it, which decides how `__x` is mangled."""

    node: Function
    class_name: str | None


def compiles_to(candidate: Candidate, code: CodeType, imported: tuple[str, ...]) -> bool:
    """Whether a code object was compiled from a function in a file that imports these names."""
    name = getattr(candidate.node, "name", "<lambda>")
    if name != code.co_name:
        return False
    if _is_rewritten_by_pytest(code):
        return _parameters(candidate.node) == code.co_varnames[: _parameter_count(code)]
    compiled = _compile(candidate, code, imported)
    return compiled is not None and _same(compiled, code)


def _compile(candidate: Candidate, code: CodeType, imported: tuple[str, ...]) -> CodeType | None:
    """Compile a function alone, in scopes that stand for the ones around it.

    Its free variables become parameters of a function around it, so that they stay free; a class
    around it mangles names and provides `__class__`. Defaults and decorators belong to the scope
    outside and are left out. Imports at the top are repeated, since Python compiles a method call
    on an imported name in its own way.
    """
    inner = _stripped(candidate.node)
    bound = getattr(candidate.node, "name", None)
    extra: dict[str, Any] = {"type_params": []} if "type_params" in ast.ClassDef._fields else {}
    if candidate.class_name:
        bound = candidate.class_name
        inner = ast.ClassDef(bound, [], [], [inner], [], **extra, **_PLACE)
    body = [inner]
    if bound and bound not in code.co_freevars:  # what is global in the file stays so
        body.insert(0, ast.Global([bound], **_PLACE))
    free = [ast.arg(name, None, **_PLACE) for name in code.co_freevars if name != "__class__"]
    arguments = ast.arguments([], free, None, [], [], None, [])
    whole: list[ast.stmt] = [
        ast.FunctionDef("<outside>", arguments, body, [], None, **extra, **_PLACE)
    ]
    if imported:
        whole.append(ast.Import([ast.alias(name, None, **_PLACE) for name in imported], **_PLACE))
    flags = code.co_flags & _FUTURE_FLAGS
    try:
        module = compile(ast.Module(whole, []), code.co_filename, "exec", flags, True)
    except (SyntaxError, ValueError):
        return None
    functions = (each for each in _codes(module) if each.co_flags & inspect.CO_OPTIMIZED)
    return next((each for each in functions if each.co_name == code.co_name), None)


def _stripped(node: Function) -> ast.stmt:
    """The function as a statement, without what is evaluated outside of it."""
    node = copy.copy(node)
    node.args = copy.copy(node.args)
    node.args.defaults = []
    node.args.kw_defaults = [None] * len(node.args.kwonlyargs)
    if isinstance(node, ast.Lambda):
        return ast.Expr(node, **_PLACE)
    node.decorator_list = []
    node.returns = None
    if hasattr(node, "type_params"):
        node.type_params = []
    return node


def imported_names(node: ast.AST) -> Iterator[str]:
    """Names that import statements bind in a module, those in functions and classes left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            names = [alias.asname or alias.name.partition(".")[0] for alias in child.names]
            yield from (name for name in names if name != "*")
        elif isinstance(child, ast.stmt | ast.ExceptHandler) and not isinstance(
            child, Function | ast.ClassDef
        ):
            yield from imported_names(child)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)


def _same(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects do the same; their lines do not matter."""
    return (
        a.co_code == b.co_code
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and a.co_freevars == b.co_freevars
        and a.co_cellvars == b.co_cellvars
        and a.co_argcount == b.co_argcount
        and a.co_posonlyargcount == b.co_posonlyargcount
        and a.co_kwonlyargcount == b.co_kwonlyargcount
        and len(a.co_consts) == len(b.co_consts)
        and all(map(_same_constant, _constants(a), _constants(b)))
    )


def _constants(code: CodeType) -> Iterator[object]:
    """The constants; the body of a class has its place among others, which does not matter."""
    is_class = not code.co_flags & inspect.CO_OPTIMIZED
    for const in code.co_consts:
        yield code.co_name if is_class and const == code.co_qualname else const


def _same_constant(a: object, b: object) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return a.co_name == b.co_name and _same(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    # Not by ==, for which 1 is 1.0 and 0.0 is -0.0; a frozenset's repr depends on its order.
    return type(a) is type(b) and (a == b if isinstance(a, frozenset) else repr(a) == repr(b))


def _is_rewritten_by_pytest(code: CodeType) -> bool:
    return any(_PYTEST_MARK in each.co_names for each in (code, *_codes(code)))


def _parameters(node: Function) -> tuple[str, ...]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return tuple(arg.arg for arg in (*every, args.vararg, args.kwarg) if arg)


def _parameter_count(code: CodeType) -> int:
    starred = bool(code.co_flags & inspect.CO_VARARGS) + bool(
        code.co_flags & inspect.CO_VARKEYWORDS
    )
    return code.co_argcount + code.co_kwonlyargcount + starred
