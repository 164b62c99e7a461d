"""Operations of a flat program as statements of C: assignments, stores, memory, what may end it.

Op(index_iadd, (x, i, g))            x[i] += g;
Op(divide, (x, y))                   if (y == 0) {
                                         status = 2;
                                         goto done;
                                     }
                                     t = x / y;
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from srcad.emit.plan.nesting import Nesting
from srcad.errors import Location
from srcad.ir import Op, Value
from srcad.ir.inplace import index_iadd, index_imul, index_isub, index_itruediv, index_set
from srcad.native.c.checks import check_of, is_checked
from srcad.native.c.expressions import PLUS, UNARY, Expressions
from srcad.native.c.flat import Flat, cholesky, give, longer, product, room, solve
from srcad.native.c.nodes import Assign, Line, Nest, Node
from srcad.native.c.types import type_of_atom, type_of_entry, type_of_number
from srcad.native.called import CALLED
from srcad.native.decompositions import DECOMPOSITIONS
from srcad.native.scalarize.loop_builder import Unsuited

_STORES = {
    index_set: "=", index_iadd: "+=", index_isub: "-=", index_imul: "*=", index_itruediv: "/=",
}  # fmt: skip
_SYSTEMS = {
    solve: ("srcad_solve", "LinAlgError: Singular matrix"),
    cholesky: ("srcad_cholesky", "LinAlgError: Matrix is not positive definite"),
}
_ROWS = "_rows"  # of a tape


@dataclass
class Operations:
    """Prints the operations of one function.

    `results` are arrays that the caller gives memory for, `rooms` those that the function takes and
    gives back, `told` what each status means, `operands` variables for what checks mention twice.
    """

    flat: Flat
    names: dict[Value, str]
    nesting: Nesting
    results: set[Value]
    source: Callable[[Location], str]
    taken: set[str]
    types: dict[str, str] = field(default_factory=dict)
    rooms: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    outputs: dict[int, str] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    operands: list[str] = field(default_factory=list)
    depth: int = 0
    place: str = ""

    def __post_init__(self) -> None:
        self.e = Expressions(self.names, self.nesting)

    def text(self, x: Any) -> str:
        """An expression."""
        return self.e.of(x).text

    def variable(self, value: Value) -> str:
        """The variable of a value, which is noted with its type."""
        name = self.names[value]
        self.types.setdefault(name, type_of_number(value.type))
        return name

    def fresh(self, wish: str, kind: str) -> str:
        """A new variable."""
        name, k = wish, 1
        while name in self.taken:
            k += 1
            name = f"{wish}_{k}"
        self.taken.add(name)
        self.types[name] = kind
        return name

    def status(self, told: str) -> str:
        """The number that a function returns for a reason."""
        told = f"{self.place}{told}"
        if told not in self.told:
            self.told.append(told)
        return str(self.told.index(told) + 1)

    # Operations

    def operation(self, op: Op) -> list[Node]:
        """An assignment, a store, or what may end the function."""
        if any(out in self.nesting.nested for out in op.outs):
            return []
        if op.fn in _STORES:
            array, at, value = op.args
            place = f"{self.names[array]}[{self.text(at)}]"
            return [Line(f"{place} {_STORES[op.fn]} {self.text(value)};")]
        if op.fn is room:
            return self.take(op)
        if op.fn is longer:
            return self.lengthen(op)
        if op.fn is product:
            return [self.matmul(op.args)]
        if op.fn in _SYSTEMS:
            name, told = _SYSTEMS[op.fn]
            end = "f" if type_of_entry(op.args[0].type) == "float" else ""
            return self.fails(f"!{self.e.call(f'{name}{end}', *op.args).text}", told)
        if op.fn is give:
            return self.give(*op.args)
        if is_checked(op.fn):
            return self.checked(op)
        if op.fn in DECOMPOSITIONS:
            raise Unsuited("a decomposition by LAPACK")
        if op.fn in CALLED:
            raise Unsuited("a function of NumPy's that is called")
        if not op.outs:
            raise Unsuited(f"`{getattr(op.fn, '__name__', 'an effect')}`")
        if not self.nesting.uses[op.out]:
            return []
        return [Assign(self.variable(op.out), self.e.operation(op).text)]

    def checked(self, op: Op) -> list[Node]:
        """What may end the function, after the conditions."""
        made: list[Node] = []
        known: dict[str, str] = {}
        args = [self.simple(arg, made, known) for arg in op.args]
        check = check_of(op.fn, op.args, args)
        for cond, told in check.before:
            made += self.fails(cond.format(*args), told)
        if not check.value or not op.outs:
            return made
        if not self.nesting.uses[op.out] and not check.after:
            return made
        name = self.variable(op.out)
        if self.nesting.uses[op.out] == 0:
            self.types.setdefault(name, type_of_number(op.out.type))
        text = check.value.format(*args)
        made += [Assign(name, text)] if text != name else []
        for cond, told in check.after:
            made += self.fails(cond.format(*args, r=name), told)
        return made

    def simple(self, x: Any, made: list[Node], known: dict[str, str]) -> str:
        """An operand that is mentioned several times: a variable or a number.

        Args:
            known: the variables made so far, by what they are.
        """
        text = self.e.of(x)
        if text.text.isidentifier() or not isinstance(x, Value):
            return text.within(UNARY)
        if text.text not in known:
            known[text.text] = self.fresh("operand", type_of_atom(x))
            self.operands.append(known[text.text])
            made.append(Assign(known[text.text], text.text))
        return known[text.text]

    def fails(self, cond: str, told: str) -> list[Node]:
        """`if (cond) { status = 3; goto done; }`"""
        end = Line(f"status = {self.status(told)}; // {told}\ngoto done;")
        return [end] if cond == "true" else [Nest(f"if ({cond})", (end,))]

    def take(self, op: Op) -> list[Node]:
        """Memory for an array."""
        array = op.out
        if array in self.results:
            return []
        name, kind = self.names[array], type_of_entry(array.type)
        count = self.text(op.args[0])
        # What had this variable before is read no more.
        made: list[Node] = [Line(f"free({name});")] if self.depth or name in self.rooms else []
        self.rooms[name] = kind
        made.append(Line(f"{name} = srcad_room({count}, sizeof *{name});"))
        place, self.place = self.place, ""
        made += self.fails(f"{name} == NULL", "out of memory")
        self.place = place
        if array in self.flat.tapes:
            self.types[f"{name}{_ROWS}"] = "int64_t"
            made.append(Assign(f"{name}{_ROWS}", self.text(self.flat.sizes[array][0])))
        return made

    def lengthen(self, op: Op) -> list[Node]:
        """Memory for four times as many rows of a tape."""
        tape, row = op.args
        name = self.names[tape]
        rows, kind, width = f"{name}{_ROWS}", self.rooms[name], self.e.of(row).within(UNARY)
        count = f"4 * {rows}" if width == "1" else f"4 * {rows} * {width}"
        place, self.place = self.place, ""
        fails = self.fails("longer == NULL", "out of memory")
        self.place = place
        begin = Line(f"{kind} *longer = srcad_longer({name}, {count}, sizeof *{name});")
        # A block of its own: `longer` is declared in it.
        made: list[Node] = [Nest("", (begin, *fails, Line(f"{name} = longer;\n{rows} *= 4;")))]
        if op.outs and self.nesting.uses[op.out]:
            made.append(Assign(self.variable(op.out), rows))
        return made

    def matmul(self, args: tuple[Any, ...]) -> Line:
        """A product of matrices."""
        out, rows, columns, inner, x, x_at, x_width, x_turned, y, y_at, y_width, y_turned = args
        sides = []
        for array, at, width, turned in (
            (x, x_at, x_width, x_turned),
            (y, y_at, y_width, y_turned),
        ):
            start = self.names[array]
            if not (type(at) is int and at == 0):
                start = f"{start} + {self.e.of(at).within(PLUS)}"
            steps = ("1", self.text(width)) if turned else (self.text(width), "1")
            sides.append(f"{start}, {', '.join(steps)}")
        end = "f" if type_of_entry(out.type) == "float" else ""
        sizes = ", ".join(map(self.text, (rows, columns, inner)))
        left, right = sides
        return Line(
            f"srcad_matmul{end}({self.names[out]}, {sizes},\n             {left}, {right});"
        )

    def give(self, k: int, array: Value, count: Any) -> list[Node]:
        """A result that lies elsewhere is copied to the caller's memory."""
        name, text = self.outputs[k], self.e.of(count)
        copy = f"memcpy({name}, {self.names[array]}, (size_t)({text.text}) * sizeof *{name});"
        return [Nest(f"if ({text.within(PLUS)} > 0)", (Line(copy),))]


__all__ = ["Operations"]
