"""Methods of arrays and numbers."""

import numpy as np
from corpus.program import Theme, array, positive, vector

program = Theme("methods")


@program(array(3, 4), again=[(array(2, 5),)])
def array_reductions(x):
    return x.sum() + x.mean(0).sum() + x.max(axis=1).sum() + x.min() + x.prod(axis=0).sum()


@program(array(3, 4))
def array_forms(x):
    return x.reshape(2, 6).T.flatten()[::2] + x.ravel()[:6] + x.swapaxes(0, 1)[0].sum()


@program(vector, single=True)
def casts(x):
    return x.astype(np.float32).astype(float) + x.astype("float64") + x.astype(float)


@program(vector, vector)
def dots(x, y):
    return x.dot(y) + np.dot(x, y) + x @ y + np.inner(x, y) + np.outer(x, y).sum()


@program(vector)
def clips(x):
    return x.clip(-0.5, 0.5) + np.clip(x, 0, None)


@program(vector)
def items(x):
    return x[0].item() * 2 + x.sum().item() + float(x[1])


@program(array(3, 3))
def traces(a):
    return a.trace() + a.diagonal().sum() + a.T.trace()


@program(array(1))
def item_of_one(x):
    return x.item() * x.item()


@program(positive(4))
def cumulative(x):
    return x.cumsum() * np.cumsum(x)[-1] + x.cumprod()


@program(array(3, 4))
def properties(x):
    return (
        x.T.sum() * x.ndim
        + x.size
        + x.shape[1]
        + x.real.sum()
        + x.dtype.itemsize * 0
        + x.itemsize * 0
    )


@program(vector)
def repeats(x):
    return np.repeat(x, 2).sum() + np.tile(x, 2)[0] + x.repeat(3).sum()


@program(vector)
def round_and_conj(x):
    return x.round(2).sum() * 0 + x.conj().sum() + x.copy().sum()


@program(vector)
def any_all(x):
    if (x > -100).all() and not (x > 100).any():
        return x.sum()
    return x.sum() * 2
