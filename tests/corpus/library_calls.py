"""NumPy's functions that are made of others, and those that take a function of the user's."""

import numpy as np
from corpus.program import Theme, array, number, positive, vector

program = Theme("library_calls")


def spaced(n):
    """A maker of entries that stay in their order when they are moved a little."""
    return lambda rng: rng.permutation(n) + rng.uniform(-0.2, 0.2, n)


def ordered(n):
    return lambda rng: np.arange(n) + rng.uniform(-0.2, 0.2, n)


@program(spaced(7), again=[(spaced(8),)])
def order_statistics(x):
    rows = np.stack((x, x[::-1] * 0.5))
    spread = np.percentile(x, 75) - np.percentile(x, 25)
    return np.median(x) * spread + np.sum(np.quantile(rows, [0.1, 0.6], axis=1) ** 2)


@program(spaced(12), rounded=True)
def standardised(x):
    table = x.reshape(3, 4)
    c = np.cov(table, rowvar=False)
    r = np.corrcoef(table)
    return np.sum(c * c) + r[0, 1] - r[1, 2]


@program(ordered(6), array(6), number, again=[(ordered(9), array(9), number)])
def integral_of_an_interpolant(t, f, a):
    grid = np.linspace(0.5, 3.5, 5) + 0.01 * a
    return np.trapezoid(np.interp(grid, t, f), grid) + np.sum(np.gradient(f, t) ** 2)


@program(array(4, 5), positive(1), rounded=True)
def slopes_of_a_field(u, h):
    across, along = np.gradient(u, h[0], 0.5, edge_order=2)
    return across * along


@program(array(6), array(3), again=[(array(8), array(3))])
def filtered(signal, taps):
    smooth = np.convolve(signal, taps, mode="same")
    return smooth * signal + np.sum(np.correlate(signal, taps))


@program(array(3), array(5), again=[(array(4), array(5))])
def polynomials(p, x):
    q = np.polymul(p, p)
    return np.polyval(np.polyder(q), x) + np.polyval(np.polyint(p), x[0])


@program(vector, number)
def put_in_and_left_out(x, a):
    total = 0.0
    for k in range(len(x)):
        total = total + np.prod(np.delete(x, k))
    y = np.insert(x, [1, 3], [a, 2.0])
    y[0] = 5.0
    return total + np.sum(y**2 * np.arange(len(y)))


@program(array(2, 2), array(2))
def blocks(a, b):
    whole = np.block([[a, b[:, None]], [b, np.ones(1)]])
    first, *_, last = np.unstack(whole, axis=1)
    return np.sum(whole**3) + first @ last


@program(array(2, 3), positive(1))
def pieces_by_their_own_functions(x, a):
    y = np.piecewise(x, [x < -0.3, x > 0.4], [lambda v: v**2, lambda v: a * v, 3.0])
    y *= 2.0
    return np.sum(y * x)


@program(array(3, 4), number)
def rows_by_a_function(x, c):
    def weigh(row, c):
        return row[1:] * row[:-1] * c + row[0]

    return np.sum(np.apply_along_axis(weigh, 1, x, c)) + np.apply_over_axes(np.sum, x, (0, 1))[0, 0]


@program(number)
def of_places(x):
    return np.fromfunction(lambda i, j: np.sin(x * i) * j + x, (2, 3))


@program(array(8))
def weighted_counts(w):
    at = np.array([0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.6, 0.65])
    counts, edges = np.histogram(at, bins=3, range=(0.0, 1.0), weights=w)
    return np.sum(counts**2 * edges[1:]) + np.bincount([0, 1, 1, 0, 2, 2, 2, 1], w)[1]


@program(spaced(6))
def as_sets(x):
    again = np.concatenate((x, x[:2]))
    low = np.partition(x, 2)[:3]
    return np.sum(np.unique(again) ** 3) + np.sum(low**2) * np.sum(np.union1d(x, [50.0]))


@program(array(5))
def running(x):
    y = np.where(np.arange(5) == 2, np.nan, x)
    sums = np.nancumsum(y) + np.cumulative_sum(x, include_initial=True)[1:]
    return sums * np.nanprod(y) + np.nanmedian(y)


@program(array(6), number)
def of_lists(x, a):
    between = np.interp(a, [-1.0, 0.5, 2.0], [x[0], x[1] ** 2, 3.0])
    weighed = np.convolve(x, [1, 2, 1], "same")
    return np.polyval([a, 1.0, a**2], weighed) * between + np.median(x, axis=0, out=None)


@program(positive(4), again=[(positive(4),)])
def lists_beside_arrays(x):
    y = (x + [1, 2.0, x[1], 0]) * (1.0, 2, 3, 4) / [[1.0] * 4, [2.0, x[0], 1.0, 1.0]]
    z = [2.0, x[2]] @ np.stack([[x[0], 1.0], [2.0, x[1]]])
    w = np.einsum("i,i", [1.0, x[3]], z) * np.average([x[0], x[1]], weights=[x[2], 1.0])
    return y * w + np.concatenate([[x[0]], [1.0, x[1]], [x[2]]])


@program(positive(3, 4))
def masked_reductions(x):
    mask = np.array([[True, False, True, True], [True, True, False, True], [True] * 4])
    kept = np.sum(x, axis=0, where=mask) * x.mean(axis=0, where=mask)
    return kept + np.prod(x, axis=0, initial=0.5, where=mask) - np.max(x, initial=0.1)


@program(array(13))
def norms_by_sums(x):
    a = np.outer(x, np.cos(x)) + np.outer(np.sin(3 * x), x)
    least = np.linalg.norm(a, -1) * np.linalg.norm(a, -np.inf)
    return np.linalg.norm(a, 1) + 2.0 * np.linalg.norm(a, np.inf) - least


@program(vector, vector, 1, again=[(vector, vector, 0)])
def chosen_by_lists(x, y, k):
    several = np.choose([0, 1, 0, 1], [x, y * x]) + np.choose([k, 0, 1, k], (x, y))
    return np.sum(several * np.choose((3, -1, 0, 2), [x, y], mode="wrap"))


@program(array(5), array(3, 4), again=[(array(2), array(2, 2))])
def differences_with_ends(x, m):
    ends = np.diff(x, prepend=0.0) * np.diff(x, append=x[0])
    rows = np.diff(m, axis=0, prepend=m[:1]) + np.diff(m, n=1, append=1, prepend=m[:, :1])[:, :-1]
    return np.sum(ends) + np.sum(rows**2)
