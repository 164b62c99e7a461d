"""The examples in the docstrings of what is public give what they show."""

from __future__ import annotations

import doctest
import inspect
from types import ModuleType

import pytest

import srcad
from srcad import nn, parallel, rules, testing
from srcad.nn import data, init, optim
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.table import RULES

CONSTRUCTORS = ("composed", "elementwise", "linear", "nondiff", "rule", "zero")
# Nothing to call, or what another example shows.
WITHOUT = {name for name in srcad.__all__ if name.endswith(("Error", "Rule", "Syntax"))} | {
    "NotDifferentiable", "NotFinite", "Transformed", "nn", "parallel", "rules", "testing",
}  # fmt: skip


def examples(module: ModuleType) -> list[doctest.DocTest]:
    """The examples of the public names of a module; those of methods too."""
    finder, found = doctest.DocTestFinder(), []
    for name in getattr(module, "__all__", vars(module)):
        value = getattr(module, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            # As a user's: srcad does not look into functions of its own.
            found += finder.find(value, name, globs={"__name__": "example", name: value})
    return [each for each in found if each.examples]


@pytest.fixture
def rules_of_the_test_alone():
    before = dict(RULES), set(of_users)
    yield
    for fn in set(of_users) - before[1]:
        del RULES[fn]
        of_users.remove(fn)


@pytest.mark.parametrize(
    "module",
    [srcad, testing, parallel, rules, nn, data, init, optim],
    ids=lambda module: module.__name__,
)
@pytest.mark.usefixtures("rules_of_the_test_alone")
def test_examples(module):
    runner = doctest.DocTestRunner()
    for example in examples(module):
        runner.run(example)
    assert runner.tries > 0
    assert runner.failures == 0


def test_public_functions_have_examples():
    shown = {each.name for each in examples(srcad)}
    assert set(srcad.__all__) - WITHOUT - shown == set()
    assert {each.name for each in examples(testing)} == set(testing.__all__)
    assert set(CONSTRUCTORS) <= {each.name for each in examples(rules)}
