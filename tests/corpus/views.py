"""Views: written through, read after their base was written, held by containers, overlapping."""

from types import SimpleNamespace

import numpy as np
from corpus.program import Theme, array, matrix, number, vector

program = Theme("views")

SIZES = [(array(6),), (array(3),)]
BOTH = [(vector, 1.0), (vector, -1.0)]


@program(vector, again=SIZES)
def written_through_a_part(x):
    y = x * 2.0
    z = y[1:]
    z[0] = x[0] ** 2
    z[1:] *= 3.0
    return np.sum(y**2)


@program(vector, again=SIZES)
def read_after_the_base_was_written(x):
    y = x * 2.0
    z = y[1:]
    y[1] = x[0] * x[2]
    y *= 1.5
    return np.sum(z**2) + z[0]


@program(vector)
def read_on_both_sides(x):
    y = np.sin(x)
    z = y[::2]
    before = np.sum(z)
    z += y[1::2]
    between = np.sum(y * z[0])
    y[0] = between
    return before * z[0] + between * np.sum(z)


@program(vector)
def part_in_place(x):
    y = x * 1.0
    z = y[1:3]
    z += 1.0
    z *= x[:2]
    z -= y[0]
    return np.sum(y**2)


@program(matrix)
def row_in_place(p):
    y = p * 2.0
    row = y[1]
    row -= 0.5 * y[0]
    row[2:] = p[2, 2:]
    return np.sum(y**2)


@program(matrix)
def rows_of_a_loop_in_place(p):
    y = p * 1.0
    for row in y:
        row[1:] += row[:-1]
        row *= 0.5
    return np.sum(y**2)


@program(matrix, array(3))
def rows_zipped_in_place(p, v):
    y = p + 0.0
    for i, (row, s) in enumerate(zip(y, v)):
        row += s
        row[i] = s * s
    return np.sum(y**2)


@program(matrix)
def rows_unpacked(p):
    y = p * p
    first, second, third = y
    first *= 2.0
    second[1:] = third[1:] * first[0]
    y[2] += second
    return np.sum(y * np.arange(4.0)) + np.sum(third)


@program(matrix)
def transposed(p):
    y = p * 2.0
    z = y.T
    z[0] = p[:, 1]
    z[1:, 2] += 1.0
    y[0] *= 3.0
    return np.sum(z * z) + np.sum(y[:, 0] ** 3)


@program(matrix)
def transposed_at_once(p):
    y = np.exp(p)
    y.T[0] = p[:, 3] ** 2
    y.T[2:] *= 0.5
    return np.sum(y[1] ** 2) + np.sum(y[:, 0])


@program(array(2, 3, 4))
def axes_moved(c):
    y = c * 2.0
    np.transpose(y, (2, 0, 1))[1] = c[:, :, 0]
    np.swapaxes(y, 0, 1)[2] += 1.0
    np.moveaxis(y, -1, 0)[3] *= c[..., 1]
    return np.sum(y**2)


@program(matrix, laid_out=True)
def flattened(p):
    y = p * 1.0
    y.reshape(-1)[3] = p[0, 0] ** 2
    y.ravel()[5:7] *= 2.0
    z = y.reshape(4, 3)
    z[1] += p[:, 1]
    return np.sum(y**2) + np.sum(z[:, 0])


@program(matrix)
def flattened_copy(p):
    y = p * 1.0
    z = y.T.flatten()
    z[0] = 7.0
    y.flatten()[1] = 9.0
    w = y.copy()
    w[0] = p[1]
    return np.sum(y**2) + np.sum(z**2) + np.sum(w**2)


@program(array(4), laid_out=True)
def reshaped_and_back(x):
    y = x * x
    z = y.reshape(2, 2)
    w = z.reshape(-1)
    w[1] = x[0]
    z[1] *= w[0]
    return np.sum(y * np.arange(4.0)) + np.sum(w)


@program(array(4))
def new_axes_and_squeezed(x):
    y = x + 0.0
    column = y[:, None]
    column[1, 0] = x[0] * x[3]
    flat = np.squeeze(column)
    flat[2:] *= 2.0
    np.expand_dims(y, 0)[0, 0] += 1.0
    return np.sum(y**2) + np.sum(column[0])


