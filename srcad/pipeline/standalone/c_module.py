"""A program as files of C: `.save("loss.c", w, x)` writes `loss.c`, `loss.h` and `loss_test.c`.

The signature is the function's, flat: each array is followed by the extents that are new, and the
results come last. What the program assumes of its arguments is checked first, as in a module of
Python (`srcad.pipeline.standalone.checks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from srcad.emit.module import line_text
from srcad.emit.plan.naming import function_name
from srcad.errors import error
from srcad.ir import ArrayType, Interface, Static, TupleType, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms
from srcad.ir.interface import Chosen, Outside, Record, Slot, paths, slots
from srcad.ir.kinds import has_axes
from srcad.ir.types import Dim, shape_of
from srcad.native.c.functions import Parameter, Written, write_function
from srcad.native.c.texts import Described, driver, header, source
from srcad.native.c.words import RESERVED, ascii_name
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.pipeline.reports.describe import docstring
from srcad.pipeline.request import Request
from srcad.pipeline.standalone.c_conditions import conditions
from srcad.pipeline.standalone.c_program import Whole, as_text, c_program, refusal
from srcad.pipeline.standalone.general import general_of
from srcad.pipeline.targets import C
from srcad.transform.boundary import find_params

Files = dict[str, str]  # texts by the ends of their names
# Arguments of a derivative, and what it is for these.
Example = tuple[Sequence[Any], Any]
_LETTERS = "nmkpqrs"
# Of more numbers the test would be longer than the function.
_MOST_NUMBERS = 50_000


def c_files(
    request: Request,
    args: Sequence[Any],
    examples: Sequence[Example],
    first: Sequence[str],
    stem: str,
) -> Files:
    """The texts of the files.

    Args:
        args: of the primal, filled in.
        examples: for the test; it is left out if there are none, or with very many numbers.
        first: the lines at the head of each file.
        stem: the name of the files.

    Raises:
        CacheError: E506, a part of the program has no form in C.
    """
    if request.kind in ("vjp", "linearize"):
        what, fix = "a function that is returned", "save the gradient, or the product by a vector"
        raise error("E506", None, what=what, fix=fix)
    request, args = replace(request, backend=C.name), [_by_rows(arg) for arg in args]
    names = _Names()
    whole = c_program(request, args, names)
    interface = whole.program.interface
    assert interface is not None
    name = ascii_name(function_name(whole.program.name))
    name = f"{name}_" if name in RESERVED else name
    general = _general(request, args, whole)
    results = _results(request, whole)
    checks = partial(conditions, whole, general)
    try:
        written = write_function(
            whole.flat, name, whole.constants, [label for label, _ in results], checks, line_text
        )
    except Unsuited as why:
        raise refusal(str(why), whole.program.body.body, 0) from None
    _sizes(request, whole)
    title, *_ = docstring(request, whole.lowered.function).split("\n\n")
    told = [*_described(request, interface, whole, written), *_fixed(interface)]
    files = {
        ".c": source(written, name, f"{stem}.h", first),
        ".h": header(written, name, " ".join(title.split()), told, first),
    }
    calls = [
        (
            _given(interface, whole, written, given),
            list(zip(written.results, _leaves(interface.result, wanted), strict=True)),
        )
        for given, wanted in examples
    ]
    numbers = sum(np.size(x) for call in calls for part in call for _, x in part)
    if calls and numbers <= _MOST_NUMBERS:
        with suppress(Unsuited):  # an example that C cannot pass
            files["_test.c"] = driver(name, f"{stem}.h", calls, first)
    return files


def _by_rows(arg: Any) -> Any:
    """An argument whose arrays lie as those of C do."""
    if isinstance(arg, np.ndarray) and arg.ndim:
        return np.ascontiguousarray(arg)
    if type(arg) in (list, tuple):
        return type(arg)(map(_by_rows, arg))
    return {key: _by_rows(item) for key, item in arg.items()} if type(arg) is dict else arg


class _Names(dict[str, str]):
    """Letters for extents, by their symbols."""

    def get(self, symbol: str, default: Any = None) -> Any:
        """The next letter for a new one."""
        k = len(self)
        return self.setdefault(symbol, _LETTERS[k] if k < len(_LETTERS) else f"n{k}")


# Arguments and results ---------------------------------------------------------------------------


def _results(request: Request, whole: Whole) -> list[tuple[str, Any]]:
    """Labels of results: their own names, or where they are in what is returned."""
    labels = []
    for value in whole.program.body.results:
        t = value.type if isinstance(value, Value) else None
        if isinstance(t, TupleType) or (
            t is None and not isinstance(value, int | float | np.generic)
        ):
            raise error("E506", None, what=f"a result of type {t or type(value).__name__}")
        labels.append((getattr(value, "name", "") or "result", value))
    if request.kind == "value_and_grad" and not request.has_aux:
        labels[0] = ("value", labels[0][1])
    given = {param.name for param in whole.program.params}
    return [("result" if label in given else label, value) for label, value in labels]


def _sizes(request: Request, whole: Whole) -> list[tuple[str, ...] | None]:
    """The extents of results, None for numbers.

    Raises:
        CacheError: E506, the caller cannot tell how large a result is.
    """
    forms = Forms(whole.flat.fn.body)
    known = set(whole.flat.fn.params)
    made: list[tuple[str, ...] | None] = []
    like = _differentiated(request, whole)
    for k, result in enumerate(whole.flat.fn.body.results):
        if not has_axes(result):
            made.append(None)
            continue
        own = like.get(k) or whole.program.body.results[k]
        shape = shape_of(own.type) or ()
        found = [forms.of(extent) for extent in whole.flat.sizes[result]]
        told = [
            _sum(form) if form and {v for v, _ in form.terms} <= known else _told(extent, whole)
            for form, extent in zip(found, shape, strict=True)
        ]
        if None in told:
            what = "a result whose size the arguments do not tell"
            fix = "return an array of the shape of an argument, or a sum of its entries"
            raise error("E506", None, what=what, fix=fix)
        made.append(tuple(text for text in told if text is not None))
    return made


def _differentiated(request: Request, whole: Whole) -> dict[int, Value]:
    """The argument whose gradient a result is, and whose shape it has."""
    interface = whole.program.interface
    assert interface is not None
    if request.kind not in ("grad", "value_and_grad"):
        return {}
    tree: Any = interface.result
    at = 1 if request.kind == "value_and_grad" else 0
    gradient = tree[at] if at or request.has_aux else tree
    params = find_params(interface, request.argnums)
    given = [slot for param in params for slot in slots(param.tree)]
    made = slots(gradient)
    if len(given) != len(made):
        return {}
    return dict(zip(made, (whole.program.params[slot] for slot in given), strict=True))


def _told(extent: Any, whole: Whole) -> str | None:
    """An extent that is an argument's."""
    if not isinstance(extent, Dim):
        return str(extent)
    base = whole.flat.extents.get(extent.symbol)
    if base is None:
        return None
    return base.name + (f" - {extent.minus}" if extent.minus > 0 else "")


