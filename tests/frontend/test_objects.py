"""Objects that are changed: whose they are, under how many names they come, what is refused."""

import collections
import copy
import ctypes
import ctypes.util
import dataclasses
import functools
import itertools
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


class Cell:
    shared = [1.0]  # noqa: RUF012

    def __init__(self, h, kids=()):
        self.h = h
        self.kids = list(kids)

    @functools.cached_property
    def twice(self):
        return self.h * 2


def overwrites(a, b, x):
    a.h = x * x
    return a.h * b.h


def test_two_objects_stay_two():
    gradient = srcad.grad(overwrites, 2)
    assert gradient(Cell(1.0), Cell(3.0), 2.0) == 12.0
    one = Cell(5.0)
    with pytest.raises(SrcadError, match="reached in two ways") as caught:
        gradient(one, one, 2.0)
    assert caught.value.code == "E133"
    assert gradient(Cell(1.0), Cell(4.0), 2.0) == 16.0
    assert one.h == 5.0


def appends(lists, x):
    lists[0].append(x)
    return lists[0][-1] * lists[1][-1]


def test_two_lists_stay_two():
    gradient = srcad.grad(appends, 1)
    assert gradient([[1.0], [3.0]], 2.0) == 3.0
    one = [1.0]
    with pytest.raises(SrcadError, match="reached in two ways"):
        gradient([one, one], 2.0)
    assert one == [1.0]


model = Cell(2.0)


def reads_global(cell, x):
    cell.h = x
    return cell.h * model.h


def test_an_argument_that_is_a_global_too():
    gradient = srcad.grad(reads_global, 1)
    assert gradient(Cell(1.0), 3.0) == 2.0
    with pytest.raises(SrcadError, match="reached in two ways"):
        gradient(model, 3.0)
    assert model.h == 2.0


def is_one(a, b, x):
    return x * x if a is b else x


def test_identity_is_guarded():
    gradient = srcad.grad(is_one, 2)
    one = Cell(1.0)
    assert gradient(Cell(1.0), Cell(1.0), 3.0) == 1.0
    assert gradient(one, one, 3.0) == 6.0


def changes_much(cell, params, xs, x):
    cell.h = cell.h * x
    cell.kids[0].h = x
    cell.new = cell.h
    params["w"][0] = x
    params["b"] = x * x
    xs.append(params["b"])
    return cell.h * cell.kids[0].h * cell.new + np.sum(params["w"]) * xs[-1]


def test_the_caller_keeps_his_objects():
    args = (Cell(2.0, [Cell(1.0)]), {"w": np.ones(2)}, [1.0], 3.0)
    before = copy.deepcopy(args)
    srcad.grad(changes_much, 3)(*args)
    cell, old = args[0], before[0]
    assert (cell.h, cell.kids[0].h, hasattr(cell, "new")) == (old.h, old.kids[0].h, False)
    assert args[1].keys() == before[1].keys()
    assert np.array_equal(args[1]["w"], before[1]["w"])
    assert args[2:] == before[2:]


def test_a_changed_class_is_read_again():
    class Scaled:
        factor = 2.0

        def value(self, x):
            return x * self.factor

    gradient = srcad.grad(lambda x: Scaled().value(x))
    assert gradient(1.0) == 2.0
    Scaled.factor = 5.0
    assert gradient(1.0) == 5.0
    Scaled.value = lambda self, x: x * x * self.factor
    assert gradient(1.0) == 10.0


# Refusals ------------------------------------------------------------------------------------

REFUSED = []


def refuse(code, *args):
    def add(fn):
        REFUSED.append(pytest.param(fn, args, code, id=f"{code}-{fn.__name__}"))
        return fn

    return add


@pytest.mark.parametrize(("fn", "args", "code"), REFUSED)
def test_refused(fn, args, code):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(*args)
    assert caught.value.code == code, str(caught.value)
    assert caught.value.location is not None


@refuse("E133", 1.5)
def sets_attribute_of_global(x):
    model.h = x
    return x


@refuse("E133", 1.5)
def changes_list_of_global(x):
    model.kids.append(x)
    return x


@refuse("E133", 1.5, Cell(1.0))
def changes_list_of_class(x, cell):
    cell.shared.append(x)
    return x


@refuse("E133", 1.5)
def sets_attribute_of_class(x):
    Cell.shared = x
    return x


@refuse("E118", 1.5)
def sets_attribute_of_local_class(x):
    class Box:
        n = 0

    Box.n = 1
    return x


class Slotted:
    __slots__ = ("a",)


@refuse("E118", 1.5)
def sets_attribute_without_slot(x):
    box = Slotted()
    box.b = x
    return box.b


