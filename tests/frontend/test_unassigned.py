"""Names and attributes that some paths leave unassigned: what Python raises, what handles it."""

import numpy as np
import pytest

import srcad


class Mean:
    n = 0
    s = 0.0

    def add(self, t):
        self.n += 1
        self.s += t

    def mean(self):
        return self.s / self.n if self.n else 0.0


class Opt:
    v = 5.0

    def __init__(self, x):
        if x > 0:
            self.v = x


class Larger(Opt):
    def __init__(self, x):
        if x > self.v:
            self.v = x


class Part:
    def __init__(self, x):
        if x > 0:
            self.v = x * x
        if x > 1:
            self.w = x
        if x > 2:
            self.k = 3


# Attributes that a class has as well -----------------------------------------------------------


def in_a_loop(v):
    m = Mean()
    for t in v:
        m.add(t)
    return m.mean()


def read_directly(v):
    m = Mean()
    for t in v:
        m.add(t)
    return m.s / m.n


def under_a_condition(v):
    m = Mean()
    for t in v:
        if m.n < 2:
            m.add(t * m.s + t)
    return m.s


def in_a_branch(x):
    return Opt(x).v * 2


def compared_with_that_of_the_class(x):
    return Larger(x).v * 3


def of_a_local_class(x):
    class Kept:
        v = x * 2
        w = 1

        def set(self, t):
            if t > 0:
                self.v = t
                self.w += 1

    one = Kept()
    one.set(x)
    one.set(x - 3.0)
    return one.v * one.w


def deleted(x):
    o = Opt(7.0)
    if x > 0:
        del o.v
    return o.v * x


def in_a_while(x):
    o = Opt(-1.0)
    while o.v > x:
        o.v = o.v - 1.5
    return o.v * x


def one_of_two_objects(x):
    a, b = Opt(-1.0), Opt(-1.0)
    b.v = x
    o = a if x > 2 else b
    return o.v * x


# Attributes that there may not be --------------------------------------------------------------


def attribute(x):
    return Part(x).v * 2


def attribute_handled(x):
    p = Part(x)
    try:
        return p.v * 2
    except AttributeError:
        return -x


def attribute_alone(x):
    p = Part(x)
    try:
        return p.v
    except AttributeError:
        return -x


def one_of_three(x):
    p = Part(x)
    try:
        t = p.v * p.w * p.k
    except (AttributeError, ValueError):
        t = -x
    return t * x


def other_handler(x):
    p = Part(x)
    try:
        return p.v
    except UnboundLocalError:
        return -x


def set_where_it_is_read(x):
    p = Part(x)
    if x > 0:
        return p.v
    return x


def deleted_where_there_is_none(x):
    p = Part(x)
    try:
        del p.v
        return x
    except AttributeError:
        return -x


def set_in_a_loop(v):
    p = Part(-1.0)
    for t in v:
        if t > 1:
            p.v = t
    return p.v


def set_in_the_turn_before(v):
    p = Part(-1.0)
    s = 0.0
    for t in v:
        try:
            s += p.v
        except AttributeError:
            s -= 1.0
        p.v = t
    return s


# Names -----------------------------------------------------------------------------------------


def returned(x, n):
    for i in range(n):
        y = x * i
    try:
        return y
    except NameError:
        return -x


def in_an_operation(x, n):
    for i in range(n):
        y = x * i
    try:
        z = y * x
    except UnboundLocalError:
        z = -x
    return z * x


def of_a_branch(x, n):
    if n > 1:
        y = x * x
    try:
        return y * x
    except Exception:
        return -x


def raised_from(x, n):
    if n > 1:
        y = x * x
    try:
        return y * x
    except NameError as e:
        raise ValueError from e


def deleted_name(x, n):
    y = x * x
    if n > 1:
        del y
    try:
        return y * x
    except NameError:
        return x


def deleted_for_certain(x, n):
    y = x * x
    del y
    try:
        return y * x * n
    except NameError:
        return x


def of_a_while(x, n):
    k = 0
    while k < n:
        y = x * x * k
        k += 1
    try:
        return y
    except ValueError:
        return 0.0
    except NameError:
        return x


