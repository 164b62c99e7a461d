"""Sparse matrices of SciPy's: records of `srcad.frontend.written.scipy.sparse`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.written.scipy import sparse, sparse_solvers
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, rank_of

# What stands for each function, and its options that may only be as if they were left out.
_MAKERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "csc_array": (sparse.csc_array, {"copy": False}),
    "csc_matrix": (sparse.csc_matrix, {"copy": False}),
    "csr_array": (sparse.csr_array, {"copy": False}),
    "csr_matrix": (sparse.csr_matrix, {"copy": False}),
    "diags": (sparse.diags, {"dtype": None}),
    "diags_array": (sparse.diags_array, {"dtype": None}),
    "eye": (sparse.eye, {"n": None, "k": 0, "dtype": float}),
    "eye_array": (sparse.eye_array, {"n": None, "k": 0, "dtype": float}),
    "identity": (sparse.identity, {"dtype": "d"}),
}
_SOLVERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "factorized": (sparse_solvers.factorized, {}),
    "splu": (sparse_solvers.factorized, {}),
    "spsolve": (sparse_solvers.spsolve, {"permc_spec": None, "use_umfpack": True}),
    "spsolve_triangular": (
        sparse_solvers.spsolve_triangular, {"overwrite_A": False, "overwrite_b": False},
    ),
}  # fmt: skip
# Options that every iteration has, and those of some; what is computed on the way is not told.
_TOLERANCES = frozenset({
    "rtol", "atol", "maxiter", "restart", "inner_m", "outer_k", "m", "k", "truncate", "shift",
    "btol", "conlim", "damp", "iter_lim",
})  # fmt: skip
_ITERATIONS: dict[str, Callable[..., Any]] = {
    fn.__name__: fn
    for fn in (
        sparse_solvers.bicg, sparse_solvers.bicgstab, sparse_solvers.cg, sparse_solvers.cgs,
        sparse_solvers.gcrotmk, sparse_solvers.gmres, sparse_solvers.lgmres, sparse_solvers.lsmr,
        sparse_solvers.lsqr, sparse_solvers.minres, sparse_solvers.qmr, sparse_solvers.tfqmr,
    )
}  # fmt: skip
_FORMATS = (None, "csr", "csc", "dia")


def stands_for(fn: Any, args: Args, kwargs: Kwargs) -> Callable[..., Abstract] | None:
    """What is read in the place of a function of `scipy.sparse`; None for another function.

    Raises:
        SrcadError: E203, an option that is not supported.
    """
    module, name = str(getattr(fn, "__module__", "")), getattr(fn, "__name__", "")
    if not module.startswith("scipy.sparse"):
        return None
    if module.startswith("scipy.sparse.linalg") and name in _ITERATIONS:
        return _iteration(name, args, kwargs)
    table = _SOLVERS if module.startswith("scipy.sparse.linalg") else _MAKERS
    stands, fixed = table.get(name, (None, {}))
    if stands is None:
        if any(_is_matrix(x) for x in (*args, *kwargs.values())):
            fix = "state the equation that its result satisfies: `srcad.implicit(solver, residual)`"
            raise error("E204", None, what=f"`scipy.sparse.linalg.{name}`", fix=fix)
        return None
    try:
        given = inspect.signature(stands).bind(*args, **kwargs).arguments
    except TypeError as reason:
        raise error("E131", None, what=f"`{name}` ({reason})") from None
    for option, x in given.items():
        is_left_out = option not in fixed or x is fixed[option] or x == fixed[option]
        if not is_left_out or (option == "format" and x not in _FORMATS):
            raise error("E203", None, what=f"`scipy.sparse.{name}` with this `{option}=`")
    if "arg1" in given and not (_is_of_entries(given["arg1"]) or _is_dense(given["arg1"])):
        fix = "pass the entries, `((values, (rows, columns)), shape=...)`"
        raise error("E203", None, what=f"`scipy.sparse.{name}` of what is no matrix", fix=fix)
    if isinstance(given.get("arg1"), tuple) and given.get("shape") is None:
        raise error("E203", None, what=f"`scipy.sparse.{name}` without `shape=`")
    return stands


def _iteration(name: str, args: Args, kwargs: Kwargs) -> Callable[..., Abstract]:
    """What is read in the place of an iteration.

    Raises:
        SrcadError: E203, an option that is not supported, or a matrix that is a function.
    """
    what = f"`scipy.sparse.linalg.{name}`"
    left_out = {
        "callback": None, "callback_type": None, "show": False, "check": False, "calc_var": False,
    }  # fmt: skip
    preconditioner = "" if name == "qmr" else "M"  # that of `qmr` is a function
    for option, x in kwargs.items():
        known = option in _TOLERANCES or option in ("A", "b", "x0", preconditioner)
        if not known and x is not left_out.get(option):
            raise error("E203", None, what=f"{what} with `{option}=`")
    for x in (*args[:1], kwargs.get("A"), kwargs.get(preconditioner)):
        if isinstance(x, Ref):
            fix = "pass a matrix, or state the equation: `srcad.implicit(solver, residual)`"
            raise error("E203", None, what=f"{what} of a `LinearOperator`", fix=fix)
    return _ITERATIONS[name]


def _is_matrix(x: Abstract) -> bool:
    return isinstance(x, RecordObj) and issubclass(x.cls, sparse.Matrix)


def _is_dense(x: Abstract) -> bool:
    """Whether it is a dense matrix: an array, or a list of rows."""
    if isinstance(x, ListObj):
        return bool(x.items) and all(isinstance(row, ListObj | tuple) for row in x.items)
    return isinstance(x, Value) and isinstance(x.type, ArrayType) and rank_of(x.type) == 2


def _is_of_entries(x: Abstract) -> bool:
    """Whether a matrix is made of another sparse one, of its compressed form, or of entries."""
    if isinstance(x, RecordObj):
        return issubclass(x.cls, sparse.Matrix)
    if not isinstance(x, tuple) or len(x) not in (2, 3):
        return False
    return len(x) == 3 or isinstance(x[1], tuple | ListObj)


__all__ = ["stands_for"]
