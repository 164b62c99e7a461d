"""Operations appended to a block, each with the type of its result.

emitter.emit(np.exp, (x,))              y: f64[n] = exp(x)
emitter.emit(np.sum, (y,))              s: f64 = sum(y)
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from srcad.errors import Location, error
from srcad.ir.nodes import Op, Stmt, Value
from srcad.rules.core.array_arguments import with_arrays
from srcad.rules.core.infer import infer
from srcad.rules.core.marks import Marks
from srcad.rules.core.sequences import OnlyItem, refilled

Rewrite = Callable[[Op], Any]


class Emitter:
    """Appends operations to `body`, finding the type of each result.

    `rewrite`, when given, sees every new op first and may return an atom that stands for its
    result.
    """

    def __init__(
        self,
        body: list[Stmt] | None = None,
        loc: Location | None = None,
        rewrite: Rewrite | None = None,
    ) -> None:
        self.body: list[Stmt] = [] if body is None else body
        self.loc = loc
        self.rewrite = rewrite
        # Of the frontend: called with each new op; makes a constant of a run-time int.
        self.watch: Callable[[Op], None] | None = None
        self.constant: Callable[[Value, str], Any] = no_constant
        self.made: ChainMap[Value, Op] = ChainMap()
        self.marks = Marks()
        # What binds the values of the program that is differentiated, where one is.
        self.primal: Mapping[Value, Stmt] = {}

    @property
    def makers(self) -> Mapping[Value, Any]:
        """What made the values of the derivative, and of the program that is differentiated."""
        return ChainMap(self.made, self.primal)  # type: ignore[arg-type]  # it is only read

    @contextmanager
    def into(self, body: list[Stmt]) -> Iterator[None]:
        """Ops emitted inside are appended to `body`."""
        outer, self.body = self.body, body
        try:
            yield
        finally:
            self.body = outer

    def emit(
        self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, name: str = ""
    ) -> Any:
        """Emit an op on atoms; returns the atom of its result (a tuple for several)."""
        found = self.emit_result(fn, args, kwargs, name)
        return tuple(found) if isinstance(found, list | tuple) else found

    def emit_result(
        self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, name: str = ""
    ) -> Any:
        """As `emit`, with several results in what the function gives: a list, a named tuple."""
        args, kwargs = with_arrays(self.emit, fn, args, kwargs or {})
        result = infer(fn, args, kwargs)
        several = isinstance(result, list | tuple)
        types = tuple(result) if several else (result,)
        fn = OnlyItem(fn) if several and len(types) == 1 else fn
        op = Op(fn, args, kwargs, tuple(Value(name, t) for t in types), self.loc)
        if self.rewrite is not None and len(types) == 1:
            replacement = self.rewrite(op)
            if replacement is not None:
                return refilled(result, (replacement,)) if several else replacement
        self.body.append(op)
        for out in op.outs:
            self.made[out] = op
        if self.watch is not None:
            self.watch(op)
        return refilled(result, op.outs) if several else op.out


def no_constant(x: Value, what: str) -> Any:
    """Refuse to make a constant of a value: its specialisation cannot be asked for."""
    raise error("E123", None, what=what)


__all__ = ["Emitter", "no_constant"]
