import numpy as np

from srcad.runtime.checkpoints.states import Checkpoints

__all__ = ["loss_grad"]


def loss_grad(u, n):
    """Gradient of `loss` (test_checkpointed_loops.py:292) with respect to `u`.

    u: f64[n]
    n: int
    """
    # for i in range(n):
    n_2 = 8 * u.shape[0] + 112
    states = Checkpoints(range(n), (u,), slots=3, tape=n_2, heads=112)
    legs = states.legs()
    u = u.copy()
    for leg in range(legs):
        start, stop = states.keep(u)
        for i in range(start, stop):
            # u = u + 0.1 * np.sin(u) * (i + 1)
            u += 0.1 * np.sin(u) * (i + 1)
    start, stop = states.last()
    u_tape = [None] * len(range(start, stop))
    for i in range(start, stop):
        u_tape[i - start] = u
        u = u + 0.1 * np.sin(u) * (i + 1)

    # return u**2
    u_bar = 2 * u
    # for i in range(n):
    for i in reversed(range(start, stop)):
        u = u_tape[i - start]
        # u = u + 0.1 * np.sin(u) * (i + 1)
        u_bar += 0.1 * (u_bar * (i + 1)) * np.cos(u)
    parts = states.parts()
    for part in range(parts):
        u = states.restore()
        legs = states.legs()
        for leg in range(legs):
            start, stop = states.keep(u)
            for i in range(start, stop):
                # u = u + 0.1 * np.sin(u) * (i + 1)
                u += 0.1 * np.sin(u) * (i + 1)
        start, stop = states.part()
        u_tape = [None] * len(range(start, stop))
        for i in range(start, stop):
            u_tape[i - start] = u
            u = u + 0.1 * np.sin(u) * (i + 1)
        for i in reversed(range(start, stop)):
            u = u_tape[i - start]
            # u = u + 0.1 * np.sin(u) * (i + 1)
            u_bar += 0.1 * (u_bar * (i + 1)) * np.cos(u)
    return u_bar
