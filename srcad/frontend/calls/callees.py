"""Callees: what an object is that is called; the first that knows it lowers the call.

f(x)               f: a function of the user's, read in place
partial(f, 2)(x)   f(2, x)
srcad.grad(f)(x)   the derivative, made inside
"""

from __future__ import annotations

import functools
import inspect
import random
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Instance, Method, Ref
from srcad.frontend.builtins.cached_calls import call_cached
from srcad.frontend.calls.checkpoints import call_checkpointed
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.of_scipy import call_of_scipy, check_is_constant
from srcad.frontend.calls.origins import is_library, module_of, own_name
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.exceptions.managers import generator_behind, is_manager_function, managed
from srcad.frontend.expressions.missing import fails
from srcad.frontend.iterators.library_iterators import GETTERS
from srcad.frontend.kinds import is_hashable, is_read
from srcad.frontend.library.entrywise import call_captured
from srcad.frontend.library.python_random import method_of_random
from srcad.frontend.nested.in_parts import call_in_parts
from srcad.frontend.nested.mapping import map_inside
from srcad.frontend.nested.public_calls import use_inside
from srcad.frontend.nested.transforms import derive_inside
from srcad.frontend.objects.classes import construct
from srcad.frontend.python_types import possible_classes, python_type
from srcad.ir.marks import checkpointed, checkpointing_of, parts_of, request_of
from srcad.ir.nodes import Checkpointing