def of_a_function_around(x, n):
    for i in range(n):
        y = x * i

    def g():
        return y

    try:
        return g()
    except UnboundLocalError:
        return 0.0
    except NameError:
        return -x


def of_the_turn_before(x, n):
    s = 0.0
    for i in range(4):
        try:
            s += y  # noqa: F821 - unbound at first, on purpose
        except UnboundLocalError:
            s -= x
        if i >= n:
            y = x * x
    return s


def other_exception(x, n):
    if n > 1:
        y = x * x
    try:
        return y * x
    except ValueError:
        return x


def behind_the_try(x, n):
    if n > 1:
        y = x * x
    try:
        pass
    except NameError:
        return x
    return y


def of_arrays(x, n):
    if n > 1:
        y = np.array([x, x * x])
    try:
        return y.sum()
    except NameError:
        return x


def of_lists(x, n):
    if n > 1:
        y = [x, x * x]
    try:
        return sum(y)
    except NameError:
        return -x


def of_tuples(x, n):
    if n > 1:
        y = (x, 2.0)
    try:
        return y[1] * x
    except NameError:
        return -x


def of_objects(x, n):
    if n > 1:
        y = Part(3.0)
    try:
        return y.v * x
    except NameError:
        return -x


def in_a_condition(x, n):
    if n > 1:
        y = 3.0
    try:
        return x if n > 0 and y > 2 else 0.0
    except NameError:
        return -x


def deleted_and_read(x, n):
    y = x * x
    if n > 1:
        del y
    return y * x


def deleted_deeper(x, n):
    y = x * x
    if n > 0:
        if n > 1:
            del y
    return y


def under_an_older_name(x, n):
    y = x * x
    z = y * 3
    del y
    if n > 1:
        y = z * 2
    return y * z


VECTORS = [np.array([1.5, 2.0, 0.5]), np.array([-1.0, 0.5]), np.zeros(0)]
NUMBERS = [-1.5, 0.7, 1.5, 2.5, 8.0]
OF_VECTORS = [
    in_a_loop, read_directly, under_a_condition, set_in_a_loop, set_in_the_turn_before,
]  # fmt: skip
OF_NUMBERS = [
    in_a_branch, compared_with_that_of_the_class, of_a_local_class, deleted, in_a_while,
    one_of_two_objects, attribute, attribute_handled, attribute_alone, one_of_three,
    other_handler, set_where_it_is_read, deleted_where_there_is_none,
]  # fmt: skip
OF_COUNTS = [
    returned, in_an_operation, of_a_branch, raised_from, deleted_name, deleted_for_certain,
    of_a_while, of_a_function_around, of_the_turn_before, other_exception, behind_the_try,
    of_arrays, of_lists, of_tuples, of_objects, in_a_condition, deleted_and_read, deleted_deeper,
    under_an_older_name,
]  # fmt: skip
CALLS = [
    *((f, [(v,) for v in VECTORS]) for f in OF_VECTORS),
    *((f, [(x,) for x in NUMBERS]) for f in OF_NUMBERS),
    *((f, [(1.5, 0), (1.5, 1), (1.5, 3)]) for f in OF_COUNTS),
]


def outcome(f, args):
    try:
        return f(*args)
    except (ArithmeticError, AttributeError, NameError, ValueError) as problem:
        return type(problem)


def slopes(f, x, *rest):
    """The derivative by differences."""
    if not isinstance(x, np.ndarray):
        return (f(x + 1e-6, *rest) - f(x - 1e-6, *rest)) / 2e-6
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in steps])


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("f", "calls"), CALLS, ids=lambda f: getattr(f, "__name__", ""))
def test_as_python(f, calls, backend):
    if backend == "native":
        pytest.importorskip("numba")
    compiled = srcad.compile(f, backend=backend)
    for args in calls:
        assert outcome(compiled, args) == outcome(f, args)


@pytest.mark.parametrize(("f", "calls"), CALLS, ids=lambda f: getattr(f, "__name__", ""))
def test_derivatives(f, calls):
    derived = srcad.value_and_grad(f)
    for args in calls:
        expected, found = outcome(f, args), outcome(derived, args)
        if isinstance(expected, type):
            assert found is expected
            continue
        assert found[0] == expected
        np.testing.assert_allclose(found[1], slopes(f, *args), rtol=1e-5, atol=1e-6)


