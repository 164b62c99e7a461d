"""What is known of types, classes and versions while compiling."""

import enum
import functools
import inspect
import re
import sys
import typing

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

EPS = {np.float64: 1e-12, np.float32: 1e-5, float: 1e-13}


def scaled(a, b=2.0, *, c=None):
    return a * b


def text_of_class(x):
    return np.sum(x) * len("got %s" % type(x))


def text_of_class_and_number(x):
    return np.sum(x) * len("got %s and %d" % (type(x), 3))


def class_in_text(x):
    return np.sum(x) if "sympy" not in str(type(x)) else 0.0 * np.sum(x)


def class_formatted(x):
    return np.sum(x) * len(f"{type(x)} {type(x[0])!r}") * len("{k}".format(k=type(x)))


def dtype_as_key(x):
    return np.sum(x) * EPS[x.dtype.type]


def dtype_called(x):
    return np.sum(x * x.dtype.type(0.5))


def resolution(x):
    return np.sum(x) * np.finfo(x.dtype.type).eps


def is_floating(x):
    return np.sum(x) if np.issubdtype(x.dtype.type, np.floating) else 0.0 * np.sum(x)


def parameters(x):
    known = inspect.signature(scaled).parameters
    optional = [n for n, p in known.items() if p.default is not inspect.Parameter.empty]
    return scaled(np.sum(x)) * len(optional) * (3.0 if "c" in known else 1.0)


def version(x):
    if sys.version_info >= (3, 8) and sys.version_info[0] < 30:
        return np.sum(x) * 2.0
    return np.sum(x)


def smallest(x):
    return np.sum(x) + np.log(sys.float_info.min)


def real_alone(x):
    f = np.exp if np.any(np.iscomplex(x)) else np.sin
    return np.sum(f(x))


def another_array(x):
    def inner(a, b=None):
        if b is a or b is None:
            b = a
        return np.sum(a * b)

    return inner(x, x * 1.0)


