"""Programs over samples: those that are made of their parts, and those that are not."""

import inspect

import numpy as np

from srcad import nn

N, K = 7, 3
scale = 0.7


def squares(w, x, y):
    return np.mean((x @ w - y) ** 2)


def ridge(w, x, y):
    return np.sum((x @ w - y) ** 2) + 0.1 * np.sum(w**2)


def mean_and_prior(w, x, y):
    loss = ((x @ w - y) ** 2).mean()
    prior = 0.5 * (w @ w)
    return loss + prior


def log_posterior(w, x, y):
    z = x @ w
    likelihood = np.sum(y * z - np.log1p(np.exp(z)))
    return likelihood - 0.5 * np.sum(w * w) - 3.0


def divided_by_length(w, x, y):
    return np.sum((x @ w - y) ** 2) / len(x)


def divided_by_size(w, x, y):
    r = x - w
    return np.sum(r * r) / x.size + np.sum(y) / y.shape[0]


def each_divided(w, x, y):
    n = x.shape[0]
    return np.sum((x @ w - y) ** 2 / n)


def prior_over_length(w, x, y):
    n = len(y)
    return np.mean((x @ w - y) ** 2) + 0.3 / n * np.sum(w**2)


def sum_and_mean(w, x, y):
    return np.sum(np.sin(x @ w)) + 2 * np.mean(y * (x @ w))


def prior_times_length(w, x, y):
    return np.sum((x @ w - y) ** 2) + len(x) * np.sum(np.cos(w))


def gram(w, x, y):
    return np.sum((x.T @ x) * np.outer(w, w)) + np.dot(y, x @ w)


def normal_equations(w, x, y):
    n = len(x)
    a, b = x.T @ x / n, x.T @ y / n
    return 0.5 * w @ a @ w - b @ w


def by_einsum(w, x, y):
    return np.einsum("nk,nl,kl->", x, x, np.outer(w, w)) + np.einsum("n,n->", y, y)


def over_features(w, x, y):
    z = x - x.mean(axis=1, keepdims=True)
    z = z / np.sqrt(z.var(axis=1, keepdims=True) + 1e-3)
    return np.mean(np.max(z * w, axis=1) + np.linalg.norm(w) * y)


def transposed(w, x, y):
    return np.mean(np.sum(x.T * w[:, None], axis=0) * y)


def columns(w, x, y):
    a, b = x[:, 0], x[:, 1:]
    return np.sum(a * w[0] + b @ w[1:]) + np.mean(np.sum(x[..., None] * w, axis=(1, 2)) ** 2)


def softmax(w, x, labels):
    z = np.outer(x[:, 0], w)
    z = z - z.max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def cross_entropy(w, x, labels):
    return nn.softmax_cross_entropy(nn.relu(x * w), labels)


def one_hot(w, x, labels):
    target = np.eye(K)[labels]
    return np.sum((x * w - target) ** 2)


def lookup(w, x, labels):
    return np.sum(w[labels] * x[:, 0])


def chosen(w, x, y):
    z = x @ w
    return np.mean(np.where(z > 0, z * z, np.abs(z)))


def clipped(w, x, y):
    z = np.clip(x @ w, -1, 1)
    z[z < 0] = 0.0
    return z.sum()


def filled(w, x, y):
    out = np.zeros((len(x), 2))
    out[:, 0] = x @ w
    out[:, 1] += y
    return np.mean(out**2)


def written(w, x, y):
    x[:, 0] *= w[0]
    y -= x @ w
    return np.sum(y**2)


def recurrent(w, x, y):
    h = np.zeros(len(x))
    for t in range(x.shape[1]):
        h = np.tanh(w[0] * h + w[1] * x[:, t])
    return np.mean((h - y) ** 2)


def loss_of_steps(w, x, y):
    total = 0.0
    for t in range(x.shape[1]):
        total += np.mean((x[:, t] * w[t] - y) ** 2)
    return total + np.sum(w**2)


def sum_of_steps(w, x, y):
    total = np.sum(w)
    for t in range(x.shape[1]):
        total = total + np.sum((x[:, t] * w[t] - y) ** 2)
    return total


def loop_over_samples(w, x, y):
    total = 0.0
    for i in range(len(x)):
        r = x[i] @ w - y[i]
        if r > 0:
            total += r**2
        else:
            total -= r
    return total / len(x)


def loop_over_pairs(w, x, y):
    total = np.sum(w**2)
    for row, target in zip(x, y):
        total += (row @ w - target) ** 2
    return total


