"""A program as a module that stands alone: NumPy only, and Numba for a compiled one; no srcad.

    def loss_grad(w, rate, scale):          import numpy as np
        ...
        return w_bar                        # Captured by `loss` when this module was written.
                                            scale = 2.0

                                    ->
                                            def loss_grad(w, *, rate=0.1):
                                                _check_arguments(w, rate)
                                                ...
                                                return w_bar

The public function has the primal's signature. Captured values are frozen as constants. What the
guards of the program assume of the arguments is checked (`srcad.pipeline.standalone.checks`).
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Collection, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from srcad.emit.bundle import names_of
from srcad.emit.printing.unparse import unparse
from srcad.errors import error
from srcad.frontend.reading.signature import signature_of, vector_position
from srcad.interrupts import raise_users_own
from srcad.ir.guards import Guard
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.dispatch import MISS, build_dispatch
from srcad.pipeline.request import Request
from srcad.pipeline.standalone.assigned import refuse_assigned
from srcad.pipeline.standalone.carried import carry
from srcad.pipeline.standalone.checks import argument_checks
from srcad.pipeline.standalone.frozen import frozen
from srcad.pipeline.standalone.headers import header_of, zero_tangents
from srcad.pipeline.standalone.imports import needs_srcad
from srcad.pipeline.standalone.kernel_source import with_kernels
from srcad.pipeline.standalone.key_order import Reordering
from srcad.pipeline.standalone.native_source import with_functions
from srcad.pipeline.standalone.several import merged

_GIVE_ARGUMENTS = "give example arguments after the path"


def save(
    path: str | PathLike[str],
    programs: Sequence[tuple[Artifact, Sequence[Any], frozenset[str]]],
    request: Request,
    overwrite: bool,
) -> None:
    """Write programs as a module: each with the arguments that it was made for, and with what need
    not be as it is in these (`srcad.pipeline.standalone.general`).

    Raises:
        CacheError: E503, for what means nothing outside this process.
        FileExists: E505, there is another file already.
    """
    is_one = len(programs) == 1
    texts = [
        standalone_text(artifact, request, args, general, is_one=is_one)
        for artifact, args, general in programs
    ]
    text = texts[0] if len(texts) == 1 else merged(texts, programs[0][0].entry)
    found, made = Path(path), (provenance(request) + text).encode()
    if found.exists() and not overwrite and (not found.is_file() or found.read_bytes() != made):
        raise error("E505", None, what=f"`{found}`")
    found.write_bytes(made)


def provenance(request: Request) -> str:
    """The first lines of a module: what made it, from what, and under which licence it is."""
    made = f"# Made from `{request.name}` by srcad {sys.modules['srcad'].__version__}; do not edit."
    return f"{made}\n{_LICENCE}\n"


_LICENCE = "# The licence is that of the function; what it has of srcad is under the MIT licence."


def standalone_text(
    artifact: Artifact,
    request: Request,
    args: Sequence[Any] = (),
    general: frozenset[str] = frozenset(),
    *,
    is_one: bool = True,
) -> str:
    """The text of the module that `save` writes; raises as `save` does. `is_one`: it has no other
    program, the parameters of which must be the same.
    """
    text, kernels = with_kernels(with_functions(artifact.text))
    carried = carry(text, artifact.globals)
    text, kernels = carried.text, [*kernels, *carried.lines]
    tree = ast.parse(text)
    _check_imports(tree)
    (entry,) = (
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == artifact.entry
    )
    names, captured = _parameters(entry, len(artifact.captures))
    order = _as_called(names, request)
    used = names_of(tree) | names_of(ast.parse("\n".join(kernels)))
    refuse_assigned(tree, artifact, dict(zip(artifact.captures, captured, strict=True)))
    values = _captured_values(artifact, request, args, captured)
    hidden = _hidden(values, entry, _defined(tree), used)
    values = {hidden.get(name, name): value for name, value in values.items()}
    constants, pages = _assignments({**values, **carried.globals}, request.name)
    places = dict(zip(artifact.captures, values, strict=True))
    places |= {f"A[{i}]": name for i, name in enumerate(names)}
    order_of = None if any(_is_bound(name, entry) for name in names) else names
    reordering = Reordering(request, entry, order_of, general, used)
    general -= reordering.left
    constant = dict(zero_tangents(request, names, args)) if is_one else {}
    unused = {name for name in constant if not _is_asked(name, names, entry, artifact.guards)}
    asked = [name for name in names if name not in unused]
    call, checks = argument_checks(artifact.guards, places, asked, used, general)
    known = {**hidden, **constant}
    prologue = [*(f"{name} = {text}" for name, text in known.items() if name not in unused), *call]
    defaults, header = header_of(entry.name, order, request, args, used, constant)
    lines = text.splitlines()
    first = min(_first_line(node) for node in tree.body if isinstance(node, ast.FunctionDef)) - 1
    document = entry.body[0].end_lineno
    assert ast.get_docstring(entry) is not None
    assert document is not None
    parts = [
        _with_imports(lines[:first], [*constants, *pages, *carried.lines, *defaults, header]),
        constants,
        ["", *lines[first : entry.lineno - 1]],
        [*(line for each in defaults for line in each.splitlines()), *([""] * 2 * bool(defaults))],
        [header],
        lines[entry.body[0].lineno - 1 : document],
        [*(f"    {line}" for line in prologue), ""] if prologue else [],
        reordering.body(lines, document),
        checks,
        reordering.definition,
        kernels,
        pages,
    ]
    return "".join(f"{line}\n" for part in parts for line in part)


def _hidden(
    values: Iterable[str], entry: ast.FunctionDef, defined: Collection[str], used: set[str]
) -> dict[str, str]:
    """Captured values that are constants under another name: where the function assigns to theirs,
    or the module has it already.
    """
    return {
        name: _fresh(f"_{name}", used)
        for name in values
        if _is_bound(name, entry) or name in defined
    }


# Signature ---------------------------------------------------------------------------------------


def _parameters(entry: ast.FunctionDef, n_captured: int) -> tuple[list[str], list[str]]:
    """The names of the primal's parameters, and those of the captured values, which come last."""
    spec = entry.args
    named = [
        *spec.posonlyargs,
        *spec.args,
        *([spec.vararg] if spec.vararg else []),
        *spec.kwonlyargs,
    ]
    names = [each.arg for each in named]
    end = len(names) - n_captured
    return [*names[:end], *([spec.kwarg.arg] if spec.kwarg else [])], names[end:]


