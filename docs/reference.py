"""The pages reference.md and reference-networks.md: signatures and docstrings of what is public.

def grad(f=None, argnums=0, *, has_aux=False):      ->   ### grad
    \"\"\"The gradient of a scalar function.
                                                          srcad.grad(f=None, argnums=0, *, ...)
    Args:
        f: returns a scalar.                              The gradient of a scalar function.

    >>> srcad.grad(lambda x: x * x)(3.0)                  **Arguments**
    6.0                                                   - `f`: returns a scalar.
    \"\"\"
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import srcad
from srcad import kernels, nn, parallel, rules, testing

WIDTH = 88  # of a signature on one line
SECTIONS = {"Args:": "Arguments", "Returns:": "Returns", "Raises:": "Raises"}
ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*): (?P<text>.*)", re.DOTALL)
LIST = re.compile(r"(^  - .*\n)+", re.MULTILINE)
CODE = re.compile(r"(`[^`]*`)")


class Group(NamedTuple):
    """A heading, a sentence below it, and the names of a module that come there."""

    title: str
    about: str
    module: ModuleType
    names: Sequence[str]


ERRORS = tuple(
    name
    for name in srcad.__all__
    if isinstance(getattr(srcad, name), type) and name != "Transformed"
)
MEMBERS = (
    "primal", "source", "show", "save", "explain", "saved", "explore", "on", "cache_info",
    "cache_clear",
)  # fmt: skip

IN_BODIES = ("over", "ZERO", "unbroadcast", "known", "call", "RULES", "Rule")

GUIDE = (
    Group(
        "Gradients",
        "[Tutorial](tutorial.md#the-first-gradient). Each also works as a decorator, bare or with "
        "options.",
        srcad,
        ("grad", "value_and_grad", "elementwise_grad", "derivative"),
    ),
    Group(
        "Products",
        "Products with a Jacobian that is never formed: [tutorial](tutorial.md#jacobian-products).",
        srcad,
        ("jvp", "vjp", "linearize", "pushforward", "pullback", "hvp"),
    ),
    Group(
        "Jacobians and Hessians",
        "[Tutorial](tutorial.md#jacobians-and-hessians); [sparse ones](scipy.md#sparse-jacobians).",
        srcad,
        ("jacobian", "jacrev", "jacfwd", "hessian"),
    ),
    Group(
        "Programs",
        "[Many samples](tutorial.md#many-samples-at-once), "
        "[whole steps](tutorial.md#compile-a-whole-step), [memory](tutorial.md#checkpointing).",
        srcad,
        ("vmap", "compile", "checkpoint", "stop_gradient"),
    ),
    Group(
        "Equations",
        "Roots and fixed points by their equation: "
        "[guide](scipy.md#differentiating-what-a-solver-finds).",
        srcad,
        ("implicit", "fixed_point", "solve_ivp_by_adjoint"),
    ),
    Group(
        "In parts",
        "[Beyond one machine](beyond-one-machine.md): a gradient over many samples.",
        parallel,
        ("value_and_grad", "grad"),
    ),
    Group("Containers", "", srcad, ("flatten",)),
)
FINDING = (
    Group(
        "Checks",
        "[Find what is wrong](debugging.md).",
        testing,
        testing.__all__,
    ),
    Group("Debugging", "", srcad, ("debug_nans",)),
    Group(
        "Rules",
        "Derivatives of functions of your own: [write a rule](write-a-rule.md).",
        rules,
        ("rule", "elementwise", "linear", "composed", "zero", "nondiff", "same"),
    ),
    Group("Cases of rules", "", rules, ("Case",)),
    Group("Threads", "", srcad, ("num_threads", "set_num_threads")),
    Group("Memory", "", kernels, ("keep_memory", "release_memory")),
)


def page() -> str:
    """The page reference.md."""
    parts = [
        "# API",
        "The public functions of srcad, from their docstrings. [The functions of `srcad.nn`]"
        "(reference-networks.md) have a page of their own.",
        contents((*GUIDE, *FINDING), {"Transformed": "what-a-transformation-returns"}),
        *groups(GUIDE),
        "## What a transformation returns",
        "[Reading the generated source](tutorial.md#reading-the-generated-source), "
        "[which backend runs](backends.md#which-backend-runs).",
        *entry("Transformed", srcad.Transformed, "srcad."),
        *(
            part
            for name in MEMBERS
            for part in entry(f"Transformed.{name}", getattr(srcad.Transformed, name), "", "####")
        ),
        *groups(FINDING),
        "## Names for the bodies of rules",
        table(
            ("in `srcad.rules`", "what it is"),
            [(f"`{n}`", escaped(first_line(getattr(rules, n)))) for n in IN_BODIES],
        ),
        "## Errors",
        "[Errors](errors.md) has an example of each code. All are classes of `srcad.SrcadError`, "
        "which has `code`, `title`, `location`, `fix` and `notes`.",
        table(("class", "raised for"), [(f"`{n}`", first_line(getattr(srcad, n))) for n in ERRORS]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def networks_page() -> str:
    """The page reference-networks.md."""
    from srcad.nn import data, init, optim

    kinds = {
        "Layers": nn.layers, "Recurrent layers": nn.recurrent, "Activations": nn.activations,
        "Losses": nn.losses,
    }  # fmt: skip
    found = [
        *(Group(title, "", nn, module.__all__) for title, module in kinds.items()),
        Group("Gradients of tables", "", nn, ("SparseRows",)),
        Group("Optimisers", usage(optim), optim, functions_of(optim)),
        Group("Initial weights", usage(init), init, functions_of(init)),
        Group("Data sets", "", data, [n for n in data.__all__ if not n.endswith("Set")]),
    ]
    parts = [
        "# API of srcad.nn",
        "Layers, losses, optimisers and data sets, from their docstrings: plain functions of "
        "NumPy arrays, which any transformation differentiates. [Neural networks](networks.md) "
        "is the guide.",
        contents(found, {}),
        *groups(found),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def functions_of(module: ModuleType) -> list[str]:
    """The public functions that a module defines."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and inspect.isfunction(value)
        and value.__module__ == module.__name__
    ]


