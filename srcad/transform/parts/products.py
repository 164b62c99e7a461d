"""Products of matrices: a contraction of the axis of the samples with itself is a sum over them.

x @ w          each      (n, k) times (k, m)
x.T @ r        sum       (k, n) times (n, m), both split
x @ x.T        refused   pairs of samples
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir.nodes import Op
from srcad.transform.parts.facts import Fact, Mixed, each, total
from srcad.transform.parts.forms import Facts, Form, has_one, rank

_PAIRS = "each sample is multiplied with each other one"
_UNSPLIT = "the axis of the samples is contracted with that of an array that is not split"


def _linear(a: Fact, b: Fact) -> Fact | None:
    """The product of a sum and what is the same."""
    kinds = {a.kind, b.kind}
    if kinds == {"sum"}:
        raise Mixed("two sums over all samples are multiplied")
    if kinds <= {"sum", "same", "zero"}:
        power = (a.power or 0) + (b.power or 0)
        return total(power) if "sum" in kinds else Fact("same", power)
    if not kinds <= {"each", "same", "zero"}:
        raise Mixed("a sum over all samples is used with each sample")
    if any(fact.kind == "each" and fact.axis is None for fact in (a, b)):
        raise Mixed("one sample is used with all others")
    return None


def _matmul(facts: Facts, op: Op) -> Fact:
    x, y = op.args
    a, b = facts.of(x), facts.of(y)
    ranks = rank(x), rank(y)
    if op.kwargs or 0 in ranks or (op.fn is np.dot and max(ranks) > 2):
        raise Mixed("a product of this form")
    if (found := _linear(a, b)) is not None:
        return found
    power = (a.power or 0) + (b.power or 0)
    contracted = ranks[0] - 1, max(0, ranks[1] - 2)
    hits = [f.kind == "each" and f.axis == c for f, c in zip((a, b), contracted, strict=True)]
    if all(hits):
        _require_one_group(a, b)
        return total(power)
    if any(hits):
        raise Mixed(_UNSPLIT if "each" not in (a, b)[hits.index(False)].kind else _PAIRS)
    places = [_place(k, fact.axis, ranks) for k, fact in enumerate((a, b)) if fact.kind == "each"]
    if len(set(places)) != 1 or (len(places) == 2 and places[0][1] != "stack"):
        raise Mixed(_PAIRS)
    place, part = places[0]
    if part == "stack":
        for k, atom in enumerate((x, y)):
            if (a, b)[k].kind != "each" and ranks[k] > 2 and not has_one(atom, ranks[k] - place):
                raise Mixed("an array that is not split has an entry for each sample")
    if len(places) == 2:
        _require_one_group(a, b)
    return each(rank(op.out) - place + _lost(ranks, part), power, (a.group or b.group))


def _require_one_group(*found: Fact) -> None:
    """Refuse entries of which one has several for each sample, or another choice of them."""
    if len({fact.group for fact in found if fact.kind == "each"}) > 1:
        raise Mixed("an entry per sample is multiplied with several, or with some of them")


def _place(k: int, axis: int | None, ranks: tuple[int, int]) -> tuple[int, str]:
    """An axis that is not contracted, counted from the last one, and what it is in a product."""
    assert axis is not None
    place = ranks[k] - axis
    if ranks[k] > 2 and place > 2:
        return place, "stack"
    return place, ("row", "column")[k]


def _lost(ranks: tuple[int, int], part: str) -> int:
    """How many axes after that of the samples the result has not, for an operand of one axis."""
    if part == "column":
        return 0
    if part == "row":
        return int(ranks[1] == 1)
    return int(ranks[0] == 1) + int(ranks[1] == 1)


def _inner(facts: Facts, op: Op) -> Fact:
    """`np.inner`, which contracts the last axes; `np.vdot` of vectors."""
    ranks = [rank(x) for x in op.args]
    if op.kwargs or 0 in ranks or (op.fn is np.vdot and ranks != [1, 1]):
        raise Mixed("a product of this form")
    return _contracted(facts, op.args, (ranks[0] - 1, ranks[1] - 1))


def _tensordot(facts: Facts, op: Op) -> Fact:
    """`np.tensordot(a, b, axes=1)`."""
    if len(op.args) != 2 or op.kwargs != {"axes": 1} or any(rank(x) == 0 for x in op.args):
        raise Mixed("a product of this form")
    return _contracted(facts, op.args, (rank(op.args[0]) - 1, 0))


def _contracted(facts: Facts, args: Any, axes: tuple[int, int]) -> Fact:
    """The product over one axis of each; the others stay, those of the first ahead."""
    a, b = (facts.of(x) for x in args)
    if (found := _linear(a, b)) is not None:
        return found
    power = (a.power or 0) + (b.power or 0)
    hits = [fact.kind == "each" and fact.axis == k for fact, k in zip((a, b), axes, strict=True)]
    if all(hits):
        _require_one_group(a, b)
        return total(power)
    if any(hits):
        raise Mixed(_UNSPLIT)
    if a.kind == b.kind:
        raise Mixed(_PAIRS)
    fact, axis = (a, axes[0]) if a.kind == "each" else (b, axes[1])
    at = (fact.axis or 0) - ((fact.axis or 0) > axis)
    return each(at + (rank(args[0]) - 1 if fact is b else 0), power, fact.group)


def _outer(facts: Facts, op: Op) -> Fact:
    if op.kwargs or any(rank(x) != 1 for x in op.args):
        raise Mixed("a product of this form")
    a, b = (facts.of(x) for x in op.args)
    if (found := _linear(a, b)) is not None:
        return found
    if a.kind == b.kind:
        raise Mixed(_PAIRS)
    return each(int(b.kind == "each"), (a.power or 0) + (b.power or 0), a.group or b.group)


def _einsum(facts: Facts, op: Op) -> Fact:
    """`np.einsum("nk,nk->n", x, y)`: one letter is that of the samples."""
    subscripts, *operands = op.args
    if not isinstance(subscripts, str) or "->" not in subscripts or "." in subscripts:
        raise Mixed("subscripts without an arrow")
    if set(op.kwargs) - {"optimize"}:
        raise Mixed("an option of `np.einsum`")
    given, made = subscripts.replace(" ", "").split("->")
    terms, found = given.split(","), [facts.of(x) for x in operands]
    power = sum(fact.power or 0 for fact in found)
    if any(fact.kind not in ("each", "same", "zero", "sum") for fact in found):
        raise Mixed("places of samples")
    sums = [fact for fact in found if fact.kind == "sum"]
    if sums:
        if len(sums) > 1 or any(fact.kind == "each" for fact in found):
            raise Mixed("a sum over all samples is used with each sample")
        return total(power)
    if any(fact.kind == "each" and fact.axis is None for fact in found):
        raise Mixed("one sample is used with all others")
    pairs = list(zip(terms, found, strict=True))
    letters = {term[fact.axis or 0] for term, fact in pairs if fact.kind == "each"}
    if not letters:
        return Fact("same", power)
    if len(letters) != 1:
        raise Mixed(_PAIRS)
    letter = letters.pop()
    _require_one_group(*found)
    group = next(fact.group for fact in found if fact.kind == "each")
    for term, fact in pairs:
        if term.count(letter) != (fact.kind == "each"):
            raise Mixed(_UNSPLIT if fact.kind != "each" else _PAIRS)
    return each(made.index(letter), power, group) if letter in made else total(power)


def _solve(facts: Facts, op: Op) -> Fact:
    """`np.linalg.solve(a, b)`: the columns of b are samples, or both are stacks of one for each."""
    a, b = (facts.of(x) for x in op.args)
    ranks = [rank(x) for x in op.args]
    if op.kwargs or not {a.kind, b.kind} <= {"each", "same", "zero", "sum"}:
        raise Mixed("a system of this form")
    if a.is_same and b.kind in ("sum", "same", "zero"):
        return b
    if a.is_same and b.kind == "each" and ranks == [2, 2] and b.axis == 1:
        return b
    if a.power == 0 and a.kind == b.kind == "each" and a.axis == b.axis == 0 and ranks == [3, 3]:
        _require_one_group(a, b)
        return b
    raise Mixed("a system of this form")


def _stacked_matrices(facts: Facts, op: Op) -> Fact:
    """`np.linalg.inv(a)`, with a matrix for each sample."""
    (x,) = op.args
    fact = facts.of(x)
    is_stack = fact.kind == "each" and fact.axis is not None and fact.axis < rank(x) - 2
    if op.kwargs or not is_stack or fact.power != 0:
        raise Mixed("the matrix has an axis for the samples")
    return fact


FORMS: dict[Any, Form] = {
    np.linalg.solve: _solve,
    **dict.fromkeys((np.linalg.inv, np.linalg.det, np.linalg.cholesky), _stacked_matrices),
    np.tensordot: _tensordot,
    operator.matmul: _matmul,
    np.matmul: _matmul,
    np.dot: _matmul,
    np.inner: _inner,
    np.vdot: _inner,
    np.outer: _outer,
    np.einsum: _einsum,
}

__all__ = ["FORMS"]
