"""f-strings as text that Python 3.11 reads, which is stricter than its successors.

    JoinedStr(["y: ", FormattedValue(y["a"], spec=".3f")])  ->  f"y: {y['a']:.3f}"

Up to 3.11 the code in the braces holds neither a backslash nor the quotes around the whole. Where
that cannot be had, the string is written as the call of `str.format` that has the same value.
"""

import ast
from collections.abc import Callable
from typing import NamedTuple

from srcad.emit.printing.literals import escaped
from srcad.emit.printing.precedence import TERNARY


class _Piece(NamedTuple):
    text: str
    is_code: bool


def fstring_text(
    t: ast.JoinedStr, text_of: Callable[[ast.expr, int], str], quote: str
) -> str | None:
    """The literal, between `quote`s if it may be; None where Python 3.11 has no way to write it."""
    pieces = _pieces(t, text_of, depth=0)
    if pieces is None:
        return None
    code = "".join(piece.text for piece in pieces if piece.is_code)
    other = "'" if quote == '"' else '"'
    quotes = (q for q in (quote, other, quote * 3, other * 3) if q not in code)
    delimiter = next(quotes, None)
    if delimiter is None or "\\" in code:
        return None
    parts = [p.text if p.is_code else escaped(p.text, delimiter) for p in pieces]
    return f"f{delimiter}{''.join(parts)}{delimiter}"


def _pieces(
    t: ast.JoinedStr, text_of: Callable[[ast.expr, int], str], depth: int
) -> list[_Piece] | None:
    """The literal and the code parts; `depth` counts the format specs around `t`."""
    pieces = []
    for value in t.values:
        match value:
            case ast.Constant(value=str(text)):
                if depth and ("{" in text or "}" in text):
                    return None  # a brace has no escape in a format spec
                pieces.append(_Piece(text.replace("{", "{{").replace("}", "}}"), False))
            case ast.FormattedValue():
                code = text_of(value.value, TERNARY)
                space = " " if code.startswith("{") else ""
                conversion = "" if value.conversion == -1 else f"!{chr(value.conversion)}"
                pieces.append(_Piece(f"{{{space}{code}{conversion}", True))
                if isinstance(value.format_spec, ast.JoinedStr):
                    spec = _pieces(value.format_spec, text_of, depth + 1)
                    if spec is None:
                        return None
                    pieces += [_Piece(":", True), *spec]
                pieces.append(_Piece("}", True))
                if depth > 1:
                    return None  # Python 3.11 nests fields no deeper
    return pieces


def as_format_call(t: ast.JoinedStr) -> ast.Call:
    """`"{!r:{}}".format(value, spec)`: the f-string's value, written without nesting quotes."""
    template = []
    arguments: list[ast.expr] = []
    for value in t.values:
        match value:
            case ast.Constant(value=str(text)):
                template.append(text.replace("{", "{{").replace("}", "}}"))
            case ast.FormattedValue():
                conversion = "" if value.conversion == -1 else f"!{chr(value.conversion)}"
                arguments.append(value.value)
                if value.format_spec is not None:
                    arguments.append(_plain(value.format_spec))
                    conversion += ":{}"
                template.append(f"{{{conversion}}}")
    method = ast.Attribute(ast.Constant("".join(template)), "format", ast.Load())
    return ast.Call(method, arguments, [])


def _plain(spec: ast.expr) -> ast.expr:
    """A format spec without fields as the string it is."""
    if isinstance(spec, ast.JoinedStr):
        texts = [v.value for v in spec.values if isinstance(v, ast.Constant)]
        if len(texts) == len(spec.values):
            return ast.Constant("".join(map(str, texts)))
    return spec
