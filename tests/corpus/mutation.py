"""Arrays written by subscripts: `x[i] = v`, `x[i] += v`, whole arrays, branches, loops, dtypes."""

import numpy as np
from corpus.program import Theme, array, integers, matrix, number, positive, vector

program = Theme("mutation")

SIZES = [(array(6),), (array(3),)]
BOTH = [(vector, 1.0), (vector, -1.0)]


@program(vector, number, again=[(array(2), number)])
def entry(x, v):
    y = x * 2.0
    y[1] = v
    return np.sum(y**2)


@program(vector)
def entry_of_zeros(x):
    y = np.zeros(3)
    y[0] = x[1] * x[2]
    y[-1] = np.sin(x[0])
    return np.sum(y * y) + y[0]


@program(vector)
def entry_of_empty(x):
    y = np.empty(3)
    y[0] = x[0]
    y[1:] = x[2:] ** 2
    return np.sum(y * y)


@program(vector)
def entry_written_twice(x):
    y = np.ones_like(x)
    y[2] = x[0] ** 2
    y[2] = np.sin(y[2]) * x[1]
    return np.sum(y**3)


@program(vector)
def entry_read_before_and_after(x):
    y = x * x
    before = y[1]
    y[1] = before * x[3]
    return before * y[1]


@program(vector, again=SIZES)
def entry_from_itself(x):
    y = np.exp(x)
    y[0] = y[0] * y[1] + y[-1]
    y[-1] = y[0] ** 2
    return np.sum(y)


@program(vector, array(2), again=[(array(6), array(4))])
def part(x, v):
    y = np.sin(x)
    y[1:-1] = v * y[1:-1]
    return np.sum(y * x)


@program(vector, number)
def number_over_part(x, v):
    y = x * 3.0
    y[:2] = v
    y[2:] *= v
    return np.sum(y**2)


@program(array(7), array(4))
def every_second(x, v):
    y = x**2
    y[::2] = v
    y[1::2] -= v[:3]
    return np.sum(np.cos(y))


@program(array(6))
def backwards(x):
    y = x.copy()
    y[::-1] = np.cumsum(x)
    y[4:1:-1] *= 2.0
    return np.sum(y * np.arange(6.0))


@program(array(6), again=[(array(7),)])
def steps_from_the_end(x):
    y = np.zeros_like(x)
    y[-1::-2] = x[-1::-2] ** 2
    return np.sum(y * x)


@program(matrix, array(4), array(3))
def row_and_column(p, row, column):
    y = p * 2.0
    y[1] = row
    y[:, 2] = column
    y[0, 0] = row[0] * column[0]
    return np.sum(y**2)


@program(matrix, array(4))
def rows_by_broadcast(p, row):
    y = np.zeros(p.shape)
    y[:] = row
    y[1:] += p[1:] * row
    return np.sum(y**3)


@program(matrix)
def row_less_row(p):
    y = p + 0.0
    y[1] -= y[0] * (y[1, 0] / 2.0)
    y[2] *= y[1]
    return np.sum(y**2)


@program(matrix)
def block_with_steps(p):
    y = np.ones((3, 4))
    y[::2, 1::2] = p[:2, :2]
    y[1, ::-1] *= p[0]
    return np.sum(y**2)


@program(array(2, 3, 4), array(4), array(2, 3))
def three_axes(c, v, w):
    y = c * c
    y[1, 2] = v
    y[..., 0] += w
    y[:, 1, :] *= v
    y[0, ..., -1] = w[0]
    return np.sum(np.sin(y))


@program(vector, array(4))
def new_axis_in_the_index(x, v):
    y = np.zeros((2, 4))
    y[:, None, :] = (x * v)[None, None]
    y[None, 1] += v
    return np.sum(y**2)


@program(vector, array(3, 1))
def broadcast_value(x, v):
    y = np.zeros((2, 3, 4))
    y[...] = x * v
    y[1] *= v
    return np.sum(y**2)


@program(vector)
def leading_ones_in_the_value(x):
    y = np.zeros(4)
    y[...] = x[None, None, :]
    y[1:] = (x**2)[None, 1:]
    return np.sum(y * x)


