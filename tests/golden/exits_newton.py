__all__ = ["newton_grad"]


def newton_grad(a):
    """Gradient of `newton` (test_exits.py:56) with respect to `a`.

    a: float
    """
    # for _ in range(50):
    x = a
    left = False
    tape = []
    step_tape = []
    x_tape = []
    count = 0
    for i in range(50):
        count += 1
        x_tape.append(x)
        step = (x * x - a) / (2 * x)
        step_tape.append(step)
        # if abs(step) < 1e-3:
        left = abs(step) < 0.001
        tape.append(left)
        if left:
            break
        x = x - step

    # for _ in range(50):
    if left:
        result_bar = 1.0
        x_bar = 0.0
    else:
        result_bar = 0.0
        x_bar = 1.0
    x_bar_2 = 0.0
    for i in reversed(range(count)):
        t = tape[i]
        step = step_tape[i]
        x = x_tape[i]
        # step = (x * x - a) / (2 * x)
        t_2 = 2 * x
        # if abs(step) < 1e-3:
        if not t:
            # x = x - step
            result_bar = -x_bar
        # step = (x * x - a) / (2 * x)
        t = result_bar / t_2
        x_bar = x_bar - 2 * (result_bar * step / t_2)
        x_bar_2 = x_bar_2 - t
        t = t * x
        x_bar = x_bar + t
        x_bar = x_bar + t
        result_bar = 0.0
    x_bar = x_bar_2 + x_bar
    return x_bar
