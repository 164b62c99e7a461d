"""What Python raises, as conditions: a function of C returns a number for each.

divide(x, y)        if (y == 0.0) -> ZeroDivisionError: division by zero         x / y
check_range(...)    if (i + 1 >= n) -> IndexError: a position is out of bounds

Some conditions are of the value: `exp` of Python's that is too large. What a function cannot do
that was made for other numbers of Python's than these is refused likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from srcad.native import helpers, python_semantics
from srcad.native.c.types import type_of_atom

_DOMAIN = "ValueError: math domain error"
_RANGE = "OverflowError: math range error"
_ZERO = "ZeroDivisionError: division by zero"
_GROWS = "OverflowError: an integer that grows beyond 64 bits"
_PYTHONS = "OverflowError: a number that is not finite"


class Check(NamedTuple):
    """`before` and `after` are conditions on the operands and on the value, each with the message
    where it holds; `value` is the value's text, "" for none.
    """

    value: str
    before: tuple[tuple[str, str], ...] = ()
    after: tuple[tuple[str, str], ...] = ()


def _math(name: str, where: str = "", told: str = _DOMAIN) -> Check:
    return Check(f"{name}({{0}})", ((where, told),) if where else ())


_TOO_LARGE = "{0} > 709.782712893384 && {0} < INFINITY"
_HYPERBOLIC = "fabs({0}) > 710.4758600739439 && !isinf({0})"
_RESULT = "isinf({r}) && isfinite({0})"
_P = python_semantics
_BY_NUMBER: dict[Callable[..., Any], Check] = {
    helpers.divide: Check("{0} / {1}", (("{1} == 0", _ZERO),)),
    helpers.divide_whole: Check("srcad_quotient({0}, {1})", (("{1} == 0", _ZERO),)),
    helpers.divide_rest: Check("srcad_remainder({0}, {1})", (("{1} == 0", _ZERO),)),
    helpers.nonzero: Check("{0}", (("{0} == 0", _ZERO),)),
    _P.floor_divide: Check("srcad_quotient({0}, {1})", (("{1} == 0", _ZERO),)),
    _P.modulo: Check("srcad_remainder({0}, {1})", (("{1} == 0", _ZERO),)),
    _P.sqrt: _math("sqrt", "{0} < 0"),
    _P.log: _math("log", "{0} <= 0"),
    _P.log2: _math("log2", "{0} <= 0"),
    _P.log10: _math("log10", "{0} <= 0"),
    _P.log1p: _math("log1p", "{0} <= -1"),
    _P.exp: _math("exp", _TOO_LARGE, _RANGE),
    _P.expm1: _math("expm1", _TOO_LARGE, _RANGE),
    _P.sinh: _math("sinh", _HYPERBOLIC, _RANGE),
    _P.cosh: _math("cosh", _HYPERBOLIC, _RANGE),
    _P.sin: _math("sin", "isinf({0})"),
    _P.cos: _math("cos", "isinf({0})"),
    _P.tan: _math("tan", "isinf({0})"),
    _P.asin: _math("asin", "fabs({0}) > 1"),
    _P.acos: _math("acos", "fabs({0}) > 1"),
    _P.acosh: _math("acosh", "{0} < 1"),
    _P.atanh: _math("atanh", "fabs({0}) >= 1"),
    _P.fmod: Check(
        "fmod({0}, {1})",
        (("!isnan({0}) && !isnan({1}) && (isinf({0}) || {1} == 0)", _DOMAIN),),
    ),
    _P.gamma: Check(
        "tgamma({0})",
        (("{0} == -INFINITY || ({0} <= 0 && floor({0}) == {0})", _DOMAIN),),
        ((_RESULT, _RANGE),),
    ),
    _P.lgamma: Check(
        "lgamma({0})",
        (("{0} > -INFINITY && {0} <= 0 && floor({0}) == {0}", _DOMAIN),),
        ((_RESULT, _RANGE),),
    ),
    _P.power: Check(
        "pow({0}, {1})",
        (
            (
                "isfinite({0}) && isfinite({1}) && "
                "(({0} == 0 && {1} < 0) || ({0} < 0 && floor({1}) != {1}))",
                _DOMAIN,
            ),
        ),
        ((_RESULT + " && isfinite({1})", _RANGE),),
    ),
    _P.float_power: Check(
        "pow({0}, {1})",
        (
            (
                "{0} == 0 && {1} < 0 && {1} > -INFINITY",
                "ZeroDivisionError: zero to a negative power",
            ),
            (
                "isfinite({0}) && {0} < 0 && isfinite({1}) && floor({1}) != {1}",
                "a negative number to a fractional power is complex",
            ),
        ),
        ((_RESULT + " && isfinite({1})", "OverflowError: numerical result out of range"),),
    ),
    helpers.finite_power: Check("pow({0}, {1})", (), (("!isfinite({r})", _PYTHONS),)),
    helpers.finite_product: Check("{0}", (("isinf({0}) && !isinf({1})", _PYTHONS),)),
    helpers.check_inverse: Check(
        "{0}", (("isinf({0}) && {1} != 0", "a divisor that has no inverse"),)
    ),
}
_INTEGRAL = (
    ("isnan({0})", "ValueError: cannot convert float NaN to integer"),
    (
        "!({0} >= -9223372036854775808.0 && {0} < 9223372036854775808.0)",
        "OverflowError: a float does not fit an integer of 64 bits",
    ),
)
_TO_INTEGER = {
    each: Check(f"(int64_t){name}({{0}})", _INTEGRAL)
    for each, name in ((_P.floor, "floor"), (_P.ceil, "ceil"), (_P.trunc, "trunc"))
}
_LARGE = (("{0} > 2147483648 || {0} < -2147483648", _GROWS),)
_COUNT = "({1} < 31 ? {1} : 31)"
_OF_INTEGERS: dict[Callable[..., Any], Check] = {
    _P.floor_divide: Check(
        "srcad_floor_divide({0}, {1})",
        (("{1} == 0", _ZERO), ("{1} == -1 && {0} == INT64_MIN", _GROWS)),
    ),
    _P.modulo: Check("srcad_modulo({0}, {1})", (("{1} == 0", _ZERO),)),
    helpers.divide: Check("(double){0} / {1}", (("{1} == 0", _ZERO),)),
    helpers.divide_whole: Check("srcad_floor_divide({0}, {1})", (("{1} == 0", _ZERO),)),
    helpers.divide_rest: Check("srcad_modulo({0}, {1})", (("{1} == 0", _ZERO),)),
    _P.int_power: Check(
        "srcad_power({0}, {1})",
        (
            ("{1} < 0", "a negative power of an integer is not an integer"),
            ("!srcad_power_fits({0}, {1})", _GROWS),
        ),
    ),
    helpers.check_size: Check("", _LARGE),
    helpers.check_within: Check("", (("{0} > {1} || {0} < -{1}", _GROWS),)),
    helpers.bounded: Check("{0}", (("{0} >= 2147483648 || {0} <= -2147483648", _GROWS),)),
    helpers.shifted_left: Check(
        f"{{0}} * ((int64_t)1 << {_COUNT})",
        (
            ("{1} < 0 || ({0} != 0 && {1} > 31)", _GROWS),
            ("{0} > 2147483648 || {0} < -2147483648", _GROWS),
            (f"{{0}} > (2147483648 >> {_COUNT}) || {{0}} < -(2147483648 >> {_COUNT})", _GROWS),
        ),
    ),
    helpers.shifted_right: Check(
        "{0} >> {1}", (("{1} < 0 || {1} > 62", "ValueError: a shift count out of bounds"),)
    ),
    helpers.within: Check(
        "{0}", (("{0} < {1} || {0} > {2}", "OverflowError: an integer out of bounds"),)
    ),
    helpers.check_equal: Check("", (("{0} != {1}", "ValueError: extents differ"),)),
    helpers.check_iterations: Check(""),
    helpers.refuse: Check(
        "",
        (
            (
                "true",
                "an exception of the function's own, or more rows than are solved for in loops",
            ),
        ),
    ),
}
_SINGLE = ("sqrt", "pow", "srcad_quotient", "srcad_remainder")


def is_checked(fn: Any) -> bool:
    """Whether an operation may end a function."""
    return fn in _BY_NUMBER or fn in _TO_INTEGER or fn in _OF_INTEGERS or fn in _RANGES


def check_of(fn: Any, args: Sequence[Any], texts: Sequence[str]) -> Check:
    """The conditions of an operation, and its value.

    Args:
        texts: the operands, as they are written.
    """
    if fn in _RANGES:
        return _RANGES[fn](texts)
    if fn in _TO_INTEGER:
        return _TO_INTEGER[fn]
    kinds = {type_of_atom(arg) for arg in args}
    if fn in _OF_INTEGERS and not kinds & {"double", "float"}:
        return _OF_INTEGERS[fn]
    found = _BY_NUMBER[fn]
    if kinds == {"float"}:
        for name in _SINGLE:
            found = found._replace(value=found.value.replace(f"{name}(", f"{name}f("))
    return found


def _range(texts: Sequence[str]) -> Check:
    lowest, least, greatest, _ = texts
    told = "IndexError: a position is out of bounds"
    outside = "{2} >= {3}" if least == lowest else "{1} < {0} || {2} >= {3}"
    if least == greatest:
        return Check("", ((outside, told),))
    outside = f"({outside})" if " || " in outside else outside
    return Check("", ((f"{{1}} <= {{2}} && {outside}", told),))


def _natural(texts: Sequence[str]) -> Check:
    told = "a slice that reaches over an end of its array"
    is_one = texts[0] == texts[1]
    return Check("", (("{0} < 0" if is_one else "{0} <= {1} && {0} < 0", told),))


_RANGES: dict[Callable[..., Any], Callable[[Sequence[str]], Check]] = {
    helpers.check_range: _range,
    helpers.check_natural: _natural,
}

__all__ = ["Check", "check_of", "is_checked"]
