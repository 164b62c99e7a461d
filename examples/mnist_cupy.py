"""Train a network for digits on a GPU, by CuPy; the same program on the host beside it.

The network is that of mnist_cnn.py. The images are copied to the device once; a step is one
compiled function, the optimiser in it, and nothing comes back but the loss at the end of an epoch.

    python examples/mnist_cupy.py                  # needs CuPy: pip install cupy-cuda12x
    python examples/mnist_cupy.py --data mnist     # 60000 images
    python examples/mnist_cupy.py --host           # without a GPU: NumPy alone

Prints the loss, the test accuracy, and the seconds of a step on both.
"""

import argparse
import time

import numpy as np
from images import READ
from mnist_cnn import initial_parameters, logits
from mnist_workers import read

import srcad
from srcad import nn
from srcad.nn import init, optim


def loss(p, x, y):
    """Return the mean cross-entropy of images `x` and their classes `y`."""
    return nn.softmax_cross_entropy(logits(p, x), y)


def train(xp, sets, args):
    """Return the parameters, the mean loss of the last epoch, and the seconds of a step.

    xp: NumPy or CuPy, whose arrays are computed with.
    """
    rng = np.random.default_rng(args.seed)
    drawn = initial_parameters(sets.x_train.shape[1], init.he_normal, rng)
    p = {name: xp.asarray(value) for name, value in drawn.items()}
    x, y = xp.asarray(sets.x_train), xp.asarray(sets.y_train)
    optimiser = optim.adam(args.lr)

    @srcad.compile
    def step(p, state, x, y):
        value, gradient = srcad.value_and_grad(loss)(p, x, y)
        optimiser.update(p, gradient, state)
        return value

    state, seconds = optimiser.init(p), []
    for _ in range(args.epochs):
        order, values, start = rng.permutation(len(x)), [], time.perf_counter()
        for k in range(0, len(order) - args.batch + 1, args.batch):
            chosen = xp.asarray(order[k : k + args.batch])
            values.append(step(p, state, x[chosen], y[chosen]))
        mean = float(sum(values)) / len(values)  # here the host waits for the device
        seconds.append((time.perf_counter() - start) / len(values))
    return p, mean, min(seconds)


def on_host(p):
    """Return the parameters as arrays of NumPy's."""
    return {name: value.get() if hasattr(value, "get") else value for name, value in p.items()}


def main(argv=None):
    """Train on the device and on the host, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", action="store_true", help="train with NumPy alone")
    parser.add_argument("--data", choices=READ, default="digits")
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    libraries = {"NumPy": np}
    if not args.host:
        try:
            import cupy

            cupy.cuda.runtime.getDeviceCount()
        except Exception as problem:
            print(f"skipped: no GPU through CuPy ({problem}); --host trains with NumPy alone")
            return
        libraries["CuPy"] = cupy
    sets = read(args)
    for name, xp in libraries.items():
        p, mean, seconds = train(xp, sets, args)
        guesses = np.argmax(logits(on_host(p), sets.x_test), axis=1)
        accuracy = np.mean(guesses == sets.y_test)
        print(
            f"{name}  loss {mean:.4f}  test accuracy {accuracy:.2%}  {1e3 * seconds:.1f} ms a step"
        )


if __name__ == "__main__":
    main()
