"""What calls of SciPy's solvers have in common: the functions they are passed, options, results.

The user's function is passed as an IR function, and so are its derivatives where they are given:
these serve the solver alone. A solver's result object is a record of what is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.calls.lifting import has_effects
from srcad.frontend.dispatch import Args
from srcad.frontend.expressions.expressions import item
from srcad.frontend.solvers.numbers import as_doubles, as_number, as_vector
from srcad.frontend.solvers.passed_functions import passed_function, with_same_arguments
from srcad.frontend.written.scipy import sparse
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, ObjectType, Type

FLOAT, INT, BOOL = NumberType(float), NumberType(int), NumberType(bool)
NUMPY_FLOAT = ArrayType(np.dtype(float), (), scalar=True)
TEXT, RESULT = ObjectType("str"), ObjectType("OptimizeResult")

Given = dict[str, Abstract]
Result = Callable[[Frame, Any, Abstract], Abstract]


def lower_functions(
    frame: Frame, fn: Any, given: Given, name: str, x: Type, result: Result,
    derivatives: Mapping[str, Result] | None = None,
) -> tuple[Function, Any, dict[str, Any]]:  # fmt: skip
    """The user's function of an unknown of type `x`; what it is passed; its derivatives, by name.

    Args:
        derivatives: the names of those that may be given, and what the solver makes of each.
    """
    args = args_of(given.pop("args", ()))

    def lowered(
        func: Abstract, result: Result, *more: Value, args: Args = args
    ) -> tuple[Function, Any, int]:
        def of_call(frame: Frame, what: str, found: Abstract) -> Abstract:
            return result(frame, fn, found)

        leading = (Value("x", x), *more)
        found = passed_function(frame, func, of_call, leading, args, named(fn))
        return (*found, len(leading))

    functions = [lowered(given.pop(name), result)]
    for each in derivatives or ():
        if each in given and given[each] is None:
            del given[each]
    names = [each for each in derivatives or () if each in given]
    for each in names:
        more = [Value("p", x)] if each == "hessp" else []
        own = () if each == "callback" else args
        functions.append(lowered(given.pop(each), (derivatives or {})[each], *more, args=own))
    if not names:
        return (*functions[0][:2], {})
    (function, *others), passed = with_same_arguments(*functions)
    return function, passed, dict(zip(names, others, strict=True))


def emit_solver(
    frame: Frame, fn: Any, args: tuple[Any, ...], options: dict[str, Any], types: tuple[Type, ...]
) -> tuple[Value, ...]:
    """Call `fn` on a function, what it starts from, and what is passed to the function."""
    session = frame.session
    outs = tuple(Value("", t) for t in types)
    function, *starts, passed = args
    functions = [function, *(x for x in options.values() if isinstance(x, Function))]
    atoms = (function, *session.atom(tuple(starts)), passed)
    op = Op(fn, atoms, options, outs, session.builder.loc, any(map(has_effects, functions)))
    session.builder.body.append(op)
    for watch in session.watchers:
        watch(op)
    for out in outs:
        session.memory.tell(out, ())
    return outs


def record(name: str, fields: dict[str, Abstract]) -> RecordObj:
    """A result object of SciPy's, of which only these attributes are known: it stays inside."""
    from scipy import optimize

    return RecordObj(getattr(optimize, name), fields, uneven=True)


def told(frame: Frame, found: Value, names: str) -> dict[str, Abstract]:
    """What a result tells under these names besides: plain data, without a derivative."""
    return {name: frame.session.emit(runtime.told, (found, name)) for name in names.split()}


def options_of(frame: Frame, fn: Any, given: Given, known: str, **fixed: Any) -> dict[str, Any]:
    """The options that are passed on. `fixed`: those that may only be as if they were left out."""
    kept: dict[str, Any] = {}
    for name, x in given.items():
        if name in known.split():
            items = x.items if isinstance(x, DictObj) else None
            kept[name] = frame.session.atom(x if items is None else dict(items))
        elif name not in fixed or not (x is fixed[name] or x == fixed[name]):
            fix = "leave it out, or give the function that calls the solver a rule"
            raise error("E203", None, what=f"{named(fn)} with `{name}=`", fix=fix)
    return kept


def args_of(args: Abstract) -> Args:
    """`args=` as SciPy takes it."""
    return args if isinstance(args, tuple) else (args,)


def named(fn: Any) -> str:
    """What messages call a solver."""
    return f"`scipy.optimize.{fn.__name__}`"


def number(frame: Frame, fn: Any, x: Abstract) -> Any:
    """A real number as a Python float."""
    return as_number(frame, named(fn), x)


def vector(frame: Frame, fn: Any, x: Abstract) -> Any:
    """A number, a list or an array as a vector."""
    return as_vector(frame, named(fn), x)


def array(frame: Frame, fn: Any, x: Abstract) -> Any:
    """What is real as an array."""
    return as_doubles(frame, named(fn), x)


def entries(frame: Frame, fn: Any, x: Abstract) -> Any:
    """An array, or the compressed form of a sparse matrix."""
    if not isinstance(x, RecordObj) or not issubclass(x.cls, sparse.Matrix):
        return array(frame, fn, x)
    kept = [x.fields[name] for name in ("_data", "_indices", "_indptr")]
    shape = [item(frame, x.fields["shape"], axis) for axis in (0, 1)]
    return (*kept, *shape, int(x.fields["_by_columns"] is True))


def pair(result: Result) -> Result:
    """The value and the gradient of a function that returns both (`jac=True`)."""

    def both(frame: Frame, fn: Any, found: Abstract) -> Abstract:
        if not isinstance(found, tuple) or len(found) != 2:
            fix = "return `(value, gradient)`"
            raise error("E132", None, what=f"{named(fn)} with jac=True of no pair", fix=fix)
        return (result(frame, fn, found[0]), array(frame, fn, found[1]))

    return both
