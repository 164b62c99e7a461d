"""All places of a line: its own, of what is nested in it, of what calls it."""

import linecache

import numpy as np

from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_and_emit


def scaled(z):
    return 3 * z


def loss(x):
    y = np.exp(x)
    s = scaled(
        y,
    )
    if np.sum(y) > 1:
        s = s + 1
    for _ in range(2):
        s = s * y
    return np.sum(s)


def test_places_of_each_line():
    request = Request("value_and_grad", loss)
    _, _, emitted = compile_and_emit(request, [np.ones(3)], frozenset())
    found = emitted.places()
    lines = emitted.text.split("\n")

    def texts(line):
        at = next(k for k, text in enumerate(lines, 1) if text.strip() == line)
        return {linecache.getline(p.file, p.line).strip() for p in found[at]}

    assert texts("y = np.exp(x)") == {"y = np.exp(x)"}
    assert texts("s = 3 * y") == {"return 3 * z", "s = scaled("}
    assert texts("if y.sum() > 1:") == {"if np.sum(y) > 1:"}
    assert texts("for i in range(2):") == {"for _ in range(2):"}
    value = next(line.strip() for line in lines if line.strip().startswith("value ="))
    assert texts(value) == {"return np.sum(s)"}
