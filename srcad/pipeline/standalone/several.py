"""Several programs in one module, and a function that picks the one for its arguments.

def loss_grad(w): ...  # of float64       def _loss_grad_1(w): ...
def loss_grad(w): ...  # of float32  ->   def _loss_grad_2(w): ...

                                          def loss_grad(w):
                                              refused = []
                                              for fits, program in (...):
                                                  ...

What two modules define alike is there once; of what has one name and two meanings, the later gets a
number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from srcad.emit.definitions import names_read
from srcad.emit.printing.unparse import unparse
from srcad.errors import error
from srcad.pipeline.standalone.imports import grouped


@dataclass(frozen=True, slots=True)
class _Part:
    """A statement of a module: the name that it binds, what it reads, its lines."""

    name: str
    node: ast.stmt
    lines: tuple[str, ...]

    @property
    def reads(self) -> set[str]:
        """The names that it has from around it."""
        return set(names_read(self.node))


def merged(texts: Sequence[str], entry: str) -> str:
    """One module that does what several do, each of which has the function `entry`.

    Raises:
        CacheError: E503, two of them import different things under one name.
    """
    imports: dict[str, str] = {}
    parts: dict[str, _Part] = {}
    programs: list[tuple[str, str]] = []
    order: list[str] = []
    for k, text in enumerate(texts, 1):
        _add_imports(imports, text)
        own = _parts(_renamed(text, {entry: f"_{entry}_{k}"}))
        names = _numbered(own, parts, k)
        for part in _parts(_renamed(text, {entry: f"_{entry}_{k}", **names})):
            if part.name not in parts:
                parts[part.name] = part
                order.append(part.name)
        programs.append((_check_of(parts[f"_{entry}_{k}"].node), f"_{entry}_{k}"))
    head = grouped(set(imports.values()))
    bodies = [line for name in order for line in _spaced(parts[name])]
    dispatcher = _dispatcher(texts, entry, programs)
    lines = [*head, "", f'__all__ = ["{entry}"]', "", *bodies, "", "", *dispatcher]
    return "".join(f"{line}\n" for line in lines)


def _spaced(part: _Part) -> Iterator[str]:
    yield from ("", "") if isinstance(part.node, ast.FunctionDef | ast.ClassDef) else ()
    yield from part.lines


def _add_imports(imports: dict[str, str], text: str) -> None:
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in node.names:
            one = (
                ast.ImportFrom(node.module, [alias], node.level)
                if isinstance(node, ast.ImportFrom)
                else ast.Import([alias])
            )
            line, name = unparse(one).strip(), alias.asname or alias.name
            if imports.setdefault(name, line) != line:
                what = f"programs that import two things as `{name}`"
                raise error("E503", None, what=what, fix="save each to a module of its own")


def _parts(text: str) -> list[_Part]:
    """What a module defines, each with the comments before it."""
    lines = text.splitlines()
    found, end = [], 0
    for node in ast.parse(text).body:
        start, end = end, node.end_lineno or 0
        name = _bound_by(node)
        if name and name != "__all__":
            own = [line for line in lines[start:end]]
            while own and not own[0].strip():
                own.pop(0)
            found.append(_Part(name, node, tuple(own)))
    return found


def _bound_by(node: ast.AST) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.Import() | ast.ImportFrom():
            return ""
        case ast.If():  # what a kernel does when it is imported
            return unparse(node).strip()
    raise error("E503", None, what=f"`{unparse(node).strip()}` beside another program")


def _numbered(own: Sequence[_Part], known: Mapping[str, _Part], k: int) -> dict[str, str]:
    """New names for what has the name of something else, or reads it."""
    names: dict[str, str] = {}
    before = -1
    while len(names) > before:
        before = len(names)
        for part in own:
            if part.name in known and part.name not in names:
                is_same = part.lines == known[part.name].lines
                if not is_same or not part.reads.isdisjoint(names):
                    names[part.name] = f"{part.name}_of_{k}"
    return names


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with other names for what its module defines; comments stay."""
    tree = ast.parse(text)
    edits = sorted(_edits(tree, names), reverse=True)
    lines = [line.encode() for line in text.splitlines()]
    for row, column, old in edits:
        line = lines[row - 1]
        assert line[column : column + len(old)] == old.encode()
        lines[row - 1] = line[:column] + names[old].encode() + line[column + len(old) :]
    return "".join(f"{line.decode()}\n" for line in lines)


def _edits(tree: ast.AST, names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where these names of the module stand: row, column, name."""
    if isinstance(tree, ast.Name) and tree.id in names:
        yield tree.lineno, tree.col_offset, tree.id
    for child in ast.iter_child_nodes(tree):
        inner = names
        if isinstance(child, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            if isinstance(tree, ast.Module) and (name := _bound_by(child)) in names:
                word = "class " if isinstance(child, ast.ClassDef) else "def "
                yield child.lineno, child.col_offset + len(word), name
            local = {*names} - set(names_read(child)) if not isinstance(child, ast.ClassDef) else ()
            inner = {old: new for old, new in names.items() if old not in local}
        yield from _edits(child, inner)


def _check_of(node: ast.stmt) -> str:
    """The call in a program that checks its arguments, "" where there is none."""
    assert isinstance(node, ast.FunctionDef)
    for stmt in node.body:
        match stmt:
            case ast.Expr(ast.Call(func=ast.Name(id=name))) if "_check_arguments" in name:
                return unparse(stmt).strip()
    return ""


def _dispatcher(texts: Sequence[str], entry: str, programs: Sequence[tuple[str, str]]) -> list[str]:
    """The public function: the first program whose checks pass."""
    nodes = [
        next(n for n in ast.parse(t).body if isinstance(n, ast.FunctionDef) and n.name == entry)
        for t in texts
    ]
    first = nodes[0]
    head = unparse(ast.FunctionDef(entry, first.args, [ast.Pass()], [], lineno=0)).strip()
    documents = [(ast.get_docstring(node) or "").split("\n\n", 1) for node in nodes]
    lines = [head.rsplit("\n", 1)[0], f'    """{documents[0][0]}', ""]
    for k, (_, *rest) in enumerate(documents, 1):
        lines.append(f"    {k}. {'; '.join(rest[0].splitlines()) if rest else 'any'}")
    call = _passed_on(first.args)
    lines += ['    """', "    refused = []"]
    for check, program in programs:
        if not check:
            lines.append(f"    return {program}({call})")
            return lines
        lines += [
            "    try:",
            f"        {check}",
            "    except TypeError as problem:",
            "        refused.append(str(problem))",
            "    else:",
            f"        return {program}({call})",
        ]
    return [*lines, '    raise TypeError("; or ".join(refused))']


def _passed_on(spec: ast.arguments) -> str:
    parts = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    parts += [f"*{spec.vararg.arg}"] if spec.vararg else []
    parts += [f"{a.arg}={a.arg}" for a in spec.kwonlyargs]
    return ", ".join([*parts, *([f"**{spec.kwarg.arg}"] if spec.kwarg else [])])


__all__ = ["merged"]