@program(array(6))
def view_of_a_view(x):
    y = x * 2.0
    z = y[1:]
    w = z[::2]
    w[1] = x[0] ** 2
    z[0] += 1.0
    w *= 0.5
    y[-1] = w[0]
    return np.sum(y**2) + np.sum(w * z[:3])


@program(array(4, 6))
def view_of_a_view_of_rows(p):
    y = p * 1.0
    inner = y[1:-1, 1:-1]
    corner = inner[0, ::-1]
    corner[:] = p[0, :4]
    inner[1] -= corner
    return np.sum(y**2)


@program(array(6))
def reversed_view(x):
    y = np.tanh(x)
    z = y[::-1]
    z[0] = x[0]
    y[0] = z[1] * 2.0
    return np.sum(z * np.arange(6.0)) + y[-1]


@program(vector)
def view_in_a_list(x):
    y = x * 2.0
    parts = [y[:2], y[2:]]
    parts[0][1] = x[3]
    parts[1] += parts[0]
    y[0] = 5.0 * x[1]
    return np.sum(y**2) + np.sum(parts[0] * parts[1])


@program(vector)
def view_in_a_tuple_and_a_dict(x):
    y = x * x
    held = (y[1:], {"whole": y})
    held[0][:] *= 2.0
    held[1]["whole"][2] = x[0]
    return np.sum(y**2) + held[0][1]


@program(vector)
def array_in_a_tuple(x):
    y = x * 2
    t = (y,)
    y += 1
    t[0][0] = x[3]
    return np.sum(t[0] * y)


@program(vector)
def view_in_an_attribute(x):
    y = x * 3.0
    box = SimpleNamespace(data=y, tail=y[2:])
    box.tail[0] = x[0]
    box.data *= x
    return np.sum(y**2) + np.sum(box.tail)


class Grid:
    def __init__(self, data):
        self.data = data
        self.inner = data[1:-1]

    def damp(self, s):
        self.inner *= s
        self.data[0] = self.inner[0]


@program(array(5), 0.5)
def views_of_an_object(x, s):
    grid = Grid(x * 2.0)
    grid.damp(s)
    grid.inner[1] += x[0]
    grid.damp(x[1])
    return np.sum(grid.data**2)


@program(vector)
def same_array_under_two_names(x):
    y = x * 2
    z = y
    z[1] = x[0]
    y[2] = z[1] * 3.0
    z *= y
    return np.sum(y * z)


@program(vector)
def asarray_is_the_same_array(x):
    y = x * 2.0
    z = np.asarray(y)
    z[0] = x[1] ** 2
    w = np.asarray(y)
    w[1] *= 2.0
    return np.sum(y**2)


@program(vector)
def atleast_is_a_view(x):
    y = x * 2.0
    np.atleast_1d(y)[0] = x[1]
    np.atleast_2d(y)[0, 2] = x[0] * x[1]
    return np.sum(y**2)


def clear_first(v):
    v[0] = 0.0


def add_into(target, source):
    target += source
    return target


def tail(v):
    return v[1:]


@program(vector)
def written_by_helper(x):
    y = x * 2.0
    clear_first(y)
    clear_first(y[2:])
    return np.sum(y**2)


@program(vector)
def helper_returns_what_it_wrote(x):
    y = x * 2.0
    z = add_into(y, x)
    z[1] = x[0]
    w = add_into(y[2:], z[:2])
    w *= 2.0
    return np.sum(y**2)


@program(vector)
def view_made_by_helper(x):
    y = np.sin(x)
    tail(y)[:] = tail(x) ** 2
    t = tail(tail(y))
    t[0] = y[0]
    return np.sum(y**2)


@program(vector)
def written_by_closure(x):
    y = x * 2.0

    def bump(i, v):
        y[i] += v

    bump(0, x[1])
    bump(2, y[0])
    return np.sum(y**2)


@program(vector)
def view_read_by_closure(x):
    y = x * 2.0
    z = y[1:]
    total = lambda: np.sum(z**2)
    before = total()
    y[2] = x[0]
    return before * total()


@program(vector)
def default_holds_the_array(x):
    y = x * 2.0
    f = lambda v=y: np.sum(v)
    y[1] = x[0] ** 2
    return f() ** 2


@program(vector)
def list_twice_the_same_array(x):
    ys = [x * 2] * 2
    ys[0][1] = x[0]
    ys[1] += 1.0
    return np.sum(ys[0] * ys[1])