def _sum(form: Affine) -> str:
    """`n - 2`."""
    parts = [f"{'' if k == 1 else f'{k} * '}{value.name}" for value, k in form.terms]
    text = " + ".join(parts).replace("+ -", "- ")
    if not parts:
        return str(form.const)
    return text + (f" {'+' if form.const > 0 else '-'} {abs(form.const)}" if form.const else "")


def _leaves(tree: Any, value: Any) -> Iterator[Any]:
    """The numbers and arrays of a result, in the order of the slots."""
    found: dict[int, Any] = {}

    def walk(tree: Any, value: Any) -> None:
        if isinstance(tree, Slot):
            found[tree.index] = value
        elif isinstance(tree, tuple | list):
            for part, item in zip(tree, value, strict=True):
                walk(part, item)
        elif isinstance(tree, dict):
            for key, part in tree.items():
                walk(part, value[key])
        elif isinstance(tree, Outside):
            fix = "write it for arrays: `x.to_numpy()`"
            raise error("E506", None, what=f"a {tree.cls.__name__}", fix=fix)
        elif isinstance(tree, Chosen):
            fix = "return a number that tells the kind, and the values of all"
            raise error("E506", None, what="a result of one of several kinds", fix=fix)
        elif isinstance(tree, Record):
            for key, part in tree.fields.items():
                walk(part, getattr(value, key))

    walk(tree, value)
    return iter([found[k] for k in sorted(found)])


