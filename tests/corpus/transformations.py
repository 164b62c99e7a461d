"""Transformations inside: descents, mechanics, differential equations, nested ones, checkpoints."""

import functools

import numpy as np
from corpus.program import Theme, array, number, positive, positive_number, vector

import srcad

program = Theme("transformations")


def energy(w):
    return np.sum(w**3 * np.sin(w))


gradient_of_energy = srcad.grad(energy)
products = srcad.value_and_grad(lambda a, b: np.sum(a * b**2), argnums=(0, 1))
COUPLING = np.array([[0.1, 0.5, 0.2], [0.7, -0.3, 0.4], [0.2, 0.2, 0.9]])


@program(vector)
def unrolled_descent(w):
    def loss(v):
        return np.sum((v - 1) ** 4)

    for _ in range(3):
        w = w - 0.05 * srcad.grad(loss)(w)
    return energy(w)


@program(vector, 3, again=[(array(5), 4), (array(2), 0)])
def descent_in_a_loop(w, n):
    for i in range(n):
        w = w - 0.01 * (i + 1) * gradient_of_energy(w)
    return np.sum(w**2)


@program(vector)
def decorated(w):
    @srcad.grad
    def slope(v):
        return np.sum(v * w * np.sin(v))

    return np.sum(slope(w) ** 2)


@program(array(3), array(3))
def leapfrog(q, p):
    def hamiltonian(q, p):
        return np.sum(p**2) / 2 + np.sum(np.cos(q)) + q[0] * q[1] * p[2]

    dq = srcad.grad(hamiltonian)
    dp = srcad.grad(hamiltonian, argnums=1)
    for _ in range(4):
        p = p - 0.05 * dq(q, p)
        q = q + 0.1 * dp(q, p)
        p = p - 0.05 * dq(q, p)
    return hamiltonian(q, p)


@program(array(3))
def residual_of_an_equation(w):
    xs = np.linspace(0, 1, 5)

    def u(x):
        return np.tanh(w[0] * x + w[1]) * w[2]

    return np.sum((srcad.derivative(u, 2)(xs) + srcad.derivative(u)(xs) * u(xs)) ** 2)


@program(array(3))
def newton_with_a_jacobian(w):
    def f(z):
        return np.sin(z) + z**3 + 2 * z - w

    z = np.zeros(3)
    for _ in range(4):
        z = z - np.linalg.solve(srcad.jacobian(f)(z), f(z))
    return np.sum(z * z)


@program(array(3))
def product_with_a_hessian(w):
    forward = srcad.jvp(srcad.grad(energy), (w,), (w**2,))[1]
    return np.sum((forward + srcad.hvp(energy)(w, w)) * w) + np.sum(srcad.hessian(energy)(w))


@program(positive_number)
def three_deep(x):
    return srcad.grad(
        lambda a: a * srcad.grad(lambda b: a * b * srcad.grad(lambda c: a * b * c * c * x)(b))(a)
    )(x)


@program(positive_number)
def three_deep_in_turns(x):
    def along(f, v):
        return srcad.jvp(f, (v,), (1.0,))[1]

    def back(f, v):
        return srcad.vjp(f, v)[1](1.0)[0]

    return along(lambda a: a * back(lambda b: a * b * along(lambda c: a * b * c**3 * x, b), a), x)


@program(array(3), again=[(positive(3),)])
def in_branches(w):
    s = 0.0
    for i in range(3):
        if w[i] > 0:
            s += srcad.grad(lambda z, k=i: z**3 * w[k])(w[i])
        else:
            s += srcad.grad(lambda z: np.sin(z) * w[0])(w[i])
    return s


@program(array(3))
def around_writes(w):
    def f(v):
        u = np.zeros(3)
        for i in range(3):
            u[i] = v[i] * w[i]
            u[i] *= v[0]
        return np.sum(u**2)

    g = srcad.grad(f)(w)
    out = np.zeros(3)
    out[1:] = g[:-1]
    out[0] += g[2] * w[1]
    return np.sum(out * w)


@program(vector, positive_number)
def in_containers(w, b):
    def f(p):
        return np.sum(p["a"] ** 2) * p["b"]

    g = srcad.grad(f)({"a": w, "b": b})
    return np.sum(g["a"]) * g["b"]


@program(vector)
def with_more_results(w):
    g, (a, b) = srcad.grad(lambda v: (np.sum(v**3), (v * 2, np.sum(v))), has_aux=True)(w)
    value, (left, right) = products(w, w * 2)
    return np.sum(g * a) * b + value * np.sum(left * right)


