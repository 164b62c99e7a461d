"""Iterators of `itertools`, and the getters of `operator`: lazy, as in Python.

itertools.accumulate(xs)         the items of `xs` are asked for by each iteration
operator.itemgetter(0, 2)        a function that gives `x[0], x[2]`
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable
from collections.abc import Iterator as Items
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import Iterator, Lazy
from srcad.frontend.abstract.objects import Abstract, Closed
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.expressions import item as item_at
from srcad.frontend.expressions.operators import binary
from srcad.frontend.iterators.pulled import made_here
from srcad.frontend.loops.acting import Watch
from srcad.frontend.loops.iteration import MAX_UNROLL, items_of, listed
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.statements.truth import truth


def _lazy(name: str, *parts: Abstract) -> Callable[[Callable[[], Items[Abstract]]], Lazy]:
    """An iterator whose items a generator function makes."""
    return lambda make: Lazy(name, make, parts)


def _each(frame: Frame, x: Abstract, name: str) -> Items[Abstract]:
    return listed(frame, x, f"the argument of `{name}`")


def _static(frame: Frame, x: Abstract, name: str) -> Any:
    return frame.session.static(x, f"an argument of `{name}`")


def _truth(frame: Frame, fn: Abstract, x: Abstract, name: str) -> bool:
    test = truth(frame, call(frame, fn, (x,)))
    return bool(frame.session.static(test, f"the test of `{name}`"))


def _chain(frame: Frame, *parts: Abstract) -> Abstract:
    @_lazy("chain", *parts)
    def found() -> Items[Abstract]:
        for part in parts:
            yield from _each(frame, part, "chain")

    return found


def _from_iterable(frame: Frame, parts: Abstract) -> Abstract:
    @_lazy("chain", parts)
    def found() -> Items[Abstract]:
        for part in _each(frame, parts, "chain"):
            yield from _each(frame, part, "chain")

    return found


def _accumulate(
    frame: Frame, x: Abstract, fn: Abstract = None, *, initial: Abstract = None
) -> Abstract:
    @_lazy("accumulate", x, fn)
    def found() -> Items[Abstract]:
        items = _each(frame, x, "accumulate")
        first = initial if initial is not None else next(items, None)
        if first is None:
            return
        total = first
        yield total
        for each in items:
            if fn is None:
                total = binary(frame, operator.add, total, each)
            else:
                total = call(frame, fn, (total, each))
            yield total

    return found


def _islice(frame: Frame, x: Abstract, *bounds: Abstract) -> Abstract:
    known = [_static(frame, b, "islice") for b in bounds]
    return _lazy("islice", x)(lambda: itertools.islice(_each(frame, x, "islice"), *known))


def _starmap(frame: Frame, fn: Abstract, x: Abstract) -> Abstract:
    rows = (tuple(items_of(frame, row, "a row")) for row in _each(frame, x, "starmap"))
    return _lazy("starmap", fn, x)(lambda: (call(frame, fn, row) for row in rows))


def _repeat(frame: Frame, x: Abstract, times: Abstract = None) -> Abstract:
    n = MAX_UNROLL if times is None else _static(frame, times, "repeat")
    return _lazy("repeat", x)(lambda: _limited(itertools.repeat(x, n), times is None))


def _cycle(frame: Frame, x: Abstract) -> Abstract:
    return _lazy("cycle", x)(lambda: _limited(itertools.cycle(_each(frame, x, "cycle")), True))


def _limited(items: Items[Abstract], endless: bool) -> Items[Abstract]:
    for n, each in enumerate(items):
        if endless and n >= MAX_UNROLL - 1:
            raise error("E119", None, what="an iterator without end")
        yield each


def _count(frame: Frame, start: Abstract = 0, step: Abstract = 1) -> Abstract:
    """`count()`: a range without end, which a loop that is left need not unroll."""
    if not all(type(x) is int for x in (start, step)) or step == 0:
        raise error("E127", None, what="`count` of anything but known ints")
    return Iterator(range(start, sys.maxsize if step > 0 else -sys.maxsize, step))


def _takewhile(frame: Frame, fn: Abstract, x: Abstract) -> Abstract:
    def holds(each: Abstract) -> bool:
        return _truth(frame, fn, each, "takewhile")

    items = _each(frame, x, "takewhile")
    return _lazy("takewhile", fn, x)(lambda: itertools.takewhile(holds, items))


def _dropwhile(frame: Frame, fn: Abstract, x: Abstract) -> Abstract:
    def holds(each: Abstract) -> bool:
        return _truth(frame, fn, each, "dropwhile")

    items = _each(frame, x, "dropwhile")
    return _lazy("dropwhile", fn, x)(lambda: itertools.dropwhile(holds, items))


def _filter(frame: Frame, fn: Abstract, x: Abstract) -> Abstract:
    @_lazy("filter", fn, x)
    def found() -> Items[Abstract]:
        for each in _each(frame, x, "filter"):
            if _keeps(frame, fn, each):
                yield each

    return found


def _filter_false(frame: Frame, fn: Abstract, x: Abstract) -> Abstract:
    @_lazy("filterfalse", fn, x)
    def found() -> Items[Abstract]:
        for each in _each(frame, x, "filterfalse"):
            if not _keeps(frame, fn, each):
                yield each

    return found


def _keeps(frame: Frame, fn: Abstract, x: Abstract) -> bool:
    if fn is not None:
        return _truth(frame, fn, x, "filter")
    return bool(frame.session.static(truth(frame, x), "the test of `filter`"))


def _compress(frame: Frame, x: Abstract, selectors: Abstract) -> Abstract:
    @_lazy("compress", x, selectors)
    def found() -> Items[Abstract]:
        tests = _each(frame, selectors, "compress")
        for each, test in zip(_each(frame, x, "compress"), tests, strict=False):
            if frame.session.static(truth(frame, test), "a selector of `compress`"):
                yield each

    return found


def _pairwise(frame: Frame, x: Abstract) -> Abstract:
    @_lazy("pairwise", x)
    def found() -> Items[Abstract]:
        items = _each(frame, x, "pairwise")
        for before in items:  # the first one
            for each in items:
                yield before, each
                before = each

    return found


def _batched(frame: Frame, x: Abstract, n: Abstract, **options: Abstract) -> Abstract:
    """`batched`, of Python 3.12 on: each batch is made by Python's own."""
    known = {key: _static(frame, each, "batched") for key, each in options.items()}
    batched: Any = getattr(itertools, "batched")  # noqa: B009 -- Python 3.11 has none
    make = functools.partial(batched, n=_static(frame, n, "batched"), **known)
    make(())  # which looks at its options
    return _lazy("batched", x)(lambda: make(_each(frame, x, "batched")))


