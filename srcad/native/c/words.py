"""Names that variables of C may not have.

double      double_       a keyword
log         log_          a function that the program may call
λ           u03bb         not of ASCII
"""

from __future__ import annotations

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while bool true false main
"""
_LIBRARY = """
NULL INFINITY NAN INT64_MIN INT64_MAX INT64_C SIZE_MAX PTRDIFF_MAX errno signgam
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t
malloc calloc realloc free memcpy abs labs exit div y0 y1 yn j0 j1 jn gamma remainder drem
significand
isnan isinf isfinite signbit isnormal isless isgreater fpclassify nan index
exp exp2 expm1 log log2 log10 log1p logb ilogb sqrt cbrt sin cos tan asin acos atan sinh cosh tanh
asinh acosh atanh atan2 hypot floor ceil trunc rint round nearbyint fmax fmin fdim copysign fmod pow
fabs erf erfc tgamma lgamma ldexp frexp modf scalb scalbn scalbln nextafter fma finite
"""
_FUNCTIONS = _LIBRARY.split()
RESERVED = frozenset(
    {*_KEYWORDS.split(), *_FUNCTIONS, *(f"{name}f" for name in _FUNCTIONS)}
    | {f"{name}l" for name in _FUNCTIONS}
)


def ascii_name(name: str) -> str:
    """A name of letters of ASCII."""
    text = "".join(c if c.isascii() else f"u{ord(c):04x}" for c in name)
    return f"{text}_" if text.startswith("srcad_") else text


__all__ = ["RESERVED", "ascii_name"]
