"""Train a network for digits on several workers: of Dask, or the ranks of MPI.

The network is that of mnist_cnn.py. Each step splits a batch among the workers, and all gradients
are added; the weights are those of one process with the same batch, but for rounding.

    python examples/mnist_workers.py                                    # Dask, two workers
    python examples/mnist_workers.py --workers 4 --data mnist           # 60000 images
    mpiexec -n 2 python -m mpi4py examples/mnist_workers.py --engine mpi

Prints the seconds of a step beside those of one process, and the efficiency: what the workers
together compute, of what they would if nothing were sent. Let BLAS use one thread
(OPENBLAS_NUM_THREADS=1). The picture shows who computed when in the last steps.
"""

import argparse
import sys
import time
from contextlib import contextmanager

import numpy as np
from images import READ
from mnist_cnn import initial_parameters, logits
from timeline import draw_timeline

import srcad
import srcad.parallel
from srcad import nn
from srcad.nn import init, optim

SHOWN = 8  # steps in the picture


def loss(p, x, y):
    """Return the mean cross-entropy of images `x` and their classes `y`."""
    return nn.softmax_cross_entropy(logits(p, x), y)


class Dask:
    """A cluster on this machine."""

    rank = 0

    def __init__(self, client):
        self.engine, self.size = client, len(client.nthreads())
        client.get_task_stream()  # from now on the scheduler keeps it

    def share(self, x):
        """All samples: they are split, and sent."""
        return x

    def spans(self, start, stop):
        """Who computed from when to when."""
        stream = self.engine.get_task_stream(start=start)
        return [
            (task["worker"], "computes", each["start"], each["stop"])
            for task in stream
            for each in task["startstops"]
            if each["action"] == "compute" and start <= each["start"] <= stop
        ]


class Mpi:
    """The ranks that run this program."""

    def __init__(self, comm):
        self.engine, self.rank, self.size = watched(comm), comm.rank, comm.size

    def share(self, x):
        """The samples of this rank."""
        return np.array_split(x, self.size)[self.rank]

    def spans(self, start, stop):
        """Who sent, or waited for others, from when to when; what is between is computing."""
        own = [(a, b) for a, b in self.engine.spans if start <= a <= stop]
        found = [(self.rank, "sends or waits", a, b) for a, b in own]
        ends = [start, *(b for _, b in own)]
        found += [
            (self.rank, "computes", end, a)
            for end, (a, _) in zip(ends, own, strict=False)
            if a > end
        ]
        return [span for each in self.engine.allgather(found) for span in each]


def watched(comm):
    """A communicator that notes when it is at work."""
    from mpi4py import MPI

    class Watched(MPI.Intracomm):
        def allgather(self, *args):
            return self.noted(super().allgather, args)

        def Allreduce(self, *args):  # noqa: N802 (mpi4py's name)
            return self.noted(super().Allreduce, args)

        def noted(self, call, args):
            start = time.time()
            try:
                return call(*args)
            finally:
                found.spans.append((start, time.time()))

    found = Watched(comm)
    found.spans = []
    return found


@contextmanager
def workers(args):
    """Give what computes the parts."""
    if args.engine == "mpi":
        from mpi4py import MPI

        yield Mpi(MPI.COMM_WORLD)
        return
    from dask.distributed import Client, LocalCluster

    options = {"n_workers": args.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield Dask(client)


def train(step, share, p, sets, args):
    """Improve `p` in place; return the mean loss of the last epoch, and when each step ended."""
    optimiser, rng = optim.adam(args.lr), np.random.default_rng(args.seed)
    state, ends = optimiser.init(p), [time.time()]
    for _ in range(args.epochs):
        order, total, n = rng.permutation(len(sets.x_train)), 0.0, 0
        for k in range(0, len(order) - args.batch + 1, args.batch):
            chosen = order[k : k + args.batch]
            value, gradient = step(p, share(sets.x_train[chosen]), share(sets.y_train[chosen]))
            optimiser.update(p, gradient, state)
            total, n = total + value, n + 1
            ends.append(time.time())
    return total / n, ends


def read(args):
    """Return the data, images framed to at least 14 rows, standardised."""
    try:
        sets = READ[args.data](args.data_dir)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    side = round(sets.x_train.shape[1] ** 0.5)
    frame = ((0, 0), *2 * [(max(0, 14 - side) // 2,) * 2])
    x = [np.pad(x.reshape(-1, side, side), frame) for x in (sets.x_train, sets.x_test)]
    mean, spread = np.mean(x[0]), np.std(x[0])
    return sets._replace(x_train=(x[0] - mean) / spread, x_test=(x[1] - mean) / spread)


def main(argv=None):
    """Train in one process and on the workers, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", choices=("dask", "mpi"), default="dask")
    parser.add_argument("--workers", type=int, default=2, help="of Dask")
    parser.add_argument("--data", choices=READ, default="digits")
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="mnist_workers.png")
    args = parser.parse_args(argv)
    sets = read(args)
    runs = {}
    with workers(args) as group:
        alone = srcad.value_and_grad(loss, backend="numpy")
        shared = srcad.parallel.value_and_grad(
            loss, over=("x", "y"), engine=group.engine, backend="numpy"
        )
        for name, step, share in (
            ("one", alone, lambda x: x),
            ("shared", shared, group.share),
        ):
            rng = np.random.default_rng(args.seed)
            p = initial_parameters(sets.x_train.shape[1], init.he_normal, rng)
            value, ends = train(step, share, p, sets, args)
            runs[name] = p, value, float(np.median(np.diff(ends)[1:])), ends
        ends = runs["shared"][3][-SHOWN - 1 :]
        spans = group.spans(ends[0], ends[-1])
    if group.rank:
        return
    (p, value, one, _), (q, other, many, _) = runs["one"], runs["shared"]
    apart = max(float(np.max(np.abs(p[name] - q[name]))) for name in p)
    guesses = np.argmax(logits(q, sets.x_test), axis=1)
    print(
        f"loss           {other:.4f}; of one process {value:.4f}, weights up to {apart:.0e} apart"
    )
    print(f"test accuracy  {np.mean(guesses == sets.y_test):.2%}")
    print(f"a step         {1e3 * one:.1f} ms in one process, {1e3 * many:.1f} ms on {group.size}")
    print(f"efficiency     {one / many / group.size:.0%}")
    title = f"{len(ends) - 1} steps, {args.engine}"
    print(f"picture        {draw_timeline(args.output, spans, title)}")


if __name__ == "__main__":
    main()