def _ahead(frame: Frame, x: Abstract, name: str, key: Abstract = None) -> list[Abstract]:
    """The items of an iterable, with their keys, taken before Python asks for them: refused where
    that is seen.
    """
    watch = Watch(frame)
    items = items_of(frame, x, f"the argument of `{name}`")
    pairs = [(each, each if key is None else call(frame, key, (each,))) for each in items]
    if watch.acts():
        what = f"`{name}` of items that raise, print or change something when they are asked for,"
        raise error("E127", None, what=what, fix="make a list of them first")
    return pairs


def _group_by(frame: Frame, x: Abstract, key: Abstract = None) -> Abstract:
    @_lazy("groupby", x, key)
    def found() -> Items[Abstract]:
        pairs = _ahead(frame, x, "groupby", key)
        known = [(_static(frame, its_key, "groupby"), each) for each, its_key in pairs]
        last = [-1]  # the group that was given last
        for n, (value, members) in enumerate(itertools.groupby(known, lambda pair: pair[0])):
            group = functools.partial(_group, [each for _, each in members], last, n)
            last[0] = n
            yield value, made_here(frame.session, Lazy("group", group, (x, key)))
            if isinstance(x, ListObj) and [*map(id, x.items)] != [id(each) for each, _ in pairs]:
                raise error("E119", None, what="a list that changes while it is iterated over")
        last[0] = -1

    return found