@program(array(5))
def mask_and_number(x):
    y = x * 2.0
    y[x < 0] = 0.0
    y[np.abs(x) > 1.0] *= 3.0
    return np.sum(y**2)


@program(array(5), array(5))
def mask_and_array(x, v):
    y = x + 0.0
    mask = x > v
    y[mask] = v[mask] ** 2
    y[~mask] += 1.0
    return np.sum(y * x)


@program(array(5))
def mask_computed_from_the_target(x):
    y = np.sin(x)
    y[y < 0] *= -2.0
    y[y > 0.5] = y[y > 0.5] ** 2
    return np.sum(y * np.arange(5.0))


@program(array(3, 4), array(4))
def mask_of_rows(p, v):
    y = p * 1.5
    rows = np.array([True, False, True])
    y[rows] = v
    y[:, np.array([False, True, True, False])] *= 2.0
    return np.sum(y**2)


@program(array(3, 4), array(3, 4))
def mask_of_two_axes(p, q):
    y = p * q
    y[p > 0] = 0.5
    y[q > 0] -= q[q > 0]
    return np.sum(y**2)


@program(array(5), array(3))
def integers_distinct(x, v):
    y = x**2
    y[[4, 0, 2]] = v
    y[np.array([1, 3])] *= v[:2]
    return np.sum(y * x)


@program(array(4), array(5))
def integers_repeated_last_wins(x, v):
    y = x * 2.0
    y[[0, 1, 0, 2, 1]] = v * v
    return np.sum(y**2)


@program(array(4), array(5))
def integers_repeated_added_once(x, v):
    y = x * 2.0
    y[[0, 1, 0, 2, 1]] += v
    return np.sum(y**2)


@program(array(4), array(5))
def integers_repeated_times(x, v):
    y = x * 2.0
    y[[3, 3, 0, 3, 1]] *= np.sin(v)
    return np.sum(y**2)


@program(array(4), array(5), integers(5, below=4), again=[(array(4), array(2), np.array([1, 1]))])
def integers_given(x, v, at):
    y = np.cos(x)
    y[at] = v
    y[at] -= y[at] * x[at]
    return np.sum(y**2)


@program(matrix, array(3))
def pairs_of_integers(p, v):
    y = p * p
    y[[0, 2, 0], [1, 1, 1]] = v
    y[np.arange(3), [0, 3, 2]] += v
    return np.sum(y**2)


@program(matrix, array(2, 4))
def rows_by_integers(p, v):
    y = np.sin(p)
    y[[2, 0]] = v
    y[:, [1, 1]] *= v[0, :2]
    return np.sum(y**2)


@program(array(3, 3))
def diagonal_by_ranges(p):
    y = p @ p
    i = np.arange(3)
    y[i, i] = 1.0
    y[i[1:], i[:-1]] *= p[0, 1:]
    return np.sum(y**3)


@program(vector, number)
def division_and_power(x, v):
    y = np.exp(x)
    y[0] /= 1.0 + v**2
    y[1:3] **= 2
    y[3] -= v
    return np.sum(y)


@program(positive(4))
def floor_and_remainder(x):
    y = x * 3.7
    y[0] //= 1.5
    y[1] %= 1.1
    return np.sum(y)


@program(array(3, 3), array(3, 3))
def matrix_product_in_place(p, q):
    y = p * 1.0
    y @= q
    y[:] = q @ y
    return np.sum(y**2)


@program(vector, array(4))
def whole_array_of_its_own(x, v):
    y = x * 2.0
    y += v
    y *= y
    y[:] = y - x
    return np.sum(y**2)


@program(vector)
def whole_argument(x):
    x += 1.0
    x *= x
    return np.sum(np.sin(x))


@program(vector, number)
def entry_of_an_argument(x, v):
    x[1] = v * x[0]
    x[2:] -= v
    return np.sum(x**2)


@program(vector, vector)
def argument_written_then_read(x, y):
    x[:] = y * x
    y[0] = x[0]
    return np.sum(x * y) + x[1]


@program([1.0, 2.0], {"k": 3.0})
def list_argument_written(xs, d):
    xs[0] = xs[1] * d["k"]
    d["k"] = xs[0] * 2.0
    return xs[0] * xs[1] + d["k"]


