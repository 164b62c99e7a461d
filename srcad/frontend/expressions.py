"""Expressions: gast nodes to abstract values, emitting ops for what is known at run time only."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend import comprehensions
from srcad.frontend.attributes import attribute
from srcad.frontend.branches import Branching, truth
from srcad.frontend.frame import Frame, tuple_items
from srcad.frontend.objects import (
    Abstract,
    DictObj,
    ListObj,
    RecordObj,
    Ref,
    ShapeTuple,
    describe,
    is_static,
    values_of,
)
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, ObjectType, SeqType, TupleType, rank_of

BINARY: dict[type, Callable[..., Any]] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}
UNARY: dict[type, Callable[..., Any]] = {
    gast.UAdd: operator.pos,
    gast.USub: operator.neg,
    gast.Invert: operator.invert,
}
COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}


def expression(frame: Frame, node: Any) -> Abstract:
    """The abstract value of an expression; errors without a place are placed here."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        code, what = _REFUSED.get(type(node), ("E100", f"a `{type(node).__name__}`"))
        raise error(code, frame.at(node), what=what, called_from=frame.callers)
    with frame.errors_at(node):
        return handler(frame, node)


def test_value(frame: Frame, node: Any) -> Abstract:
    """The truth of a test: a bool where it is known while compiling, else a value."""
    with frame.errors_at(node):
        return truth(frame.session, expression(frame, node))


def _constant(frame: Frame, node: gast.Constant) -> Abstract:
    return node.value


def _name(frame: Frame, node: gast.Name) -> Abstract:
    return frame.lookup(node.id)


def _attribute(frame: Frame, node: gast.Attribute) -> Abstract:
    return attribute(frame, expression(frame, node.value), node.attr)


def _binary(frame: Frame, node: gast.BinOp) -> Abstract:
    return binary(
        frame, BINARY[type(node.op)], expression(frame, node.left), expression(frame, node.right)
    )


