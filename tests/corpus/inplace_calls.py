"""Functions and methods that write into their arguments: `out=`, `np.add.at`, `x.sort()`."""

import numpy as np
from corpus.program import Theme, array, integers, matrix, number, positive, vector

program = Theme("inplace_calls")


@program(vector, array(6), integers(6, below=4), again=[(vector, array(2), np.array([3, 3]))])
def add_at(x, v, at):
    y = x * 2.0
    np.add.at(y, at, v * v)
    return np.sum(y**2)


@program(vector, array(5))
def subtract_at(x, v):
    y = np.sin(x)
    np.subtract.at(y, [0, 0, 1, 3, 0], v)
    np.add.at(y, 2, v[0])
    return np.sum(y**2)


@program(vector, array(5))
def multiply_at(x, v):
    y = x + 2.0
    np.multiply.at(y, [0, 0, 1, 3, 0], 1.5 + np.sin(v))
    return np.sum(y**2)


@program(matrix, array(5))
def add_at_pairs(p, v):
    y = np.zeros(p.shape)
    np.add.at(y, ([0, 2, 0, 1, 0], [1, 1, 1, 0, 3]), v)
    np.add.at(y, (slice(None), [2, 2]), p[:, :2])
    return np.sum(y**2 * p)


@program(matrix, array(4))
def add_at_rows(p, v):
    y = p * 1.0
    np.add.at(y, [1, 1, 2], v)
    np.add.at(y, [0, 0], 1.0)
    return np.sum(y**2)


@program(array(8), lambda r: r.uniform(0, 1, 8))
def histogram(w, at):
    bins = np.zeros(4)
    np.add.at(bins, np.minimum((at * 4).astype(int), 3), w)
    return np.sum(bins**2)


@program(vector)
def negative_at(x):
    y = x * 1.0
    np.negative.at(y, [1, 2])
    return np.sum(y * np.arange(4.0))


@program(positive(4), array(3))
def maximum_at(x, v):
    y = x * 1.0
    np.maximum.at(y, [0, 0, 2], v)
    return np.sum(y**2)


@program(vector, vector)
def out_of_a_ufunc(x, y):
    h = np.empty(4)
    np.multiply(x, y, out=h)
    np.add(h, 1.0, out=h)
    np.sin(h, h)
    return np.sum(h**2)


@program(vector, vector)
def out_is_a_part(x, y):
    h = np.zeros(6)
    np.add(x, y, out=h[1:5])
    np.exp(x[:2], out=h[::5])
    r = np.subtract(h[1:], h[:-1], out=h[1:])
    r *= 2.0
    return np.sum(h**2)


@program(vector)
def out_returned_is_the_target(x):
    h = np.zeros(4)
    r = np.square(x, out=h)
    r[0] = x[1]
    return np.sum(h * x)


@program(vector)
def out_in_a_tuple(x):
    h = np.zeros_like(x)
    np.cos(x, out=(h,))
    np.multiply(h, h, out=(h,))
    return np.sum(h * x)


@program(vector)
def out_with_where(x):
    h = x * 2.0
    np.exp(x, out=h, where=x > 0)
    return np.sum(h**2)


@program(matrix, array(4))
def out_of_a_product(p, v):
    h = np.zeros(3, p.dtype)
    np.dot(p, v, out=h)
    k = np.empty((3, 3))
    np.matmul(p, p.T, out=k)
    return np.sum(h**2) + np.sum(np.sin(k))


@program(matrix)
def out_of_a_reduction(p):
    h = np.zeros(4)
    np.sum(p, axis=0, out=h)
    k = np.empty(3)
    p.mean(axis=1, out=k)
    return np.sum(h**2) + np.sum(k**3)


@program(vector)
def out_of_a_cumulation(x):
    h = np.zeros(4)
    np.cumsum(x, out=h)
    h *= x
    return np.sum(h**2)


@program(vector, vector)
def out_of_maximum_and_clip(x, y):
    h = x * 1.0
    np.maximum(h, y, out=h)
    np.clip(h, -0.9, 0.8, out=h)
    return np.sum(h**2)


@program(vector, vector)
def out_is_single(x, y):
    h = np.zeros(4)
    np.multiply(x, 0.5, out=h)
    np.divide(h, 1.5 + np.sin(y), out=h)
    np.negative(h, out=h)
    return np.sum(np.tanh(h))


@program(matrix, array(4))
def copyto(p, v):
    y = p * 2.0
    np.copyto(y[1], v)
    np.copyto(y[:, 0], 3.0)
    return np.sum(y**2)


@program(matrix, array(4))
def copyto_where(p, v):
    y = p * 2.0
    np.copyto(y, v, where=p > 0)
    np.copyto(y[0], 0.5, where=[True, False, False, True])
    return np.sum(y**2)


@program(matrix, number)
def filled(p, s):
    y = p * 2.0
    y[0].fill(s)
    y[:, 1].fill(2.0)
    z = np.empty(3)
    z.fill(s * s)
    return np.sum(y**2) + np.sum(z)


@program(array(6))
def sorted_in_place(x):
    y = x * 2.0
    y.sort()
    return np.sum(y * np.arange(6.0))