def _given(
    interface: Interface, whole: Whole, written: Written, args: Sequence[Any]
) -> list[tuple[Parameter, Any]]:
    """What is passed in the example, parameter by parameter."""
    values: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for param, arg in zip(interface.params, args, strict=True):
        places = sorted(paths(param.tree, ""))
        for slot, value in zip(places, _leaves(param.tree, arg), strict=True):
            own = whole.program.params[slot]
            values[written.arguments[own]] = value
            for extent, n in zip(shape_of(own.type) or (), np.shape(value), strict=False):
                if isinstance(extent, Dim) and extent.symbol in written.extents:
                    sizes[written.extents[extent.symbol]] = n + extent.minus
    return [(p, values[p.name] if p.name in values else sizes[p.name]) for p in written.parameters]


def _described(
    request: Request, interface: Interface, whole: Whole, written: Written
) -> Iterator[Described]:
    """What the header tells of parameters, as the function has them."""
    for param in interface.params:
        for slot, path in paths(param.tree, param.name).items():
            value = whole.program.params[slot]
            name = written.arguments[value]
            called = "" if path == name else f"{path}, "
            yield Described(name, f"{called}{_kind(value.type, written)}")
    for result, sizes in zip(written.results, _sizes(request, whole), strict=True):
        kind = "a number" if sizes is None else f"an array of {' x '.join(sizes)}"
        yield Described(result.name, f"result, {kind}")


def _kind(t: Any, written: Written) -> str:
    """`array of n * m`, `number`."""
    shape = t.shape if isinstance(t, ArrayType) else ()
    if not shape:
        return "a number"
    extents = (
        str(e)
        if isinstance(e, int)
        else f"{written.extents.get(e.symbol, e.symbol)}{f' - {e.minus}' if e.minus else ''}"
        for e in shape
    )
    return f"an array of {' x '.join(extents)}"


def _fixed(interface: Interface) -> Iterator[Described]:
    """Arguments that the program was made for, and that are not passed."""
    for param in interface.params:
        if isinstance(param.tree, Static):
            yield Described(param.name, f"is {param.tree.value!r} here, and is not passed")


# Checks ------------------------------------------------------------------------------------------


def _general(request: Request, args: Sequence[Any], whole: Whole) -> frozenset[str]:
    from srcad.ir import show

    return general_of(
        whole.lowered.guards, show(whole.program), lambda r, s: as_text(r, args, s), request
    )


# Files -------------------------------------------------------------------------------------------


def save_c(
    path: Path,
    request: Request,
    args: Sequence[Any],
    examples: Sequence[Example],
    first: str,
    overwrite: bool,
) -> None:
    """Write the files beside each other.

    Args:
        args: of the primal, filled in.
        examples: for the test.
        first: the lines at the head of a module.

    Raises:
        CacheError: E506, a part of the program has no form in C.
        FileExists: E505, there is another file already.
    """
    comments = [line.removeprefix("# ") for line in first.splitlines()]
    files = c_files(request, args, examples, comments, path.stem)
    named = {path.with_name(path.stem + end): text.encode() for end, text in files.items()}
    for each, made in named.items():
        if each.exists() and not overwrite and (not each.is_file() or each.read_bytes() != made):
            raise error("E505", None, what=f"`{each}`")
    for each, made in named.items():
        each.write_bytes(made)


__all__ = ["c_files", "save_c"]
