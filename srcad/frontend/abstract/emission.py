"""Emitting: how a call on abstract values becomes operations of the program.

np.sum(xs)    xs, a list that is known    t = array([x, 2.0]); t_2 = sum(t)
np.trapezoid(y)                           what it is made of, in place of the call
np.add(x, y)                              add(x, y): one function for `+` and its ufunc
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import SrcadError, error
from srcad.frontend.abstract.containers.containers import Grown, ListObj, form_of
from srcad.frontend.abstract.containers.contents import contained
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract, Range, Ref, ShapeTuple, describe, is_static
from srcad.frontend.abstract.operator_form import is_operator, is_power_of_bools
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.constants import is_int
from srcad.frontend.recording import Recording
from srcad.interrupts import raise_users_own
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Function, If, Op, Value
from srcad.ir.types import (
    ArrayType,
    Dim,
    NumberType,
    TupleType,
    Type,
    dtype_of,
    rank_of,
    shape_of,
)
from srcad.ir.walk import map_tree, values_in
from srcad.ops import row_of
from srcad.rules.core.call_facts import (
    INSTEAD,
    MAY_BE_REAL,
    SPECIAL_EXTENTS,
    SQUARE,
    check_lists,
    returns_argument,
)
from srcad.rules.core.declaration import probing
from srcad.rules.core.declaration.declared import is_by_trial, is_called_by
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.declaration.trials import Refusing, is_numpys, is_refused
from srcad.rules.core.emitter import no_constant
from srcad.rules.core.infer import types_in
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.sequences import OnlyItem, refilled, whole
from srcad.rules.core.staged import unwrap
from srcad.rules.core.table import Rule, name_of, rule_for
from srcad.runtime.effects import raise_

# A builtin exception: a saved module does not import srcad.
_NO_ITEMS = (
    Ref(NotImplementedError, ""),
    "the list has no items: an array of it would have the shape (0,) and dtype float64, not those "
    "of its items; ask for its length first, or name the dtype: `np.array(items, dtype=int)`",
)

_MOST_ITEMS = 40  # of a range that is written as a tuple


class Emission(Recording):
    """What a session tells of calls: it makes operations of them.

    `open_functions`: those of which it is not known yet what they read.
    `keeps_calls`: a composed function of NumPy stays a call, since it is run and not derived.
    `counts`: extents by what they are.
    """

    open_functions: list[Function]
    keeps_calls: bool
    counts: dict[str | Value, Dim]  # by sums of arguments, and by other ints

    def emit(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """Emit `fn(*args, **kwargs)` on abstract arguments; its result (a tuple for several)."""
        if _holds_range((args, kwargs)) and name_of(fn).startswith(("np.", "scipy.")):
            args, kwargs = self._without_ranges((args, kwargs or {}))
        args, kwargs = self.atom(args), self.atom(kwargs or {})
        if not kwargs and is_operator(fn, args, self.kinds):
            if is_power_of_bools(fn, args):
                args = (self.emit(np.astype, (args[0], np.dtype(int))), args[1])  # not as `**` does
            fn = OPERATORS[fn]
        rule = rule_for(fn, kwargs)  # first: it may read the rules of a package
        check_lists(fn, args, kwargs)
        self.kinds.check_domain(fn, args)
        if fn in INSTEAD:
            fn = INSTEAD[fn]
            rule = rule_for(fn, kwargs)
        if rule is None:
            return self._emit_without_rule(fn, args, kwargs)
        args, kwargs = self.kinds.settled(fn, (args, kwargs), self.builder)
        self.call_refused(fn, args, kwargs)
        if fn in SQUARE and args and isinstance(args[0], Value):
            self._assume_square(args[0])
        if rule.kind == "composed":
            return self._compose(rule, *self._itemised((args, kwargs)))
        args, kwargs = rule.bind(args, kwargs)
        if fn in of_users and is_called_by(rule.type_of) and not is_by_trial(rule.type_of):
            probing.check_kept(fn, types_in(args), types_in(kwargs))
        if fn in SPECIAL_EXTENTS:
            paths = map(self.inputs.extent_path, SPECIAL_EXTENTS[fn](*args, **kwargs))
            if needed := frozenset(path for path in paths if path is not None):
                raise NeedStatic(needed)
        self.inputs.fix_axes(kwargs)
        try:
            result = self.builder.emit_result(fn, args, kwargs)
        except SrcadError as refusal:
            if any(isinstance(x.type, TupleType) for x in values_in((args, kwargs))):
                return self.emit(fn, *self._itemised((args, kwargs)))
            self._specialise_to_ints((args, kwargs), refusal)
            raise
        self.note_last()
        if fn in MAY_BE_REAL:
            for out in values_in(result):
                self.kinds.note_real(out, args[0])
            return contained(result)
        return contained(self._of_its_dtype(result))

    def _itemised(self, arguments: Any) -> Any:
        """Arguments in which tuples of ints, as `x.shape` is one, are those of their items: the
        tuples that functions on arrays take for arrays.
        """

        def items(x: Any) -> Any:
            if not isinstance(x, Value) or not isinstance(x.type, TupleType):
                return x
            return tuple(self.emit(operator.getitem, (x, i)) for i in range(len(x.type.items)))

        return map_tree(items, arguments)

    def _of_its_dtype(self, result: Any) -> Any:
        """An array made of numbers that may be ints, as one of floats if its type says so: what is
        computed later may be written into its memory.
        """
        if not isinstance(result, Value) or not is_array(result) or self.kinds.is_known(result):
            return result
        op = self.memory.producers[result]
        if any(is_array(x) and not self.kinds.is_known(x) for x in values_in(op.args)):
            return result  # that one was made so, or joined so
        made = self.builder.emit(np.array, (result,), {"dtype": dtype_of(result.type)})
        self.note_last()
        self.kinds.convert(made, result)
        return made

    def _compose(self, rule: Rule, args: Any, kwargs: Any) -> Any:
        """What a function is made of, in place of its call; a call on constants stays."""
        given = list(values_in((args, kwargs)))
        if not given:
            return self._emit_without_rule(rule.fn, args, kwargs)
        if self.keeps_calls and not self.open_functions and is_numpys(rule.fn):
            try:
                result = self.builder.emit_result(rule.fn, args, kwargs)
            except SrcadError:
                pass  # what it is made of says why, or asks for a constant
            else:
                self.note_last()
                return contained(result)
        builder = self.builder
        builder.watch, builder.constant = self.note, self.static
        try:
            result = unwrap(builder.expand(rule, args, kwargs))
        except SrcadError as refusal:
            self._specialise_to_ints((args, kwargs), refusal)
            raise
        finally:
            builder.watch, builder.constant = None, no_constant
        is_new = row_of(whole(rule.fn)).memory != "unknown"
        if is_new and not returns_argument(rule.fn, args, kwargs):
            # What NumPy makes is new: the result is no argument under another name.
            own = {id(x) for x in given if is_array(x)}
            result = map_tree(lambda x: self._copied(x) if id(x) in own else x, result)
        return contained(result)

    def _copied(self, x: Value) -> Any:
        return self.emit(np.copy, (x,))

    def _specialise_to_ints(self, arguments: Any, refusal: SrcadError) -> None:
        """What does not work with a run-time int may work with its value: an axis, say."""
        for value in values_in(arguments):
            if is_int(value):
                try:
                    self.static(value, f"an int that `{value.name}` is computed from")
                except SrcadError as unknown:
                    raise (unknown if refusal.code == "E132" else refusal) from None

    def _assume_square(self, x: Value) -> None:
        extents = shape_of(x.type)
        if extents is not None and len(extents) >= 2:
            self.inputs.assume_equal(extents[-2], extents[-1])

    def _emit_without_rule(self, fn: Any, args: Any, kwargs: Any) -> Any:
        """An op without a rule: right as long as it is not on an active path."""
        what = f"`{name_of(fn)}`"
        if kwargs.get("out") is not None:
            raise error("E116", None, what=f"`out=` of {what}")
        try:
            types = probing.probe(fn, types_in(args), types_in(kwargs))
        except Exception as problem:
            raise_users_own(problem)
            from srcad.rules.scipy.refused import without_rule  # here: most programs need it not

            raise without_rule(fn) from None
        probing.check_kept(fn, types_in(args), types_in(kwargs))
        several = isinstance(types, list | tuple)
        kinds: tuple[Type, ...] = tuple(types) if several else (types,)
        if not all(isinstance(t, ArrayType | NumberType) for t in kinds):
            raise error("E120", None, what=what)
        outs = tuple(Value("", t) for t in kinds)
        fn = OnlyItem(fn) if several and len(outs) == 1 else fn
        self.add(Op(fn, args, kwargs, outs, self.builder.loc))
        if values_in((args, kwargs)):  # of constants alone the trial was the call itself
            outs = tuple(map(self._as_tried, outs))
        return contained(refilled(types, outs)) if several else outs[0]

    def _as_tried(self, x: Value) -> Value:
        """`x`, refused when the program runs if its type is another than a trial gave."""
        dtype = dtype_of(x.type)
        if dtype is None or dtype.kind not in "biufc":
            return x
        if isinstance(x.type, ArrayType) and not x.type.scalar:
            kind: tuple[Any, ...] = ("ndarray", dtype.name, rank_of(x.type))
        else:
            kind = (x.type.kind.__name__ if isinstance(x.type, NumberType) else dtype.name,)
        checked: Value = self.emit(runtime.as_tried, (x, *kind))
        return checked

    def call_refused(self, fn: Any, args: Any, kwargs: Any) -> None:
        """Append a call that NumPy refuses: what stands for it need not look at all options."""
        if is_refused(fn, args, kwargs):
            self.add(Op(Refusing(fn), args, kwargs, (), self.builder.loc, effect=True))

    def effect(self, fn: Any, *args: Abstract, **kwargs: Abstract) -> None:
        """Append an op for its effect."""
        atoms, options = self.atom(args), self.atom(kwargs)
        self.add(Op(fn, atoms, options, (), self.builder.loc, effect=True))

    def atom(self, x: Abstract) -> Any:
        """`x` as an argument of an op: values, constants, and containers of these."""
        if isinstance(x, Value):
            return self.memory.read(x)
        if isinstance(x, ShapeTuple):
            return self.emit_shape(x.owner)
        if type(x) is tuple:
            return tuple(map(self.atom, x))
        x = form_of(x)
        if isinstance(x, ListObj):
            return [self.atom(item) for item in x.items]
        if type(x) is list:  # made by lowering itself
            return [self.atom(item) for item in x]
        if isinstance(x, Laid | LaidRow):
            return self.atom(self._table(x))
        if isinstance(x, Grown) and not isinstance(x.item, tuple | ListObj):
            return self.atom(self.column(x))
        if type(x) is dict:
            return {key: self.atom(item) for key, item in x.items()}
        if isinstance(x, slice):
            return slice(self.atom(x.start), self.atom(x.stop), self.atom(x.step))
        if isinstance(x, Ref) and (not x.path or isinstance(x.obj, type)):
            return x.obj
        if is_static(x):
            return x
        fix = "pass it the arrays and numbers of the object that it reads"
        raise error("E120", None, what=f"a call with {describe(x)} as argument", fix=fix)

    def _without_ranges(self, x: Any) -> Any:
        """What NumPy is given, with the ranges in it as the ints that it reads."""
        if type(x) is tuple:
            return tuple(map(self._without_ranges, x))
        if type(x) is dict:
            return {key: self._without_ranges(item) for key, item in x.items()}
        if isinstance(x, ListObj) and x.form is None and x.cls is list:
            return [self._without_ranges(item) for item in x.items]
        if type(x) is range and len(x) <= _MOST_ITEMS:
            return tuple(x)
        if not isinstance(x, range | Range):
            return x
        made = self.emit(np.arange, (x.start, x.stop, x.step))
        if isinstance(x, Range) and not self.is_less(0, count := self.emit_extent(made, 0)):
            self.raise_if_none(count, *_NO_ITEMS)
        return made

    def column(self, x: Grown, k: int = 0) -> Value:
        """The array of the items of a list, or of the parts `k` of its items.

        NumPy makes floats of no items. Where those of the list are something else, that there are
        any is a guard, or the program is refused when it runs: no `except` takes that for its own.
        """
        if isinstance(x.kinds[k], Named):
            x.decline()
        column = x.columns[k]
        self.kinds.check_array_of(x.kinds[k], dtype_of(column.type))
        if (x.seqs or rank_of(column.type) == 1) and dtype_of(column.type) == np.dtype(float):
            return column
        has_items = self.has_items(x)
        if has_items is None:
            self.raise_if_none(self.emit_extent(column, 0), *_NO_ITEMS)
        return self.emit(np.zeros, (0,)) if has_items is False else column

    def _table(self, x: Laid | LaidRow) -> Value:
        """The array of the items of a list of lists."""
        if x.form.width is not None:
            x.form.decline()
        kinds = x.form.kinds
        if int in kinds and len(kinds) > 1:
            raise error("E129", None, what="an array of a list of ints and floats")
        count = self.emit_extent(x.form.numbers, 0)
        if not self.is_less(0, count):
            self.raise_if_none(count, *_NO_ITEMS)
        part = self.emit(operator.getitem, (x.form.numbers, x.at)) if x.at else x.form.numbers
        copied: Value = self.emit(np.copy, (part,))
        return copied

    def has_items(self, x: Grown) -> bool | None:
        """Whether a list has any items, made a guard; None where that is seen when it runs."""
        of_all = (0, self.emit_extent(x.columns[0], 0))
        return self.is_less(*(of_all if x.bounds is None else x.bounds))

    def raise_if_none(self, count: Abstract, cls: Ref, *args: Any) -> None:
        """Append `if count == 0: raise cls(*args)`."""
        empty = self.emit(operator.eq, (count, 0))
        with self.block() as body:
            self.effect(raise_, cls, *args)
        blocks = Block([], body, []), Block([], [], [])
        self.builder.body.append(If(empty, *blocks, (), self.builder.loc))

    def emit_extent(self, owner: Value, axis: int) -> Value:
        """`np.shape(owner)[axis]`."""
        extent: Value = self.emit(operator.getitem, (self.emit_shape(owner), axis))
        return extent


def _holds_range(x: Any) -> bool:
    """Whether there is a range among arguments, or in their lists and tuples."""
    if isinstance(x, ListObj):
        x = x.items if x.form is None else ()
    if type(x) is dict:
        x = tuple(x.values())
    return type(x) in (range, Range) or (type(x) in (tuple, list) and any(map(_holds_range, x)))


__all__ = ["Emission"]
