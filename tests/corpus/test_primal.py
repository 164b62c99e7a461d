"""Every program of the corpus: what its lowering computes equals what Python computes."""

import contextlib
import copy
import io
from types import SimpleNamespace

import numpy as np
import pytest
from corpus.all import PROGRAMS

from srcad.emit.interface import keeps_arguments
from srcad.frontend.lower import signature_of
from srcad.ir import evaluate as interpreter
from srcad.ir import verify
from srcad.ir.interface import Record, Slot, Static, map_slots
from srcad.pipeline.calls.dispatch import MISS, build_dispatch
from srcad.pipeline.request import Request
from srcad.pipeline.stages import lower_with_statics
from srcad.runtime.records import attributes, record

SETS = [
    pytest.param(program, i, id=f"{program.name}-{i}" if i else program.name)
    for program in PROGRAMS
    for i in range(len(program.arguments()))
]


def lowered(fn, args):
    """The program of `fn`, its arguments in the order of the signature."""
    made, _ = lower_with_statics(Request("primal", fn), args, frozenset())
    verify(made.function)
    return made


def flat_arguments(function, args):
    """The flat inputs that arguments give."""
    found = {}

    def visit(tree, x):
        if isinstance(tree, Slot):
            found[tree.index] = x
        elif isinstance(tree, Record):
            for name, item in tree.fields.items():
                visit(item, getattr(x, name))
        elif isinstance(tree, dict):
            for key, item in tree.items():
                visit(item, x[key])
        elif isinstance(tree, tuple | list):
            for item, each in zip(tree, x, strict=True):
                visit(item, each)

    for param, x in zip(function.interface.inputs, args, strict=True):
        visit(param.tree, x)
    return [found[i] for i in range(len(found))]


def rebuilt(tree):
    if isinstance(tree, Static):
        return tree.value
    if isinstance(tree, Record):
        fields = {name: rebuilt(item) for name, item in tree.fields.items()}
        return tree.cls(**fields) if keeps_arguments(tree.cls) else record(tree.cls, **fields)
    if isinstance(tree, dict):
        return {key: rebuilt(item) for key, item in tree.items()}
    if isinstance(tree, tuple | list):
        return type(tree)(map(rebuilt, tree))
    return tree


def run(made, fn, args):
    """The result of the program, called through its guards."""
    interface = made.function.interface

    def entry(*values):
        results = interpreter.evaluate(made.function, *flat_arguments(made.function, values))
        return rebuilt(map_slots(lambda slot: Static(results[slot.index]), interface.result))

    n = len(interface.params)
    call = build_dispatch(entry, fn, n, 0, made.guards, made.captures, made.kept)
    return call(*args)


def assert_same(found, wanted):
    assert type(found) is type(wanted), (type(found), type(wanted))
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for key in wanted:
            assert_same(found[key], wanted[key])
    elif isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert_same(a, b)
    elif isinstance(wanted, np.ndarray):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        assert np.array_equal(found, wanted, equal_nan=wanted.dtype.kind in "fc")
    elif isinstance(wanted, SimpleNamespace) or type(wanted).__module__.startswith("corpus."):
        assert_same(attributes(found), attributes(wanted))
    else:
        assert found == wanted or (found != found and wanted != wanted)


def outcome(call):
    """Result and output of a call."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = call()
    return result, out.getvalue()


@pytest.mark.parametrize(("program", "which"), SETS)
def test_lowering_computes_what_python_computes(program, which):
    sets = program.arguments()
    made = lowered(program.fn, sets[0])
    args = sets[which]
    before = copy.deepcopy(args)
    wanted, wanted_text = outcome(lambda: program.fn(*copy.deepcopy(args)))
    found, text = outcome(lambda: run(made, program.fn, args))
    assert found is not MISS, "the guards do not hold"
    assert_same(found, wanted)
    assert_same(args, before) if not any(hasattr(a, "__dict__") for a in args) else None
    assert text == wanted_text


def test_every_program_takes_the_arguments_of_its_function():
    for program in PROGRAMS:
        n = len(signature_of(program.fn).parameters)
        assert all(len(args) == n for args in program.arguments())
