"""Frames: one per function body being read, with the names bound and the way to the others."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

import numpy as np

from srcad.errors import Location, SrcadError, error
from srcad.errors.misspelt import did_you_mean
from srcad.frontend.abstract.assigned_globals import module_of
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Conflict, Ref, is_partial
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Assigns, Signal, TooDeep, Unmet
from srcad.frontend.abstract.unassigned import check_name, raised_by_global, raised_by_name
from srcad.frontend.kinds import is_constant_sequence, is_put_there, is_trusted, numpys
from srcad.interrupts import raise_users_own
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType
from srcad.runtime.effects import set_global


@dataclass(eq=False)
class Frame:
    """One activation: the names bound so far, and where free names are found.

    `outer` is the frame around a nested function or comprehension; `path` reaches the function
    object itself, "" for nested ones. The frame of a comprehension `is_scope` only, that of a
    class's body `is_class`. `receiver` is the first parameter's name; `subjects` are those of
    `match`. What comes from a `brief` function is shown beside its call; what comes from one of
    srcad's own (`is_ours`), whose globals are fixed, is at the `place` of the call. `node` is what
    is being read. `take` is given what a generator yields, and says whether the loop is left;
    `yields_in`: the body in parts in which the `yield` stands.
    """

    session: Session
    file: str
    name: str
    env: dict[str, Abstract] = field(default_factory=dict)
    fn: FunctionType | None = None
    path: str = ""
    outer: Frame | None = None
    callers: tuple[Location, ...] = ()
    local_names: frozenset[str] = frozenset()
    global_names: frozenset[str] = frozenset()
    nonlocal_names: frozenset[str] = frozenset()
    receiver: str = ""
    subjects: dict[str, Abstract] = field(default_factory=dict)
    is_scope: bool = False
    is_class: bool = False
    loop_depth: int = 0
    brief: bool = False
    is_ours: bool = False
    place: Location | None = None
    node: Any = None
    take: Callable[[Abstract], Abstract] | None = None
    yields_in: Any = None

    @contextmanager
    def in_loop(self) -> Iterator[None]:
        """Inside, falling off the end of a block goes on with the loop, not with the return."""
        self.loop_depth += 1
        try:
            yield
        finally:
            self.loop_depth -= 1

    def scope(self) -> Frame:
        """The frame of a comprehension."""
        return Frame(
            self.session, self.file, self.name, outer=self, callers=self.callers, is_scope=True,
            loop_depth=1, brief=self.brief, place=self.place, node=self.node,
        )  # fmt: skip

    def function(self) -> Frame:
        """The frame of the function around a comprehension: where `:=` binds."""
        return self.outer.function() if self.is_scope and self.outer is not None else self

    def around_class(self) -> Frame:
        """The frame that functions defined here see: not that of a class's body."""
        return self.outer.around_class() if self.is_class and self.outer is not None else self

    def share(self) -> None:
        """Note that functions inside assign names of this frame or one around it."""
        frame: Frame | None = self
        while frame is not None:
            if frame not in self.session.shared_frames:
                self.session.shared_frames.append(frame)
            frame = frame.outer

    def bind(self, name: str, x: Abstract) -> None:
        """Make `name` stand for `x`, in the frame that owns it."""
        if name in self.global_names:
            self._assign_global(name, x)
        else:
            self._owner(name).env[name] = x

    def _assign_global(self, name: str, x: Abstract) -> None:
        """`global name; name = x`, at run time as well; `x` is a constant or a Python number."""
        names = self._globals()
        home, session = module_of(names), self.session
        is_number = isinstance(x, Value) and isinstance(x.type, NumberType)
        is_number = is_number and session.is_certain(x)
        if home is None or name not in names or not (is_number or isinstance(x, _ASSIGNED)):
            raise error("E107", None, what=f"the assignment to the global `{name}`")
        if session.open_functions:
            raise error("E107", None, what=f"the assignment to the global `{name}` in a recursion")
        place = session.globals.holds(names, name)
        if place is None:
            raise Assigns(home.__name__, name)
        session.effect(set_global, Ref(home, ""), name, x)
        session.globals.env[place] = x

    def _globals(self) -> dict[str, Any]:
        """The names of the module that the function stands in."""
        frame: Frame = self
        while frame.fn is None and frame.outer is not None:
            frame = frame.outer
        fn: Any = frame.fn
        return {} if fn is None else fn.__globals__

    def _owner(self, name: str) -> Frame:
        """The frame that a name assigned here belongs to."""
        if name not in self.nonlocal_names:
            return self
        frame = self.outer
        while frame is not None and (frame.is_scope or frame.is_class or not frame._has(name)):
            frame = frame.outer
        if frame is None:
            raise error("E108", None, what=f"the assignment to the nonlocal `{name}`")
        return frame._owner(name)

    def _has(self, name: str) -> bool:
        return name in self.env or name in self.local_names or name in self.nonlocal_names

    def at(self, node: Any) -> Location:
        """The place of a syntax node; for a function of srcad's own that of its call."""
        if self.place is not None:
            return self.place
        place = Location.of(node, self.file, self.name)
        return replace(place, caller=self.callers[0]) if self.brief and self.callers else place

    def calls(self, node: Any) -> tuple[Location, ...]:
        """The calls that led into a function that is called here, innermost first.

        An operator, an iteration or a library's function calls what `node` does not name: that
        stands where the body is being read.
        """
        where = self.node if node is None else node
        return self.callers if where is None else (self.at(where), *self.callers)

    def placed(self, problem: Exception, node: Any) -> SrcadError | TooDeep:
        """An exception raised while `node` was lowered, as an error with its place; raises what has
        nothing to do with that.
        """
        if isinstance(problem, SrcadError):  # on its way out of calls inside one another
            return problem.located(self.at(node), self.callers)
        raise_users_own(problem)
        if isinstance(problem, MemoryError):
            raise problem
        if isinstance(problem, RecursionError):
            return TooDeep(self.at(node))
        what = f"what happens here ({type(problem).__name__}: {problem})"
        code = "E132" if type(problem) is TypeError else "E100"
        found = error(code, self.at(node), what=what, called_from=self.callers)
        found.__cause__ = problem
        return found

    def lookup(self, name: str) -> Abstract:
        """What a name stands for: local, enclosing, captured, global or builtin."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.global_names:
                return frame.lookup_global(name)
            if frame.is_class and frame is not self:
                frame = frame.outer
                continue
            if frame.is_class and frame._falls_through(name):
                return frame.lookup_global(name)
            if name in frame.env:
                found = frame.env[name]
                if found is UNBOUND:
                    raise self._unbound(name, frame)
                found = check_name(self.session, found, name, is_own=self.is_of(frame))
                return check_conflict(found)
            if name in frame.local_names:
                raise self._unbound(name, frame)
            if frame.fn is not None:
                return frame.lookup_outside(name)
            frame = frame.outer
        raise error("E124", None, what=f"`{name}`")

    def _falls_through(self, name: str) -> bool:
        """Whether a name that a class's body binds, but has not bound yet, is looked for in the
        module: not in the functions around.
        """
        found = self.env.get(name, UNBOUND)
        if found is not UNBOUND and is_partial(found):
            raise error("E129", None, what=f"`{name}`")
        return found is UNBOUND and name in self.local_names

    def is_of(self, frame: Frame) -> bool:
        """Whether names of `frame` are own ones here, not those of a function around."""
        own = self
        while own is not frame and own.is_scope and _INLINES and own.outer is not None:
            own = own.outer
        return own is frame

    def _unbound(self, name: str, owner: Frame) -> Exception:
        """A name is not bound: a loop around may do so in an earlier iteration, or it is an
        error.
        """
        raised = raised_by_name(self.session, name, is_own=self.is_of(owner))
        if raised is not None:
            return raised
        if not self.session.guessing:
            return error("E130", None, what=f"`{name}`")
        self.session.unmet += 1
        return Unmet()

    def lookup_outside(self, name: str) -> Abstract:
        """A free name of the function itself: in its closure, its module, or builtin."""
        inputs = self.session.inputs
        fn: Any = self.fn
        if name in fn.__code__.co_freevars and fn.__closure__ is not None:
            index = fn.__code__.co_freevars.index(name)
            path = f"{self.path}.__closure__[{index}].cell_contents"
            try:
                found = fn.__closure__[index].cell_contents
            except ValueError:  # the cell is empty
                raise error("E124", None, what=f"`{name}`") from None
            return inputs.lift(found, path, name) if self.path else fixed(found)
        return self.lookup_global(name)

    def lookup_global(self, name: str) -> Abstract:
        """A name of the module, or builtin."""
        if self.fn is None:
            assert self.outer is not None
            return self.outer.lookup_global(name)
        inputs = self.session.inputs
        fn: Any = self.fn
        if self.is_ours and name in fn.__globals__:
            return fixed(fn.__globals__[name])
        place = self.session.globals.holds(fn.__globals__, name)
        if place is not None:
            return check_conflict(self.session.globals.env[place])
        if name in fn.__globals__:
            path = f"{self.path}.__globals__[{name!r}]"
            return inputs.lift(fn.__globals__[name], path, name)
        if not self.is_ours:
            inputs.guard(f"{name!r} in {self.path}.__globals__", "equals", False)
        if hasattr(builtins, name):
            return fixed(getattr(builtins, name))
        notes = did_you_mean(name, {*self.local_names, *fn.__globals__, *vars(builtins)})
        unknown = error("E124", None, what=f"`{name}`", notes=notes)
        raise raised_by_global(self.session, name) or unknown


_INLINES = sys.version_info >= (3, 12)  # comprehensions are no functions of their own

# What a global may be set to: what is the same object each time.
_ASSIGNED = (bool, int, float, complex, str, bytes, type(None))


@contextmanager
def errors_at(frame: Frame, node: Any) -> Iterator[None]:
    """Errors raised inside without a place are placed at `node`; other exceptions become errors."""
    try:
        yield
    except Signal:
        raise
    except Exception as problem:
        raise frame.placed(problem, node) from problem.__cause__


def check_conflict(x: Abstract) -> Abstract:
    """`x`, unless branches or iterations disagree on what it is."""
    if isinstance(x, Conflict):
        raise x.refusal()
    return x


def fixed(obj: Any) -> Abstract:
    """The abstract value of something that never changes: what trusted modules hold."""
    if obj is None or isinstance(obj, int | float | complex | str | np.generic | np.dtype):
        return obj
    if obj is Ellipsis or is_constant_sequence(obj) or (type(obj) is tuple and not obj):
        return obj
    return Ref(obj, "")


# What other tools have beside NumPy's functions, and NumPy had before.
_ELSEWHERE = {
    **{
        name: f"scipy.special.{name}"
        for name in ("digamma", "erf", "erfc", "erfinv", "expit", "gammaln", "log_softmax",
                     "logit", "logsumexp", "softmax", "xlogy")
    },
    "gelu": "srcad.nn.gelu",
    "one_hot": "np.eye(n)[labels]",
    "relu": "np.maximum(x, 0)",
    "rsqrt": "1 / np.sqrt(x)",
    "sigmoid": "scipy.special.expit",
    "silu": "x * scipy.special.expit(x)",
    "softplus": "np.logaddexp(0, x)",
    "cat": "np.concatenate",
    "norm": "np.linalg.norm", "solve": "np.linalg.solve",
    "inv": "np.linalg.inv", "det": "np.linalg.det",
    "trapz": "np.trapezoid", "in1d": "np.isin", "product": "np.prod", "cumproduct": "np.cumprod",
    "alltrue": "np.all", "sometrue": "np.any", "row_stack": "np.vstack", "round_": "np.round",
    "Inf": "np.inf", "Infinity": "np.inf", "infty": "np.inf", "NaN": "np.nan",
    "float_": "np.float64", "complex_": "np.complex128", "msort": "np.sort(x, axis=0)",
    "asfarray": "np.asarray(x, dtype=float)",
}  # fmt: skip


def attribute_of_module(session: Session, module: Ref, name: str) -> Abstract:
    """`module.name`: fixed for trusted modules, captured with a guard for the user's own. CuPy's
    are taken for NumPy's.
    """
    if (stands_for := numpys(module.obj, name)) is not None:
        return fixed(getattr(stands_for, name))
    if not hasattr(module.obj, name):
        if module.path:
            session.inputs.guard(f"hasattr({module.path}, {name!r})", "equals", False)
        notes = did_you_mean(name, dir(module.obj), f"{module.obj.__name__}.")
        if module.obj.__name__ == "numpy" and name in _ELSEWHERE:
            notes = (f"`{_ELSEWHERE[name]}` is it",)
        raise error("E124", None, what=f"`{module.obj.__name__}.{name}`", notes=notes)
    place = session.globals.holds(vars(module.obj), name)
    if place is not None:
        return check_conflict(session.globals.env[place])
    found = getattr(module.obj, name)
    # What is imported in the function comes without a path: of modules that never change.
    fixed_module = not module.path or is_trusted(module.obj)
    if fixed_module and module.path and is_put_there(module.obj, name, found):
        fixed_module = False
    if fixed_module or (isinstance(found, type(math)) and is_trusted(found)):
        return fixed(found)
    return session.inputs.lift(found, f"{module.path}.{name}", name)


__all__ = ["Frame", "Session", "attribute_of_module", "check_conflict", "errors_at", "fixed"]
