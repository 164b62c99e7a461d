"""Functions that tables know: builtins, those with a rule, and those for which others stand."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import Grown, form_of, is_dict_record
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Partial, Ref
from srcad.frontend.abstract.session import SLICED
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.builtins.object_calls import is_instance
from srcad.frontend.calls.by_options import read_by_options
from srcad.frontend.calls.callees import OTHER, Call, Kind
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.handled import check_fits, handled
from srcad.frontend.calls.opaque_calls import call_kept, has_effects
from srcad.frontend.calls.origins import is_library, own_name
from srcad.frontend.dispatch import call
from srcad.frontend.iterators.pulled import made_here
from srcad.frontend.known_objects import call_known, gives_known
from srcad.frontend.library.in_place import call_in_place, writes
from srcad.frontend.library.rotations import rotation_maker
from srcad.frontend.library.sparse import stands_for
from srcad.frontend.library.splines import grid_of, is_spline, spline_call, spline_maker
from srcad.frontend.lists.grown_lists import JOINING, joined
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.python_types import possible_classes
from srcad.frontend.reading.rule_bodies import guard_rule
from srcad.frontend.written import choices, parts
from srcad.frontend.written import joined as of_parts
from srcad.frontend.written.dicts import Dict
from srcad.frontend.written.scipy import peaks, recursive, shapes, splines
from srcad.ir.kinds import is_array
from srcad.ir.types import dtype_of, rank_of
from srcad.rules import RULES
from srcad.rules.core.call_facts import INSTEAD
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.names import refusal
from srcad.rules.core.staged import type_of
from srcad.rules.scipy import FROZEN


def _is_sparse(frame: Frame, x: Abstract) -> Abstract:
    sparse = sys.modules["scipy.sparse"]
    return is_instance(frame, x, (Ref(sparse.spmatrix, ""), Ref(sparse.sparray, "")))


def _is_sparse_matrix(frame: Frame, x: Abstract) -> Abstract:
    return is_instance(frame, x, Ref(sys.modules["scipy.sparse"].spmatrix, ""))


def _is_masked(frame: Frame, x: Abstract) -> Abstract:
    return is_instance(frame, x, Ref(np.ma.MaskedArray, ""))


def _as_written(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    def form(frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call(frame, Ref(fn, ""), args, kwargs)

    return form


def _solve(frame: Frame, *args: Abstract) -> Abstract:
    """The array API's: of `np.linalg.solve`, which does the same since NumPy 2."""
    return call(frame, Ref(np.linalg.solve, ""), args, {})


def _lfilter(
    frame: Frame, b: Abstract, a: Abstract, x: Abstract, axis: Abstract = -1, zi: Abstract = None
) -> Abstract:
    if zi is None:
        return OTHER
    return call(frame, Ref(recursive.lfilter, ""), (b, a, x, axis, zi), {})


def _real_if_close(frame: Frame, a: Abstract, tol: Abstract = 100) -> Abstract:
    dtype = dtype_of(type_of(a))
    if dtype is None or dtype.kind != "c":
        return OTHER
    if not is_array(a):
        a = frame.session.emit(np.asarray, (a,))
    eps = float(np.finfo(dtype).eps)
    return call(frame, Ref(choices.real_if_close, ""), (a, eps, tol), {})


def _roots(frame: Frame, p: Abstract) -> Abstract:
    if is_array(p):
        return OTHER
    return call(frame, Ref(np.roots, ""), (frame.session.emit(np.atleast_1d, (p,)),), {})


def _entry_points(frame: Frame, **params: Abstract) -> Abstract:
    """What packages are installed for a group stays while the process runs."""
    known = {name: frame.session.raw(x) for name, x in params.items()}
    if len(sys.modules["importlib.metadata"].entry_points(**known)):
        raise error("E120", None, what="a call of the plugins that are installed")
    return ()


# Of modules that only some programs import, and known while compiling.
_IMPORTED: dict[tuple[str, str], Callable[..., Abstract]] = {
    ("scipy.sparse", "issparse"): _is_sparse,
    ("scipy.sparse", "isspmatrix"): _is_sparse_matrix,
    ("scipy.stats._axis_nan_policy", "_broadcast_shapes"): _as_written(shapes.broadcast_shapes),
    ("scipy.signal", "lfilter"): _lfilter,
    ("scipy.signal._peak_finding_utils", "_local_maxima_1d"): _as_written(peaks.local_maxima),
    ("scipy.signal._peak_finding_utils", "_select_by_peak_distance"): _as_written(peaks.far_apart),
    ("scipy._lib.array_api_compat.numpy.linalg", "solve"): _solve,
    ("scipy._external.array_api_compat.numpy.linalg", "solve"): _solve,  # since SciPy 1.18
    ("numpy.ma", "isMaskedArray"): _is_masked,
    ("numpy", "real_if_close"): _real_if_close,
    ("numpy", "roots"): _roots,
    ("importlib.metadata", "entry_points"): _entry_points,
}


def of_imported(c: Call) -> Abstract:
    """`scipy.sparse.issparse` and other functions of modules that srcad does not import."""
    for (home, name), form in _IMPORTED.items():
        if getattr(sys.modules.get(home), name, OTHER) is c.fn:
            return handled(functools.partial(form, c.frame), c.fn, name, c.args, c.kwargs)
    return OTHER


def _known(c: Call) -> Abstract:
    return call_known(c.frame, c.callee, c.args, c.kwargs) if gives_known(c.fn) else OTHER