class Meta(type):
    size = property(lambda cls: 2.0)

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.size = 1.0
        return made


class Made(metaclass=Meta):
    pass


@refuse("E118", 1.5)
def attribute_that_a_metaclass_computes(x):
    return x * Made().size


@refuse("E121", 1.5)
def property_of_a_metaclass(x):
    return x * Made.size


class Guarding(type):
    def __getattribute__(cls, name):
        return 3.0 if name == "size" else super().__getattribute__(name)


class Guarded(metaclass=Guarding):
    size = 1.0


@refuse("E120", 1.5)
def attribute_by_a_metaclass(x):
    return x * Guarded.size


class Descriptor:
    def __get__(self, owner, kind=None):
        return 3.0 * owner.value

    def __set__(self, owner, value):
        owner.value = value


class Described:
    d = Descriptor()


def test_descriptors_are_read():
    def f(x):
        box = Described()
        box.d = x * x
        return box.d * x

    assert srcad.value_and_grad(f)(1.5) == (1.5**2 * 3 * 1.5, 3 * 3 * 1.5**2)


class Number(float):
    pass


@refuse("E120", 1.5)
def class_of_builtin(x):
    return Number(2.0) * x


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float


@refuse("E118", 1.5)
def sets_frozen(x):
    box = Frozen(x)
    box.a = 2.0
    return box.a


@refuse("E129", -1.5, SimpleNamespace(h=1.0))
def attribute_of_another_kind(x, box):
    if x > 0:
        box.h = iter([x])
    return box.h * x


@refuse("E109", 1.5)
def local_class_with_metaclass(x):
    class Box(metaclass=Meta):
        pass

    return x


@refuse("E306", 1.5)
def returns_object_of_local_class(x):
    class Box:
        pass

    return Box()


def appends_to_a_part(x, cell):
    cell.kids.append(0.5)
    return x * x, cell


def writes_into_a_part(x, cell):
    h = cell.h
    h += 1.0
    return x * x, [cell]


def writes_beside(x, cell, kids):
    kids.append(x)
    return x * x, cell


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (appends_to_a_part, ()),
        (writes_into_a_part, ()),
        (writes_beside, ([1.0],)),  # which the object might hold in another call
    ],
)
def test_an_object_does_not_come_back_as_it_was_before_a_change(f, args):
    gradient = srcad.value_and_grad(f, has_aux=True)
    with pytest.raises(SrcadError, match="may hold what the function has changed") as caught:
        gradient(2.0, Cell(np.ones(2)), *args)
    assert caught.value.code == "E306"


def test_an_object_comes_back_where_nothing_is_changed():
    cell = Cell(3.0)
    (value, aux), slope = srcad.value_and_grad(lambda x, c: (x * c.h, c), has_aux=True)(2.0, cell)
    assert (value, slope) == (6.0, 3.0)
    assert aux is cell


@refuse("E133", 2.0)
def differentiated_function_appends(x):
    seen = []

    def inner(w):
        seen.append(w * w)
        return w * w

    return srcad.grad(inner)(x) + seen[0]


@refuse("E133", 2.0)
def differentiated_function_assigns_outside(x):
    last = x

    def inner(w):
        nonlocal last
        last = w * 3
        return w * w

    return srcad.grad(inner)(x) * last


@refuse("E119", 1.5)
def iterator_without_end(x):
    return sum(itertools.repeat(x))


@refuse("E127", 1.5)
def order_of_a_set(x):
    total = x
    for name in {"a", "b"}:
        total = total * len(name)
    return total


@refuse("E118", np.ones(2))
def set_that_may_be_one_of_two(x):
    first, second = {"a"}, {"a"}
    names = first if x[0] > 0 else second
    names |= {"b"}
    return np.sum(x) * len(first)


@refuse("E132", np.ones(3))
def array_plus_object(x):
    class Box:
        def __radd__(self, other):
            return other

    return np.sum(x + Box())


@refuse("E112", 1.5)
def inner_alternatives_with_names(x):
    match [x, (x, 2.0)]:
        case [y, (0.0, z) | (z, 2.0)]:
            return y * z
        case _:
            return x


class Doubled:
    """Tells what it is given on its left."""

    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return type(other) is float, type(other) is np.float64, other + 2 * self.v


class Deferred(Doubled):
    __array_ufunc__ = None


class Higher(Doubled):
    __array_priority__ = 1.0


@pytest.mark.parametrize("cls", [Doubled, Deferred, Higher])
def test_a_scalar_on_the_left_of_an_object_is_pythons_number_unless_numpy_defers(cls):
    def f(x, v):
        return x[0] + cls(v)

    assert srcad.compile(f)(np.ones(2), 3.0) == f(np.ones(2), 3.0)
    gradient = srcad.grad(lambda x, v: f(x, v)[2] ** 2, (0, 1))(np.ones(2), 3.0)
    np.testing.assert_array_equal(gradient[0], [14.0, 0.0])
    assert gradient[1] == 28.0


