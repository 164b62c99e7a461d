"""What a call has done: its result, or the exception, and what it left behind; and in what two
calls differ.

Equal are results of one exact type with one value: NaN is NaN, -0.0 is not 0.0, arrays have one
dtype (byte order too), shape, and order of axes in memory; dicts one order of keys. A result that
is an argument, part of one, or shares memory with one must be (or share) the same part of it in
both calls; a text that tells the address of an argument must tell that of the same one. What is not
compared: whether a new array is writable, and the strides of a new array
beyond the order of its axes (`srcad.compile` returns a view of a new array as a copy).

Where Python raises, srcad must raise the same class or refuse. A *refusal* is a `SrcadError` that
is neither an `InternalError` (E9xx) nor a `RuleError` (E6xx: srcad's own rules are at fault). Where
Python gives a value, srcad must give the same or refuse. Any other exception is a fault.
"""

from __future__ import annotations

import dataclasses
import re
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcad.errors import InternalError, RuleError, SrcadError

IDENTICAL = (
    types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, np.ufunc,
)  # fmt: skip
ATOMS = (
    bool, int, str, bytes, type(None), type(Ellipsis), np.dtype, range, slice, type(NotImplemented),
)  # fmt: skip
# A list may hold itself: what is alike so far down is.
_DEEP = 30


@dataclasses.dataclass
class Outcome:
    """What came of a call. `raised`: the exception, if it was one; `captured`: the globals read."""

    arguments: tuple[Any, ...]
    captured: tuple[Any, ...] = ()
    value: Any = None
    raised: BaseException | None = None
    warned: frozenset[type] = frozenset()

    @property
    def is_refusal(self) -> bool:
        """Whether srcad said that it does not do this, before the program runs or while it does."""
        problem = self.raised
        return isinstance(problem, SrcadError | NotImplementedError) and not isinstance(
            problem, InternalError | RuleError
        )

    @property
    def said(self) -> str:
        """What came out, in short."""
        if self.raised is not None:
            text = str(self.raised).strip().splitlines() or [""]
            return f"{type(self.raised).__name__}: {text[0][:160]}"
        return f"{type(self.value).__name__} {show(self.value)}"


def show(x: Any) -> str:
    """A value in one line."""
    dtype = f" {x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else ""
    return " ".join(repr(x).split())[:160] + dtype


def run(
    call: Callable[..., Any], arguments: tuple[Any, ...], captured: tuple[Any, ...] = ()
) -> Outcome:
    """Call it; what it gives, raises and warns of."""
    out = Outcome(arguments, captured)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            out.value = call(*arguments)
        except Exception as problem:
            out.raised = problem
    out.warned = frozenset(each.category for each in warned)
    return out


def disagreement(want: Outcome, got: Outcome, originals: tuple[Any, ...]) -> str | None:
    """In what `got`, srcad's, is not what Python gave; None where it is, or is a refusal.

    `originals`: the arguments as they were, which a call that raises leaves as they are.
    """
    if got.is_refusal:
        return None
    if got.raised is not None:
        if want.raised is None:
            return f"raises {got.said}; Python gives {want.said}"
        if type(want.raised) is not type(got.raised):
            return f"raises {got.said}; Python raises {want.said}"
        changed = difference(originals, got.arguments, "arguments")
        return changed and f"raises, and has changed {changed}"
    if want.raised is not None:
        return f"gives {got.said}; Python raises {want.said}"
    return (
        difference(_with_names(want), _with_names(got))
        or difference(want.arguments, got.arguments, "arguments")
        or _alias_difference(want, got)
    )


def _with_names(outcome: Outcome) -> Any:
    """The value; a text with the names of arguments and globals for their addresses.

    Each call has objects of its own. Any address will do for one that is made in the call.
    """
    if type(outcome.value) is not str:
        return outcome.value
    known = {id(x): f"<arguments[{k}]>" for k, x in enumerate(outcome.arguments)}
    known |= {id(x): f"<captured[{k}]>" for k, x in enumerate(outcome.captured)}
    return re.sub("0x[0-9a-fA-F]+", lambda at: known.get(int(at[0], 16), "<made>"), outcome.value)


