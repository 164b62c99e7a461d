"""Comprehensions and generator expressions: loops in a scope of their own."""

from __future__ import annotations

from functools import partial
from typing import Any

import gast

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.closures import Generator, Suspended
from srcad.frontend.abstract.containers.containers import ListObj, formed
from srcad.frontend.abstract.containers.laid import Laid
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import Lazy, OneShot
from srcad.frontend.abstract.objects import Abstract, Either, Method, Ref
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import assign, call, expression, handles_expression
from srcad.frontend.exceptions.made_nodes import Computed
from srcad.frontend.expressions.by_case import by_case, of_each_kind
from srcad.frontend.iterators.counted import counted
from srcad.frontend.iterators.over_generators import over_generator
from srcad.frontend.iterators.pulled import check_home, consume, made_here
from srcad.frontend.laid.asking import note_origin
from srcad.frontend.laid.known import note_known
from srcad.frontend.laid.making import filled_table
from srcad.frontend.laid.rows import Rows
from srcad.frontend.lists.by_data import array_form
from srcad.frontend.lists.growing_lists import (
    growing_list,
    grows_on_paths,
    is_asked_for,
    is_few,
    may_grow_on_paths,
)
from srcad.frontend.lists.tables import new_dict
from srcad.frontend.loops.acting import Watch
from srcad.frontend.loops.iteration import is_listed, items_of, iterated, iterations
from srcad.frontend.loops.loops import for_each, under
from srcad.frontend.written import lists

_MAX_DEPTH = 5  # calls of one function inside each other
_MADE = "list."  # the name of the list in the scope of its comprehension


@handles_expression(gast.ListComp)
def _list_comp(frame: Frame, node: gast.ListComp) -> Abstract:
    laid = filled_table(frame, node)
    if laid is not None:
        return laid
    clause = node.generators[0]
    source = iterated(frame, expression(frame, clause.iter))
    if isinstance(source, Either):
        return by_case(frame, (source,), partial(_of_kind, frame, node))
    is_plain = len(node.generators) == 1 and not clause.ifs
    if isinstance(source, Suspended) and is_plain:
        return _taken(frame, node, source)
    may_be_formed = bool(clause.ifs) and is_listed(source) is True
    watch = None
    if may_be_formed and grows_on_paths(frame, node):
        watch = Watch(frame) if isinstance(source, OneShot) else None
        source = ListObj(items_of(frame, source, "a comprehension"))
        form = array_form(frame, source)
        source = source if form is None else formed(form)
    if isinstance(source, ListObj) and clause.ifs and source.form is not None:
        _check_depth(frame)
    if not is_listed(source):
        made = _grown(frame, node, source)
        if made is not None:
            if watch is not None and watch.changes():  # between one item and the next
                raise error("E123", None, what="the condition of a comprehension")
            return made
    scopes = iterations(frame, node.generators, "a comprehension", source)
    try:
        made = ListObj([expression(inner, node.elt) for inner in scopes])
    except SrcadError:
        if may_be_formed:
            may_grow_on_paths(frame, node)
        raise
    if not is_listed(source):
        note_known(frame, made, node)
    return made


def _of_kind(frame: Frame, node: gast.ListComp, source: Abstract) -> Abstract:
    """The list where its first iterable, which is of several kinds by data, is of this one."""
    first, *others = node.generators
    of_kind = Computed(lambda _: source, first.iter)
    clause = gast.comprehension(first.target, of_kind, first.ifs, first.is_async)
    return _list_comp(frame, gast.copy_location(gast.ListComp(node.elt, [clause, *others]), node))


def list_of(frame: Frame, x: Abstract) -> Abstract:
    """`x`, or the list that a generator expression with conditions or `filter` gives, which its
    comprehension makes: data may decide on them.
    """
    if isinstance(x, Lazy) and x.name == "filter" and x.items is None:
        check_home(frame.session, x)
        consume(frame.session, x)
        maker = lists.true_ones if x.parts[0] is None else lists.kept
        return call_python(frame, Ref(maker, ""), x.parts, {}, None)
    if not isinstance(x, Generator) or x.items is not None:
        return x
    if not any(clause.ifs for clause in x.node.generators):
        return x
    check_home(frame.session, x)
    consume(frame.session, x)
    return _of_kind(x.frame, x.node, x.source)