def _as_called(names: list[str], request: Request) -> list[str]:
    """The parameters as callers pass them: the program of a product takes its vector last."""
    if request.kind != "hvp":
        return names
    parameters = list(signature_of(request.primal).parameters.values())
    last = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD
    at = vector_position(parameters, request.argnums)
    *rest, v = names
    at = len(rest) - last if at is None else at
    return [*rest[:at], v, *rest[at:]]


# Captured values ---------------------------------------------------------------------------------


def _captured_values(
    artifact: Artifact, request: Request, args: Sequence[Any], names: Sequence[str]
) -> dict[str, Any]:
    """The captured values by name, as they are now."""
    fixed = [guard for guard in artifact.guards if "A[" not in guard.path]
    paths = tuple(path for path in artifact.captures if "A[" not in path)
    holds = build_dispatch(lambda *_: None, request.primal, 0, 0, fixed, paths, artifact.kept)
    if holds() is MISS:
        what = f"the gradient of `{request.name}`, some captured value of which has changed,"
        raise error("E503", None, what=what, fix=_GIVE_ARGUMENTS)
    scope = {"F": request.primal, "A": args, "K": artifact.kept}
    values = {}
    for name, path in zip(names, artifact.captures, strict=True):
        try:
            values[name] = eval(path, dict(scope))
        except Exception as problem:
            raise_users_own(problem)
            what = f"captured value `{name}`"
            raise error("E503", None, what=what, fix=_GIVE_ARGUMENTS) from None
    return values


def _assignments(values: dict[str, Any], primal: str) -> tuple[list[str], list[str]]:
    """`scale = 2.0` for each captured value; those that fill pages go to the module's end."""
    short, long = [], []
    for name, value in values.items():
        text = frozen(value)
        if text is None:
            raise error("E503", None, what=f"captured value `{name.lstrip('_')}`")
        if "\n" in text:
            long.append(f"{name} = {text}")
        else:
            short.append(_printed(f"{name} = {text}"))
    comment = f"# Captured by `{primal}` when this module was written."
    return (
        [comment, *short, ""] if short else [],
        ["", "", comment, *long] if long else [],
    )


def _printed(line: str) -> str:
    """A statement with the quotes and the line breaks of generated code."""
    return unparse(ast.parse(line).body[0])


def _is_asked(
    name: str, names: Sequence[str], entry: ast.FunctionDef, guards: Sequence[Guard]
) -> bool:
    """Whether the function, or a guard, reads one of its parameters."""
    path = f"A[{names.index(name)}]"
    read = {node.id for node in ast.walk(entry) if isinstance(node, ast.Name)}
    return name in read or any(path in guard.path for guard in guards)


def _is_bound(name: str, entry: ast.FunctionDef) -> bool:
    """Whether the function also assigns to `name`, which makes it a local name."""
    return any(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for node in ast.walk(entry)
    )


def _first_line(function: ast.FunctionDef) -> int:
    """The line where a function begins, decorators included."""
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def _defined(tree: ast.Module) -> set[str]:
    """The names that the module itself binds."""
    found = set()
    for node in tree.body:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {alias.asname or alias.name for alias in names}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=targets):
                found |= {n.id for n in ast.walk(ast.Tuple(targets)) if isinstance(n, ast.Name)}
    return found


def _fresh(wish: str, used: Iterable[str]) -> str:
    while wish in used:
        wish = f"_{wish}"
    return wish


# Imports -----------------------------------------------------------------------------------------


def _with_imports(head: list[str], constants: list[str]) -> list[str]:
    """The head of the module with what constants and checks need; one empty line at its end."""
    while head and not head[-1]:
        head = head[:-1]
    if "import numpy as np" not in head:
        head = ["import numpy as np", "", *head]
    if any("base64." in line for line in constants):
        is_first_of_group = head[0].split()[1].split(".")[0] in sys.stdlib_module_names
        head = ["import base64", *([] if is_first_of_group else [""]), *head]
    return [*head, ""]


def _check_imports(tree: ast.Module) -> None:
    """Refuse what can only be imported together with srcad."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and needs_srcad(node.module or ""):
            what = f"`{node.names[0].name}` of `{node.module}`, which needs srcad,"
            fix = "define it in a module of its own, which does not import srcad"
            raise error("E503", None, what=what, fix=fix)