def _writes(c: Call) -> Abstract:
    if not is_library(c.fn) or not writes(c.fn, c.args, c.kwargs):
        return OTHER
    return call_in_place(c.frame, c.fn, *c.given, c.again)


def _by_options(c: Call) -> Abstract:
    found = read_by_options(c.frame, c.fn, *c.given, c.again)
    return OTHER if found is None else found[0]


def _builtin(c: Call) -> Abstract:
    if c.fn not in BUILTINS:
        return OTHER
    made = handled(
        functools.partial(BUILTINS[c.fn], c.frame), c.fn, own_name(c.fn), c.args, c.kwargs
    )
    return made_here(c.frame.session, made)


def _of_parts(c: Call) -> Abstract:
    """Arrays joined that are the parts of one array."""
    fn = INSTEAD.get(c.fn, c.fn)
    name = getattr(fn, "__name__", "")
    if name not in of_parts.__all__ or getattr(np, name, None) is not fn:
        return OTHER
    if not c.args or not is_array(c.args[0]) or not rank_of(c.args[0].type):
        return OTHER
    return call_python(c.frame, Ref(getattr(of_parts, name), ""), *c.given)


def _apart(c: Call) -> Abstract:
    """`np.split` and its kin, where the program writes what they share memory with."""
    stands = getattr(parts, getattr(c.fn, "__name__", ""), None) if is_library(c.fn) else None
    if stands is None or getattr(np, stands.__name__, None) is not c.fn:
        return OTHER
    if not c.args or not is_array(c.args[0]) or not rank_of(c.args[0].type):
        return OTHER
    c.frame.session.has_parts = True
    if SLICED not in c.frame.session.inputs.statics:
        return OTHER
    return call_python(c.frame, Ref(stands, ""), *c.given)


def _with_rule(c: Call) -> Abstract:
    is_known = c.fn in RULES
    if c.fn in of_users:
        guard_rule(c.frame.session.inputs, RULES[c.fn])
    if is_known and has_effects(RULES[c.fn]):
        plain = functools.partial(call_python, c.frame, c.callee, *c.given)
        return call_kept(c.frame, c.callee, c.args, c.kwargs, plain)
    if c.args and isinstance(form_of(c.args[0]), Grown) and c.fn in JOINING:
        grown = joined(c.frame, c.fn, form_of(c.args[0]), c.args[1:], c.kwargs)
        if grown is not None:
            return grown
    if not is_known:
        return OTHER
    check_fits(c.fn, own_name(c.fn), c.args, c.kwargs)
    return c.frame.session.emit(c.fn, c.args, c.kwargs)


def _solver(c: Call) -> Abstract:
    if not str(getattr(c.fn, "__module__", "")).startswith(("scipy.optimize", "scipy.integrate")):
        return OTHER
    from srcad.frontend.solvers.table import solver_for

    solver = solver_for(c.fn)
    if solver is None:
        return OTHER
    return handled(functools.partial(solver, c.frame), c.fn, own_name(c.fn), c.args, c.kwargs)


def _stood_for(c: Call) -> Abstract:
    made = rotation_maker(c.fn) or spline_maker(c.fn)
    stands = made or stands_for(c.fn, c.args, c.kwargs)
    return OTHER if stands is None else call_python(c.frame, Ref(stands, ""), *c.given)


def _spline(c: Call) -> Abstract:
    """A spline of SciPy's, or a table on a grid, at points."""
    grid = grid_of(c.frame, c.callee)
    if grid is not None:
        return call(c.frame, grid, c.args, c.kwargs, c.node)
    if not is_spline(c.fn):
        return OTHER
    given = spline_call(c.frame, c.callee, c.args, c.kwargs)
    return call_python(c.frame, Ref(splines.values, ""), given, {}, c.node)


def _refused(c: Call) -> Abstract:
    if (refused := refusal(c.fn)) is not None:
        raise refused
    return OTHER


def _method(c: Call) -> Abstract:
    """A method of arrays as a function: `np.ndarray.sum(x)`, and `w.dot` of an array outside."""
    name = getattr(c.fn, "__name__", "")
    if getattr(c.fn, "__objclass__", None) is dict and c.args and is_dict_record(c.args[0]):
        stands = vars(Dict).get(name)
        return OTHER if stands is None else call(c.frame, Ref(stands, ""), *c.given)
    if isinstance(c.fn, types.MethodDescriptorType) and c.fn.__objclass__ is np.ndarray:
        if not c.args or possible_classes(c.frame, c.args[0]) != {np.ndarray}:
            return OTHER
        owner, args = c.args[0], c.args[1:]
    elif isinstance(getattr(c.fn, "__self__", None), np.ndarray) and c.callee.path:
        path = f"{c.callee.path}.__self__"
        owner, args = c.frame.session.inputs.lift(c.fn.__self__, path, "array"), c.args
    else:
        return OTHER
    return call(c.frame, attribute(c.frame, owner, name), args, c.kwargs)


def _frozen(c: Call) -> Abstract:
    """A distribution of SciPy's, with its parameters."""
    if c.fn not in FROZEN:
        return OTHER
    if c.callee.path:
        c.frame.session.inputs.guard(c.callee.path, "is", c.fn)
    return Partial(c.callee, c.args, c.kwargs)


# Of functions that may be keys of a table, in this order.
KNOWN: tuple[Kind, ...] = (
    _known,
    _writes,
    _by_options,
    _builtin,
    _of_parts,
    _apart,
    _with_rule,
    _solver,
    _stood_for,
    _spline,
    _method,
    _refused,
    _frozen,
)

__all__ = ["KNOWN", "of_imported"]
