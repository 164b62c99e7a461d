"""Sums of integers times constants: equal where the numbers are, whatever the values are."""

from __future__ import annotations

import itertools
import operator

import pytest

from srcad.ir import NumberType, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import as_atom

ROW, COL = (Value(name, NumberType(int)) for name in "ij")
i, j = Affine.of(ROW), Affine.of(COL)
FORMS = (Affine(), Affine(3), i, -j, i + j, i - j + 2, i * 3 - j * 2 - 5, (i + 1) * -2)
POINTS = tuple(itertools.product((-3, 0, 2), repeat=2))


def at(form, point):
    """The number that a form is, read off its parts."""
    given = dict(zip((ROW, COL), point, strict=True))
    return form.const + sum(k * given[value] for value, k in form.terms)


@pytest.mark.parametrize("point", POINTS)
def test_arithmetic_is_that_of_the_numbers(point):
    for a, b in itertools.product(FORMS, repeat=2):
        assert at(a + b, point) == at(a, point) + at(b, point)
        assert at(a - b, point) == at(a, point) - at(b, point)
    for a in FORMS:
        assert at(-a, point) == -at(a, point)
        assert at(a + 7, point) == at(a, point) + 7
        assert [at(a * k, point) for k in (-2, 0, 3)] == [at(a, point) * k for k in (-2, 0, 3)]


def test_forms_are_equal_where_all_their_numbers_are():
    for a, b in itertools.product(FORMS, repeat=2):
        is_same = all(at(a, point) == at(b, point) for point in POINTS)
        assert (a == b) == is_same
        assert not is_same or hash(a) == hash(b)
    assert i + j == j + i
    assert i - i == Affine()
    assert i != ROW


def test_what_is_known_of_a_form():
    assert Affine(4).number == 4
    assert (i - i + 4).number == 4
    assert i.number is None
    assert (i * 3 - j).coefficient(ROW) == 3
    assert (i * 3 - j).coefficient(Value("i", ROW.type)) == 0, "another value of the same name"


def test_values_are_replaced_at_once():
    swapped = (i * 2 - j).replaced({ROW: j, COL: i + 1})
    assert swapped == j * 2 - i - 1
    assert (i + 1).replaced({COL: Affine(5)}) == i + 1


@pytest.mark.parametrize("point", POINTS)
def test_the_atom_of_a_form_computes_it(point):
    given = dict(zip((ROW, COL), point, strict=True))

    def computed(fn, args):
        out = Value("", ROW.type)
        given[out] = fn(*(given[a] if isinstance(a, Value) else a for a in args))
        return out

    for form in FORMS:
        atom = as_atom(form, computed)
        assert (given[atom] if isinstance(atom, Value) else atom) == at(form, point)


def test_an_atom_that_is_there_takes_no_operation():
    made = []

    def noted(fn, args):
        made.append(fn)
        return Value("", ROW.type)

    assert as_atom(i, noted) is ROW
    assert as_atom(Affine(3), noted) == 3
    assert made == []
    as_atom(i - 1, noted)
    assert made == [operator.sub]
