"""One function of C: its parameters, what it checks, its body, and how it ends.

int f(const double *x, int64_t n, double *value, double *x_bar)
{
    int status = 0;
    double *a = NULL;
    ...
done:
    free(a);
    return status;
}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.emit.plan.naming import assign_names, first_free
from srcad.emit.plan.nesting import plan_nesting
from srcad.errors import Location
from srcad.ir import Op, Value
from srcad.ir.kinds import has_axes
from srcad.ir.types import shape_of
from srcad.ir.walk import count_reads, defined_in, statements
from srcad.native.c.checks import is_checked
from srcad.native.c.expressions import literal
from srcad.native.c.flat import Flat, longer, product, room
from srcad.native.c.nodes import (
    Line,
    Nest,
    Node,
    assigned,
    declared,
    printed,
    without_unread,
    words,
)
from srcad.native.c.statements import Printer
from srcad.native.c.types import type_of_atom, type_of_entry, type_of_number
from srcad.native.c.words import RESERVED, ascii_name

# From the names of extents to conditions, each with the message where it holds.
Checks = Callable[[Mapping[str, str]], Iterable[tuple[str, str]]]
_WIDTH = 100
_PER_LINE = 6  # numbers of a table


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: an array of arguments is read, `is_result` one is written."""

    name: str
    type: str
    is_array: bool = False
    is_result: bool = False

    def __str__(self) -> str:
        if self.is_result:
            return f"{self.type} *{self.name}"
        return f"const {self.type} *{self.name}" if self.is_array else f"{self.type} {self.name}"


@dataclass(frozen=True, slots=True)
class Written:
    """A function: its head without `;`, the parameters that are passed, all its lines, what each
    status above 0 means, and the names of arguments, results, and extents by their symbols.
    """

    head: str
    parameters: list[Parameter]
    lines: list[str]
    told: list[str]
    arguments: dict[Value, str]
    results: list[Parameter]
    extents: dict[str, str]


def write_function(
    flat: Flat,
    name: str,
    constants: Mapping[Value, Any],
    labels: Sequence[str],
    checks: Checks,
    source: Callable[[Location], str],
) -> Written:
    """Print a flat program.

    Args:
        constants: parameters that are known, and what they are.
        labels: what results are called, if they can.
        checks: from the names of extents to conditions under which the function does not run,
            each with what is told.
        source: gives the user's line at a location.

    Raises:
        Unsuited: it does what C99 does not.
    """
    fn = flat.fn
    for value in (*fn.params, *defined_in(fn.body)):
        value.name = ascii_name(value.name)
    for op in statements(fn.body):
        if isinstance(op, Op) and (is_checked(op.fn) or op.fn in (room, longer, product)):
            op.effect = True
    fixed: dict[Value, str] = {}
    reserved = {*RESERVED, name, "status", "done", "longer"}
    for param in fn.params:
        fixed[param] = first_free(ascii_name(param.name) or "n", reserved)
        reserved.add(fixed[param])
    results: list[str] = []
    for label in labels:
        results.append(first_free(ascii_name(label), reserved))
        reserved.add(results[-1])
    nesting = plan_nesting(fn)
    nesting.breaks.clear()
    nesting.uses = count_reads(fn)
    fixed |= {value: results[k] for k, value in flat.results.items()}
    names = assign_names(fn, nesting, fixed, reserved)
    _tell_types_apart(names, results)
    read = {names[value] for value, count in nesting.uses.items() if count and value in names}
    taken = {*names.values(), *results, *RESERVED}
    outputs = dict(enumerate(results))
    printer = Printer(
        flat, names, nesting, set(flat.results.values()), source, taken, outputs=outputs, read=read
    )
    return _Assembled(flat, name, constants, results, printer).function(checks)


def _tell_types_apart(names: dict[Value, str], results: Sequence[str]) -> None:
    """Give variables of several types several names."""
    taken = {*names.values(), *results, *RESERVED}
    first: dict[str, str] = {}
    others: dict[tuple[str, str], str] = {}
    for value, name in names.items():
        kind = f"{type_of_entry(value.type)} *" if has_axes(value) else type_of_number(value.type)
        if first.setdefault(name, kind) == kind:
            continue
        if (name, kind) not in others:
            others[name, kind] = first_free(name, taken)
            taken.add(others[name, kind])
        names[value] = others[name, kind]