@program(array(5))
def shifted_onto_itself(x):
    y = x * 1.5
    y[1:] = y[:-1] * 2.0
    y[:-1] += y[1:]
    return np.sum(y**2)


@program(array(5))
def reversed_onto_itself(x):
    y = x * x
    y[:] = y[::-1]
    y[::2] -= y[::-2]
    return np.sum(y * np.arange(5.0))


@program(array(3, 3))
def added_to_its_transpose(p):
    y = np.sin(p)
    y += y.T
    y[:] = y.T @ y
    y *= y[0]
    return np.sum(y**2)


@program(array(3, 3))
def row_over_its_matrix(p):
    y = p + 0.0
    row = y[0]
    y -= row
    y[1:] += row + 1.0
    return np.sum(y**2)


@program(array(6))
def overlapping_views(x):
    y = x + 0.0
    a, b = y[:4], y[2:]
    a += b
    b[:] = a * 2.0
    return np.sum(y**2)


@program(array(5))
def copy_keeps_the_old_entries(x):
    y = x * 2.0
    old = y.copy()
    again = np.array(y)
    y[1:] = old[:-1]
    old[0] = 3.0
    again *= y
    return np.sum(y * old) + np.sum(again)


@program(array(5))
def slice_that_is_computed_is_a_copy(x):
    y = x * 2.0
    z = y[1:] + 0.0
    w = y[[0, 1]]
    m = y[y > -100.0]
    y[:] = 1.0
    z[0] = w[1]
    m[1] = w[0]
    return np.sum(z**2) + np.sum(w) * y[0] + np.sum(m**2)


@program(vector)
def view_of_the_argument(x):
    z = x[1:]
    z *= 2.0
    x[0] = z[0] * z[1]
    return np.sum(x**2)


@program(vector, again=[(array(2),)])
def sum_after_the_view_is_gone(x):
    y = x * 1.0
    z = y[1:]
    z[-1] = np.sum(y**2)
    z = y[:1]
    z += 2.0
    return np.sum(y)


@program(vector, 1.0, again=BOTH)
def view_written_in_one_branch(x, flag):
    y = x * 2.0
    z = y[1:]
    if flag > 0:
        z[0] = x[0]
    else:
        y[0] = z[0]
    return np.sum(y**2) + np.sum(z)


@program(vector, 1.0, again=BOTH)
def view_made_in_each_branch(x, flag):
    y = x * 2.0
    if flag > 0:
        z = y[:2]
        z *= 3.0
    else:
        z = y[2:]
        z += 3.0
    return np.sum(y**2)


@program(vector, 3, again=[(vector, 0), (vector, 1)])
def view_made_before_the_loop(x, n):
    y = x * 1.0
    z = y[1:]
    for k in range(n):
        z *= 0.9
        y[0] += z[-1]
    return np.sum(y**2) + np.sum(z)


@program(array(4, 3))
def view_made_in_the_loop(p):
    y = p * 1.0
    for i in range(1, y.shape[0]):
        above, here = y[i - 1], y[i]
        here += above
        above[0] = here[1]
    return np.sum(y**2)


@program(array(5))
def windows_of_a_loop(x):
    y = x * 1.0
    for i in range(3):
        window = y[i : i + 3]
        window[1] = np.sum(window) * 0.3
        window -= 0.1
    return np.sum(y**2)


@program(vector, number)
def argument_rebound_then_written(x, s):
    y = x
    x = x * s
    x[0] = y[1]
    y[2] = x[0] * s
    return np.sum(x * y)


@program(array(3, 3), array(3))
def diagonal_read_only_is_read(p, v):
    y = p * 2.0
    d = np.diagonal(y)
    y[1, 1] = v[0]
    np.fill_diagonal(y, v * d)
    return np.sum(y**2)


@program(vector)
def real_part(x):
    z = x * (1.0 + 2.0j)
    z.real[1] = x[0] ** 2
    z.imag *= x
    return np.sum(np.abs(z) ** 2)


@program(vector)
def real_part_of_real(x):
    y = x * 2.0
    np.real(y)[0] = x[1]
    y.real[2:] *= 3.0
    return np.sum(y**2)


@program(array(6))
def flat_entries(x):
    y = (x * 2.0).reshape(2, 3)
    y.flat[4] = x[0] ** 2
    y.flat[[0, 1]] *= x[1]
    y.flat[2:4] = x[4:]
    return np.sum(y**2)
