"""The text of constants: numbers that read back exactly, strings in double quotes.

'a'  ->  "a"          float infinity  ->  1e309          -2j  ->  complex(-0.0, -2.0)
"""

import cmath
import math
from typing import Final

# A decimal that overflows: what Python's parser reads as infinity.
_INFINITY: Final = "1e309"


def constant_text(value: object, quote: str = '"') -> str:
    """Python text whose value is `value`, of the same type and sign; strings prefer `quote`."""
    if type(value) is str or type(value) is bytes:
        return _quoted(repr(value), quote)
    if type(value) is int:
        return _int_text(value)
    if type(value) is float:
        return _float_text(value)
    if type(value) is complex:
        return _complex_text(value)
    if type(value) is tuple:
        items = [constant_text(item, quote) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if type(value) is frozenset:
        return f"frozenset(({''.join(sorted(constant_text(v, quote) + ', ' for v in value))}))"
    return "..." if value is Ellipsis else repr(value)


def escaped(text: str, quote: str) -> str:
    """`text` as it stands between two `quote`s (one character or three) of a string literal."""
    return _unquoted(text).replace(quote[0], "\\" + quote[0])


def docstring_text(text: str) -> str:
    """`text` in triple double quotes, over as many lines as it has."""
    last = '\\"' if text.endswith('"') else ""
    lines = text[:-1] if last else text
    body = "\n".join(_unquoted(line) for line in lines.split("\n"))
    return '"""' + body.replace('"""', '\\"\\"\\"') + last + '"""'


def _unquoted(text: str) -> str:
    """`text` with everything but quotes escaped as `repr` does it."""
    # A double quote inside makes repr delimit by single quotes, and escape those.
    return repr('"' + text)[2:-1].replace("\\'", "'")


def _quoted(literal: str, quote: str) -> str:
    """`literal`, as `repr` wrote it, delimited by `quote` where that needs no escapes."""
    start = 1 if literal[0] == "b" else 0
    body = literal[start + 1 : -1]
    return literal if quote in body else f"{literal[:start]}{quote}{body}{quote}"


def _int_text(value: int) -> str:
    try:
        return repr(value)
    except ValueError:  # more digits than Python converts to decimal
        return hex(value)


def _float_text(value: float) -> str:
    if math.isnan(value):
        return 'float("nan")'
    return repr(value).replace("inf", _INFINITY)


def _complex_text(value: complex) -> str:
    # Only what a sum of a real and an imaginary literal gives back, signs of zero included.
    if math.copysign(1.0, value.real) > 0 and value.real == 0 and not math.isnan(value.imag):
        if math.copysign(1.0, value.imag) > 0:
            return repr(value).replace("inf", _INFINITY)
    elif cmath.isfinite(value) and value.real != 0 and value.imag != 0:
        return repr(value)
    return f"complex({_float_text(value.real)}, {_float_text(value.imag)})"
