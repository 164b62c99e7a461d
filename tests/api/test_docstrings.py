"""The examples in the docstrings of the public functions give what they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = ("jacobians", "products", "transformations", "transformed", "vectors")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"srcad.api.{name}")
    # As a user's: srcad does not look into functions of its own.
    found = doctest.testmod(module, extraglobs={"__name__": "example"})
    assert found.attempted > 0
    assert found.failed == 0
