"""A program from disk, or from the compiler and then onto disk.

    key of the request and the arguments' signature
      no file                   compile, write
      a file with static paths  the key with the values found there, and look again
      a program                 its guards hold here: use it; else compile, write

The compiler is imported only where it is needed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from srcad import cache
from srcad.errors import InternalError, Location, SrcadError
from srcad.interrupts import raise_users_own
from srcad.ir.guards import Guard
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.disk.fingerprint import describe_guards, program_key, restore_guards
from srcad.pipeline.disk.named import path_by_name
from srcad.pipeline.disk.objects import describe_constant, is_users
from srcad.pipeline.disk.surroundings import Facts, Opaque
from srcad.pipeline.request import Request

Statics = frozenset[str]


def compile_or_load(
    request: Request, args: Sequence[Any], statics: Statics
) -> tuple[Artifact, Statics]:
    """The program for arguments like `args`.

    Args:
        statics: paths of int inputs that earlier programs of this request are specialised to.

    Returns:
        The program, and the paths of all int inputs that are specialised to by now.
    """
    key = program_key(request, args) if request.cache else None
    if key is not None:
        found, statics = _load(key, request, args, statics)
        if found is not None:
            return found, statics
    from srcad.pipeline.stages import compile_request

    try:
        artifact, statics = compile_request(request, args, statics)
    except InternalError:
        raise
    except SrcadError:
        if not statics:
            raise
        # It may be what other programs were specialised to that does not suit this one.
        artifact, statics = compile_request(request, args, frozenset())
    if key is not None:
        _store(key, artifact, request, args, statics)
    return artifact, statics


def _load(
    key: str, request: Request, args: Sequence[Any], statics: Statics
) -> tuple[Artifact | None, Statics]:
    entry = cache.load(key)
    if entry is not None and "statics" in entry.meta:
        statics = statics.union(entry.meta["statics"])
        exact = program_key(request, args, statics)
        # None of those values may be there: the key is then that of the file just read.
        entry = cache.load(exact) if exact not in (None, key) else None
    return (artifact_of(entry, request, args) if entry is not None else None), statics


def _store(
    key: str, artifact: Artifact, request: Request, args: Sequence[Any], statics: Statics
) -> None:
    entry = entry_of(artifact, request.primal)
    exact = program_key(request, args, statics) if statics else key
    if entry is None or exact is None:
        return
    if exact != key:
        text = "# This program is specialised to the values of the inputs below.\n"
        cache.store(key, cache.Entry(text, {"statics": sorted(statics)}))
    cache.store(exact, entry)


# Programs as entries -----------------------------------------------------------------------------


def entry_of(artifact: Artifact, primal: Any) -> cache.Entry | None:
    """A program as text and facts; None when it holds on to objects of this process."""
    try:
        held = list(_held(artifact, primal))
        meta = {
            "entry": artifact.entry,
            "captures": list(artifact.captures),
            "kept": [_path_to(obj, artifact.guards) for obj in artifact.kept],
            "globals": {n: _path_to(obj, artifact.guards) for n, obj in artifact.globals.items()},
            "guards": describe_guards((*held, *artifact.guards)),
            "held": len(held),
            "assumed": describe_guards(filter(_is_told, artifact.assumed)),
            "lines": _lines_to_facts(artifact.line_map),
            "scipy": _scipy_version(artifact.text),
            "compiled": list(artifact.compiled),
            "left": list(artifact.left),
            "writes": artifact.writes,
            "border": artifact.border,
            "acts": artifact.acts,
        }
    except Opaque:
        return None
    return cache.Entry(artifact.text, meta)


def artifact_of(entry: cache.Entry, request: Request, args: Sequence[Any]) -> Artifact | None:
    """The program of an entry; None when one of its guards does not hold here."""
    meta = entry.meta
    scope = {"F": request.primal, "A": args, "M": sys.modules}
    kept = _follow(meta["kept"], scope)
    outside = _follow(meta["globals"].values(), scope)
    if kept is None or outside is None or meta["scipy"] != _scipy_version(entry.text):
        return None
    scope |= {"K": kept, "G": outside}
    guards, assumed = (_restored(meta[name], scope) for name in ("guards", "assumed"))
    if guards is None or assumed is None:
        return None
    return Artifact(
        text=entry.text,
        entry=meta["entry"],
        captures=tuple(meta["captures"]),
        guards=guards[meta["held"] :],
        assumed=assumed,
        kept=kept,
        globals=dict(zip(meta["globals"], outside, strict=True)),
        line_map=_lines_from_facts(meta["lines"]),
        compiled=tuple(meta["compiled"]),
        left=tuple(meta["left"]),
        writes=meta["writes"],
        border=meta["border"],
        acts=meta["acts"],
        from_disk=True,
    )


def _follow(paths: Iterable[str], scope: dict[str, Any]) -> tuple[Any, ...] | None:
    """What paths lead to; None when one leads nowhere."""
    try:
        found: tuple[Any, ...] = eval(f"({''.join(f'{path}, ' for path in paths)})", scope)
    except Exception as problem:  # the objects are the user's, and so is what reading them raises
        raise_users_own(problem)
        return None
    return found


def _restored(facts: Sequence[Facts], scope: dict[str, Any]) -> tuple[Guard, ...] | None:
    """The guards of these facts, which hold here; None if one does not."""
    live = _follow([path for path, _, _ in facts], scope)
    return None if live is None else restore_guards(facts, live)


def _path_to(obj: Any, guards: Iterable[Guard]) -> str:
    """The path of an object that a program holds on to: one that a guard proves to lead to a class,
    or its name.
    """
    for guard in guards:
        if isinstance(obj, type) and guard.expected is obj and not guard.path.startswith("K["):
            if guard.kind == "is":
                return guard.path
            if guard.kind == "type":
                return f"type({guard.path})"
    return path_by_name(obj)


def _held(artifact: Artifact, primal: Any) -> Iterator[Guard]:
    """That the paths of what a program holds on to lead to objects that are alike: to a module of
    the user's, into which it assigns, if a function that it reads is of this very module.
    """
    functions = [
        ("F", primal),
        *((g.path, g.expected[0]) for g in artifact.guards if g.kind == "code"),
    ]
    for name, held in (("K", artifact.kept), ("G", tuple(artifact.globals.values()))):
        for i, obj in enumerate(held):
            yield Guard(f"{name}[{i}]", "is", obj)
            if isinstance(obj, ModuleType) and is_users(obj.__name__):
                names = f"vars({name}[{i}]) is {_path_to_names(vars(obj), functions)}"
                yield Guard(names, "equals", True)


def _path_to_names(names: dict[str, Any], functions: Iterable[tuple[str, Any]]) -> str:
    """The path of a module's names from a function that is of it."""
    for path, fn in functions:
        if getattr(fn, "__globals__", None) is names:
            return f"{path}.__globals__"
    raise Opaque


def _is_told(guard: Guard) -> bool:
    """Whether a guard is of a constant that can be written down."""
    try:
        describe_constant(guard.expected)
    except Opaque:
        return False
    return guard.kind == "equals"


def _scipy_version(text: str) -> str | None:
    """The version of SciPy, for a program that uses it."""
    if "scipy" not in text:
        return None
    try:
        import scipy
    except ImportError:
        return None
    version: str = scipy.__version__
    return version


def _lines_to_facts(line_map: Any) -> Facts:
    """`{7: Location(...)}` as a list of files, and rows that start with positions in it."""
    files = sorted({location.file for location in line_map.values()})
    rows = [
        [
            line,
            files.index(at.file),
            at.line,
            at.col,
            at.end_line,
            at.end_col,
            at.function,
            at.operation,
            at.part,
        ]
        for line, at in sorted(line_map.items())
    ]
    return [files, rows]


def _lines_from_facts(facts: Facts) -> dict[int, Location]:
    files, rows = facts
    return {
        line: replace(Location(files[file], *at), operation=operation, part=part)
        for line, file, *at, operation, part in rows
    }
