import numpy as np

__all__ = ["number_grad"]


def number_forward(x, tol):
    # return x if abs(x) < tol else number(x / 2, tol) + np.sin(x)
    t = abs(x) < tol
    if t:
        x_2 = x
        saved = None
    else:
        x_2, saved = number_forward(x / 2, tol)
        x_2 = x_2 + np.sin(x)
    saved = (t, x, saved)
    return x_2, saved


def number_reverse(saved, x_bar):
    t, x, saved = saved

    # return x if abs(x) < tol else number(x / 2, tol) + np.sin(x)
    if not t:
        x_bar_2 = x_bar * np.cos(x)
        x_bar = number_reverse(saved, x_bar)
        x_bar = x_bar_2 + x_bar / 2
    return x_bar


def number_grad(x, tol):
    """Gradient of `number` (test_recursion.py:15) with respect to `x`.

    x: float
    tol: float
    """
    x, saved = number_forward(x, tol)

    x_bar = number_reverse(saved, np.float64(1.0))
    return x_bar
