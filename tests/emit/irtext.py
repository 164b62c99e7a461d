"""Building IR by hand, without rules: every operation says its own type."""

import numpy as np

from srcad.emit.module import emit
from srcad.ir import (
    ArrayType,
    Block,
    Dim,
    Function,
    Interface,
    NumberType,
    Op,
    Param,
    SeqType,
    Slot,
    TupleType,
    Value,
    verify,
)
from srcad.ir.evaluate import evaluate

N, K = Dim("n", 0, True), Dim("k", 0, True)
F8 = np.dtype(float)
VECTOR = ArrayType(F8, (N,))
MATRIX = ArrayType(F8, (N, K))
SCALAR = ArrayType(F8, (), scalar=True)
FLOAT, INT, BOOL = NumberType(float), NumberType(int), NumberType(bool)
SHAPE = TupleType((INT, INT))
TAPE = SeqType(VECTOR)


class Body:
    """A block under construction: `b = Body(x); h = b(np.tanh, x, name="h")`."""

    def __init__(self, *params, loc=None):
        self.block = Block(list(params), [], [])
        self.loc = loc

    def __call__(self, fn, *args, name="", type=VECTOR, effect=False, **kwargs):
        types = type if isinstance(type, list) else [type]
        names = name if isinstance(name, list) else [name] * len(types)
        outs = tuple(Value(n, t) for n, t in zip(names, types, strict=True))
        if type is None:
            outs = ()
        self.block.body.append(Op(fn, args, kwargs, outs, self.loc, effect))
        return outs if isinstance(type, list) or type is None else outs[0]

    def add(self, stmt):
        self.block.body.append(stmt)
        return stmt

    def returns(self, *results):
        self.block.results = list(results)
        return self.block


def params(words, type=VECTOR):
    return [Value(word, type) for word in words.split()]


def function(name, body, *results, interface=None):
    """A function; without an interface, one parameter for each value and a tuple of results."""
    block = body.returns(*results)
    if interface is None:
        slots = tuple(Slot(i) for i in range(len(results)))
        tree = slots[0] if len(slots) == 1 else slots
        flat = tuple(Param(p.name, Slot(i)) for i, p in enumerate(block.params))
        interface = Interface(flat, result=tree)
    return verify(Function(name, block, interface))


def load(emitted, **extra):
    """The public function of an emitted module."""
    scope = {**emitted.globals, **extra, "__name__": "emitted"}
    exec(compile(emitted.text, "<emitted>", "exec"), scope)
    return scope[emitted.entry]


def check(fn, *args):
    """The text of `fn`, after checking on `args` that it computes what the IR means."""
    emitted = emit(fn)
    copies = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    want = evaluate(fn, *copies)
    copies = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    got = load(emitted)(*copies)
    got = [got] if len(want) == 1 else list(got)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)
    return emitted.text


def body_of(text):
    """The lines of the last function, without its head."""
    lines = text[text.rindex("\ndef ") + 1 :].splitlines()[1:]
    return "\n".join(line[4:] for line in lines)