@program(lambda r: [r.standard_normal(3), r.standard_normal(2)])
def arrays_of_a_list_argument(xs):
    xs[0][1:] *= xs[1]
    xs[1] += xs[0][0]
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 3)


@program(lambda r: {"w": r.standard_normal((2, 3)), "b": r.standard_normal(3)})
def arrays_of_a_dict_argument(params):
    params["w"][0] += params["b"]
    params["b"] *= params["w"][1]
    return np.sum(params["w"] @ params["b"])


@program(number)
def numbers_are_rebound(x):
    y = x
    y += 1.0
    y *= y
    return x * y


@program(vector)
def numpy_scalars_are_rebound(x):
    s = x[1]
    s += 2.0
    s *= x[0]
    return np.sum(x) * s


@program(vector)
def sum_is_a_scalar(x):
    s = np.sum(x)
    t = s
    s *= 2.0
    return s * t


@program(vector)
def zero_d_array(x):
    s = np.array(0.0)
    t = s
    s += x[0]
    s[...] = s * x[1]
    s[()] += x[2]
    return t * s


@program(lambda r: np.array(r.standard_normal()))
def zero_d_argument(x):
    x *= 3.0
    x[...] = np.sin(x)
    return x * x


@program(vector, 1.0, again=BOTH)
def in_one_branch(x, flag):
    y = x * 2.0
    if flag > 0:
        y[1] = x[0] * x[2]
    return np.sum(y**2)


@program(vector, 1.0, again=BOTH)
def in_both_branches(x, flag):
    y = np.sin(x)
    if flag > 0:
        y[0] = flag
        y[1:] *= 2.0
    else:
        y -= x[::-1]
    y[2] *= y[0]
    return np.sum(y**2)


@program(vector, 1.0, again=BOTH)
def fresh_in_one_branch(x, flag):
    y = x
    if flag > 0:
        y = x * 3.0
        y[0] = x[1]
    return np.sum(y**2)


@program(vector, again=SIZES)
def branch_on_what_was_written(x):
    y = x.copy()
    y[0] *= -2.0
    if y[0] > y[1]:
        y[1] += y[0] ** 2
    elif y[0] > 0:
        y[-1] = 0.0
    return np.sum(y**2)