def newton_for_each(w, x, y):
    total = 0.0
    for i in range(len(y)):
        r = 1.0
        while abs(r * r - 2 - y[i] ** 2) > 1e-9:
            r = r - (r * r - 2 - y[i] ** 2) / (2 * r)
        total += r * w[0]
    return total


def loops_and_means(w, x, y):
    total = 1.0
    for k in range(2):
        for i in range(len(x)):
            total += np.sin(x[i] @ w) * (k + 1)
        total = total + np.mean(y * (x @ w))
    return total


def branch_of_sum(w, x, y):
    if w[0] > 0:
        return np.sum(x @ w) + np.mean(y)
    return 3.0 * w[1]


def filled_by_loop(w, x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = np.sin(x[i] @ w) * y[i]
    return np.mean(out)


def listed(w, x, y):
    rows = [np.sin(row @ w) for row in x]
    return np.mean(np.array(rows) * y)


def helper(w, row):
    return np.tanh(row @ w)


def by_helper(w, x, y):
    return np.sum(helper(w, x) * y) * scale


def by_branch(w, x, y):
    if w[0] > 0:
        return np.mean(x @ w)
    return np.sum(w)


def checked(w, x, y):
    if x.shape[0] != y.shape[0]:
        raise ValueError("lengths")
    assert np.all(np.abs(x) < 100)
    assert x.shape[1] == len(w)
    return np.mean(x @ w - y)


def reshaped(w, x, y):
    z = x.reshape(len(x), -1, 1)
    return np.sum(z[:, :, 0] @ w) + y.reshape(-1, 1).sum()


def stacked(w, x, y):
    z = np.concatenate([x, np.ones((len(x), 1)), y[:, None]], axis=1)
    s = np.stack([x @ w, y], axis=1)
    return np.mean(z) + np.sum(s[:, 0] * s[:, 1])


def mean_vector(w, x, y):
    m = np.mean(x, axis=0)
    return m @ w + np.sum(np.mean(y[:, None] * x, axis=0)[1:] * w[1:])


def weighted_log(w, x, y):
    c = np.log(np.sum(np.exp(w)))
    return c * np.sum(x @ w) / (2 * len(x)) + c


def matrices(w, x, y):
    a = np.einsum("nk,nl->nkl", x, x) + np.eye(K)
    return np.sum(np.matmul(a, w[:, None])[:, :, 0]) + np.mean(a @ w)


def constant_for_each(w, x, y):
    b = np.broadcast_to(w, (len(x), K))
    return np.sum(b * x) + np.sum(np.full(len(x), 2.0) * y)


def flattened(w, x, y):
    z = (x * w).reshape(-1)
    t = x + y[:, None]
    return np.mean(z * np.sin(z)) + np.sum(z * t.ravel()) / len(z)


def of_positives(w, x, y):
    z = x @ w
    positive = y > 0
    return np.sum(z[positive] ** 2) + np.sum(np.tanh(z[positive] * y[positive]))


def tokens(w, x, labels):
    z = np.stack([x * w, x + w, x], axis=1)
    ids = np.stack([labels, labels, (labels + 1) % K], axis=1)
    flat, picked = z.reshape(-1, z.shape[-1]), ids.reshape(-1)
    log_p = flat - np.log(np.sum(np.exp(flat), axis=-1, keepdims=True))
    n = np.arange(len(labels))[:, None]
    return -np.mean(log_p[np.arange(len(picked)), picked]) + np.sum(
        z[n, np.arange(2)[None], ids[:, :2]]
    )


def list_of_steps(w, x, y):
    states, losses = [], []
    h = np.zeros(len(x))
    for t in range(x.shape[1]):
        h = np.tanh(w[0] * h + x[:, t])
        states.append(h)
        losses.append(np.mean(h**2))
    return np.mean((np.stack(states, axis=1) @ w - y) ** 2) + np.sum(np.array(losses))


def products_of_all_kinds(w, x, y):
    a = np.diag(np.exp(w))
    z = np.linalg.solve(a, x.T).T
    c = np.cross(x, w) + np.tensordot(x, a, axes=1) + np.inner(x, a)
    d = np.column_stack([np.ones(len(x)), x]) @ np.array([1.0, 2.0, 3.0, 4.0])
    e = np.hstack([x, x]).sum(axis=1) + np.vstack([y, d])[0] + np.polyval(w, y)
    return np.sum(z * c) + np.average(d * e) + np.linalg.norm(x * w, axis=1) @ y


def picked_along(w, x, labels):
    return -np.mean(np.take_along_axis(x * w, labels[:, None], axis=1))


RIGHT = [
    squares, ridge, mean_and_prior, log_posterior, divided_by_length, divided_by_size,
    each_divided, prior_over_length, sum_and_mean, prior_times_length, gram, normal_equations,
    by_einsum, over_features, transposed, columns, softmax, cross_entropy, one_hot, lookup, chosen,
    clipped, filled, written, recurrent, loss_of_steps, sum_of_steps, loop_over_samples,
    loop_over_pairs, newton_for_each, filled_by_loop, listed, by_helper, by_branch, checked,
    reshaped, stacked, mean_vector, weighted_log, matrices, constant_for_each, flattened,
    loops_and_means, branch_of_sum, of_positives, tokens, list_of_steps, products_of_all_kinds,
    picked_along,
]  # fmt: skip


def centred(w, x, y):
    z = x - x.mean(axis=0)  # <- here
    return np.mean(z @ w)


def root_of_sum(w, x, y):
    return np.sqrt(np.sum((x @ w - y) ** 2))  # <- here


def norm(w, x, y):
    return np.linalg.norm(x @ w - y)  # <- here


def product_of_means(w, x, y):
    return np.mean(x @ w) * np.mean(y)  # <- here


def square_of_mean(w, x, y):
    m = np.mean(x @ w)
    return m**2  # <- here


def column_sums(w, x, y):
    s = np.sum(x, axis=0)
    return np.sum(np.tanh(s) * w)  # <- here


def ratio(w, x, y):
    return np.sum(x @ w) / np.sum(y**2)  # <- here


def largest(w, x, y):
    return np.max(x @ w)  # <- here


def variance(w, x, y):
    return np.var(x @ w)  # <- here


def unbiased(w, x, y):
    return np.sum((x @ w) ** 2) / (len(x) - 1)  # <- here


def root_of_length(w, x, y):
    return np.sum(x @ w) / np.sqrt(len(x))  # <- here


def log_of_length(w, x, y):
    return np.mean(x @ w) + np.log(x.shape[0])  # <- here


def first(w, x, y):
    return np.mean(x @ w) + x[0] @ w  # <- here


def differences(w, x, y):
    z = x @ w
    return np.sum((z[1:] - z[:-1]) ** 2)  # <- here


def reversed_samples(w, x, y):
    return np.sum(x[::-1] @ w * y)  # <- here


def every_second(w, x, y):
    return np.sum(x[::2] @ w)  # <- here


def cumulative(w, x, y):
    return np.sum(np.cumsum(x @ w))  # <- here


def pairs(w, x, y):
    k = x @ x.T  # <- here
    return np.sum(np.exp(k)) * w[0]


def distances(w, x, y):
    d = y[:, None] - y[None, :]  # <- here
    return np.sum(d**2) * w[0]


def sorted_samples(w, x, y):
    return np.sum(np.sort(x @ w) * y)  # <- here


def permuted(w, x, y):
    order = np.argsort(y)  # <- here
    return np.sum((x[order] @ w) * y)


def masked_mean(w, x, y):
    z = x @ w
    return np.mean(z[y > 0])  # <- here


def positions(w, x, y):
    t = np.arange(len(x)) * 0.1  # <- here
    return np.sum((x @ w) * t)


def grid(w, x, y):
    t = np.linspace(0, 1, len(x))  # <- here
    return np.sum((x @ w) * t)


def mixed_axes(w, x, y):
    z = x.T.reshape(-1)  # <- here
    return np.sum(z * np.sin(z)) * w[0]


def rows_across_samples(w, x, y):
    z = np.concatenate([x, y[:, None]], axis=1).reshape(-1, 2)
    return np.sum(z[:, 0] * np.sin(z[:, 1])) * w[0]


def mean_of_some(w, x, y):
    z = (x @ w)[y > 0]
    return np.sum(z) / len(z)  # <- here


def two_masks(w, x, y):
    z = x @ w
    return np.sum(z[y > 0] * z[y < 0])  # <- here


def masks_of_steps(w, x, y):
    total = 0.0
    z = x @ w
    before = z[y > 0]
    for t in range(3):
        some = z[x[:, t] > 0]
        total += np.sum(some * before)  # <- here
        before = some
    return total


def drawn(w, x, y):
    rng = np.random.default_rng(0)
    return np.mean((x @ w) * rng.standard_normal(len(x)))


def drawn_shared(w, x, y):
    return np.mean(x @ w) * np.random.rand()  # <- here


def short(w, x, y):
    if len(x) > 5:  # <- here
        return np.mean(x @ w)
    return np.sum(x @ w)


def batch_condition(w, x, y):
    if np.mean(y) > 0:  # <- here
        return np.mean(x @ w)
    return np.sum(x @ w)


def until_converged(w, x, y):
    z = x @ w
    while np.sum(z**2) > 1:  # <- here
        z = 0.5 * z
    return np.sum(z)


def carried(w, x, y):
    h = 0.0
    for i in range(len(x)):
        h = np.tanh(h + x[i] @ w)  # <- here
    return h


def last(w, x, y):
    for row in x:  # <- here
        z = row @ w
    return np.sum(w) + z


def neighbours(w, x, y):
    total = 0.0
    for i in range(1, len(x)):  # <- here
        total += (x[i] - x[i - 1]) @ w
    return total


def decaying(w, x, y):
    total = 0.0
    for i in range(len(x)):
        total = 0.5 * total + x[i] @ w  # <- here
    return total


def stops(w, x, y):
    total = 0.0
    for i in range(len(x)):  # <- here
        total += x[i] @ w
        if total > 1:
            break
    return total


def powers_in_loop(w, x, y):
    total = 0.0
    c = 1.0
    for i in range(len(x)):
        c = c * 0.9  # <- here
        total += c * (x[i] @ w)
    return total


def own_index(w, x, y):
    total = 0.0
    for i in range(len(x)):
        total += i * (x[i] @ w)  # <- here
    return total


def written_first(w, x, y):
    x[0] = 0.0  # <- here
    return np.sum(x @ w)


def shared_row(w, x, y):
    x[:, 0] = np.mean(y)  # <- here
    return np.sum(x @ w)


def batch_norm(w, x, y):
    mean, var = x.mean(0), x.var(0)
    return np.mean((x - mean) / np.sqrt(var + 1e-5) @ w)  # <- here


def scaled_by_max(w, x, y):
    x /= np.max(np.abs(x))  # <- here
    return np.sum(x @ w)


def printed(w, x, y):
    print("loss", np.mean(y))  # <- here
    return np.mean(x @ w)


def soft_max_of_samples(w, x, y):
    z = x @ w
    p = np.exp(z) / np.sum(np.exp(z))  # <- here
    return np.sum(p * y)


def total_checked(w, x, y):
    z = np.mean(x @ w)
    assert z < 100  # <- here
    return z


def swapped(w, x, y):
    a, b = 0.0, 0.0
    for i in range(len(x)):  # <- here
        a, b = b, a + x[i] @ w
    return a


def alternating(w, x, y):
    total = 0.0
    for i in range(len(x)):
        total = -total + x[i] @ w  # <- here
    return total


def from_the_end(w, x, y):
    total = 0.0
    for i in range(len(x)):
        total += (x[-i] @ w) * y[i]  # <- here
    return total


def part_of_carried(w, x, y):
    total = np.zeros(3)
    other = 0.0
    for i in range(len(x)):
        total = total + x[i]
        other += total[0] * w[0]  # <- here
    return other


def all_pairs(w, x, y):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):  # <- here
            total += (y[i] - y[j]) ** 2 * w[0]
    return total


