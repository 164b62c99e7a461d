"""The files of a function in C: the function, its header, and a test that runs an example.

loss_grad.c        the function, its helpers, what each status means
loss_grad.h        what to include
loss_grad_test.c   `main`: one call, compared with what NumPy gave
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.native.c.expressions import literal
from srcad.native.c.functions import Parameter, Written
from srcad.native.c.helpers import helpers_for
from srcad.native.c.nodes import in_comment

_INCLUDES = ("math.h", "stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "string.h")
_PER_LINE = 4  # numbers


@dataclass(frozen=True, slots=True)
class Described:
    """What the header tells of a parameter: its name, and what it is."""

    name: str
    text: str


def source(written: Written, name: str, header: str, first: Sequence[str]) -> str:
    """The text of the `.c` file.

    Args:
        header: the name of the header's file.
        first: the lines at the head, as those of a saved module.
    """
    helpers = helpers_for(written.lines)
    told = [f'    "{_quoted(text)}",' for text in ("success", *written.told)]
    parts = [
        *_comments(first),
        f'#include "{header}"',
        "",
        *(f"#include <{each}>" for each in _INCLUDES),
        *(line for text in helpers for line in ("", *text.splitlines())),
        "",
        *written.lines,
        "",
        f"const char *{name}_message(int status)",
        "{",
        "    static const char *const messages[] = {",
        *(f"    {line}" for line in told),
        "    };",
        "    int count = (int)(sizeof messages / sizeof *messages);",
        '    return status >= 0 && status < count ? messages[status] : "an unknown status";',
        "}",
    ]
    return "".join(f"{line}\n" for line in parts)


def header(
    written: Written, name: str, title: str, described: Sequence[Described], first: Sequence[str]
) -> str:
    """The text of the `.h` file."""
    guard = f"SRCAD_{name.upper()}_H"
    width = max([len(each.name) for each in described], default=0)
    lines = [f"   {each.name.ljust(width)}  {in_comment(each.text)}" for each in described]
    parts = [
        *_comments(first),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"/* {in_comment(title)}",
        "",
        *lines,
        "",
        "   Arrays lie by rows, without gaps. Results must not overlap arguments. Returns 0, or",
        f"   what {name}_message() explains; results are not to be read then. */",
        f"{written.head};",
        "",
        "/* What a status means: a text that is not to be freed. */",
        f"const char *{name}_message(int status);",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        f"#endif /* {guard} */",
    ]
    return "".join(f"{line}\n" for line in parts)


Values = Sequence[tuple[Parameter, Any]]


def driver(
    name: str, header: str, examples: Sequence[tuple[Values, Values]], first: Sequence[str]
) -> str:
    """The text of the test.

    Args:
        examples: what is passed, and what NumPy gave for it.
    """
    single = any(p.type == "float" for example in examples for part in example for p, _ in part)
    calls = [f"test_{k}" for k in range(1, len(examples) + 1)]
    parts = [
        *_comments(first),
        f'#include "{header}"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        f"static const double tolerance = {'1e-4' if single else '1e-9'};",
        "",
        *_DIFFERS.splitlines(),
        "",
        *(
            line
            for call, (arguments, results) in zip(calls, examples, strict=True)
            for line in (*_test(call, name, arguments, results), "")
        ),
        "int main(void)",
        "{",
        f"    int failed = {' + '.join(f'{call}()' for call in calls)};",
        '    printf("%d numbers differ from NumPy\'s\\n", failed);',
        "    return failed > 0;",
        "}",
    ]
    return "".join(f"{line}\n" for line in parts)


_DIFFERS = """\
static int differs(const char *name, int k, double found, double wanted)
{
    if (found == wanted || fabs(found - wanted) <= tolerance * fmax(1.0, fabs(wanted)) ||
        (isnan(found) && isnan(wanted))) {
        return 0;
    }
    printf("%s[%d] is %.17g, NumPy gave %.17g\\n", name, k, found, wanted);
    return 1;
}"""


def _test(call: str, name: str, arguments: Values, results: Values) -> list[str]:
    """A function that counts the numbers which differ in one example."""
    tables: list[str] = []
    checks: list[str] = []
    for param, value in arguments:
        if param.is_array:
            tables += _table(f"static const {param.type} {param.name}", value)
    for param, value in results:
        count = int(np.size(value))
        tables += _table(f"static const {param.type} {param.name}_wanted", value)
        tables.append(f"    static {param.type} {param.name}[{max(1, count)}];")
        name_of = param.name
        checks += [
            f"    for (int k = 0; k < {count}; k++) {{",
            f'        failed += differs("{name_of}", k, {name_of}[k], {name_of}_wanted[k]);',
            "    }",
        ]
    passed = [p.name if p.is_array else _number(value) for p, value in arguments]
    passed += [p.name for p, _ in results]
    return [
        f"static int {call}(void)",
        "{",
        *tables,
        "    int failed = 0;",
        f"    int status = {name}({', '.join(passed)});",
        "    if (status != 0) {",
        f'        printf("%s\\n", {name}_message(status));',
        "        return 1;",
        "    }",
        *checks,
        "    return failed;",
        "}",
    ]


def _number(value: Any) -> str:
    """An argument that is passed by its value; one of NumPy's may be an array without axes."""
    return literal(value[()] if isinstance(value, np.ndarray) else value).text


def _table(begin: str, value: Any) -> list[str]:
    numbers = [literal(x).text for x in np.ascontiguousarray(value).ravel()] or ["0"]
    rows = [
        f"        {', '.join(numbers[k : k + _PER_LINE])},"
        for k in range(0, len(numbers), _PER_LINE)
    ]
    return [f"    {begin}[{len(numbers)}] = {{", *rows, "    };"]


def _comments(lines: Sequence[str]) -> list[str]:
    return [f"// {in_comment(line)}" for line in lines]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(c if " " <= c <= "~" else "?" for c in escaped)


__all__ = ["Described", "driver", "header", "source"]
