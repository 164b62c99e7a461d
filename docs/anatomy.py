"""The page "Anatomy of a compile": one small program after each pass that changed it.

`python docs/generate.py` writes it. It needs no Numba: compiled functions are only printed.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import numpy as np

from srcad.frontend.lower import lower
from srcad.ir.passes import Pass, Step, observed, run
from srcad.ir.printer import show
from srcad.pipeline.passes import (
    BOUNDARY,
    BUFFERIZE,
    OUTLINE,
    PREPARE,
    RECOMPUTE,
    SCALARIZE,
    SIMPLIFY,
    STAGES,
    simplify_again,
)
from srcad.pipeline.stages import plain_program
from srcad.pipeline.targets import NATIVE, NUMPY
from srcad.transform import kinds

INTRODUCTION = """\
# Anatomy of a compile

This page shows the program of one small function after each pass that changes it, on the way to a
gradient. `python docs/generate.py` writes the page from the compiler itself. The description of
each pass is the first paragraph of its file. [How it works](how-it-works.md) explains the ideas,
and `srcad/pipeline/passes.py` has the order of all passes. To see the same for your own program:

```sh
srcad show model.py:loss --signature "f64[10], f64" --after all
```
"""


def loss(x, w):
    """Return a sum over entries: enough for each stage to have something to do."""
    r = np.tanh(w * x) - x
    return np.sum(r * r) / x.size


def page() -> str:
    """The page as Markdown."""
    x, w = np.linspace(0.1, 1.0, 5), 0.5
    lowered = lower(loss, (x, w), derive=kinds).function
    prepared = run(PREPARE, lowered, derives=True, compiles=False, simplify=simplify_again)
    derived = kinds.derivative(prepared, "value_and_grad", (0,), single=True)
    numpy_steps: list[Step] = []
    with observed(numpy_steps.append):
        smaller = run(SIMPLIFY, derived, fast_math=False, again=False, repeats=False)
        plain = run(BUFFERIZE, smaller)
    native_steps: list[Step] = []
    with observed(native_steps.append):
        stored = run(BUFFERIZE, run(RECOMPUTE, smaller, is_gradient=True, exact=[0]))
        compiled = run(
            OUTLINE, stored, stages=(SCALARIZE, BOUNDARY), left=[], read=plain_program, kernels=[],
            has_compiler=False,
        )  # fmt: skip
    frontend = "Python becomes SSA form for the types of the arguments"
    adjoint = "The forward sweep, followed by the reverse sweep, from the rule of each operation"
    parts = [
        INTRODUCTION,
        f"## The function\n\n```py\n{_source()}```\n",
        _section("## Lowering", f"{frontend}: `srcad.frontend`.", show(lowered)),
        _section("## The adjoint transform", f"{adjoint}: `srcad.transform`.", show(derived)),
        "## On NumPy\n",
        *_sections(numpy_steps),
        _section("### Emission", "The source that runs: `srcad.emit`.", NUMPY.emit(plain, "").text),
        "## Compiled\n",
        *_sections(native_steps),
        _section("### Emission", "The source that Numba compiles.", NATIVE.emit(compiled, "").text),
    ]
    return "\n".join(parts)


def _source() -> str:
    """The function without its docstring."""
    return inspect.getsource(loss).replace(f'    """{loss.__doc__}"""\n', "")


def _section(title: str, text: str, program: str) -> str:
    return f"{title}\n\n{text}\n\n```text\n{program.rstrip()}\n```\n"


def _sections(steps: list[Step]) -> Iterator[str]:
    """A section for each pass that changed the program, with what it did."""
    passes = {each.name: each for stage in STAGES for each in stage.passes}
    for step in steps:
        if step.changed:
            yield _section(f"### {step.name}", _summary(passes[step.name]), show(step.program))


def _summary(each: Pass) -> str:
    """The first paragraph of the file that a pass stands in."""
    module = inspect.getmodule(inspect.unwrap(each.run))
    assert isinstance(module, ModuleType)
    paragraph = (module.__doc__ or "").split("\n\n")[0]
    path = module.__name__.replace(".", "/")
    return f"{' '.join(paragraph.split())} (`{path}.py`)"