def binary(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a op b` as Python does it: numbers, arrays, strings, and joining of lists and tuples."""
    if fn is operator.add and isinstance(a, ListObj) and isinstance(b, ListObj):
        return ListObj([*a.items, *b.items])
    if fn is operator.add and isinstance(a, tuple) and isinstance(b, tuple):
        return (*a, *b)
    if fn is operator.mul and (isinstance(a, ListObj | tuple) or isinstance(b, ListObj | tuple)):
        return _repeat(frame, a, b)
    if fn is operator.or_ and isinstance(a, DictObj) and isinstance(b, DictObj):
        return DictObj({**a.items, **b.items})
    if is_static(a) and is_static(b):
        return _fold(frame, fn, a, b)
    if fn is operator.or_ and isinstance(a, Ref) and isinstance(b, Ref):
        return Ref(a.obj | b.obj, "")  # `int | float` in a test of types
    return arithmetic(frame, fn, a, b)


def arithmetic(frame: Frame, fn: Callable[..., Any], *args: Abstract) -> Abstract:
    """An operator on numbers and arrays, emitted."""
    for x in args:
        if not _is_operand(x):
            raise error("E132", None, what=f"`{fn.__name__}` of {describe(x)}")
    return frame.session.emit(fn, args)


def _is_operand(x: Abstract) -> bool:
    if isinstance(x, Value):
        return isinstance(x.type, ArrayType | NumberType)
    return isinstance(x, bool | int | float | complex | np.generic)


def _repeat(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    items, count = (a, b) if isinstance(a, ListObj | tuple) else (b, a)
    if isinstance(count, Value) and rank_of(count.type) != 0:
        raise error("E132", None, what=f"`*` of {describe(items)} and an array")
    n = frame.session.static(count, "the number of repetitions of a list")
    if isinstance(items, ListObj):
        return ListObj(items.items * n)
    return items * n


def _fold(frame: Frame, fn: Callable[..., Any], *args: Abstract) -> Abstract:
    """Evaluate an operator on constants now, unless it fails: then it fails at run time, as in Python."""
    try:
        folded = fn(*args)
    except (ArithmeticError, ValueError):
        return frame.session.emit(fn, args)
    except TypeError as reason:
        raise error("E132", None, what=f"`{fn.__name__}` ({reason})") from None
    return folded


def _unary(frame: Frame, node: gast.UnaryOp) -> Abstract:
    x = expression(frame, node.operand)
    if isinstance(node.op, gast.Not):
        known = truth(frame.session, x)
        if not isinstance(known, Value):
            return not known
        return frame.session.emit(operator.not_, (known,))
    fn = UNARY[type(node.op)]
    return _fold(frame, fn, x) if is_static(x) else arithmetic(frame, fn, x)


def _bool_op(frame: Frame, node: gast.BoolOp) -> Abstract:
    """`a and b and c`: short-circuit, as nested conditional expressions."""
    first, *rest = node.values
    return _short_circuit(frame, isinstance(node.op, gast.And), expression(frame, first), rest)


def _short_circuit(frame: Frame, is_and: bool, x: Abstract, rest: list[Any]) -> Abstract:
    if not rest:
        return x
    known = truth(frame.session, x)
    next_one = lambda: _short_circuit(frame, is_and, expression(frame, rest[0]), rest[1:])  # noqa: E731
    if not isinstance(known, Value):
        return next_one() if bool(known) is is_and else x
    keep = lambda: x  # noqa: E731
    return choose(frame, known, next_one if is_and else keep, keep if is_and else next_one)


def choose(
    frame: Frame, cond: Value, then: Callable[[], Abstract], orelse: Callable[[], Abstract]
) -> Abstract:
    """`then() if cond else orelse()`."""
    from srcad.frontend.state import Mismatch

    fork = Branching(frame, cond)
    a, b = fork.run(then), fork.run(orelse)
    try:
        return fork.join((a, b))[0]
    except Mismatch:
        raise error("E129", None, what="the result of a conditional expression") from None


def _if_exp(frame: Frame, node: gast.IfExp) -> Abstract:
    cond = test_value(frame, node.test)
    if not isinstance(cond, Value):
        return expression(frame, node.body if cond else node.orelse)
    return choose(
        frame, cond, lambda: expression(frame, node.body), lambda: expression(frame, node.orelse)
    )


def _compare(frame: Frame, node: gast.Compare) -> Abstract:
    return _chain(frame, expression(frame, node.left), list(node.ops), list(node.comparators))


def _chain(frame: Frame, left: Abstract, ops: list[Any], nodes: list[Any]) -> Abstract:
    """`a < b < c` is `a < b and b < c` with `b` evaluated once."""
    right = expression(frame, nodes[0])
    first = compare(frame, ops[0], left, right)
    if len(ops) == 1:
        return first
    known = truth(frame.session, first)
    if not isinstance(known, Value):
        return _chain(frame, right, ops[1:], nodes[1:]) if known else first
    return choose(
        frame, known, lambda: _chain(frame, right, ops[1:], nodes[1:]), lambda: first
    )


def compare(frame: Frame, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """One comparison."""
    if isinstance(op, gast.Is | gast.IsNot):
        same = _is_same(frame, a, b)
        return same if isinstance(op, gast.Is) else not same
    if isinstance(op, gast.In | gast.NotIn):
        found = _contains(frame, a, b)
        return found if isinstance(op, gast.In) else not found
    fn = COMPARE[type(op)]
    if fn in (operator.eq, operator.ne) and not (_is_operand(a) and _is_operand(b)):
        return _equal_structures(frame, fn, a, b)
    if is_static(a) and is_static(b):
        return _fold(frame, fn, a, b)
    return arithmetic(frame, fn, a, b)


def _is_same(frame: Frame, a: Abstract, b: Abstract) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(a, Value) or isinstance(b, Value):
        if isinstance(a, bool) or isinstance(b, bool):
            raise error("E128", None)
        raise error("E128", None, what="`is`")
    return frame.session.raw(a) is frame.session.raw(b)


def _contains(frame: Frame, item: Abstract, container: Abstract) -> bool:
    if isinstance(container, DictObj | ListObj) or type(container) is tuple:
        items = [container.items, container][isinstance(container, tuple)]
        if values_of(item) or any(values_of(x) for x in items if not isinstance(container, DictObj)):
            raise error("E123", None, what="what `in` looks for")
        return frame.session.raw(item) in [frame.session.raw(x) for x in items]
    return bool(
        frame.session.static(item, "what `in` looks for") in frame.session.raw(container)
    )


def _equal_structures(frame: Frame, fn: Any, a: Abstract, b: Abstract) -> Abstract:
    """`==` of containers and constants: known while compiling unless numbers inside differ at run time."""
    if isinstance(a, Value) and isinstance(a.type, TupleType):
        a = tuple_items(frame.session, a)
    if isinstance(b, Value) and isinstance(b.type, TupleType):
        b = tuple_items(frame.session, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and (values_of(a) or values_of(b)):
        if len(a) != len(b):
            return fn is operator.ne
        every: Abstract = True
        for x, y in zip(a, b, strict=True):
            equal = compare(frame, gast.Eq(), x, y)
            if every is True or equal is False:
                every = equal
            elif equal is not True:
                every = frame.session.emit(operator.and_, (every, equal))
        if fn is operator.eq:
            return every
        return not every if isinstance(every, bool) else frame.session.emit(operator.not_, (every,))
    if isinstance(a, Value) or isinstance(b, Value):
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            return fn is operator.ne
        raise error("E132", None, what=f"`==` of {describe(a)} and {describe(b)}")
    if values_of(a) or values_of(b):
        raise error("E128", None, what="`==` of containers")
    return fn(frame.session.raw(a), frame.session.raw(b))


# Displays ----------------------------------------------------------------------------------------


def elements(frame: Frame, nodes: list[Any]) -> list[Abstract]:
    """The items of a display or the positional arguments of a call, stars spread."""
    from srcad.frontend.loops import static_items

    items: list[Abstract] = []
    for node in nodes:
        if not isinstance(node, gast.Starred):
            items.append(expression(frame, node))
            continue
        inner = expression(frame, node.value)
        spread = list(inner) if isinstance(inner, range) else static_items(frame, inner)
        if spread is None:
            raise error("E125", frame.at(node), what=f"`*{gast.unparse(node.value)}`")
        items.extend(spread)
    return items


def _tuple(frame: Frame, node: gast.Tuple) -> Abstract:
    return tuple(elements(frame, node.elts))


def _list(frame: Frame, node: gast.List) -> Abstract:
    return ListObj(elements(frame, node.elts))


def _dict(frame: Frame, node: gast.Dict) -> Abstract:
    items: dict[Any, Abstract] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        x = expression(frame, value)
        if key is not None:
            items[frame.session.static(expression(frame, key), "a key of a dict")] = x
        elif isinstance(x, DictObj):
            items.update(x.items)
        else:
            raise error("E125", frame.at(value), what=f"`**{gast.unparse(value)}`")
    return DictObj(items)


def _named(frame: Frame, node: gast.NamedExpr) -> Abstract:
    from srcad.frontend.assign import assign_target

    x = expression(frame, node.value)
    assign_target(frame, node.target, x)
    return x


def _lambda(frame: Frame, node: gast.Lambda) -> Abstract:
    from srcad.frontend.statements import make_function

    return make_function(frame, node)


def _formatted(frame: Frame, node: gast.JoinedStr) -> Abstract:
    """An f-string: a constant where its parts are, else `str.format` at run time."""
    template, parts = "", []
    for piece in node.values:
        if isinstance(piece, gast.Constant):
            template += str(piece.value).replace("{", "{{").replace("}", "}}")
            continue
        parts.append(expression(frame, piece.value))
        spec = "" if piece.format_spec is None else _formatted(frame, piece.format_spec)
        if not isinstance(spec, str):
            raise error("E123", frame.at(node), what="the format of an f-string")
        mark = "" if piece.conversion in (-1, None) else f"!{chr(piece.conversion)}"
        template += "{" + mark + (f":{spec}" if spec else "") + "}"
    if all(map(is_static, parts)):
        return template.format(*parts)
    parts = [describe(p) if isinstance(p, ListObj | DictObj | RecordObj) else p for p in parts]
    return emit_object(frame, str.format, (template, *parts), "str")


def emit_object(frame: Frame, fn: Any, args: tuple[Abstract, ...], kind: str) -> Value:
    """Emit a call whose result is no number: a string, say."""
    out = Value("", ObjectType(kind))
    builder = frame.session.builder
    builder.body.append(Op(fn, frame.session.atom(args), {}, (out,), builder.loc))
    return out


# Subscripts --------------------------------------------------------------------------------------


def subscript_index(frame: Frame, node: Any) -> Abstract:
    """The index of a subscript; slices keep run-time bounds inside."""
    return expression(frame, node)


def _slice(frame: Frame, node: gast.Slice) -> Abstract:
    parts = (None if p is None else expression(frame, p) for p in (node.lower, node.upper, node.step))
    return slice(*parts)


def _subscript(frame: Frame, node: gast.Subscript) -> Abstract:
    return item(frame, expression(frame, node.value), subscript_index(frame, node.slice))


def item(frame: Frame, owner: Abstract, index: Abstract) -> Abstract:
    """`owner[index]`."""
    session = frame.session
    if isinstance(owner, Value):
        if isinstance(owner.type, TupleType) and isinstance(index, slice):
            return item(frame, tuple_items(session, owner), index)
        if not isinstance(owner.type, ArrayType | TupleType | SeqType):
            raise error("E132", None, what=f"indexing of {describe(owner)}")
        return session.emit(operator.getitem, (owner, index))
    if isinstance(owner, DictObj):
        key = session.static(index, "the key of a dict")
        if key not in owner.items:
            raise error("E135", None, what=f"key {key!r}")
        return owner.items[key]
    if isinstance(owner, Ref) and isinstance(owner.obj, list | tuple | dict):
        key = session.static(index, "this index")
        return session.inputs.lift(owner.obj[key], f"{owner.path}[{key!r}]", str(key))
    if isinstance(owner, RecordObj) and hasattr(owner.cls, "_fields"):
        owner = tuple(owner.fields.values())
    if isinstance(owner, ListObj | tuple | str | range):
        return _sequence_item(frame, owner, index)
    raise error("E132", None, what=f"indexing of {describe(owner)}")


def _sequence_item(frame: Frame, owner: Any, index: Abstract) -> Abstract:
    session = frame.session
    key = session.static(index, "the index of a list or tuple")
    items = owner.items if isinstance(owner, ListObj) else owner
    if isinstance(key, slice):
        part = items[key]
        if isinstance(owner, ListObj):
            return ListObj(part)
        return tuple(part) if isinstance(owner, ShapeTuple) else part
    try:
        return items[key]
    except IndexError:
        raise error("E135", None, what=f"index {key}") from None


def _call(frame: Frame, node: gast.Call) -> Abstract:
    from srcad.frontend.calls import call_node

    return call_node(frame, node)


_REFUSED: dict[type, tuple[str, str]] = {
    gast.Await: ("E110", "`await`"),
    gast.Yield: ("E111", "`yield`"),
    gast.YieldFrom: ("E111", "`yield from`"),
    gast.Set: ("E100", "a set"),
    gast.SetComp: ("E100", "a set"),
}

_HANDLERS: dict[type, Callable[[Frame, Any], Abstract]] = {
    gast.Constant: _constant,
    gast.Name: _name,
    gast.Attribute: _attribute,
    gast.BinOp: _binary,
    gast.UnaryOp: _unary,
    gast.BoolOp: _bool_op,
    gast.Compare: _compare,
    gast.IfExp: _if_exp,
    gast.Tuple: _tuple,
    gast.List: _list,
    gast.Dict: _dict,
    gast.NamedExpr: _named,
    gast.Lambda: _lambda,
    gast.JoinedStr: _formatted,
    gast.Slice: _slice,
    gast.Subscript: _subscript,
    gast.Call: _call,
    gast.ListComp: comprehensions.list_comp,
    gast.DictComp: comprehensions.dict_comp,
    gast.GeneratorExp: comprehensions.generator,
}

__all__ = [
    "arithmetic", "binary", "choose", "compare", "elements", "emit_object", "expression", "item",
    "subscript_index", "test_value",
]  # fmt: skip