def test_text_of_the_exception():
    with pytest.raises(AttributeError, match="'Part' object has no attribute 'v'"):
        srcad.compile(attribute)(-1.0)


def test_object_that_has_other_attributes_on_each_path():
    with pytest.raises(srcad.SrcadError, match="E129"):
        srcad.compile(lambda x: Opt(x))(1.0)
    with pytest.raises(srcad.SrcadError, match="E129"):
        srcad.compile(lambda x: len(vars(Opt(x))) * x)(1.0)


def two_names_of_which_one_is_asked_for(x, n):
    first = "ab"
    del first
    try:
        y = len(first)
    except NameError as problem:
        y = x + isinstance(problem, UnboundLocalError)
    try:
        if np.sum(np.full((1, n), 0.7)) > 9.0:
            raise ValueError("too many")
        z = y
    except ValueError:
        first = kind = "bad"
        z = 0.0
    try:
        return z + len(kind)
    except NameError:
        return z - 1.0


@pytest.mark.parametrize("n", [3, 30])
def test_flags_that_are_alike_are_asked_for_apart(n):
    f = two_names_of_which_one_is_asked_for
    assert srcad.value_and_grad(f)(0.3, n)[0] == f(0.3, n)
    assert srcad.compile(f)(0.3, n) == f(0.3, n)


def list_of_a_loop(x, n):
    for i in range(n):
        if i == 1:
            last = [x * 2.0]
    return last[0] + len(last)


def list_of_a_loop_asked_for(x, n):
    for i in range(n):
        if i == 1:
            last = first = [x * 2.0]
    try:
        return x + len(last)
    except NameError:
        return x - 0.5


@pytest.mark.parametrize("f", [list_of_a_loop, list_of_a_loop_asked_for])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_list_stays_that_an_earlier_iteration_has_bound(f, n):
    compiled = srcad.compile(f)
    if f is list_of_a_loop and n < 2:
        with pytest.raises(UnboundLocalError):
            compiled(0.3, n)
        return
    assert compiled(0.3, n) == f(0.3, n)
    assert srcad.value_and_grad(f)(0.3, n)[0] == f(0.3, n)


def containers_of_two_kinds(x):
    if x < 1.5:
        kind = (x, 1)
    if x < 0.1:
        kind = "z"
    try:
        return x + len(kind)
    except NameError:
        return x - 0.5


def kinds_of_a_loop(x):
    for i in range(3):
        if x < i:
            if x < 0.1:
                kind = None
            elif x < 0.3:
                kind = [x, 2.0]
            else:
                kind = {"a": x}
    try:
        return x + (1.0 if kind is None else kind[0] if isinstance(kind, list) else kind["a"])
    except NameError:
        return x - 0.5


def deleted_where_it_may_be_unbound(x):
    if x > 0.5:
        p = np.array([x, 2.0])
    y = x
    try:
        del p
    except NameError:
        y = y + 1.0
    try:
        y = y + p[0]
    except NameError:
        y = y + 3.0
    return y


def deleted_twice(x):
    if x > 0.5:
        p = [x]
    y = x
    for _ in range(2):
        try:
            del p
        except NameError:
            y = y * 2.0
    return y


def items_read_in_a_loop_of_no_iterations(x):
    if x > 5.0:
        p = {"k": 2.0, "l": x}
    y = x
    for _ in range(int(x)):
        y = p["k"] * 1.25
    return y


@pytest.mark.parametrize(
    "f",
    [containers_of_two_kinds, kinds_of_a_loop, deleted_where_it_may_be_unbound, deleted_twice,
     items_read_in_a_loop_of_no_iterations],
)  # fmt: skip
@pytest.mark.parametrize("x", [-0.2, 0.2, 0.7, 2.5, 6.5])
def test_containers_that_may_be_unbound(f, x):
    try:
        expected = f(x)
    except UnboundLocalError:
        for transformed in (srcad.compile, srcad.grad):
            with pytest.raises(UnboundLocalError):
                transformed(f)(x)
        return
    assert srcad.compile(f)(x) == expected
    value, slope = srcad.value_and_grad(f)(x)
    assert value == expected
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6)


