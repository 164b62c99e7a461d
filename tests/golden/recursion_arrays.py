import numpy as np

__all__ = ["use_array_grad"]


def of_array_forward(x, w):
    # if np.sum(x * x) < 1.0:
    t = (x * x).sum() < 1.0
    if t:
        # return np.tanh(x)
        t_2 = np.tanh(x)
        t_4 = None
        t_3 = None
        saved = None
    else:
        # return np.sin(w @ of_array(x / 2, w)) + x
        t_3, saved = of_array_forward(x / 2, w)
        t_4 = w @ t_3
        t_2 = np.sin(t_4) + x
    saved = (t, t_2, w, t_4, t_3, saved)
    return t_2, saved


def of_array_reverse(saved, t):
    t_2, t_3, w, t_4, t_5, saved = saved

    # if np.sum(x * x) < 1.0:
    if t_2:
        # return np.tanh(x)
        x_bar = t * (1 - t_3 * t_3)
        w_bar = np.zeros_like(w)
    else:
        # return np.sin(w @ of_array(x / 2, w)) + x
        t_2 = t * np.cos(t_4)
        w_bar = np.dot(t_2[:, None], t_5[None, :])
        x_bar, w_bar_2 = of_array_reverse(saved, w.T @ t_2)
        w_bar += w_bar_2
        x_bar = t + x_bar / 2
    return x_bar, w_bar


def use_array_grad(x, w):
    """Gradient of `use_array` (test_recursion.py:82) with respect to `x`, `w`.

    x: f64[n]
    w: f64[n, n]
    """
    # y = of_array(x, w)
    y, saved = of_array_forward(x, w)

    # return np.sum(y * y)
    y_bar = y + y
    # y = of_array(x, w)
    x_bar, w_bar = of_array_reverse(saved, y_bar)
    x_bar = x_bar.copy()
    w_bar = w_bar.copy()
    return x_bar, w_bar
