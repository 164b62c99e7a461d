"""The docstring of an emitted function: what it is the derivative of, and for which signature."""

from __future__ import annotations

import inspect
import re
import textwrap

import numpy as np

from srcad.devices import generator_classes
from srcad.errors.cells import cell_name
from srcad.frontend.lower import Lowered
from srcad.ir import Function, Value
from srcad.ir.interface import paths
from srcad.ir.types import ArrayType, Dim, NumberType
from srcad.pipeline.request import Request
from srcad.transform.boundary import find_params

_WIDTH = 92
_TITLES = {
    "grad": "Gradient of `{name}`{place} with respect to {wrt}.",
    "value_and_grad": "Value and gradient of `{name}`{place} with respect to {wrt}.",
    "elementwise_grad": "Derivative of elementwise `{name}`{place} with respect to {wrt}.",
    "derivative": "Derivative of `{name}`{place} with respect to {wrt}.",
    "jacrev": "Jacobian of `{name}`{place} with respect to {wrt}, by reverse sweeps.",
    "jacfwd": "Jacobian of `{name}`{place} with respect to {wrt}, by tangents.",
    "jacobian": "Jacobian of `{name}`{place} with respect to {wrt}.",
    "hessian": "Hessian of `{name}`{place} with respect to {wrt}.",
    "hvp": "Product of the Hessian of `{name}`{place} with respect to {wrt} with `v`.",
    "sparsity": "Entries of the Jacobian of `{name}`{place} with respect to {wrt} that may vary.",
    "path_sparsity": "Entries of the Jacobian of `{name}`{place} with respect to {wrt} that may "
    "vary on the path that the arguments take.",
    "products": "Products of the Jacobian of `{name}`{place} with the vectors of {wrt}.",
    "jvp": "Value of `{name}`{place} and its derivative along the tangents.",
    "vjp": "Value of `{name}`{place} and the function that pulls a cotangent back.",
    "linearize": "Value of `{name}`{place} and the function of tangents that its derivative is.",
    "vmap": "`{name}`{place} for all samples at once.",
    "primal": "`{name}`{place}, specialised.",
    "compile": "`{name}`{place}, specialised.",
}


def docstring(request: Request, fn: Function) -> str:
    """What the program is, the types it was made for, and where captured values come from."""
    interface = fn.interface
    assert interface is not None
    wrt = ", ".join(f"`{p.name}`" for p in find_params(interface, request.argnums))
    title = _TITLES[request.kind].format(name=request.name, place=_place(request), wrt=wrt)
    lines = [textwrap.fill(title, _WIDTH), ""]
    names: dict[str, str] = {}
    for param in interface.params:
        lines += [
            f"{path}: {describe_type(fn.params[slot], names)}"
            for slot, path in paths(param.tree, param.name).items()
        ]
    for capture in interface.captures:
        (slot,) = paths(capture.tree)
        lines.append(f"{capture.name}: {describe_type(fn.params[slot], names)}, captured")
    return "\n".join(lines).rstrip()


def _place(request: Request) -> str:
    fn = inspect.unwrap(request.primal) if callable(request.primal) else request.primal
    code = getattr(fn, "__code__", None)
    if code is None or code.co_filename.startswith("<") or cell_name(code.co_filename):
        return ""  # the number of a cell changes each time it runs
    return f" ({code.co_filename.rsplit('/', 1)[-1]}:{code.co_firstlineno})"


def input_classes(lowered: Lowered) -> dict[str, type]:
    """The classes of the arrays and random generators that a program is given, by what they are
    called in the program: `params['w']`, captured `scale`.
    """
    interface = lowered.function.interface
    assert interface is not None
    captured = {c.captured: f"captured `{c.name}`" for c in interface.captures}
    found: dict[str, type] = {}
    for guard in lowered.guards:
        key, path = guard.expected, guard.path
        if guard.kind == "leaf" and isinstance(key, tuple) and len(key) > 1:
            cls = key[2] if len(key) > 2 else np.ndarray
        elif guard.kind == "type" and issubclass(key, generator_classes()):
            cls = key
        else:
            continue
        position = re.match(r"A\[(\d+)\]", path)
        if position is None:
            found[captured.get(path, f"captured `{path}`")] = cls
        else:
            name = interface.params[int(position[1])].name
            found[f"argument `{name}{path[position.end() :]}`"] = cls
    return found


_LETTERS = "nmkpqrstuvw"


def describe_type(value: Value, names: dict[str, str]) -> str:
    """`f64[n, 1]`: extents that are 1 are told, the others get letters."""
    match value.type:
        case ArrayType(shape=shape) if shape:
            extents = (
                names.setdefault(str(e), _letter(len(names))) if isinstance(e, Dim) else str(e)
                for e in shape
            )
            return f"{str(value.type).split('[')[0]}[{', '.join(extents)}]"
        case ArrayType() | NumberType():
            return str(value.type)
        case _:
            return str(value.type)


def _letter(i: int) -> str:
    return _LETTERS[i] if i < len(_LETTERS) else f"n{i}"