FUNCTIONS = [
    *(text_of_class, text_of_class_and_number, class_in_text, class_formatted, dtype_as_key),
    *(dtype_called, resolution, is_floating, parameters, version, smallest, real_alone),
    another_array,
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_the_value_is_pythons(fn, dtype):
    x = np.array([0.3, 0.9, 1.4], dtype)
    expected, found = fn(x), srcad.compile(fn)(x)
    assert type(found) is type(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_signature_that_changes_is_read_anew():
    def f(x, fn):
        return x * len(inspect.signature(fn).parameters)

    gradient = srcad.grad(f)
    assert gradient(1.0, scaled) == 3.0
    assert gradient(1.0, lambda a: a) == 1.0


def test_two_arrays_are_one_where_the_caller_passes_one():
    def f(x, y):
        return np.sum(x) if x is y else np.sum(x * y)

    gradient = srcad.grad(f)
    x = np.array([0.3, 0.9])
    assert gradient(x, x).tolist() == [1.0, 1.0]
    assert gradient(x, x.copy()).tolist() == [0.3, 0.9]
    assert gradient(x, x).tolist() == [1.0, 1.0]


SAME_OR_NOT = [
    *(np.asarray, np.require, np.ascontiguousarray, np.asfortranarray, np.atleast_1d, np.real),
    *(np.squeeze, np.transpose, np.copy, np.array, np.negative, np.asarray_chkfinite, np.ravel),
    *(np.conj, np.nan_to_num, np.real_if_close, lambda x: x[...], lambda x: x[:]),
    lambda x: x.astype(float, copy=False),
    lambda x: np.array(x, copy=None),
]


@pytest.mark.parametrize("fn", SAME_OR_NOT, ids=lambda fn: fn.__name__)
def test_what_may_be_the_argument_itself_is_answered_as_python_does_or_refused(fn):
    def f(x):
        y = fn(x)
        return np.sum(x) * (2.0 if y is x else 3.0)

    x = np.array([0.3, 0.9])
    assert value_or_refusal(f, x) in (f(x), "E128")


def value_or_refusal(fn, x):
    try:
        return srcad.value_and_grad(fn)(x)[0]
    except SrcadError as refusal:
        return refusal.code


def test_an_array_of_the_turn_before_is_another():
    def f(x):
        before, n = x, 0.0
        for _ in range(3):
            now = before * 2.0
            n = n + (1.0 if now is before else 2.0)
            before = now
        return np.sum(before) * n

    x = np.array([0.3, 0.9])
    assert srcad.value_and_grad(f)(x)[0] == f(x)


class Mode(enum.Enum):
    FAST = "fast"
    EXACT = "exact"


SIGNATURE = inspect.signature(scaled)


def member_of_enumeration(x, mode="fast"):
    return np.sum(x) * (2.0 if Mode(mode) is Mode.FAST else 3.0)


def member_that_is_not_there(x):
    try:
        mode = Mode("slow")
    except ValueError as problem:
        return np.sum(x) * len(str(problem))
    return np.sum(x) * len(mode.value)


def set_of_modules(x):
    spaces = {a.__array_namespace__() if hasattr(a, "shape") else np for a in (x, 2.0)}
    (xp,) = spaces
    return xp.sum(xp.exp(x))


def set_of_classes(x):
    return np.sum(x) * (2.0 if type(x) in {np.ndarray, list} else 1.0)


def signature_from_outside(x):
    named = {name: value for name, value in zip(SIGNATURE.parameters, (x, 3.0), strict=False)}
    return np.sum(scaled(**named))


def arguments_of_a_type(x):
    assert np.float64 in typing.get_args(np.float32 | np.float64)
    assert float in typing.get_args(typing.Union[float, int])  # noqa: UP007 -- as it is published
    return np.sum(typing.cast(np.ndarray, x))


def is_scalar(x):
    try:
        len(x)
    except TypeError:
        return True
    return False


def scalars_and_none(x):
    return np.sum(x) * (is_scalar(2.0) + 2 * is_scalar(None) + 4 * is_scalar(x) + 8 * is_scalar(1))


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Kind(str, enum.Enum):  # noqa: UP042 -- as it was written before Python 3.11
    LINEAR = "linear"


LEVEL = Level.HIGH


def members_that_are_numbers(x, level=Level.LOW):
    is_high = LEVEL is Level.HIGH and LEVEL == 2 and level < LEVEL and level in (Level.LOW, 5)
    return np.sum(x) * (3.0 if is_high and Kind.LINEAR == "linear" else 1.0)


def kinds_of_parameters(x):
    rest = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    known = inspect.signature(rated).parameters.values()
    return np.sum(x) * len([p.name for p in known if p.kind in rest])


def rated(a, *rates, b=2.0, **options):
    return a * b * sum(rates) * len(options)


def bound_arguments(x):
    bound = inspect.signature(rated).bind(np.sum(x), 0.5, 1.5, c=1, d=2)
    bound.apply_defaults()
    return rated(*bound.args, **bound.kwargs) * len(bound.arguments)


def checked(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        arguments = inspect.signature(fn).bind(*args, **kwargs).arguments
        if "a" not in arguments:
            raise TypeError(f"{fn.__qualname__} of {fn.__module__} takes `a`")
        return fn(*args, **kwargs)

    return wrapper


def decorated_with_a_check(x):
    return checked(rated)(np.sum(x), 0.5, b=1.5, c=1) * len(rated.__name__)


@pytest.mark.parametrize(
    "fn",
    [
        *(members_that_are_numbers, kinds_of_parameters, bound_arguments, decorated_with_a_check),
        *(member_of_enumeration, member_that_is_not_there, set_of_modules, set_of_classes),
        *(signature_from_outside, arguments_of_a_type, scalars_and_none),
    ],
    ids=lambda fn: fn.__name__,
)
def test_what_packages_ask_is_answered(fn):
    x = np.array([0.3, 0.9, 1.4])
    expected, found = fn(x), srcad.compile(fn)(x)
    assert type(found) is type(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_set_is_changed_in_place_or_by_making_a_new_one():
    def f(x):
        names = {"a", "b"}
        names.remove("a")
        return np.sum(x) * len(names)

    def g(x):
        names = {"a", "b"}
        names = names - {"a"} | {"c"}
        return np.sum(x) * len(names)

    assert srcad.grad(f)(np.ones(2)).tolist() == [1.0, 1.0]
    assert srcad.grad(g)(np.ones(2)).tolist() == [2.0, 2.0]


def an_int_or_a_scalar(x):
    z = 0 if x[0] < 0 else x[0] * 2
    return np.sum(x) * (1 if isinstance(z, np.ndarray) else 3) + z


def two_floats(x):
    z = 0.0 if x[0] < 0 else x[0]
    return z * (1 if isinstance(z, float) else 3) * (4 if isinstance(z, (int, np.ndarray)) else 1)


def one_of_three(x):
    z = 0 if x[0] < 0 else x[0]
    w = 1.0 if x[1] < 0 else z
    return np.sum(x) * w * (1 if isinstance(w, np.ndarray) else 3)


@pytest.mark.parametrize("fn", [an_int_or_a_scalar, two_floats, one_of_three])
@pytest.mark.parametrize("x", [[0.3, 0.9], [-0.3, 0.9], [0.3, -0.9], [-0.3, -0.9]])
def test_what_branches_join_is_an_instance_where_each_part_is(fn, x):
    x = np.array(x)
    value, x_bar = srcad.value_and_grad(fn)(x)
    assert value == fn(x)
    differences = [(fn(x + h) - fn(x - h)) / 2e-6 for h in np.eye(2) * 1e-6]
    np.testing.assert_allclose(x_bar, differences, rtol=1e-6, atol=1e-8)


def a_number_or_an_array(x):
    z = 0 if x[0] < 0 else x
    return np.sum(x) * (1 if isinstance(z, np.ndarray) else 3)


def an_array_without_axes_or_a_scalar(x):
    z = np.array(0.0) if x[0] < 0 else x[0]
    return np.sum(x) * (1 if isinstance(z, np.ndarray) else 3)


@pytest.mark.parametrize("fn", [a_number_or_an_array, an_array_without_axes_or_a_scalar])
def test_what_may_be_an_array_or_none_is_refused(fn):
    with pytest.raises(SrcadError) as found:
        srcad.grad(fn)(np.array([0.3, 0.9]))
    assert found.value.code == "E123"
    assert found.value.location.file == __file__


def test_questions_that_a_class_answers():
    sparse = pytest.importorskip("scipy.sparse")

    def f(x):
        if sparse.issparse(x) or inspect.getattr_static(x, "no_such", None) is not None:
            return 0.0
        if inspect.getattr_static(x, "shape", None) is None:
            return 1.0
        return np.sum(x) * (2.0 if re.sub("a+", "b", "caat") == "cbt" else 3.0)

    np.testing.assert_array_equal(srcad.grad(f)(np.ones(2)), [2.0, 2.0])
    assert "issparse" not in srcad.grad(f).source(np.ones(2))


def parameters_of_an_inner_function(x):
    def model(x, /, a, b=2, *rest, c, d=None, **more):
        return a * x + b

    known = inspect.signature(model)
    print([(name, str(p.kind), p.default is p.empty) for name, p in known.parameters.items()])
    given = known.bind(x, 3.0, c=1)
    given.apply_defaults()
    count = len(inspect.signature(lambda a, b=1: a).parameters)
    return model(*given.args, **given.kwargs) * count * known.parameters["b"].default


def test_the_signature_of_a_function_defined_inside(capsys):
    wanted, printed = parameters_of_an_inner_function(1.5), capsys.readouterr().out
    assert srcad.value_and_grad(parameters_of_an_inner_function)(1.5) == (wanted, 12.0)
    assert capsys.readouterr().out == printed
