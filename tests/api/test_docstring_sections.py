"""What is public says what it takes, what it gives, and how it is refused."""

import inspect

import pytest

import srcad
from srcad import nn, parallel, rules, testing
from srcad.nn import data, init, optim

MODULES = (srcad, testing, parallel, rules, nn, data, init, optim)


def public_functions():
    for module in MODULES:
        for name in getattr(module, "__all__", vars(module)):
            found = getattr(module, name)
            is_ours = getattr(found, "__module__", "").split(".")[0] == "srcad"
            if is_ours and callable(found) and not inspect.isclass(found) and name[0] != "_":
                if hasattr(found, "__name__"):
                    yield pytest.param(found, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize("function", list(public_functions()))
def test_public_functions_say_what_they_take_and_give(function):
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    words = set(text.replace(":", " ").replace(",", " ").replace("`", " ").split())
    for name in signature.parameters:
        is_told = name in words or name == "options" or "rguments as of" in text
        assert is_told, f"nothing is said of {name}"
    if signature.return_annotation not in (None, "None"):
        assert "Returns:" in text or "rguments as of" in text


def test_transformations_say_how_they_are_refused():
    for name in srcad.__all__:
        found = getattr(srcad, name)
        if inspect.isfunction(found) and "f" in inspect.signature(found).parameters:
            assert "Raises:" in inspect.getdoc(found), name


def test_a_rule_of_a_function_without_one_cannot_be_given_on():
    with pytest.raises(srcad.MissingRule, match="E201"):
        rules.same(lambda x: x, lambda x: x)
