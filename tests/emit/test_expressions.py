"""Expressions: exact text of operators, subscripts, literals, f-strings."""

import ast
import math

import numpy as np
import pytest

from srcad.emit.printing.unparse import unparse

# Each is printed as it stands here.
AS_WRITTEN = r"""
-x ** 2
(-x) ** 2
2 ** -x
x ** y ** z
(x ** y) ** z
-(x + y)
-x * y
-(x * y)
a - (b - c)
a - b - c
a / (b * c)
a * b / c
a @ b @ c
a @ (b @ c)
(a + b) * c
a << 1 + b
a & (b | c) ^ d
~x
not a == b
(not a) == b
a < b <= c
(a < b) < c
a in b is not c
not (a and b)
a and (b or c)
a or b and c
a and (b and c)
a if b else c
(a if b else c) if d else e
a if b else c if d else e
(a if b else c) + 1
lambda: 0
lambda x, *y, z=1, **w: x + z
(lambda x: x)(1)
a if b else (lambda: c)
[lambda: (yield)]
await x ** 2
(await x).y
-await x
f(a, *b, c=1, **d)
f(*(a or b), **(c or d))
f(x for x in y)
f((x for x in y), 1)
f(x := 1)
f((x := 1), y)
f(a)(b)[c].d
(1).real
1.0.real
(-1).real
(a + b).T
(a, b).count
x[i]
x[i, j]
x[i,]
x[()]
x[*a,]
x[i:]
x[i:, ::2]
x[..., None]
x[1:-1]
x[i + 1 : j]
x[: n - 1, a:b:c]
x[f(a) :: n // 2]
x[y := 1]
x[(a, b), c]
()
(a,)
(a, b)
[a, *b]
{a, b}
{"a": 1, **b, **(c or d)}
{}
[x for x, y in z if x if y]
{x: y for x in a for y in (b if c else d)}
{(yield) for x in (lambda: y)}
[x async for x in y]
1e309
-1e309
1e-05
1e+16
12345678901234567890
2j
"a"
'"'
"it's"
'"it\'s"'
"\\\n\t\x00é\ud800"
b"a\xff"
u"a"
...
None
f""
f"{x}"
f"a {x!r:>{w}.{p}f} {{b}}"
f"{x['a']}"
f"{f'{x}'}"
f"{'a'}{b + 1:%d}"
f"'{x}'\n"
f"{ {1: 2}[x]}"
f"{(lambda: 1)()}"
f"{(x := 1)}{(a, b)}"
f"{a if b else c}"
f"{x != y}"
"""


@pytest.mark.parametrize("text", AS_WRITTEN.split("\n")[1:-1])
def test_expression_is_printed_as_written(text):
    assert unparse(ast.parse(text, mode="eval")) == text


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("((a)+(b))", "a + b"),
        ("x[(a, b)]", "x[a, b]"),
        ("x[(i,)]", "x[i,]"),
        ("a if b else lambda: c", "a if b else (lambda: c)"),
        ("'a' 'b'", '"ab"'),
        ("0x10 + 1_000", "16 + 1000"),
        ("1e999", "1e309"),
        ("f'''{x['a']}{y}'''", "f\"{x['a']}{y}\""),
        ("f'{x=}'", 'f"x={x!r}"'),
        ("'''a\nb'''", r'"a\nb"'),
    ],
)
def test_expression_is_printed_plainly(written, printed):
    assert unparse(ast.parse(written, mode="eval")) == printed


@pytest.mark.parametrize(
    ("node", "printed"),
    [
        (ast.BinOp(ast.Constant(-1), ast.Pow(), ast.Constant(2)), "(-1) ** 2"),
        (ast.BinOp(ast.Name("x"), ast.Sub(), ast.Constant(-0.0)), "x - -0.0"),
        (ast.Attribute(ast.Constant(-1.5), "real"), "(-1.5).real"),
        (ast.Attribute(ast.Constant(True), "real"), "True.real"),
        (ast.Set([]), "{*()}"),
        (ast.FormattedValue(ast.Name("x"), -1, None), 'f"{x}"'),
    ],
)
def test_trees_that_no_parser_makes(node, printed):
    assert unparse(node) == printed


@pytest.mark.parametrize(
    "value",
    [
        *(0.0, -0.0, 0.1, -1e-300, 1e300, math.inf, -math.inf, math.nan, -3, 10**5000),
        *(1j, -1j, 1 + 2j, 1 - 2j, -2j, complex(-0.0, 2), complex(0, -0.0), complex(1, -0.0)),
        *(complex(math.inf, 1), complex(0, math.inf), complex(0, math.nan), complex(-1, -0.0)),
        *((1, "a"), (1,), (), frozenset({1, 2}), frozenset(), b"", "'\"", True, None, Ellipsis),
        *(np.float32(1.5), np.float64(-2.0), np.int8(3)),
    ],
    ids=lambda value: repr(value)[:20] if not isinstance(value, int) or value < 10 else "big",
)
def test_constants_read_back_exactly(value):
    again = eval(unparse(ast.Constant(value)), {"np": np})
    assert type(again) is type(value)
    if isinstance(value, float | complex):
        parts, wanted = ([z.real, z.imag] for z in (complex(again), complex(value)))
        np.testing.assert_array_equal(parts, wanted)
        np.testing.assert_array_equal(np.signbit(parts), np.signbit(wanted))
    else:
        assert again == value


def nested(depth: int) -> ast.expr:
    """`depth` f-strings in each other around a string: more than there are kinds of quotes."""
    node: ast.expr = ast.Constant("a")
    for _ in range(depth):
        node = ast.JoinedStr([ast.Constant("<"), ast.FormattedValue(node, -1), ast.Constant(">")])
    return node


@pytest.mark.parametrize("depth", range(8))
def test_nested_f_strings_keep_their_value(depth):
    assert eval(unparse(nested(depth))) == "<" * depth + "a" + ">" * depth


@pytest.mark.parametrize(
    ("value", "spec", "want"),
    [
        ("ab\n", None, "'ab\\n'"),
        ('it\'s "it"', ast.JoinedStr([ast.Constant(">14")]), "  'it\\'s \"it\"'"),
        ("ab\\", ast.JoinedStr([ast.FormattedValue(ast.Constant(">8"), -1)]), "  'ab\\\\'"),
        ("ab", ast.JoinedStr([ast.Constant("{>6")]), "{{'ab'"),
    ],
)
def test_f_strings_beyond_python_3_11_become_format_calls(value, spec, want):
    node = ast.JoinedStr([ast.Constant("{"), ast.FormattedValue(ast.Constant(value), 114, spec)])
    text = unparse(node)
    assert ".format(" in text
    assert eval(text) == "{" + want
