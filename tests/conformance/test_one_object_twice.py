"""A program that was compiled for two objects serves one that is passed twice, and the reverse."""

from __future__ import annotations

import linecache
import warnings

import pytest
from conformance.case import Case
from conformance.kinds import KINDS
from conformance.outcome import disagreement, run

import srcad

BODIES = ("a is b", "[a] == [b]", "a in (1.0, b)", "(a, b)")


@pytest.mark.parametrize("name", KINDS)
def test_one_object_or_two(name):
    kind = KINDS[name]

    def arguments(is_one):
        x = kind.make()
        return (x, x) if is_one else (x, kind.make())

    for body in BODIES:
        file = f"<one object twice: {name} {body}>"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain, function = (Case(body, {"a": kind, "b": kind}).load(file) for _ in range(2))
        for order in ((False, True), (True, False)):
            compiled = srcad.compile(function, backend="numpy", cache=False)
            for is_one in order:
                want, got = run(plain, arguments(is_one)), run(compiled, arguments(is_one))
                fault = disagreement(want, got, arguments(is_one))
                assert fault is None, (body, order, is_one, fault)
        linecache.cache.pop(file, None)