def difference(want: Any, got: Any, at: str = "result") -> str | None:
    """Where two values differ, in words."""
    if type(want) is not type(got):
        return f"{at}: {type(got).__name__} {show(got)} is not {type(want).__name__} {show(want)}"
    if isinstance(want, np.ndarray | np.generic):
        return _array_difference(want, got, at)
    if isinstance(want, slice):
        ends = ((x.start, x.stop, x.step) for x in (want, got))
        return f"{at}: {show(got)} is not {show(want)}" if difference(*ends) else None
    if isinstance(want, ATOMS):
        return None if want == got else f"{at}: {show(got)} is not {show(want)}"
    if isinstance(want, float | complex):
        same = _same_items(np.asarray(want), np.asarray(got))
        return None if same else f"{at}: {got!r} is not {want!r}"
    if isinstance(want, IDENTICAL):
        same = want is got or (
            getattr(want, "__code__", want) is getattr(got, "__code__", got)
            or getattr(want, "__qualname__", want) == getattr(got, "__qualname__", got)
        )
        return None if same else f"{at}: {got!r} is not {want!r}"
    if isinstance(want, dict) and difference(list(want), list(got)):
        return f"{at}: keys {list(got)} are not {list(want)}"
    if isinstance(want, set | frozenset):
        return None if want == got else f"{at}: {got!r} is not {want!r}"
    if at.count("[") + at.count(".") > _DEEP:
        return None
    pairs = list(zip(parts(want), parts(got), strict=False))
    if len(list(parts(want))) != len(list(parts(got))):
        return f"{at}: {show(got)} is not {show(want)}"
    for (key, x), (other, y) in pairs:
        if key != other:
            return f"{at}: {other} is not {key}"
        if found := difference(x, y, f"{at}{key}"):
            return found
    return None


def parts(x: Any) -> Iterator[tuple[str, Any]]:
    """What a container or an object consists of."""
    if isinstance(x, dict):
        keys = (key if isinstance(key, ATOMS) else k for k, key in enumerate(x))
        yield from ((f"[{key!r}]", item) for key, item in zip(keys, x.values(), strict=True))
    elif isinstance(x, list | tuple) or type(x).__name__ == "deque":
        yield from ((f"[{k}]", item) for k, item in enumerate(x))
    elif isinstance(x, BaseException):
        yield ".args", x.args
    elif hasattr(x, "__dict__") and not isinstance(x, IDENTICAL):
        yield from ((f".{key}", item) for key, item in vars(x).items())


def _array_difference(want: Any, got: Any, at: str) -> str | None:
    if want.dtype != got.dtype:
        return f"{at}: dtype {got.dtype} is not {want.dtype}"
    if want.shape != got.shape:
        return f"{at}: shape {got.shape} is not {want.shape}"
    if isinstance(want, np.ndarray) and not _same_order(want, got):
        return f"{at}: strides {got.strides} are not {want.strides}"
    if not _same_items(np.asarray(want), np.asarray(got)):
        return f"{at}: {show(got)} is not {show(want)}"
    return None


def _same_order(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the axes of two arrays of one shape follow each other alike in memory."""
    strides = [[abs(s) for s, n in zip(x.strides, x.shape, strict=True) if n > 1] for x in (a, b)]
    if a.size == 0 or any(0 in each for each in strides):
        return True
    first, second = (sorted(range(len(each)), key=lambda k: -each[k]) for each in strides)
    return first == second


def _same_items(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype == object:
        return not any(difference(x, y) for x, y in zip(a.flat, b.flat, strict=True))
    if a.dtype.kind == "c":
        return _same_items(a.real, b.real) and _same_items(a.imag, b.imag)
    if a.dtype.kind == "f":
        nan = np.isnan(a)
        if not np.array_equal(nan, np.isnan(b)):
            return False
        same = (a == b) & (np.signbit(a) == np.signbit(b))
        return bool(np.all(same | nan))
    if a.dtype.kind in "mM":
        return bool(np.array_equal(a.view("i8"), b.view("i8")))
    return bool(np.array_equal(a, b))


def _alias_difference(want: Outcome, got: Outcome) -> str | None:
    first, second = _aliases(want), _aliases(got)
    if first == second:
        return None
    return f"aliases: {_shown(second - first)} is not {_shown(first - second)}"


def _shown(found: set[tuple[str, str, str]]) -> str:
    return ", ".join(sorted(" ".join(each) for each in found)) or "nothing"


def _aliases(outcome: Outcome) -> set[tuple[str, str, str]]:
    """Which parts of the result are parts of the arguments, or share memory with them."""
    given = list(_mutable(outcome.arguments, "arguments"))
    found = set()
    for at, x in _mutable(outcome.value, "result"):
        for path, y in given:
            if x is y:
                found.add((at, "is", path))
            elif isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
                if np.shares_memory(x, y):
                    found.add((at, "shares memory with", path))
    return found


def _mutable(x: Any, at: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The parts of a value whose identity can be seen by a change."""
    fixed = (*ATOMS, float, complex, frozenset, np.generic, *IDENTICAL)
    if isinstance(x, fixed) or depth > 4:
        return
    if not isinstance(x, tuple):
        yield at, x
    for key, item in parts(x):
        yield from _mutable(item, f"{at}{key}", depth + 1)