def written_by_all(w, x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(len(x)):  # <- here
            out[j] = x[i] @ w
    return np.sum(out)


def largest_so_far(w, x, y):
    best = -1e9
    for i in range(len(x)):
        best = max(best, x[i] @ w)  # <- here
    return best


def squeezed(w, x, y):
    z = np.squeeze(x[:, :1])  # <- here
    return np.sum(z) * w[0]


def counted(w, x, y):
    positive = np.sum(y > 0)
    return np.sum(x @ w) / positive  # <- here


REFUSED = [
    centred, root_of_sum, norm, product_of_means, square_of_mean, column_sums, ratio, largest,
    variance, unbiased, root_of_length, log_of_length, first, differences, reversed_samples,
    every_second, cumulative, pairs, distances, sorted_samples, permuted, masked_mean, positions,
    grid, mixed_axes, mean_of_some, two_masks, masks_of_steps,
    drawn, drawn_shared, short, batch_condition, until_converged, carried, last,
    neighbours, decaying, stops, powers_in_loop, own_index, written_first, shared_row, batch_norm,
    alternating, from_the_end, part_of_carried, all_pairs, written_by_all, largest_so_far,
    squeezed, counted, scaled_by_max, printed, soft_max_of_samples, total_checked, swapped,
]  # fmt: skip


def unsplit_weights(w, x, y):
    return np.sum(y * (x @ w))  # y is not split: it has an entry for each sample


def over_of(function):
    """The parameters with the samples: all but the first."""
    return tuple(inspect.signature(function).parameters)[1:]


def arguments(function, rng, n=N):
    """Arguments of one of these programs."""
    y = rng.standard_normal(n)
    third = rng.integers(K, size=n) if "labels" in function.__code__.co_varnames else y
    return rng.standard_normal(K), rng.standard_normal((n, K)), third
