"""Sets that are changed: what they hold afterwards, under each name, and what is refused."""

import copy

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

known_names = {"a", "b"}


def one_or_true(x):
    numbers = {1}
    if x[0] > 0:
        numbers.remove(1)
        numbers.add(True)
    (only,) = numbers
    return np.sum(x) * (2.0 if type(only) is bool else 3.0)


def test_every_name_of_a_set_sees_the_change():
    def f(x):
        names = {"a"}
        holder = {"names": names}
        holder["names"].add("b")
        shallow, deep = copy.copy(names), copy.deepcopy(holder)
        shallow.clear()
        deep["names"].update("cde")
        return np.sum(x) * (len(names) + 10 * len(shallow) + 100 * len(deep["names"]))

    x = np.array([0.5, 1.5])
    value, gradient = srcad.value_and_grad(f)(x)
    assert value == f(x) == 2.0 * 502
    np.testing.assert_allclose(gradient, 502.0)


def test_of_equal_items_the_one_stays_that_stays_in_python():
    def f(x):
        kept = {1}
        kept |= {True, 2}
        swapped = {1}
        swapped &= {True, 5}
        by_list = {1}
        by_list.intersection_update([True])
        found = [*(kept - {2}), *swapped, *by_list]
        return x * 1.0, [type(each) for each in found], found

    x = np.ones(2)
    assert srcad.compile(f)(x)[1:] == f(x)[1:]
    assert [type(each) for each in srcad.compile(f)(x)[2]] == f(x)[1]


def test_the_set_of_a_result_is_a_new_one_each_time():
    def f(x):
        made = {1, 2}
        made.add(3)
        return x * 2, made

    compiled = srcad.compile(f)
    _, first = compiled(np.ones(2))
    first.add(100)
    assert compiled(np.ones(2))[1] == {1, 2, 3}


def test_a_set_that_is_an_argument_is_read_as_a_copy_by_a_derivative():
    def f(x, names):
        names.add("c")
        return np.sum(x) * len(names)

    names = {"a", "b"}
    assert srcad.grad(f)(np.ones(2), names).tolist() == [3.0, 3.0]
    assert names == {"a", "b"}


def changes_an_argument(x, names):
    names.add("c")
    return x * len(names)


def changes_a_global(x):
    known_names.add("c")
    return np.sum(x) * len(known_names)


def takes_any(x):
    return np.sum(x) * {1, 2}.pop()


def grows_while_read(x):
    numbers = {1}
    for k in numbers:
        numbers.add(k + 1)
    return np.sum(x) * len(numbers)


def of_run_time_values(x):
    numbers = set()
    numbers.add(x[0])
    return np.sum(x) * len(numbers)


def changed_by_a_number(x):
    numbers = {1}
    numbers |= 2
    return np.sum(x) * len(numbers)


@pytest.mark.parametrize(
    ("fn", "code"),
    [
        (changes_a_global, "E133"), (takes_any, "E127"), (grows_while_read, "E119"),
        (of_run_time_values, "E123"),
        (changed_by_a_number, "E132"), (one_or_true, "E134"),
    ],
)  # fmt: skip
def test_refused(fn, code):
    with pytest.raises(SrcadError) as found:
        srcad.grad(fn)(np.ones(2))
    assert found.value.code == code
    assert found.value.location.file == __file__
    assert found.value.fix
    assert known_names == {"a", "b"}


@pytest.mark.parametrize("given", [set(), {1}, frozenset(), frozenset({1})])
def test_a_set_is_not_reversible(given):
    with pytest.raises(TypeError):
        srcad.compile(lambda x, s: x * len(list(reversed(s))))(1.0, given)
    with pytest.raises(TypeError):
        srcad.compile(lambda x: x * len(list(reversed({x for x in ()}))))(1.0)


@pytest.mark.parametrize("text", [lambda s: "%s" % s, lambda s: "%s %d" % (s, 1), str, repr])
def test_the_text_of_several_members_has_no_order(text):
    with pytest.raises(SrcadError) as found:
        srcad.compile(lambda x, s: (x, text(s)))(1.0, {"a", "b", "c"})
    assert found.value.code == "E120"


def test_a_compiled_function_leaves_a_set_of_the_caller_alone():
    with pytest.raises(SrcadError, match=r"set that is an argument") as found:
        srcad.compile(changes_an_argument)(np.ones(2), {"a"})
    assert found.value.code == "E133"
