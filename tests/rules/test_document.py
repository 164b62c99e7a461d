"""The page of rules."""

import pytest

from srcad.frontend.public import read_names
from srcad.rules import RULES
from srcad.rules.core.names import public_names
from srcad.rules.core.table import name_of
from srcad.rules.document import KINDS, all_lines, page


@pytest.fixture(scope="module")
def text():
    return page(read_names())


def test_every_function_has_a_line():
    listed = {line.name for line in all_lines(read_names())}
    unlisted = [public_names()[name] for name in public_names().keys() - listed]
    assert all(issubclass(member, BaseException) for member in unlisted)
    ours = {name_of(fn) for fn in RULES if getattr(fn, "__module__", "") != __name__}
    assert {name for name in ours if not name.startswith("srcad.runtime")} <= listed


def test_lines_tell_inputs_options_and_conventions(text):
    assert "| `np.mean` | general | a | axis, dtype, keepdims | |" in text
    assert "| `np.maximum` | elementwise | a, b | | ties share evenly |" in text
    assert "| `operator.or_` `\\|` |" in text
    assert "| `np.abs` | general | x | | the same as `np.absolute`; 0 at 0 |" in text
    assert "| `ndarray.tobytes` | refused | | | it depends on the memory layout of an array" in text
    assert "| `ufunc.outer` | read | | | |" in text


def test_tables_are_well_formed(text):
    for line in text.splitlines():
        if line.startswith("| `"):
            assert line.replace("\\|", "").count("|") == 6, line


def test_every_kind_is_explained():
    assert {line.kind for line in all_lines(read_names())} <= KINDS.keys()


def test_the_page_is_the_same_each_time(text):
    assert page(read_names()) == text
