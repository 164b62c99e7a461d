import numpy as np

__all__ = ["rnn_grad"]


def rnn_grad(h, w, xs):
    n = xs.shape[0]
    h_tape = [None] * n
    z_tape = [None] * n
    big_tape = [None] * n
    for i in range(n):
        h_tape[i] = h
        z = np.tanh(h @ w + xs[i])
        z_tape[i] = z
        big = z.sum() > 0.5
        big_tape[i] = big
        if big:
            h = z * 2.0
        else:
            h = z

    h_bar = np.ones_like(h)
    w_bar = np.zeros_like(w)
    xs_bar = np.zeros_like(xs)
    for i in reversed(range(n)):
        h = h_tape[i]
        z = z_tape[i]
        big = big_tape[i]
        if big:
            h_bar *= 2.0
        t = h_bar * (1 - z * z)
        w_bar += np.outer(h, t)
        xs_bar[i] += t
        h_bar = w @ t
    return h_bar, w_bar, xs_bar
