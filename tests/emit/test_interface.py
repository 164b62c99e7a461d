"""Signatures, unpacking, and results in the containers they came in."""

import dataclasses
import inspect
import operator
from typing import Any, NamedTuple

import numpy as np
from emit.irtext import VECTOR, Body, body_of, function, load

from srcad.emit.module import emit
from srcad.ir import Interface, Param, Record, Slot, Static, Value

ONES = np.ones(3)


class Layer(NamedTuple):
    w: Any
    b: Any
    name: str = "layer"


@dataclasses.dataclass
class Model:
    w: Any
    layer: Any


class Other(NamedTuple):
    a: Any


def emitted(interface, n, turn=lambda b, values: [b(operator.mul, v, 2.0) for v in values]):
    names = "w b w b x y".split()[:n]
    values = [Value(name, VECTOR) for name in names]
    b = Body(*values)
    results = turn(b, values)
    return emit(function("f_grad", b, *results, interface=interface))


def test_tuples_and_lists_are_unpacked_in_one_line():
    tree = [(Slot(0), Slot(1)), (Slot(2), Slot(3))]
    made = emitted(Interface((Param("params", tree),), result=tree), 4)
    assert "    (w, b), (w_2, b_2) = params\n" in made.text
    got = load(made)([(ONES, ONES * 2), (ONES * 3, ONES * 4)])
    assert type(got) is list
    assert [list(map(np.max, pair)) for pair in got] == [[2, 4], [6, 8]]


def test_a_tuple_of_one():
    made = emitted(Interface((Param("params", (Slot(0),)),), result=(Slot(0),)), 1)
    assert "    (w,) = params\n" in made.text
    assert len(load(made)((ONES,))) == 1


def test_unused_and_static_leaves_are_left_alone():
    tree = (Slot(0), (Slot(1), Static("relu")), {"k": Slot(2)})
    interface = Interface((Param("params", tree),), result=Slot(0))
    made = emitted(interface, 3, lambda b, v: [b(operator.add, v[1], v[2])])
    assert body_of(made.text).startswith('b = params[1][0]\nw = params[2]["k"]\n')
    np.testing.assert_array_equal(load(made)((None, (ONES, "relu"), {"k": ONES})), ONES * 2)


def test_dicts():
    tree = {"w": Slot(0), 3: Slot(1)}
    made = emitted(Interface((Param("p", tree),), result=tree), 2)
    assert body_of(made.text).startswith('w = p["w"]\nb = p[3]\n')
    assert list(load(made)({"w": ONES, 3: ONES})) == ["w", 3]


def test_a_named_tuple_comes_back_by_replace():
    tree = Record(Layer, {"w": Slot(0), "b": Slot(1), "name": Static("layer")})
    made = emitted(Interface((Param("layer", tree),), result=tree), 2)
    assert "return layer._replace(w=w * 2.0, b=b * 2.0)" in made.text
    got = load(made)(Layer(ONES, ONES, "mine"))
    assert type(got) is Layer
    assert got.name == "mine"


def test_a_dataclass_comes_back_by_replace_and_holds_others():
    inner = Record(Layer, {"w": Slot(1), "b": Slot(2), "name": Static("layer")})
    tree = Record(Model, {"w": Slot(0), "layer": inner})
    made = emitted(Interface((Param("m", tree),), result=(Slot(0), tree)), 3)
    got = load(made)(Model(ONES, Layer(ONES, ONES)))[1]
    assert "import dataclasses\n" in made.text
    assert type(got) is Model
    assert type(got.layer) is Layer
    np.testing.assert_array_equal(got.layer.b, ONES * 2)


def test_a_record_of_a_class_that_no_parameter_has():
    tree = Record(Other, {"a": Slot(0)})
    made = emitted(Interface((Param("x", Slot(0)),), result=tree), 1)
    assert "import Other\n" in made.text or "Other" in made.globals
    assert load(made)(ONES).a[0] == 2.0


def test_the_signature_is_the_primals():
    kinds = inspect.Parameter
    params = (
        Param("w", Slot(0), kinds.POSITIONAL_ONLY),
        Param("b", Slot(1), default=1.0),
        Param("k", Slot(2), kinds.KEYWORD_ONLY, default=None),
    )
    made = emitted(Interface(params, result=Slot(0)), 3)
    assert "def f_grad(w, /, b=1.0, k=None):" in made.text


def test_defaults_end_where_a_parameter_has_none():
    params = (Param("w", Slot(0), default=2.0), Param("b", Slot(1), default=ONES))
    made = emitted(Interface(params, (Param("scale", Slot(2), captured="C"),), Slot(0)), 3)
    assert "def f_grad(w, b, scale):" in made.text


def test_star_arguments_are_containers():
    kinds = inspect.Parameter
    params = (
        Param("args", (Slot(0), Slot(1)), kinds.VAR_POSITIONAL),
        Param("kw", {"w": Slot(2)}, kinds.VAR_KEYWORD),
    )
    made = emitted(Interface(params, result=Slot(2)), 3)
    np.testing.assert_array_equal(load(made)((ONES, ONES), {"w": ONES}), ONES * 2)


def test_container_names_stay_free():
    b = Body(Value("p", VECTOR))
    y = b(np.sin, b.block.params[0], name="p")
    interface = Interface((Param("p", (Slot(0),)),), result=Slot(0))
    text = emit(function("f", b, y, interface=interface)).text
    assert body_of(text) == "(p_2,) = p\n\np_2 = np.sin(p_2)\nreturn p_2"


def test_unread_parameters_and_static_results():
    made = emitted(
        Interface((Param("x", Slot(0)),), result=(Static(None), Slot(0))), 1, lambda b, v: [3.0]
    )
    assert load(made)(ONES) == (None, 3.0)


def test_names_that_no_two_parameters_can_share():
    params = (Param("x", Slot(0)), Param("lambda", Slot(1)))
    captures = (Param("x", Slot(2), captured="C[0]"), Param("self.w", (Slot(3),), captured="C[1]"))
    made = emitted(Interface(params, captures, Slot(0)), 4)
    assert "def f_grad(x, lambda_2, x_2, self_w):" in made.text
    assert load(made)(ONES, ONES, ONES, (ONES,))[0] == 2.0