def _check_depth(frame: Frame) -> None:
    """Refuse a function that calls itself with lists of which data says how long they are: nothing
    known ends that.
    """
    calls = frame.session.active_calls
    if calls and calls.count(calls[-1]) > _MAX_DEPTH:
        raise error("E123", None, what="the condition of a comprehension")


def _taken(frame: Frame, node: gast.ListComp, source: Suspended) -> Abstract:
    """The list of what is made of each item that a generator yields, as soon as it does."""
    inner = frame.scope()
    inner.env[_MADE] = ListObj([])

    def body(item: Abstract) -> None:
        assign(inner, node.generators[0].target, item)
        made: Any = inner.env[_MADE]
        made.items.append(expression(inner, node.elt))

    over_generator(inner, source, body)
    return inner.env[_MADE]


def _grown(frame: Frame, node: gast.ListComp, source: Abstract) -> Abstract | None:
    """The list made by loops; None where it has few items or would have to be unrolled, or where
    its conditions may be known while compiling.
    """
    inner = frame.scope()
    trip = counted(inner, source)
    has_conditions = any(clause.ifs for clause in node.generators)
    is_known = all(type(bound) is int for bound in (trip.start, trip.stop, trip.step))
    if has_conditions and is_known and not grows_on_paths(frame, node):
        may_grow_on_paths(frame, node)
        return None
    is_laid = isinstance(source, ListObj) and isinstance(source.form, Laid)
    is_kept = is_laid or is_asked_for(frame, node)
    is_unrolled = is_few(trip.start, trip.stop, trip.step) and not is_kept
    if trip.reverse or (is_unrolled and not has_conditions):
        return None
    if any(isinstance(each, gast.NamedExpr) for each in gast.walk(node)):
        frame.function().share()  # whose names `:=` binds
    made = inner.env[_MADE] = ListObj([])
    if growing_list(inner, node, 0, _MADE) is None:
        return None
    rows = Rows(frame, node)
    _loop(inner, node, 0, source, rows)
    rows.finish(made)
    note_origin(frame, made, rows.origin)
    return made


def _loop(inner: Frame, node: gast.ListComp, k: int, source: Abstract, rows: Rows) -> None:
    """The loop of a clause, with those of the clauses after it inside."""
    clause = node.generators[k]

    def content() -> None:
        if k + 1 < len(node.generators):
            _loop(inner, node, k + 1, expression(inner, node.generators[k + 1].iter), rows)
        else:
            item = rows.row_of(expression(inner, node.elt))
            call(inner, Method(inner.env[_MADE], "append"), (item,))

    def body(item: Abstract) -> Outcome | None:
        assign(inner, clause.target, item)
        return under(inner, inner, clause.ifs, content)

    name = clause.target.id if isinstance(clause.target, gast.Name) else "i"
    for_each(inner, source, body, name, growing_list(inner, node, k, _MADE))


@handles_expression(gast.DictComp)
def _dict_comp(frame: Frame, node: gast.DictComp) -> Abstract:
    scopes = iterations(frame, node.generators, "a comprehension")
    return new_dict(frame, [(expression(s, node.key), expression(s, node.value)) for s in scopes])


@handles_expression(gast.GeneratorExp)
def _generator(frame: Frame, node: gast.GeneratorExp) -> Abstract:
    """Its first iterable is evaluated now, the rest when it is iterated over, as in Python."""
    source = expression(frame, node.generators[0].iter)
    source = iterated(frame, source) if isinstance(source, Either) else source

    def over(x: Abstract) -> Abstract:
        return made_here(frame.session, Generator(node, frame, x))

    return of_each_kind(frame, source, over)
