import numpy as np

__all__ = ["loss_value_and_grad"]


def loss_value_and_grad(params, x, y):
    """Value and gradient of `loss` (model.py:1) with respect to `params`.

    x: f64[n, k]
    """
    w, b = params

    h = np.tanh(x @ w + b)
    r = h - y

    # return np.sum(r * r)
    r_bar = 2 * r
    # h = np.tanh(x @ w + b)
    t = r_bar * (1 - h * h)
    b_bar = t.sum(axis=0)
    w_bar = x.T @ t
    return (r * r).sum(), (w_bar, b_bar)
