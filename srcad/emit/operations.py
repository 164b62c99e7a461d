"""Operations as expressions: infix operators, methods where people write methods, calls otherwise.

Op(operator.matmul, (x, w))             x @ w
Op(np.sum, (x,), {"axis": 0})           x.sum(axis=0)          x an array
Op(operator.getitem, (s, 0))            x.shape[0]             s nested, Op(np.shape, (x,))
"""

from __future__ import annotations

import ast
import inspect
import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcad.emit.native import Through
from srcad.emit.plan.nesting import Nesting
from srcad.emit.references import LOAD, References, name
from srcad.emit.syntax import binary_of, comparison_of, form_of, member_of, unary_of
from srcad.ir import UNDEFINED, ArrayType, Function, Op, Value
from srcad.ir.types import rank_of
from srcad.ops.solvers import Solved
from srcad.rules.core.declaration.trials import Refusing
from srcad.rules.core.joined_kinds import JoinedKinds
from srcad.rules.core.sequences import OnlyItem
from srcad.rules.draws import is_draw, is_draw_of_state
from srcad.runtime import as_solution, taken_apart
from srcad.runtime.saved import pack, unpack, unpack_one

_CLASSES: Final = "srcad.runtime.checkpoints.states"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A dtype in the place of an argument that asks for one."""

    dtype: np.dtype[Any]


class Expressions:
    """Builds expressions from atoms and operations under a choice of names."""

    def __init__(
        self,
        names: Mapping[Value, str],
        nesting: Nesting,
        references: References,
        functions: Mapping[Function, str],
        joined: Callable[[], JoinedKinds],
    ) -> None:
        self.names = names
        self.nesting = nesting
        self.references = references
        self.functions = functions
        self.joined = joined

    def tree(self, tree: Any) -> ast.expr:
        """An argument: an atom, or a tuple, list, dict or slice of atoms."""
        if isinstance(tree, Value):
            op = self.nesting.nested.get(tree)
            return name(self.names[tree]) if op is None else self.operation(op)
        if isinstance(tree, _Asked):
            return self.references.dtype(tree.dtype)
        if isinstance(tree, Through):
            return ast.Call(self.references.to(tree.fn), [self.tree(tree.arg)], [])
        if type(tree) is tuple:
            return ast.Tuple([self.tree(item) for item in tree], LOAD)
        if type(tree) is list:
            return ast.List([self.tree(item) for item in tree], LOAD)
        if type(tree) is dict:
            return ast.Dict([self.tree(k) for k in tree], [self.tree(v) for v in tree.values()])
        if isinstance(tree, slice):
            ends = [self.tree(end) for end in (tree.start, tree.stop, tree.step)]
            return ast.Call(self.references.to(slice), ends, [])
        if isinstance(tree, Function):
            return name(self.functions[tree])
        return self.references.constant(None if tree is UNDEFINED else tree)

    def operation(self, op: Op) -> ast.expr:
        """The expression whose value `op` binds."""
        dialect = self.references.dialect
        op = dialect.adapted(op)
        if (form := dialect.form(op.fn)) is not op.fn:
            return self.call(self.references.to(form), op.args, op.kwargs)
        written = self._operation(op)
        if dialect.keeps_entries or not _is_entry(op):
            return written
        return ast.Call(ast.Attribute(written, "copy", LOAD), [], [])

    def _operation(self, op: Op) -> ast.expr:
        if any(isinstance(arg, np.dtype) for arg in op.args):
            op = replace(op, args=_with_dtypes_asked(op.fn, op.args))
        fn, args = op.fn, op.args
        if isinstance(fn, OnlyItem):
            items = self.operation(replace(op, fn=fn.fn))
            return ast.Subscript(items, ast.Constant(0), LOAD)
        if isinstance(fn, Refusing):
            return self.call(self.references.to(fn.fn), args, op.kwargs)
        if isinstance(fn, Solved):
            solved = self.call(self.references.to(fn.solver), args[:-1], op.kwargs)
            like = self.tree(args[fn.like])
            return ast.Call(self.references.to(as_solution), [solved, like], [])
        if isinstance(fn, Function):
            return self.call(name(self.functions[fn]), args, op.kwargs)
        if fn is list and args and type(args[0]) is list:
            return self.tree(args[0])
        if not op.kwargs:
            written = self._operator(fn, args)
            if written is not None:
                return written
        if args and isinstance(args[0], Value) and isinstance(args[0].type, ArrayType):
            written = self._member(op)
            if written is not None:
                return written
        is_draw_of_one = is_draw(fn) or is_draw_of_state(fn)
        if args and (is_draw_of_one or _is_of_helper(fn) or _is_method_of(fn, args[0])):
            member = ast.Attribute(self.tree(args[0]), fn.__name__, LOAD)
            return self.call(member, args[1:], op.kwargs)
        return self.call(self.references.to(fn), args, op.kwargs)

    def call(self, function: ast.expr, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ast.Call:
        """A call with IR arguments."""
        keywords = [
            ast.keyword(
                key,
                self.references.dtype(value)
                if key == "dtype" and isinstance(value, np.dtype)
                else self.tree(value),
            )
            for key, value in kwargs.items()
        ]
        return ast.Call(function, [self.tree(arg) for arg in args], keywords)

    def index(self, base: Any, index: Any) -> ast.expr:
        """What stands in the brackets of `base[index]`."""
        is_array = isinstance(base, Value) and isinstance(base.type, ArrayType)
        if is_array and type(index) is tuple and len(index) == 1 and type(index[0]) is not list:
            (index,) = index
        if type(index) is tuple:
            return ast.Tuple([self._index_item(item) for item in index], LOAD)
        return self._index_item(index)

    def _index_item(self, item: Any) -> ast.expr:
        if not isinstance(item, slice):
            return self.tree(item)
        ends = (item.start, item.stop, item.step)
        lower, upper, step = (None if end is None else self.tree(end) for end in ends)
        return ast.Slice(lower, upper, step)

    def _operator(self, fn: Any, args: tuple[Any, ...]) -> ast.expr | None:
        is_known = callable(fn) and isinstance(fn, Hashable)
        write = _BY_FORM.get(form_of(fn)) or _WRITERS.get(fn) if is_known else None
        return None if write is None else write(self, fn, args)

    def _binary(self, fn: Any, args: tuple[Any, ...]) -> ast.expr:
        left, right = args
        if fn is operator.pow:  # an exponent's type chooses NumPy's way of computing
            return ast.BinOp(self.tree(left), ast.Pow(), self.tree(right))
        return ast.BinOp(self.operand(left, right), binary_of(fn), self.operand(right, left))

    def operand(self, tree: Any, other: Any) -> ast.expr:
        """`tree` beside `other`: a NumPy scalar of an array's dtype prints as a plain number.

        Beside a single entry it does not: in compiled code a plain number makes that double. Nor
        beside what may be a number of Python's.
        """
        kind = other.type if isinstance(other, Value) else None
        is_entry = isinstance(kind, ArrayType) and kind.scalar and kind.dtype != np.float64
        if is_entry or not isinstance(kind, ArrayType):
            return self.tree(tree)
        if isinstance(tree, np.floating) and np.isfinite(tree):
            number = float(str(tree))
            is_equal = kind.dtype == tree.dtype and type(tree)(number) == tree
            if is_equal and other not in self.joined():
                return ast.Constant(number)
        return self.tree(tree)

    def _unary(self, fn: Any, args: tuple[Any, ...]) -> ast.expr:
        return ast.UnaryOp(unary_of(fn), self.tree(args[0]))

    def _compare(self, fn: Any, args: tuple[Any, ...]) -> ast.expr:
        left, right = args
        return ast.Compare(self.tree(left), [comparison_of(fn)], [self.tree(right)])

    def _contains(self, _fn: Any, args: tuple[Any, ...]) -> ast.expr:
        container, item = args
        return ast.Compare(self.tree(item), [ast.In()], [self.tree(container)])

    def _subscript(self, _fn: Any, args: tuple[Any, ...]) -> ast.expr:
        base, index = args
        return ast.Subscript(self.tree(base), self.index(base, index), LOAD)

    def _pack(self, _fn: Any, args: tuple[Any, ...]) -> ast.expr:
        return self.tree(args)

    def _unpack(self, _fn: Any, args: tuple[Any, ...]) -> ast.expr:
        return self.tree(args[0])

    def _unpack_one(self, _fn: Any, args: tuple[Any, ...]) -> ast.expr:
        return ast.Subscript(self.tree(args[0]), ast.Constant(0), LOAD)

    def _getattribute(self, fn: Any, args: tuple[Any, ...]) -> ast.expr | None:
        if len(args) != 2 or not isinstance(args[1], str) or not args[1].isidentifier():
            return None
        return ast.Attribute(self.tree(args[0]), args[1], LOAD)

    def _member(self, op: Op) -> ast.expr | None:
        """`op` as an attribute or method of its first argument, an array."""
        fn, args, kwargs = op.fn, op.args, op.kwargs
        if not isinstance(fn, Hashable) or _may_be_number(args[0], fn):
            return None
        form, member = form_of(fn), member_of(fn)
        if member is None or (len(args) > 1 and form == "method by keyword"):
            return None
        if form == "attribute":
            is_alone = len(args) == 1 and not kwargs
            return ast.Attribute(self.tree(args[0]), member, LOAD) if is_alone else None
        known = self.references.dialect.keywords
        if known is not None and not kwargs.keys() <= known:
            return None
        if fn is np.transpose and len(args) == 1 and not kwargs and rank_of(args[0].type) != 0:
            return ast.Attribute(self.tree(args[0]), "T", LOAD)
        if fn is np.transpose and len(args) == 1 and list(kwargs) == ["axes"]:
            args, kwargs = (*args, kwargs["axes"]), {}
        return self.call(ast.Attribute(self.tree(args[0]), member, LOAD), args[1:], kwargs)


def _with_dtypes_asked(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments by position, where those are marked that are dtypes because they have to be."""
    if not any(isinstance(arg, np.dtype) for arg in args):
        return args
    try:
        names = list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):  # of a function in C that does not tell
        return args
    return tuple(
        _Asked(arg) if isinstance(arg, np.dtype) and names[k : k + 1] == ["dtype"] else arg
        for k, arg in enumerate(args)
    )


