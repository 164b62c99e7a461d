"""A refusal inside code of another file names the line of one's own that led there, although
nothing calls it by name: operators, iteration, attributes, functions of the library."""

import functools
import itertools
import linecache

import pytest

import srcad
from srcad.errors import SrcadError

ELSEWHERE = """
def refused(x):
    import threading
    return threading.Lock()


class Odd:
    def __init__(self, x): self.x = x
    def __add__(self, other): return refused(self.x)
    def __neg__(self): return refused(self.x)
    def __eq__(self, other): return refused(self.x)
    def __contains__(self, other): return refused(self.x)
    def __bool__(self): return refused(self.x)
    def __len__(self): return refused(self.x)
    def __float__(self): return refused(self.x)
    def __iter__(self): return refused(self.x)
    def __getitem__(self, i): return refused(self.x)
    def __getattr__(self, name): return refused(name)
    def __enter__(self): return refused(self.x)
    def __exit__(self, *about): pass
    @property
    def doubled(self): return refused(self.x)


def pairs(x):
    yield x
    yield refused(x)
"""
FILE = "<code of another file>"
linecache.cache[FILE] = (len(ELSEWHERE), None, ELSEWHERE.splitlines(True), FILE)
_found = {}
exec(compile(ELSEWHERE, FILE, "exec"), _found)
Odd, refused, pairs = (_found[name] for name in ("Odd", "refused", "pairs"))


def in_a_loop(x):
    total = 0.0
    for each in Odd(x):
        total = total + each
    return total


def in_a_with(x):
    with Odd(x) as y:
        return y


CASES = {
    "add": lambda x: Odd(x) + 1,
    "neg": lambda x: -Odd(x),
    "eq": lambda x: x if Odd(x) == 1 else 2 * x,
    "in": lambda x: x if 1 in Odd(x) else 2 * x,
    "bool": lambda x: x if Odd(x) else 2 * x,
    "len": lambda x: x * len(Odd(x)),
    "float": lambda x: float(Odd(x)),
    "comprehension": lambda x: sum([each for each in Odd(x)]),
    "getitem": lambda x: Odd(x)[0],
    "getattr": lambda x: Odd(x).other,
    "property": lambda x: Odd(x).doubled,
    "key": lambda x: max([x, 2 * x], key=refused),
    "map": lambda x: sum(map(refused, [x, x])),
    "reduce": lambda x: functools.reduce(lambda a, b: refused(a) + b, [x, x]),
    "accumulate": lambda x: list(itertools.accumulate([x, x], lambda a, b: refused(a)))[-1],
    "generator": lambda x: sum(pairs(x)),
    "for": in_a_loop,
    "with": in_a_with,
}


@pytest.mark.parametrize("name", CASES)
def test_ones_own_line_is_named(name):
    fn = CASES[name]
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(1.5)
    places = [caught.value.location, *caught.value.called_from]
    own = [place for place in places if place.file == fn.__code__.co_filename]
    lines = {line for *_, line in fn.__code__.co_lines() if line is not None}
    assert own, str(caught.value)
    assert own[-1].line in lines
