"""Operations as expressions of C, with no more parentheses than it takes.

Op(add, (x, Op(mul, (2.0, y))))        x + 2.0 * y
Op(np.maximum, (x, 0.0)), float32      srcad_maximumf(x, 0.0f)
Op(getitem, (x, i))                    x[i]
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from srcad.emit.plan.nesting import Nesting
from srcad.ir import Op, Value
from srcad.ir.types import dtype_of
from srcad.native import helpers, numpy_semantics
from srcad.native.c.types import type_of_atom, type_of_entry, wraps
from srcad.native.scalarize.loop_builder import NARROW, Unsuited
from srcad.native.vectorised import ADD, LARGER, MULTIPLY, SMALLER, Twin

# How tightly operators bind.
ATOM, UNARY, TIMES, PLUS, LESS, EQUAL, AND, OR, CHOICE = 9, 8, 7, 6, 5, 4, 3, 2, 1


class Text(NamedTuple):
    """An expression, and how tightly its outermost operator binds."""

    text: str
    binds: int = ATOM

    def within(self, binds: int) -> str:
        """In a place where only what binds as tightly needs no parentheses."""
        return self.text if self.binds >= binds else f"({self.text})"


_ARITHMETIC: Final = {
    operator.add: ("+", PLUS), np.add: ("+", PLUS), ADD: ("+", PLUS),
    operator.sub: ("-", PLUS), np.subtract: ("-", PLUS),
    operator.mul: ("*", TIMES), np.multiply: ("*", TIMES), MULTIPLY: ("*", TIMES),
    operator.truediv: ("/", TIMES), np.divide: ("/", TIMES),
}  # fmt: skip
_WRAPPING: Final = {"+": "srcad_add", "-": "srcad_subtract", "*": "srcad_multiply"}
_COMPARED: Final = {
    operator.lt: ("<", LESS), operator.le: ("<=", LESS), operator.gt: (">", LESS),
    operator.ge: (">=", LESS), operator.eq: ("==", EQUAL), operator.ne: ("!=", EQUAL),
    np.less: ("<", LESS), np.less_equal: ("<=", LESS), np.greater: (">", LESS),
    np.greater_equal: (">=", LESS), np.equal: ("==", EQUAL), np.not_equal: ("!=", EQUAL),
}  # fmt: skip
_LOGIC: Final = {
    operator.and_: ("&&", "&", AND),
    operator.or_: ("||", "|", OR),
    operator.xor: ("!=", "^", EQUAL),
}  # fmt: skip
# Functions of real numbers, which have a twin for float.
_REAL: Final = {
    np.exp: "exp", np.exp2: "exp2", np.expm1: "expm1", np.log: "log", np.log2: "log2",
    np.log10: "log10", np.log1p: "log1p", np.sqrt: "sqrt", np.cbrt: "cbrt", np.sin: "sin",
    np.cos: "cos", np.tan: "tan", np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan",
    np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh", np.arcsinh: "asinh", np.arccosh: "acosh",
    np.arctanh: "atanh", np.arctan2: "atan2", np.hypot: "hypot", np.floor: "floor",
    np.ceil: "ceil", np.trunc: "trunc", np.rint: "rint", np.fmax: "fmax", np.fmin: "fmin",
    np.copysign: "copysign", np.fmod: "fmod", np.power: "pow", np.float_power: "pow",
    operator.pow: "pow", abs: "fabs", operator.abs: "fabs", np.absolute: "fabs", np.fabs: "fabs",
    math.atan: "atan", math.atan2: "atan2", math.tanh: "tanh", math.erf: "erf",
    math.erfc: "erfc", math.fabs: "fabs", math.copysign: "copysign", math.asinh: "asinh",
    np.maximum: "srcad_maximum", np.minimum: "srcad_minimum", LARGER: "srcad_maximum",
    SMALLER: "srcad_minimum", np.sign: "srcad_sign", np.logaddexp: "srcad_logaddexp",
    numpy_semantics.quotient: "srcad_quotient", numpy_semantics.remainder: "srcad_remainder",
    operator.floordiv: "srcad_quotient", operator.mod: "srcad_remainder",
}  # fmt: skip
_OF_INTS: Final = {
    np.maximum: "srcad_max", np.minimum: "srcad_min", max: "srcad_max", min: "srcad_min",
    LARGER: "srcad_max", SMALLER: "srcad_min", np.fmax: "srcad_max", np.fmin: "srcad_min",
    abs: "srcad_abs", operator.abs: "srcad_abs", np.absolute: "srcad_abs",
    np.sign: "srcad_sign_of_int", operator.floordiv: "srcad_floor_divide",
    operator.mod: "srcad_modulo", numpy_semantics.int_quotient: "srcad_floor_divide",
    numpy_semantics.int_remainder: "srcad_modulo", helpers.counted: "srcad_counted",
    helpers.clipped: "srcad_clipped", helpers.count_iterations: "srcad_count_iterations",
    helpers.kept: "", helpers.count_rolled: "srcad_rolled", helpers.at_edge: "srcad_at_edge",
    helpers.wrapped: "srcad_modulo", helpers.reflected: "srcad_reflected",
    helpers.mirrored: "srcad_mirrored",
}  # fmt: skip
_ASKED: Final = {
    np.isnan: "isnan", np.isinf: "isinf", np.isfinite: "isfinite", np.signbit: "signbit",
}  # fmt: skip
_SEARCHES: Final = {
    helpers.largest_at: "srcad_largest_at",
    helpers.smallest_at: "srcad_smallest_at",
}
_DEGREES: Final = {np.deg2rad: math.pi / 180, np.rad2deg: 180 / math.pi}
_CASTS: Final = {
    float: "double", np.float64: "double", np.float32: "float", int: "int64_t",
    np.int64: "int64_t", np.intp: "int64_t",
}  # fmt: skip


class Expressions:
    """Expressions under a choice of names."""

    def __init__(self, names: Mapping[Value, str], nesting: Nesting) -> None:
        self.names, self.nesting = names, nesting

    def of(self, x: Any) -> Text:
        """An atom, or what is nested there."""
        if isinstance(x, Value):
            op = self.nesting.nested.get(x)
            return Text(self.names[x]) if op is None else self.operation(op)
        return literal(x)

    def operation(self, op: Op) -> Text:
        """The expression whose value an operation binds.

        Raises:
            Unsuited: C99 has none.
        """
        if op.fn is operator.getitem:
            array, at = op.args
            return Text(f"{self.of(array).text}[{self.of(at).text}]")
        fn = op.fn.of if isinstance(op.fn, Twin) and op.fn not in _ARITHMETIC else op.fn
        fn = op.fn if op.fn in (LARGER, SMALLER) else fn
        for write in (_arithmetic, _comparison, _logic, _call, _cast):
            made = write(self, op, fn)
            if made is not None:
                return made
        raise Unsuited(f"`{getattr(op.fn, '__name__', 'an operation')}`")

    def binary(self, op: Op, sign: str, binds: int) -> Text:
        """`x + y`."""
        x, y = (self.of(arg) for arg in op.args)
        return Text(f"{x.within(binds)} {sign} {y.within(binds + 1)}", binds)

    def call(self, name: str, *args: Any) -> Text:
        """`name(x, y)`."""
        return Text(f"{name}({', '.join(self.of(arg).text for arg in args)})")


def literal(x: Any) -> Text:
    """A number."""
    kind = type_of_atom(x)
    if kind == "bool":
        return Text("true" if x else "false")
    if kind == "int64_t":
        return Text(_integer(int(x)), ATOM if x >= 0 else UNARY)
    end = "f" if kind == "float" else ""
    value = float(x)
    if math.isnan(value):
        return Text("NAN")
    text = "INFINITY" if math.isinf(value) else repr(abs(value)) + end
    is_negative = math.copysign(1.0, value) < 0
    return Text(f"-{text}", UNARY) if is_negative else Text(text)


def _integer(x: int) -> str:
    if not -(2**63) <= x < 2**63:
        raise Unsuited("an integer of more than 64 bits")
    if x == -(2**63):
        return "INT64_MIN"
    return str(x) if abs(x) < 2**31 else f"INT64_C({x})"


def result_type(op: Op) -> str:
    """The type of a result."""
    return type_of_atom(op.out)


def _arithmetic(e: Expressions, op: Op, fn: Any) -> Text | None:
    if fn in (operator.neg, np.negative):
        if wraps(op.out):
            return e.call("srcad_subtract", 0, op.args[0])
        x = e.of(op.args[0]).within(UNARY)
        return Text(f"-({x})" if x.startswith("-") else f"-{x}", UNARY)
    if fn not in _ARITHMETIC:
        return None
    sign, binds = _ARITHMETIC[fn]
    kinds = {type_of_atom(arg) for arg in op.args}
    if sign == "/" and "double" not in kinds and "float" not in kinds:
        left, right = (e.of(arg).within(UNARY) for arg in op.args)
        return Text(f"(double){left} / {right}", TIMES)
    if kinds == {"int64_t"} and any(map(wraps, (*op.args, op.out))):
        return e.call(_WRAPPING[sign], *op.args)
    if "bool" in kinds and result_type(op) == "bool":
        raise Unsuited("arithmetic of truths")
    return e.binary(op, sign, binds)


def _comparison(e: Expressions, op: Op, fn: Any) -> Text | None:
    if fn not in _COMPARED:
        return None
    sign, binds = _COMPARED[fn]
    x, y = (e.of(arg).within(PLUS) for arg in op.args)
    if x == y and {type_of_atom(arg) for arg in op.args} == {"int64_t"}:
        return literal(sign in ("<=", ">=", "=="))  # compilers warn of it
    return Text(f"{x} {sign} {y}", binds)


def _logic(e: Expressions, op: Op, fn: Any) -> Text | None:
    if fn in (operator.not_, np.logical_not):
        return Text(f"!{e.of(op.args[0]).within(UNARY)}", UNARY)
    if fn not in _LOGIC:
        return None
    of_truths, of_bits, binds = _LOGIC[fn]
    is_truth = result_type(op) == "bool"
    x, y = (e.of(arg).within(PLUS if is_truth and binds != EQUAL else UNARY) for arg in op.args)
    return Text(f"{x} {of_truths if is_truth else of_bits} {y}", binds if is_truth else OR)


def _call(e: Expressions, op: Op, fn: Any) -> Text | None:
    if fn is helpers.natural:
        return e.of(op.args[0])
    if fn is helpers.kept:
        iteration, rows = (e.of(arg) for arg in op.args)
        return Text(f"srcad_min({iteration.text}, {rows.within(PLUS)} - 1)")
    if fn in _SEARCHES:
        end = {"double": "", "float": "f"}.get(type_of_entry(op.args[0].type))
        if end is None:
            raise Unsuited("the place of the largest or smallest of integers")
        return e.call(_SEARCHES[fn] + end, *op.args)
    if fn in _ASKED:
        return e.call(_ASKED[fn], *op.args)
    kinds = {type_of_atom(arg) for arg in op.args}
    if fn in _OF_INTS and not kinds & {"double", "float"}:
        return e.call(_OF_INTS[fn], *op.args)
    end = "f" if result_type(op) == "float" else ""
    if fn in _DEGREES:
        factor = literal(np.float32(_DEGREES[fn]) if end else _DEGREES[fn]).text
        return Text(f"{e.of(op.args[0]).within(TIMES)} * {factor}", TIMES)
    if fn in _REAL and result_type(op) in ("double", "float"):
        return e.call(_REAL[fn] + end, *op.args)
    return None


def _cast(e: Expressions, op: Op, fn: Any) -> Text | None:
    x = e.of(op.args[0]) if op.args else Text("")
    if fn is bool or fn is np.bool_:
        return Text(f"{x.within(PLUS)} != 0", EQUAL)
    if fn in _CASTS:
        wanted, found = _CASTS[fn], type_of_atom(op.args[0])
        if wanted == found or (wanted == "double" and found == "int64_t" and not _is_exact(op)):
            return x if wanted == found else Text(f"(double){x.within(UNARY)}", UNARY)
        if wanted == "int64_t" and found in ("double", "float"):
            raise Unsuited("a float as an integer of NumPy's")
        return Text(f"({wanted}){x.within(UNARY)}", UNARY)
    if fn in {dtype.type for dtype in map(np.dtype, NARROW)}:
        return Text(f"({np.dtype(fn).name}_t){x.within(UNARY)}", UNARY)
    return None


def _is_exact(op: Op) -> bool:
    return dtype_of(op.out.type) is None


__all__ = ["Expressions", "Text", "literal"]