def usage(module: ModuleType) -> str:
    """The docstring of a module without its first line, indented code as a fence."""
    _, _, rest = inspect.getdoc(module).partition("\n\n")  # type: ignore[union-attr]  # it has one
    parts = [
        f"```python\n{textwrap.dedent(part)}\n```" if part.startswith("    ") else part
        for part in rest.strip("\n").split("\n\n")
    ]
    return "\n\n".join(parts)


def contents(found: Iterable[Group], more: dict[str, str]) -> str:
    """A table of the groups with links to their names."""
    rows = [
        (
            group.title,
            ", ".join(f"[`{n}`](#{anchor(prefix(group.module) + n)})" for n in group.names),
        )
        for group in found
    ]
    rows += [("Results", f"[`{name}`](#{target})") for name, target in more.items()]
    return table(("for", "functions"), rows)


def groups(found: Iterable[Group]) -> Iterator[str]:
    """Each group with its entries."""
    for group in found:
        yield f"## {group.title}"
        yield group.about
        for name in group.names:
            yield from entry(name, getattr(group.module, name), prefix(group.module))


def prefix(module: ModuleType) -> str:
    """What stands before a name where it is used: `srcad.`, `nn.`, `optim.`."""
    return module.__name__.rpartition(".")[2] + "."


def anchor(heading: str) -> str:
    """A heading's anchor, as GitHub and MkDocs make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def entry(name: str, value: Any, before: str, level: str = "###") -> Iterator[str]:
    """Heading, signature and docstring of one name."""
    yield f"{level} {before}{name}"
    if callable(value):
        yield f"```python\n{signature(name, value, before)}\n```"
    yield from body(docstring(value))


def signature(name: str, value: Any, before: str) -> str:
    """How it is called, without types; one parameter a line where they do not fit."""
    parameters = list(inspect.signature(value).parameters.values())
    if parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    texts, marked = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not marked:
            texts.append("*")
        marked = marked or p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else f"={written(p.default)}"
        texts.append(f"{stars}{p.name}{default}")
    line = f"{before}{name}({', '.join(texts)})"
    if len(line) <= WIDTH:
        return line
    inside = textwrap.fill(", ".join(texts), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"{before}{name}(\n{inside},\n)"


def written(default: Any) -> str:
    """A default as it is written in a program."""
    if isinstance(default, type):
        return f"np.{default.__name__}" if default.__module__ == "numpy" else default.__name__
    return repr(default).replace("'", '"')


def docstring(value: Any) -> str:
    """The docstring of an object, of its class for values."""
    found = inspect.getdoc(value)
    assert found, f"{value} has no docstring"
    return found


def first_line(value: Any) -> str:
    """The first sentence of a docstring."""
    return docstring(value).split("\n\n")[0].replace("\n", " ")


def body(text: str) -> Iterator[str]:
    """A docstring as blocks of Markdown: text, lists of arguments, examples."""
    for block in re.split(r"\n\n+", text):
        first, _, rest = block.partition("\n")
        if first in SECTIONS:
            yield f"**{SECTIONS[first]}**"
            yield from items(textwrap.dedent(rest))
        elif first.startswith(">>>"):
            yield f"```pycon\n{block}\n```"
        elif first.startswith("    "):
            yield f"```python\n{textwrap.dedent(block)}\n```"
        else:
            yield escaped(LIST.sub(lambda found: f"\n{textwrap.dedent(found[0])}\n", block))


def items(text: str) -> Iterator[str]:
    """`name: what it is` as the items of a list; other text as it stands."""
    entries = re.split(r"\n(?=\S)", text)
    if not all(ENTRY.match(each) for each in entries if each):
        yield escaped(text)
        return
    lines = []
    for each in entries:
        found = ENTRY.match(each)
        assert found is not None
        names = ", ".join(f"`{name}`" for name in found["names"].split(", "))
        told = " ".join(line.strip() for line in found["text"].splitlines())
        lines.append(f"- {names}: {escaped(told)}")
    yield "\n".join(lines)


def escaped(text: str) -> str:
    """Text without what Markdown would take for emphasis or tags, outside of code."""
    parts = CODE.split(text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<])", r"\\\1", part) for part in parts
    )
