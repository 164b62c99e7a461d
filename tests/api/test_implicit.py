"""`srcad.implicit` and `srcad.fixed_point`."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

SHIFT = np.array([0.5, 1.0, 1.5])


def newton(start, a):
    """x**3 + a * x = 2, entry by entry."""
    x = np.array(start, float)
    for _ in range(60):
        x = x - (x**3 + a * x - 2.0) / (3.0 * x**2 + a)
    return x


def cubic(x, start, a):
    return x**3 + a * x - 2.0


def circle(guess, p):
    """A point of a parabola on a circle: a solver that knows nothing of arrays."""
    x, y = guess
    for _ in range(80):
        f, g = x * x + y * y - p["r"], y - p["c"] * x * x
        d = 2 * x + 4 * p["c"] * x * y
        x, y = x - (f - 2 * y * g) / d, y - (2 * p["c"] * x * f + 2 * x * g) / d
    return [x, y]


def on_both(v, guess, p):
    return np.array([v[0] ** 2 + v[1] ** 2 - p["r"], v[1] - p["c"] * v[0] ** 2])


def moved(start, a):
    return newton(start, a) + 0.0 * SHIFT


solve = srcad.implicit(newton, cubic)
meet = srcad.implicit(circle, on_both)
by_position = srcad.implicit(
    lambda a, start: newton(start, a), lambda x, a, s: cubic(x, s, a), like=1
)


def of_a_number(a):
    return solve(1.0, a) * a


def of_a_vector(a):
    return np.sum(solve(np.ones(3), a) ** 2)


def of_a_matrix(a):
    return np.sum(solve(np.ones((2, 3)), a) * np.arange(6.0).reshape(2, 3))


def in_containers(p):
    x, y = meet([0.8, 0.6], p)
    return x * y


def twice(a):
    return solve(1.0, solve(1.0, a))


def in_a_loop(a):
    x = 1.0
    for _ in range(3):
        x = solve(x, a + x)
    return x


def made_inside(a):
    inner = srcad.implicit(newton, lambda x, start, a: x**3 + a * x - 2.0)
    return inner(1.0, a)


def last_like(a):
    return np.sum(by_position(a, np.ones(3)))


def with_a_constant(a):
    reads = srcad.implicit(moved, lambda x, start, a: x**3 + a * x - 2.0 + 0.0 * SHIFT)
    return np.sum(reads(np.ones(3), a))


def cosine(a):
    return srcad.fixed_point(lambda x: np.cos(a * x), 0.5, tol=1e-14)


def of_vectors(w, b):
    return np.sum(
        srcad.fixed_point(lambda x, w: np.tanh(w @ x + b), np.zeros(3), w, tol=1e-14) ** 3
    )


def of_matrices(a):
    """The square root of a matrix near the identity, by an iteration."""
    x = srcad.fixed_point(lambda x: x + 0.5 * (a - x @ x), np.eye(2), tol=1e-14)
    return np.sum(x * np.array([[1.0, 2.0], [3.0, 4.0]]))


def of_an_int(a):
    return srcad.fixed_point(lambda x: 0.5 * (x + a / x), 1, tol=1e-14)


W = np.array([[0.2, -0.1, 0.3], [0.1, 0.2, 0.0], [-0.3, 0.1, 0.1]])
B = np.array([0.1, -0.2, 0.3])
PROGRAMS = [
    (of_a_number, (0.7,)), (of_a_vector, (np.array([0.5, 0.7, 0.9]),)), (of_a_vector, (0.7,)),
    (of_a_matrix, (np.linspace(0.5, 1.0, 6).reshape(2, 3),)),
    (in_containers, ({"r": 1.0, "c": 0.9},)),
    (twice, (0.7,)), (in_a_loop, (0.7,)), (made_inside, (0.7,)), (last_like, (0.8,)),
    (with_a_constant, (0.8,)), (cosine, (0.9,)), (of_vectors, (W, B)),
    (of_matrices, (np.array([[1.2, 0.1], [0.2, 0.9]]),)), (of_an_int, (2.0,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_derivatives_of_solutions(f, args, backend):
    value, _ = srcad.value_and_grad(f, backend=backend)(*args)
    plain = f(*args)
    assert type(value) is type(plain)
    np.testing.assert_array_equal(value, plain)
    check_grads(f, args, order=2, atol=2e-4, rtol=2e-4)


def test_the_source_calls_the_solver_once():
    made = srcad.grad(of_a_number)
    made(0.7)
    assert made.source().count("newton(") == 1


def test_solutions_are_mapped_over_samples():
    a = np.array([0.5, 0.7, 0.9])
    np.testing.assert_allclose(
        srcad.vmap(srcad.grad(of_a_number))(a), [srcad.grad(of_a_number)(float(each)) for each in a]
    )


def test_another_equation_is_another_program():
    makers = [
        srcad.implicit(newton, r) for r in (cubic, lambda x, start, a: 2 * cubic(x, start, a))
    ]
    found = [srcad.grad(lambda a, solve=solve: solve(1.0, a))(0.7) for solve in makers]
    assert found[0] == pytest.approx(found[1])


def test_a_solution_of_another_shape_is_refused():
    wrong = srcad.implicit(lambda start, a: [1.0, 2.0], cubic)
    for f in (wrong, srcad.grad(wrong, argnums=1)):
        with pytest.raises(ValueError, match="is `like` has"):
            f(1.0, 0.7)


def test_an_iteration_that_does_not_converge_is_told():
    def f(a):
        return srcad.fixed_point(lambda x: 2.0 * x + a, 1.0, max_iter=20)

    for g in (f, srcad.grad(f)):
        with pytest.raises(RuntimeError, match="no convergence in 20 iterations"):
            g(0.5)


REFUSED = [
    ("E132", lambda a: np.sum(srcad.fixed_point(lambda x: np.stack([x, x]), np.ones(2)))),
    ("E131", lambda a: solve(1.0, a=a)),
    ("E131", lambda a: solve()),
    ("E132", lambda a: srcad.implicit(newton, lambda x, start, a: np.array([x, a]))(1.0, a)),
    ("E100", lambda a: srcad.implicit(lambda start: start, lambda x, start: x)(a)),
    ("E100", lambda a: srcad.implicit(newton, lambda x, start: x - a)(1.0)),
]


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_what_is_refused(code, f):
    with pytest.raises(SrcadError) as refused:
        srcad.grad(f)(2.0)
    assert refused.value.code == code


def test_what_is_no_function_is_refused():
    with pytest.raises(SrcadError, match="E313"):
        srcad.implicit(1.0, cubic)
