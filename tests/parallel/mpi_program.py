"""What the ranks of `test_mpi.py` run: `mpiexec -n 2 python mpi_program.py WHAT`."""

import os
import signal
import sys

import numpy as np
from mpi4py import MPI

import srcad
import srcad.parallel

comm = MPI.COMM_WORLD


def loss(params, x, y):
    z = np.tanh(x @ params["w"]) + params["b"]
    aux = {"z": z, "mean": np.mean(z), "n": len(x)}
    return np.mean((z - y) ** 2) + 0.1 * np.sum(params["w"] ** 2), aux


def raises(w, x):
    assert np.all(x < 9), "too large"
    return np.sum(w * x)


def agrees(lengths, parts=None):
    rng = np.random.default_rng(0)
    n = sum(lengths)
    params = {"w": rng.standard_normal(3), "b": 0.3}
    x, y = rng.standard_normal((n, 3)), rng.standard_normal(n)
    start = sum(lengths[: comm.rank])
    own = slice(start, start + lengths[comm.rank])
    options = {"argnums": (0, 1), "has_aux": True}
    step = srcad.parallel.value_and_grad(loss, over=("x", "y"), engine=comm, parts=parts, **options)
    (value, aux), (by_params, by_x) = step(params, x[own], y[own])
    (wanted, aux_of_all), (wanted_params, wanted_x) = srcad.value_and_grad(loss, **options)(
        params, x, y
    )
    np.testing.assert_allclose(value, wanted)
    for key in aux:
        np.testing.assert_allclose(aux[key], aux_of_all[key])
    for key in params:
        np.testing.assert_allclose(by_params[key], wanted_params[key])
        assert type(by_params[key]) is type(wanted_params[key])
    np.testing.assert_allclose(by_x, wanted_x[own])
    assert len({np.asarray(v).tobytes() for v in comm.allgather(by_params["w"])}) == 1


if sys.argv[1] == "agrees":
    for lengths in ([4, 3], [1, 5], [0, 3], [2, 0], [1, 1]):
        agrees(lengths)
    agrees([5, 3], parts=2)
    print("agreed")
elif sys.argv[1] == "fails":
    step = srcad.parallel.grad(raises, over="x", engine=comm)
    step(1.0, np.ones(3))
    step(1.0, np.full(3, 5.0 + 5.0 * comm.rank))
    print("went on")
elif sys.argv[1] == "interrupted":

    def too_late(number, frame):
        raise TimeoutError("too late")

    def slow(w, x):
        total = 0.0
        for row in x:
            total += np.sin(row * w)
        return total

    signal.signal(signal.SIGALRM, too_late)
    step = srcad.parallel.grad(slow, over="x", engine=comm)
    step(1.0, np.ones(3))
    signal.setitimer(signal.ITIMER_REAL, 1.0 if comm.rank else 0.0)
    step(1.0, np.ones(3_000_000 if comm.rank else 3))
    print("went on")
elif sys.argv[1] == "killed":
    step = srcad.parallel.grad(raises, over="x", engine=comm)
    step(1.0, np.ones(3))
    if comm.rank:
        os.kill(os.getpid(), signal.SIGKILL)
    step(1.0, np.ones(3))
    print("went on")
elif sys.argv[1] == "differs":
    step = srcad.parallel.grad(raises, over="x", engine=comm)
    for w in (1.0 + comm.rank, np.ones(2 + comm.rank)):
        try:
            step(w, np.ones((3, 1)))
        except ValueError as problem:
            print(problem)
    step = srcad.parallel.grad(raises, over="x", engine=comm)
    step(np.ones(2), np.ones((3, 1)))
    try:
        step(np.ones(2 + comm.rank), np.ones((3, 1)))
    except ValueError as problem:
        print(problem)