def read_after_a_loop_that_may_make_no_iteration(x, n):
    if x > 0.5:
        r = x
    try:
        y = r * x
    except UnboundLocalError:
        y = x
    for _ in range(n):
        r = 0.5
    return y + r


@pytest.mark.parametrize(("x", "n"), [(0.7, 0), (0.7, 2), (0.2, 2)])
def test_what_is_carried_from_a_question_is_asked_for(x, n):
    f = read_after_a_loop_that_may_make_no_iteration
    assert srcad.value_and_grad(f)(x, n)[0] == f(x, n)
    with pytest.raises(UnboundLocalError):
        srcad.grad(f)(0.2, 0)


def deleted_by_some_iterations(x, n):
    p = x
    for i in range(n):
        if i == 2:
            break
        del p
    return x


def test_what_an_iteration_deletes_is_unbound_in_the_next():
    f = deleted_by_some_iterations
    for transformed in (srcad.compile(f), srcad.value_and_grad(f)):
        transformed(0.3, 1)
        with pytest.raises(UnboundLocalError):
            transformed(0.3, 2)


def read_where_it_is_not_bound(x):
    if x < 0.1:
        p = np.array([x, 1.0, 2.0])
    if x < 0.1:
        return x
    try:
        return p[0]
    except NameError:
        return 2.0 * x


@pytest.mark.parametrize(("x", "slope"), [(-0.3, 1.0), (0.3, 2.0)])
def test_cotangents_where_a_read_is_on_the_path_that_binds_nothing(x, slope):
    assert srcad.value_and_grad(read_where_it_is_not_bound)(x) == (
        read_where_it_is_not_bound(x),
        slope,
    )


def read_in_a_loop_of_no_iterations(x, n):
    if n > 1:
        r = x * 1.5
    y = x
    i = 0
    while i < n:
        i = i + 1
        y = y + r * 0.5
    return y


@pytest.mark.parametrize("n", [0, 1, 2])
def test_what_may_be_unbound_is_read_in_its_loop(n):
    f = read_in_a_loop_of_no_iterations
    for transformed in (srcad.compile(f), srcad.value_and_grad(f)):
        if n == 1:
            with pytest.raises(UnboundLocalError):
                transformed(0.3, n)
        else:
            assert np.ravel(transformed(0.3, n))[0] == f(0.3, n)


def number_or_text_that_may_be_unbound(x):
    if x < 1.5:
        kind = x
    if x < 0.1:
        kind = "z"
    try:
        return x + (len(kind) if isinstance(kind, str) else kind)
    except NameError:
        return x - 0.5


def test_a_number_beside_another_kind_that_may_be_unbound_is_refused():
    for transformed in (srcad.compile, srcad.grad):
        with pytest.raises(srcad.SrcadError) as refusal:
            transformed(number_or_text_that_may_be_unbound)(2.0)
        assert refusal.value.code == "E129"


def closure_and_sizes(a, b, n, m):
    def scaled(z):
        return z * a

    h = scaled(a)
    if b > 3:
        return a
    if b > 0.5:
        h = h * 2
    elif n > m:
        c = {"k": [np.full((m, n), h)]}
        h = np.sum(c["k"][0])
    return h


def test_fillers_ask_no_array_of_another_path_for_its_size():
    for b, wanted in ((5.0, 1.0), (0.7, 6.0), (0.2, 18.0)):
        assert srcad.grad(closure_and_sizes)(1.5, b, 3, 2) == wanted


def left_with_a_shorter_list(x, a, k):
    items = [0.5]
    if x[0] > 0:
        if k > 0:
            return sum(items) * a
        items.append(a)
    items[0] = 2.0
    return sum(items) * a


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_items_of_lists_on_paths_that_left_are_asked_by_nothing(sign, k):
    x = sign * np.ones(3)
    wanted = left_with_a_shorter_list(x, 3.0, k)
    value, slope = srcad.value_and_grad(left_with_a_shorter_list, 1)(x, 3.0, k)
    assert value == wanted == srcad.compile(left_with_a_shorter_list)(x, 3.0, k)
    assert slope == {(1.0, 0): 8.0, (1.0, 1): 0.5}.get((sign, k), 2.0)