OTHER: Final = object()  # instead of a result: it is another kind of callee


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an object."""

    frame: Frame
    callee: Ref
    args: Args
    kwargs: Kwargs
    node: Any

    @property
    def fn(self) -> Any:
        """The object."""
        return self.callee.obj

    @property
    def given(self) -> tuple[Args, Kwargs, Any]:
        """The arguments, and the node."""
        return self.args, self.kwargs, self.node

    def again(self, args: Args, kwargs: Kwargs) -> Abstract:
        """The call with other arguments."""
        return call(self.frame, self.callee, args, kwargs, self.node)


Kind = Callable[[Call], Abstract]


def solution(c: Call) -> Abstract:
    """`srcad.implicit`: the solution of an equation."""
    behind = getattr(c.fn, "__srcad_implicit__", None)
    if behind is None or behind.solved is not c.fn:
        return OTHER
    from srcad.frontend.solvers.implicit import call_implicit

    path = f"{c.callee.path}.__srcad_implicit__" if c.callee.path else ""
    lift = c.frame.session.inputs.lift
    solver = lift(behind.solver, f"{path}.solver", "solver")
    residual = lift(behind.residual, f"{path}.residual", "residual")
    return call_implicit(c.frame, solver, residual, behind.like, c.args, c.kwargs)


def _foreign(c: Call) -> Abstract:
    if not any(cls.__module__ == "_ctypes" for cls in type(c.fn).__mro__):
        return OTHER
    fix = "define a Python function that calls it, and give that a rule (see Write a rule)"
    raise error("E120", None, what=f"`{own_name(c.fn)}`, a function of `ctypes`,", fix=fix)


def _transformation(c: Call) -> Abstract:
    if module_of(c.fn).startswith("srcad.api.") and isinstance(c.fn, types.FunctionType):
        return use_inside(c.frame, own_name(c.fn), c.args, c.kwargs)
    if module_of(c.fn).startswith("srcad.parallel."):
        fix = "make it outside of the function, and call here what it gives"
        raise error("E100", None, what=f"`srcad.parallel.{own_name(c.fn)}`", fix=fix)
    part = parts_of(c.fn)
    if part is not None:
        return call_in_parts(c.frame, part, c.callee, c.args, c.kwargs)
    request = request_of(c.fn)
    if request is None:
        return OTHER
    inside = map_inside if request.kind == "vmap" else derive_inside
    return inside(c.frame, request, c.callee, c.args, c.kwargs)


def _manager(c: Call) -> Abstract:
    if not is_manager_function(c.fn):
        return OTHER
    return managed(c.frame, generator_behind(c.frame, c.callee), *c.given)


def _checkpoint(c: Call) -> Abstract:
    wrapped = checkpointed(c.fn)
    if wrapped is None:
        return OTHER
    primal = c.frame.session.inputs.lift(wrapped, f"{c.callee.path}.__wrapped__", "f")
    found = checkpointing_of(c.fn)
    how = None if found is None else Checkpointing(*found)
    return call_checkpointed(c.frame, primal, how, c.args, c.kwargs)


def _class(c: Call) -> Abstract:
    return construct(c.frame, c.callee, *c.given) if isinstance(c.fn, type) else OTHER


def _draw(c: Call) -> Abstract:
    """A method of a generator of Python's `random`: the module's functions are those of one."""
    owner = getattr(c.fn, "__self__", None)
    if type(owner) is not random.Random:
        return OTHER
    inputs, path, name = c.frame.session.inputs, c.callee.path, own_name(c.fn)
    if path:
        inputs.guard(path, "is", c.fn)
    if c.fn == getattr(random, name, None):
        return method_of_random(c.frame, None, name, c.args, c.kwargs)
    rng = inputs.lift(owner, f"{path}.__self__" if path else inputs.keep(owner), "rng")
    return call(c.frame, Method(rng, name), c.args, c.kwargs, c.node)


def _method(c: Call) -> Abstract:
    if not isinstance(c.fn, types.MethodType):
        return OTHER
    path, inputs = c.callee.path, c.frame.session.inputs
    # No path leads to what a library holds: `from scipy.stats import dirichlet` in the function.
    at = f"{path}.__self__" if path else inputs.keep(c.fn.__self__)
    receiver = inputs.lift(c.fn.__self__, at, "self")
    function = Ref(c.fn.__func__, f"{path}.__func__" if path else "")
    return call(c.frame, function, (receiver, *c.args), c.kwargs, c.node)


def _vectorized(c: Call) -> Abstract:
    if not isinstance(c.fn, np.vectorize):
        return OTHER
    return call_captured(c.frame, c.callee, c.args, c.kwargs)


def _partial(c: Call) -> Abstract:
    """What `functools.partial` holds, with the arguments it holds as captured values."""
    if not isinstance(c.fn, functools.partial):
        return OTHER
    path, inputs = c.callee.path, c.frame.session.inputs
    target = inputs.lift(c.fn.func, f"{path}.func", "func")
    held = inputs.lift(c.fn.args, f"{path}.args", "args")
    named = inputs.lift(c.fn.keywords, f"{path}.keywords", "keywords")
    return call(c.frame, target, (*held, *c.args), {**named.items, **c.kwargs}, c.node)


def _getter(c: Call) -> Abstract:
    if not isinstance(c.fn, GETTERS):
        return OTHER
    cls, arguments = tuple(c.fn.__reduce__())
    return call(c.frame, call(c.frame, Ref(cls, ""), arguments), *c.given)


def _exact(c: Call) -> Abstract:
    if module_of(c.fn) != "statistics":
        return OTHER
    from srcad.frontend.library.exact_statistics import call_exact, is_exact  # few programs use it

    return call_exact(c.frame, c.fn, c.args, c.kwargs) if is_exact(c.fn) else OTHER


def _tree(c: Call) -> Abstract:
    of_structure = type(getattr(c.fn, "__self__", None)).__name__ == "PyTreeSpec"
    if of_structure and (own_name(c.fn) != "unflatten" or c.callee.path):
        return OTHER
    is_one = module_of(c.fn) == "optree.ops" and isinstance(c.fn, types.FunctionType)
    if not is_one and not of_structure:
        return OTHER
    from srcad.frontend.library.trees import call_tree  # few programs use it

    return call_tree(c.frame, c.fn, c.args, c.kwargs)


_DISPATCHER: Any = functools.singledispatch(lambda x: x)


def _dispatched(c: Call) -> Abstract:
    """A function under `functools.singledispatch`: the one for the class of the first argument."""
    if getattr(c.fn, "__code__", None) is not _DISPATCHER.__code__:
        return OTHER
    if not c.args:
        try:
            c.fn()
        except TypeError as problem:
            raise fails(c.frame, problem) from None
    first = c.args[0]
    known = {type(first.obj)} if isinstance(first, Instance) else possible_classes(c.frame, first)
    found = {cls: c.fn.dispatch(cls) for cls in known}
    if len({*map(id, found.values())}) != 1:
        python_type(c.frame, first)  # refuses what may be of several classes
    target, inputs, way = Ref(None, ""), c.frame.session.inputs, c.callee.path
    if way:
        inputs.guard(way, "is", c.fn)
    if way.startswith("A["):  # what is read below is no part of an argument
        way = inputs.keep(c.fn)
    for cls, fn in found.items():
        path = f"{way}.dispatch({inputs.keep(cls)})" if way else ""
        if path:
            inputs.guard(path, "is", fn)
        target = Ref(fn, path)
    return call(c.frame, target, *c.given)


def _cached(c: Call) -> Abstract:
    if not isinstance(c.fn, functools._lru_cache_wrapper):
        return OTHER
    wrapped = Ref(c.fn.__wrapped__, f"{c.callee.path}.__wrapped__")
    make = functools.partial(call, c.frame, wrapped, *c.given)
    return call_cached(c.frame, c.fn, c.args, c.kwargs, make)


def _function(c: Call) -> Abstract:
    if not isinstance(c.fn, types.FunctionType) or is_library(c.fn):
        return OTHER
    if is_read(module_of(c.fn)):
        return call_of_scipy(c.frame, c.callee, *c.given)
    return call_python(c.frame, c.callee, *c.given)


def _of_library(c: Call) -> Abstract:
    """A function that has no rule, by any text."""
    if not is_library(c.fn):
        return OTHER
    module = module_of(c.fn) or type(getattr(c.fn, "__self__", None)).__module__
    if module.startswith("numpy.random"):
        fix = "draw from a generator, `rng = np.random.default_rng(seed)`, passed as an argument"
        what = f"`{own_name(c.fn)}`, which draws random numbers,"
        raise error("E120", None, what=what, fix=fix)
    behind = getattr(c.fn, "__wrapped__", None)
    if isinstance(behind, types.FunctionType) and not is_library(behind):
        what = f"`{own_name(c.fn)}`, in a wrapper of `{module}`,"
        raise error("E120", None, what=what, fix="call the function that is wrapped")
    check_is_constant(c.frame.session, c.fn, (c.args, c.kwargs))
    if not is_hashable(c.fn):  # an object that NumPy makes a function: a polynomial
        raise error("E120", None, what=f"an object of class `{type(c.fn).__name__}`, called,")
    return c.frame.session.emit(c.fn, c.args, c.kwargs)


def _object(c: Call) -> Abstract:
    """An object with a method `__call__`."""
    method = inspect.getattr_static(type(c.fn), "__call__", None)
    if not c.callee.path or not isinstance(method, types.FunctionType):
        return OTHER
    target = Ref(method, f"type({c.callee.path}).__call__")
    c.frame.session.inputs.guard(target.path, "is", method)
    return call(c.frame, target, (c.callee, *c.args), c.kwargs, c.node)


# In this order: the first that knows an object calls it.
KINDS: tuple[Kind, ...] = (
    _foreign,
    _transformation,
    _manager,
    _checkpoint,
    _class,
    _draw,
    _tree,
    _method,
    _vectorized,
    _partial,
    _getter,
    _exact,
    _cached,
    _dispatched,
    _function,
    _of_library,
    _object,
)

__all__ = ["KINDS", "OTHER", "Call", "Kind", "solution"]