def test_a_method_of_a_base_class_is_not_that_of_its_argument():
    def f(cls):
        return cls.__hash__(1)

    assert srcad.compile(f)(Doubled) == object.__hash__(1) != hash(1)


def test_what_a_named_tuple_and_a_set_do_not_take_is_refused():
    def as_dict(p):
        return p._asdict(c=1.0)

    def in_set(x):
        return x in {0, 1}

    pair = collections.namedtuple("pair", "x y")(1.0, 2.0)
    for f, x in ((as_dict, pair), (in_set, [1.0])):
        with pytest.raises(srcad.SrcadError, match="E13"):
            srcad.compile(f)(x)


# ---- objects that are called and have no hash


@dataclass(frozen=True)
class Layer:
    w: np.ndarray

    def __call__(self, x):
        return np.tanh(self.w * x)


class Equal:
    def __init__(self, w):
        self.w = w

    def __eq__(self, other):
        return isinstance(other, Equal)

    def __call__(self, x):
        return np.tanh(self.w * x)


@pytest.mark.parametrize("layer", [Layer(np.ones(3)), Equal(np.ones(3))])
def test_called_objects_without_a_hash(layer):
    x = np.arange(3.0)
    with pytest.raises(TypeError):
        hash(layer)
    slope = 1 - np.tanh(x) ** 2
    np.testing.assert_allclose(srcad.jacobian(layer)(x), np.diag(slope))
    np.testing.assert_allclose(srcad.grad(lambda x: np.sum(layer(x)))(x), slope)
    np.testing.assert_allclose(srcad.compile(layer)(x), np.tanh(x))
    inside = srcad.grad(lambda x: np.sum(srcad.jacobian(layer)(x)))(x)
    np.testing.assert_allclose(inside, -2 * np.tanh(x) * slope)


def test_a_function_of_ctypes_is_refused_by_its_name():
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    libm.hypot.restype = ctypes.c_double
    with pytest.raises(srcad.SrcadError, match=r"E120.*`hypot`, a function of `ctypes`") as found:
        srcad.grad(lambda x: libm.hypot(x, 2.0))(1.0)
    assert "a Python function that calls it" in found.value.fix


class Series:
    __module__ = "polars.series"

    def __init__(self, x):
        self.x = x

    def __mul__(self, other):
        return self.x * other

    def sum(self):
        return np.sum(self.x)


COLUMN = Series(np.ones(3))


@pytest.mark.parametrize(
    "f", [lambda s: s.sum(), lambda s: np.sum(s * 2.0), lambda s: COLUMN.sum()]
)
def test_objects_of_other_packages_are_refused_where_they_are_used(f):
    with pytest.raises(srcad.SrcadError, match="E120") as caught:
        srcad.compile(f)(Series(np.ones(3)))
    assert "test_objects.py" in str(caught.value).splitlines()[0]
    assert "to_numpy()" in str(caught.value)


class Counted:
    count = 0

    def __del__(self):
        Counted.count += 1


def test_objects_with_an_end_are_refused():
    def local(x):
        n = 0.0

        class Ended:
            def __del__(self):
                nonlocal n
                n += 1

        d = Ended()
        del d
        return x * n

    def of_the_module(x):
        Counted()
        return x * Counted.count

    def unfilled(x):
        object.__new__(Counted)
        return x * Counted.count

    for f in (local, of_the_module, unfilled):
        with pytest.raises(srcad.SrcadError, match="__del__"):
            srcad.compile(f)(2.0)

    one = Counted()
    one.v = 3.0
    assert srcad.compile(lambda d, x: d.v * x)(one, 2.0) == 6.0


class AnswersNothing(type):
    def __getattr__(cls, name):
        raise KeyError(name)


class AnswersAll(type):
    def __getattr__(cls, name):
        return 5.0


class Shy(metaclass=AnswersNothing):
    def __init__(self):
        self.w = 2.0


class Bold(metaclass=AnswersAll):
    w = 2.0

    def __init__(self):
        self.v = 3.0


@pytest.mark.parametrize("cls", [Shy, Bold])
def test_metaclasses_are_not_asked_for_what_a_class_is(cls):
    made = cls()

    def f(x):
        return made.w * x if isinstance(made, cls) else x

    assert srcad.value_and_grad(f)(1.5) == (3.0, 2.0)
    assert srcad.value_and_grad(lambda x, o: o.w * x)(1.5, made) == (3.0, 2.0)