@program(number)
def of_several_arguments(x):
    g = srcad.grad(lambda *a, k=1.0: a[0] * a[1] * a[2] * k, (0, 2))(x, x + 1, x + 2, k=x)
    bars = srcad.vjp(lambda *a: a[0] * a[1] ** 2, x, x + 1)[1](x)
    return g[0] * g[1] + bars[0] * bars[1]


@program(array(3))
def pulled_back_row_by_row(w):
    _, pullback = srcad.vjp(lambda v: np.sin(v) * w, w)
    s = 0.0
    for i in range(3):
        e = np.zeros(3)
        e[i] = 1.0
        s = s + pullback(e)[0] @ w
    return s


class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return np.sum(self.k * x**3)

    def force(self, x):
        return -srcad.grad(self.energy)(x)

    @srcad.checkpoint
    def moved(self, x, t):
        return np.sin(x + t * self.force(x))


@program(vector, vector)
def in_methods(k, x):
    spring = Spring(k)
    return np.sum(spring.moved(spring.force(x) * 0.1, 0.5))


@srcad.checkpoint
def layer(w, h):
    return np.tanh(w @ np.sin(w @ h))


@program(array(3), 4, again=[(array(3), 0)])
def checkpoints_in_a_loop(h, n):
    for _ in range(n):
        h = layer(COUPLING, h)
    return np.sum(h**2)


@program(array(3), 7, again=[(array(3), 0), (array(5), 20)])
@srcad.checkpoint(steps=2)
def loop_from_few_states(u, n):
    v = np.ones_like(u)
    for i in range(n):
        v -= 0.1 * u * (i % 3)
        u = u + 0.1 * np.sin(v)
    return np.sum(u * v)


@program(array(3), 7, again=[(array(3), 1), (array(5), 30)])
@srcad.checkpoint(budget="1 kB")
def loop_within_a_budget(u, n):
    while n > 0 and np.sum(u**2) < 20:
        u = u * 1.1 + 0.1 * np.cos(u)
        n -= 1
    return np.sum(u**2)


@program(array(4, 3), array(3))
def loops_over_checkpointed_rows(xs, w):
    h = np.zeros(3)
    for x in srcad.checkpoint(xs, steps="binomial"):
        h = np.tanh(w * h + x)
    return np.sum(h**2)


@program(array(3, 3), array(3))
def checkpoints_of_closures(w, h):
    @srcad.checkpoint
    def step(v):
        return np.tanh(w @ v) * h

    return np.sum(step(step(h))) + np.sum(functools.partial(layer, w)(h))


@srcad.checkpoint
def relaxed(u, v):
    u[1:] += 0.1 * v[:-1] ** 2
    for i in range(2):
        u[i] = u[i] * np.sin(v[i])
    return np.sum(u)


@program(vector)
def checkpoints_that_write(h):
    u = h * 2
    s = relaxed(u, h)
    s = s * relaxed(u, u * 1.0)
    return s + np.sum(u**2)


@srcad.checkpoint
def grown(x, n=3):
    while np.sum(x**2) < 50 and n < 40:
        x = x * 1.5 + 0.1
        n += 1
    if x[0] > 0:
        x = x * x[1]
    return x, {"turns": n, "sum": np.sum(x)}


@program(positive(3))
def checkpoints_with_control_flow(h):
    s, found = grown(h)
    return np.sum(s) * found["sum"] + found["turns"]


@srcad.checkpoint
def inner(x):
    return np.exp(-x * x) * x


@srcad.checkpoint
def outer(x):
    return inner(inner(x) * x)


@program(vector)
def nested_checkpoints(h):
    return np.sum(outer(outer(h)))


@program(vector)
def checkpoints_around_gradients(h):
    @srcad.checkpoint
    def slope(x):
        return srcad.grad(lambda v: np.sum(np.sin(v * x) ** 2))(x)

    return np.sum(slope(h) * srcad.grad(lambda v: np.sum(outer(v)))(h))


@program(1.5, again=[(-0.5,)])
def products_of_numbers(x):
    y, pullback = srcad.vjp(lambda v: np.array(v) * np.sin(v), x)
    z, z_dot = srcad.jvp(lambda v: np.float64(v) ** 3, (x,), (np.array(1.0),))
    return pullback(1.0)[0] * y + z * z_dot
