import numpy as np

__all__ = ["search_grad"]


def search_grad(xs):
    """Gradient of `search` (test_exits.py:45) with respect to `xs`.

    xs: f64[n]
    """
    # for x in xs:
    left = False
    count = 0
    for i in range(xs.shape[0]):
        count += 1
        x = xs[i]
        if x > 1.0:
            left = True
            break
        left = False

    # for x in xs:
    s_bar = np.float64(1.0) if left else np.float64(2.0)
    xs_bar = np.zeros_like(xs)
    for i in reversed(range(count)):
        x = xs[i]
        if x > 1.0:
            x_bar = np.float64(0.0)
        else:
            # s = s + x * x
            x_bar = s_bar * x
            x_bar = x_bar + x_bar
        xs_bar[i] = x_bar
    return xs_bar