def _group(members: list[Abstract], last: list[int], n: int) -> Items[Abstract]:
    """The members of a group, as long as it is the one that was given last."""
    for each in members:
        if last[0] != n:
            return
        yield each


def _zip_longest(frame: Frame, *parts: Abstract, fillvalue: Abstract = None) -> Abstract:
    @_lazy("zip_longest", *parts)
    def found() -> Items[Abstract]:
        columns = [_each(frame, part, "zip_longest") for part in parts]
        yield from itertools.zip_longest(*columns, fillvalue=fillvalue)

    return found


def _of_all(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """An iterator of `itertools` that takes all items before it gives the first one."""
    name = fn.__name__

    def handler(frame: Frame, /, *args: Abstract, **options: Abstract) -> Abstract:
        parts = args if fn is itertools.product else args[:1]
        rest = [_static(frame, each, name) for each in args[len(parts) :]]
        known = {key: _static(frame, each, name) for key, each in options.items()}
        lists = [items_of(frame, part, f"the argument of `{name}`") for part in parts]
        return Iterator(tuple(fn(*lists, *rest, **known)))

    return handler


def _tee(frame: Frame, x: Abstract, n: Abstract = 2) -> Abstract:
    items = tuple(each for each, _ in _ahead(frame, x, "tee"))
    return tuple(Iterator(items) for _ in range(_static(frame, n, "tee")))


# Getters -----------------------------------------------------------------------------------------


def _item_getter(frame: Frame, *keys: Abstract) -> Abstract:
    def get(inner: Frame, x: Abstract) -> Abstract:
        found = tuple(item_at(inner, x, key) for key in keys)
        return found if len(keys) > 1 else found[0]

    return Closed(get, "itemgetter", keys)


def _attribute_getter(frame: Frame, *names: Abstract) -> Abstract:
    known = [_static(frame, name, "attrgetter").split(".") for name in names]

    def get(inner: Frame, x: Abstract) -> Abstract:
        found = tuple(_follow(inner, x, path) for path in known)
        return found if len(known) > 1 else found[0]

    return Closed(get, "attrgetter")


def _follow(frame: Frame, x: Abstract, path: list[str]) -> Abstract:
    for name in path:
        x = attribute(frame, x, name)
    return x


def _method_caller(
    frame: Frame, name: Abstract, /, *args: Abstract, **kwargs: Abstract
) -> Abstract:
    known = _static(frame, name, "methodcaller")

    def caller(inner: Frame, x: Abstract) -> Abstract:
        return call(inner, attribute(inner, x, known), args, kwargs)

    return Closed(caller, "methodcaller", (*args, *kwargs.values()))


GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)

ITERATOR_CALLS: dict[Any, Callable[..., Abstract]] = {
    filter: _filter,
    itertools.accumulate: _accumulate,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _from_iterable,
    itertools.combinations: _of_all(itertools.combinations),
    itertools.combinations_with_replacement: _of_all(itertools.combinations_with_replacement),
    itertools.compress: _compress,
    itertools.count: _count,
    itertools.cycle: _cycle,
    itertools.dropwhile: _dropwhile,
    itertools.filterfalse: _filter_false,
    itertools.groupby: _group_by,
    itertools.islice: _islice,
    itertools.pairwise: _pairwise,
    itertools.permutations: _of_all(itertools.permutations),
    itertools.product: _of_all(itertools.product),
    itertools.repeat: _repeat,
    itertools.starmap: _starmap,
    itertools.takewhile: _takewhile,
    itertools.tee: _tee,
    itertools.zip_longest: _zip_longest,
    # Python 3.12 brings it.
    **{fn: _batched for name in ("batched",) if (fn := getattr(itertools, name, None))},
    operator.itemgetter: _item_getter,
    operator.attrgetter: _attribute_getter,
    operator.methodcaller: _method_caller,
}

__all__ = ["GETTERS", "ITERATOR_CALLS"]