@program(vector, again=SIZES)
def in_a_loop(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = np.sin(x[i]) * i
    return np.sum(y**2)


@program(vector, again=SIZES)
def added_in_a_loop(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] += x[i] * x[i - 1]
        y[i - 1] -= x[i]
    return np.sum(y**2)


@program(matrix, again=[(array(2, 5),)])
def in_nested_loops(p):
    y = np.zeros((p.shape[1], p.shape[0]))
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            y[j, i] = p[i, j] ** 2
            if i > 0:
                y[j, i] += y[j, i - 1]
    return np.sum(np.sin(y))


@program(vector, 3, again=[(vector, 0), (vector, 5)])
def whole_array_in_a_loop(x, n):
    y = x * 1.0
    for k in range(n):
        y *= 0.5
        y += x * k
        y[0] = y[-1]
    return np.sum(y**2)


@program(vector, 3, again=[(vector, 0)])
def argument_in_a_loop(x, n):
    for k in range(n):
        x[k] = np.sin(x[k]) + x[k - 1]
    return np.sum(x)


@program(array(5), again=[(array(3),)])
def in_a_while(x):
    y = np.zeros_like(x)
    i = 0
    while i < x.shape[0]:
        y[i] = x[i] * y[i - 1] + 1.0
        i += 1
    return np.sum(y)


@program(array(5))
def while_on_what_is_written(x):
    y = np.abs(x) + 0.1
    turns = 0
    while y[0] < 4.0:
        y[0] *= 1.7
        y[1:] += y[0] * x[0]
        turns += 1
    return np.sum(y) * turns


@program(vector, number, again=[(vector, number)])
def loop_over_rows_with_branches(x, v):
    y = np.zeros((4, 3))
    for i, e in enumerate(x):
        if e > 0:
            y[i] = e * v
        else:
            y[i, 1:] = e
            y[i, 0] = v
    return np.sum(y**2)


@program(vector)
def allocated_in_the_loop(x):
    s = 0.0
    for i in range(3):
        work = np.zeros(4)
        work[i] = x[i]
        work[1:] += x[:-1] * work[i]
        s = s + np.sum(work**2)
    return s


@program(vector)
def allocated_in_the_loop_and_kept(x):
    kept = []
    for i in range(3):
        work = x * i
        work[i] = x[0] ** 2
        kept.append(work)
    return np.sum(kept[0] * kept[1]) + np.sum(kept[2] ** 2)


@program(vector, 3, again=[(vector, 1), (vector, 4)])
def accumulate_into_a_number_of_rows(x, n):
    out = np.zeros((n, 4))
    for i in range(n):
        out[i] = x
        x = np.tanh(x) * 1.5
    return np.sum(out**2)


@program(array(4, dtype=np.float32), 0.7, single=True)
def single_with_python_floats(x, s):
    y = x * s
    y[0] = 0.25
    y[1:] *= s
    y += 1.5
    return np.sum(y * y)


@program(vector, single=True)
def double_into_single(x):
    y = np.zeros(4, np.float32)
    y[:] = x
    y[1] = x[0] * x[2]
    y *= np.float32(2.0)
    return np.sum(y * y)


@program(vector)
def integers_into_double(x):
    y = x * 1.0
    y[0] = 2
    y[1:] += np.arange(3)
    y[2] = True
    return np.sum(y**2)


@program(vector)
def integer_array_written(x):
    order = np.zeros(4, int)
    for i in range(4):
        order[i] = (3 * i + 1) % 4
    order[0] += 1
    return np.sum(x[order] * np.arange(4.0))


@program(vector, smooth=False)
def float_into_an_integer_array(x):
    k = np.arange(4)
    k[1] = x[0] * 10.3
    k[2:] = x[2:] * 7.7
    return np.sum(x * k)


@program(vector)
def bool_array_written(x):
    mask = np.zeros(4, bool)
    mask[1] = x[1] < 100.0
    mask[2:] = x[2:] > x[:2]
    return np.sum(x[mask] ** 2)


@program(vector)
def empty_parts(x):
    y = x * 2.0
    y[2:2] = 5.0
    y[4:] *= 3.0
    y[[]] = 1.0
    y[np.zeros(4, bool)] += 1.0
    return np.sum(y**2)


@program(vector, again=[(array(0),)])
def empty_array(x):
    y = np.zeros_like(x)
    y[:] = x
    y[x > 100.0] = 0.0
    y *= 2.0
    return np.sum(y)


@program(vector, matrix)
def chained_targets(x, p):
    y = np.zeros(4)
    z = np.zeros((3, 4))
    y[0] = z[1, 2] = x[1] * p[0, 0]
    y[1], z[0] = x[2], p[1]
    z[2, :2], (y[2], y[3]) = x[:2], p[2, :2]
    return np.sum(y**2) + np.sum(z**3)


@program(vector)
def swapped_entries(x):
    y = x * x
    y[0], y[3] = y[3], y[0]
    y[1], y[2] = y[2] + 1.0, y[1] * 2.0
    return np.sum(y * np.arange(4.0))


@program(array(3, 4))
def swapped_rows_by_integers(p):
    y = p**2
    y[[0, 2]] = y[[2, 0]]
    return np.sum(y * np.arange(12.0).reshape(3, 4))


@program(vector, 2, again=[(vector, 0), (vector, -1)])
def index_given(x, k):
    y = np.sin(x)
    y[k] = y[k] ** 2 + x[k - 1]
    y[k] += 1.0
    return np.sum(y**2)


@program(vector, 1, 3, again=[(vector, 0, 4), (vector, 2, 2), (vector, -2, 9)])
def part_given(x, i, j):
    y = np.cos(x)
    y[i:j] = x[i:j] * 3.0
    y[:i] += 1.0
    return np.sum(y**2)


@program(array(5))
def index_from_the_values(x):
    y = x * x
    k = int(np.argmax(x))
    y[k] = 0.0
    y[np.argmin(x)] *= 3.0
    return np.sum(y)


@program(number, number)
def assigned_to_list_items(a, b):
    xs = [a, b, 1.0]
    xs[0] *= b
    xs[1], xs[2] = xs[2] * a, xs[0]
    xs[-1] += xs[0]
    return xs[0] * xs[1] + xs[2]