def _may_be_number(x: Any, fn: Any) -> bool:
    """Whether a value may be a Python number, which has no attributes of an array."""
    if not isinstance(x, Value) or not isinstance(x.type, ArrayType):
        return False
    # `np.astype` takes arrays alone: that of a scalar is written where it is one of NumPy's.
    return x.type.shape is None or (x.type.shape == () and fn is not np.astype)


def _is_entry(op: Op) -> bool:
    """Whether `op` reads one entry of an array."""
    if op.fn is not operator.getitem or not isinstance(op.args[0], Value):
        return False
    made = op.out.type
    return isinstance(op.args[0].type, ArrayType) and isinstance(made, ArrayType) and made.scalar


def _is_method_of(fn: Any, x: Any) -> bool:
    """Whether `x.name` is the method `fn` of its class: `object.__hash__` is not that of an int."""
    if not (inspect.ismethoddescriptor(fn) and hasattr(fn, "__objclass__")):
        return False
    if isinstance(x, Value):
        return fn.__objclass__ is not object
    # A class finds the methods of its own objects first.
    return not isinstance(x, type) and getattr(type(x), fn.__name__, None) is fn


def _is_of_helper(fn: Any) -> bool:
    """Whether a function is a method of a class that is copied into the module."""
    home = getattr(fn, "__module__", None) or ""
    return isinstance(fn, FunctionType) and home == _CLASSES and "." in fn.__qualname__


_Writer = Callable[[Expressions, Any, tuple[Any, ...]], ast.expr | None]
_BY_FORM: Final[dict[str | None, _Writer]] = {
    "binary": Expressions._binary,
    "unary": Expressions._unary,
    "comparison": Expressions._compare,
}
_WRITERS: Final[dict[Any, _Writer]] = {
    operator.contains: Expressions._contains,
    operator.getitem: Expressions._subscript,
    getattr: Expressions._getattribute,
    pack: Expressions._pack,
    unpack: Expressions._unpack,
    taken_apart: Expressions._unpack,
    unpack_one: Expressions._unpack_one,
}
