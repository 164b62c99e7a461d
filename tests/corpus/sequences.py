"""Functions that give a list, a tuple or a named tuple: of one array, of several, changed."""

import numpy as np
from corpus.program import Theme, array, number, positive, vector

program = Theme("sequences")


@program(vector, again=[(array(7),)])
def split_in_one(x):
    return x * np.split(x, 1)[0] + np.array_split(x, 1)[0] ** 2


@program(vector)
def split_nowhere(x):
    (whole,) = np.split(x, [])
    return np.sum(whole**2 * x)


@program(array(4, 3))
def rows_and_columns_in_one(x):
    return np.vsplit(x, 1)[0] * np.hsplit(x, 1)[0]


@program(array(2, 3, 2))
def depth_in_one(x):
    return x * np.dsplit(x, 1)[0]


@program(vector)
def grid_of_one(x):
    return x + np.meshgrid(x)[0]


@program(vector)
def broadcast_alone(x):
    (same,) = np.broadcast_arrays(x)
    return np.sum(same * x)


@program(array(1, 4))
def unstacked_one(x):
    (row,) = np.unstack(x)
    return row**3


@program(vector)
def loop_over_one_piece(x):
    total = 0.0
    for piece in np.split(x, 1):
        total = total + np.sum(piece**2)
    return total


@program(array(4, 3))
def rows_by_one_open_index(x):
    return x[np.ix_([0, 2])] ** 2


@program(positive(6))
def places_in_one_axis(x):
    (places,) = np.nonzero(x > 0.0)
    return np.sum(x[places] ** 2) + np.sum(x[np.nonzero(x > 100.0)])


@program(array(4))
def joined_with_numbers(x):
    joined = np.concatenate([[0.0], x, (1.0, 2.0)])
    table = np.stack([x, [1.0, 2.0, 3.0, 4.0]]) * np.vstack([[4, 3, 2, 1], x])
    return np.sum(joined**2) + np.sum(np.hstack([[0.5], x, 3.0]) ** 3) + np.sum(table)


@program(array(3, 3))
def product_with_a_list(x):
    return np.dot(x @ x, [1.0, 2.0, 3.0]) + np.dot([1, 0, 2], x) * np.inner(x, [0.5, 1.0, 2.0])


@program(array(6))
def pieces_are_a_list(x):
    pieces = np.split(x, 3)
    if isinstance(pieces, list):
        return np.sum(pieces[0] * pieces[2]) + np.sum(pieces[1]) ** 2
    return np.sum(x**3)


@program(array(6))
def pieces_changed(x):
    pieces = [*np.split(x, 3)] + np.array_split(x, 2)
    more = np.split(x, 2)
    more.append(x)
    more[0] = more[0] * 2.0
    more += pieces
    del more[1]
    return np.concatenate(more) ** 2


@program(array(6))
def written_piece(x):
    y = x * 1.0
    (whole,) = np.split(y, 1)
    return np.sum(whole**2 + y)


@program(array(3), array(2))
def grids_are_a_tuple(x, y):
    grids = np.meshgrid(x, y)
    if isinstance(grids, tuple):
        return grids[0] * grids[1] ** 2
    return grids[0] * x


@program(array(2, 3))
def written_through_a_transpose_with_axes_from_the_end(x):
    y = x * 1.0
    turned = np.transpose(y, (-1, 0))
    turned[0] = 2.0 * turned[1]
    moved = np.transpose(x[None] * 1.0, axes=(-1, 0, -2))
    moved[1, 0] *= 3.0
    return np.sum(y**2) + np.sum(moved**2)


@program(positive(3, 3), rounded=True)
def named_results(x):
    a = x @ x.T + 3.0 * np.eye(3)
    found = np.linalg.slogdet(a)
    values, _ = np.linalg.eigh(a)
    triangular = np.linalg.qr(a).R
    first, *_ = np.linalg.svd(a).S
    return found.sign * found.logabsdet + values[2] + np.abs(triangular[0, 0]) + first


@program(vector, again=[(positive(7),)])
def mean_of_none(x):
    chosen = x[x > 9.0]
    with np.errstate(all="ignore"):
        mean = np.sum(chosen) / chosen.size
    return np.sum(x**2) if np.isnan(mean) else mean


@program(array(6), array(4, 3), again=[(array(6), array(2, 3))])
def gates_that_are_split(h, xs):
    for x in xs:
        f, g, o = np.split(np.tanh(np.concatenate([h, x])), 3)
        h = np.concatenate([f * g, g + o])
    return np.sum(h**2)


@program(array(4, 6), array(6), again=[(array(3, 6), array(6))])
def pieces_in_a_loop(x, w):
    total = 0.0
    for k in range(len(x) - 1):
        head, tail = np.split(x[k] * w, [4])
        left, right = np.hsplit(x[k : k + 2], 2)
        total += np.sum(head) * np.sum(tail**2) + np.sum(left * right)
        for piece in np.array_split(x[k], 4):
            total += np.sum(piece) ** 2
    return total


@program(array(3, 4), array(5), again=[(array(2, 6), array(3))])
def grids_in_a_loop(x, w):
    total = 0.0
    for row in x:
        u, v = np.meshgrid(row, w)
        a, b = np.meshgrid(w, row, indexing="ij")
        total += np.sum(np.sin(u * v)) + np.sum(a * b**2)
    return total


@program(number, 3, 0, again=[(number, 0, 0), (number, 2, 2)])
def counted_among_arguments(x, mass, distance):
    if (x, mass, distance).count(0) > 1:
        return x * 3.0
    return x**2 * mass + x * [mass, 2, distance].count(2)


@program(number, number, 2, again=[(number, number, 4), (number, number, 1)])
def place_by_value(x, y, k):
    values = [1, k, 4]
    return x * values.index(4) + y**2 * (7, k, 1).index(1)


@program(vector, 3, again=[(vector, 9), (vector, 0)])
def looked_for_in_vain(x, wanted):
    numbers = [wanted * 2, 3, 5]
    try:
        place = numbers.index(wanted)
    except ValueError:
        place = -1
    return np.sum(x**2) * place