@program(array(3, 4))
def sorted_rows_in_place(p):
    y = p * 2.0
    y.sort(axis=0)
    y[1].sort()
    y[:, ::2].sort(axis=1)
    return np.sum(y * np.arange(12.0).reshape(3, 4))


@program(matrix, array(3))
def put(p, v):
    y = p * 2.0
    np.put(y, [0, 5, 0], v)
    y.put([7], v[0] * v[1])
    return np.sum(y**2)


@program(vector, array(6))
def put_with_modes(x, v):
    y = x * 2.0
    np.put(y, [5, -7, 1], v[:3], mode="wrap")
    np.put(y, [9], v[3], mode="clip")
    return np.sum(y**2)


@program(array(5), array(2))
def place(x, v):
    y = x * 2.0
    np.place(y, x > -0.5, v)
    return np.sum(y**2)


@program(array(5), array(3))
def putmask(x, v):
    y = x * 2.0
    np.putmask(y, x > -0.5, v)
    np.putmask(y, y > 1.0, x)
    return np.sum(y**2)


@program(array(3, 3), array(3), number)
def fill_diagonal(p, v, s):
    y = p * 2.0
    np.fill_diagonal(y, v)
    z = p @ p
    np.fill_diagonal(z, s)
    return np.sum(y**2) + np.sum(y @ z)


@program(array(5, 2))
def fill_diagonal_of_a_tall_array(p):
    y = p * 2.0
    np.fill_diagonal(y, p[0, 1])
    z = p * 1.0
    np.fill_diagonal(z, 0.5, wrap=True)
    return np.sum(y * z)


@program(matrix, array(3, 1))
def put_along_axis(p, v):
    y = p * 2.0
    at = np.argmax(p, axis=1)[:, None]
    np.put_along_axis(y, at, v, axis=1)
    np.put_along_axis(y, np.array([[0], [1], [0]]), 0.5, axis=1)
    return np.sum(y**2)


@program(vector)
def written_by_setitem(x):
    y = x * 2.0
    y.__setitem__(1, x[0])
    return np.sum(y**2)


@program(vector, number)
def list_methods(x, s):
    xs = [x, x * s]
    xs.append(x * 2.0)
    xs.insert(1, x + s)
    last = xs.pop()
    xs.extend([last, last * s])
    xs.reverse()
    first = xs.pop(0)
    del xs[0]
    xs += [first]
    xs[0] = xs[0] * s
    return np.sum(sum(xs) * len(xs))


@program(number, number)
def list_parts(a, b):
    xs = [a, b, a * b, 1.0]
    xs[1:3] = [b * b, a, 2.0]
    xs[-1] *= xs[1]
    del xs[0]
    return xs[0] + 2.0 * xs[1] + 3.0 * xs[2] + 4.0 * xs[3]


@program(number, number)
def dict_methods(a, b):
    d = {"a": a}
    d["b"] = b
    d.update({"c": a * b, "a": d["a"] * 2.0})
    d.update(e=b)
    d.setdefault("a", 7.0)
    d.setdefault("f", d["c"] + 1.0)
    last = d.pop("b")
    del d["e"]
    d["a"] += last
    total = 0.0
    for k, v in d.items():
        total += v * (2.0 if k == "a" else 1.0)
    return total * len(d)


@program(vector)
def dict_of_arrays_in_place(x):
    state = {"u": x * 1.0, "v": np.zeros(4)}
    for _ in range(3):
        state["v"] += 0.1 * state["u"]
        state["u"][1:] -= 0.1 * state["v"][:-1]
    return np.sum(state["u"] ** 2) + np.sum(state["v"] ** 2)


class Body:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed

    def step(self, dt):
        self.speed -= dt * self.place
        self.place += dt * self.speed
        return self


@program(array(3), array(3), 4, again=[(array(2), array(2), 0)])
def object_with_arrays_in_place(x, v, n):
    body = Body(x.copy(), v * 2.0)
    for _ in range(n):
        body.step(0.1)
    return np.sum(body.place**2) + np.sum(body.step(0.5).speed)


@program(vector, number)
def out_of_another_dtype(x, s):
    h = np.zeros(4, complex)
    np.multiply(x, s, out=h)
    h *= 1j
    return np.sum(np.abs(h) ** 2)


@program(vector)
def write_where_nothing_is_read(x):
    y = x * 2.0
    y[0] = 100.0
    y = x * 3.0
    z = np.zeros(4)
    z[1] = x[0]
    return np.sum(y**2)


@program(vector)
def shuffled_by_known_order(x):
    y = x * 2.0
    y[:] = y[[2, 0, 3, 1]]
    y[1:3] = np.sort(y[1:3])
    return np.sum(y * np.arange(4.0))


@program(array(4))
def entries_changed_by_entries_of_the_array(x):
    y = x * 1.0
    np.multiply.at(y, [2, 3, 2], y[1:])
    np.add.at(y, [1, 0], y[:2])
    np.subtract.at(y, [0, 0, 1], y[:3])
    return np.sum(y**3)