@dataclass
class _Assembled:
    flat: Flat
    name: str
    constants: Mapping[Value, Any]
    results: list[str]
    printer: Printer

    def function(self, checks: Checks) -> Written:
        """The whole function."""
        flat, printer, names = self.flat, self.printer, self.printer.names
        fn = flat.fn
        extents = {symbol: names[value] for symbol, value in flat.extents.items()}
        outs = [
            Parameter(
                label,
                type_of_entry(atom.type) if has_axes(atom) else type_of_atom(atom),
                has_axes(atom),
                True,
            )
            for label, atom in zip(self.results, fn.body.results, strict=True)
        ]
        arguments = {p: names[p] for p in fn.params if p not in self.constants}
        arguments = {p: n for p, n in arguments.items() if p not in flat.extents.values()}
        first: list[Node] = []
        for cond, told in [*_negative(extents.values()), *checks(extents)]:
            first.append(Nest(f"if ({cond})", (Line(f"return {printer.status(told)}; // {told}"),)))
        body = without_unread(printer.block(fn.body.body), printer.operands)
        for out, atom in zip(outs, fn.body.results, strict=True):
            if not out.is_array:
                body.append(Line(f"*{out.name} = {printer.text(atom)};"))
        params = self.parameters(arguments, extents, outs)
        variables = {n: t for n, t in printer.types.items() if n not in {p.name for p in params}}
        for value in self.constants:
            variables.pop(names[value], None)
        changed = set(assigned(body))
        whole = declared(body, {n: t for n, t in variables.items() if n in _used(body)})
        jumps = any("goto done;" in line for line in printed(whole))
        lines = [
            *_folded(f"int {self.name}", params),
            "{",
            *self.tables(changed, body),
            *(["    int status = 0;"] if jumps or printer.rooms else []),
            *(f"    {kind} *{each} = NULL;" for each, kind in printer.rooms.items()),
            *printed(first),
            *(f"    (void){p.name};" for p in params if p.name not in _used([*first, *body])),
            "",
            *printed(whole),
            *(["", "done:"] if jumps else [""]),
            *(f"    free({each});" for each in printer.rooms),
            "    return status;" if jumps or printer.rooms else "    return 0;",
            "}",
        ]
        head = "\n".join(_folded(f"int {self.name}", params))
        passed = [p for p in params if not p.is_result]
        return Written(head, passed, _spaced(lines), printer.told, arguments, outs, extents)

    def parameters(
        self, arguments: Mapping[Value, str], extents: Mapping[str, str], outs: list[Parameter]
    ) -> list[Parameter]:
        """Each array followed by the extents that it is the first to have; the results last."""
        made: list[Parameter] = []
        left = dict(extents)
        for value, name in arguments.items():
            array = has_axes(value)
            kind = type_of_entry(value.type) if array else type_of_number(value.type)
            made.append(Parameter(name, kind, array))
            for extent in (shape_of(value.type) or ()) if array else ():
                symbol = getattr(extent, "symbol", None)
                if symbol in left:
                    made.append(Parameter(left.pop(symbol), "int64_t"))
        return [*made, *outs]

    def tables(self, changed: set[str], body: Sequence[Node]) -> list[str]:
        """What is known: captured numbers and arrays."""
        lines: list[str] = []
        used = _used(body)
        for value, known in self.constants.items():
            name = self.printer.names[value]
            if name not in used:
                continue
            if not has_axes(value):
                const = "" if name in changed else "const "
                kind = type_of_number(value.type)
                number = known[()] if isinstance(known, np.ndarray) else known
                lines.append(f"    {const}{kind} {name} = {literal(number).text};")
                continue
            numbers = [literal(x).text for x in np.ascontiguousarray(known).ravel()] or ["0"]
            kind = type_of_entry(value.type)
            lines.append(f"    static const {kind} {name}[{len(numbers)}] = {{")
            for k in range(0, len(numbers), _PER_LINE):
                lines.append(f"        {', '.join(numbers[k : k + _PER_LINE])},")
            lines.append("    };")
        return lines


def _negative(extents: Any) -> list[tuple[str, str]]:
    return [(f"{name} < 0", f"{name} is negative") for name in extents]


def _used(nodes: Sequence[Node]) -> set[str]:
    return words("\n".join(printed(nodes))) if nodes else set()


def _folded(begin: str, params: Sequence[Parameter]) -> list[str]:
    """`int f(a, b)`, with a line for as many parameters as fit."""
    lines, pad = [f"{begin}("], " " * (len(begin) + 1)
    for k, param in enumerate(params):
        text = str(param) + (", " if k + 1 < len(params) else ")")
        if len(lines[-1]) + len(text) > _WIDTH and lines[-1].strip() != f"{begin}(":
            lines[-1] = lines[-1].rstrip()
            lines.append(pad)
        lines[-1] += text
    if not params:
        lines[-1] += "void)"
    return lines


def _spaced(lines: list[str]) -> list[str]:
    """The lines without two empty ones in a row, or one after a brace."""
    made: list[str] = []
    for line in lines:
        if line or (made and made[-1] and made[-1] != "{"):
            made.append(line)
    return made


__all__ = ["Parameter", "Written", "write_function"]
