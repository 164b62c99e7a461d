"""SciPy's own Python, read where a function has no rule.

signal.savgol_filter(x, 5, 2)       its source, in place of the call; a call in what is compiled
signal.butter(4, 0.2)               of constants: a call, as it is
signal.upfirdn(h, x)                a call: it ends in C. It has no derivative (E201, E204)

What is read gives what SciPy gives: nothing is written here in place of its functions, but for what
it computes with shapes and places (`written/scipy/shapes.py`, `peaks.py`). A function that srcad
cannot read stays a call (the program is lowered again), which is refused where its derivative is
asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from types import FunctionType
from typing import Any

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.session import AS_CALL, Session
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.origins import is_library, module_of, own_name
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.kinds import is_read
from srcad.ir.guards import Guard
from srcad.ir.types import is_inexact
from srcad.rules.core.table import name_of


def call_of_scipy(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    """The result of one of SciPy's Python functions."""
    session = frame.session
    key = AS_CALL + name_of(callee.obj)
    is_outermost = not session.reads_scipy
    if is_outermost and (key in session.inputs.statics or not _varies((args, kwargs))):
        return session.emit(callee.obj, args, kwargs)
    if is_outermost and session.keeps_calls and not session.derived:
        with suppress(SrcadError):
            return session.emit(callee.obj, args, kwargs)
    # Of a module whose contents are fixed: no path leads there.
    read = callee if callee.path else Ref(callee.obj, session.inputs.keep(callee.obj))
    session.reads_scipy = True
    try:
        return call_python(frame, read, args, kwargs, node)
    except SrcadError:
        if is_outermost:
            session.unread.add(key)
        raise
    finally:
        session.reads_scipy = not is_outermost


_OF_KEPT = re.compile(r"(?:'\w+' in )?K\[(\d+)\]")


def is_fixed(guard: Guard, kept: Sequence[Any]) -> bool:
    """Whether a guard is of what one of SciPy's functions reads, which stays as it is."""
    found = _OF_KEPT.match(guard.path)
    return found is not None and _is_of_scipy(kept[int(found[1])])


def _is_of_scipy(fn: Any) -> bool:
    """Whether a function is one of SciPy's, and wraps none of another's."""
    if not isinstance(fn, FunctionType) or not is_read(str(fn.__globals__.get("__name__"))):
        return False
    held = (cell.cell_contents for cell in fn.__closure__ or ())
    return all(is_library(x) or is_read(module_of(x)) for x in held if callable(x))


def check_is_constant(session: Session, fn: Any, given: Any) -> None:
    """Refuse a function without source inside one of SciPy's, if it gets what may vary."""
    if session.reads_scipy and _varies(given):
        raise error("E120", None, what=f"`{own_name(fn)}`")


def _varies(given: tuple[Args, Kwargs]) -> bool:
    """Whether a derivative may be asked for with respect to an argument."""
    args, kwargs = given
    held = (v for x in (*args, *kwargs.values()) for v in values_of(x))
    return any(is_inexact(v.type) for v in held)


__all__ = ["call_of_scipy", "check_is_constant", "is_fixed"]
