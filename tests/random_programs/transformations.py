"""Laws between transformations, of random programs: what holds of a gradient in another way.

    python -m random_programs.transformations 0 200          # from tests/; seeds 0 to 199
    python -m random_programs.transformations 0 200 vmap     # one law

Each law gives two results that have to agree, both computed by srcad: in a batch and one by one, of
a checkpoint and of the function, dense and sparse, saved and as it is.
"""

from __future__ import annotations

import importlib.util
import pickle
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from random_programs.checks import SIZES, Fault, Unfit, close, load, same
from random_programs.conformance import copied
from random_programs.people import family_of, program_of

import srcad
from srcad.errors import InternalError, SrcadError

SAMPLES = 3
WITHIN = 1e6
Pairs = Iterator[tuple[Any, Any]]


class Subject:
    """A program, its arguments for some samples, and its gradient there."""

    def __init__(self, seed: int) -> None:
        program = program_of(seed, family_of(seed))
        self.seed, self.smooth = seed, program.smooth
        self.n = len(program.parameters)
        self.varied = tuple(range(self.n))
        size = SIZES[seed % len(SIZES)]
        try:
            self.f = load(program.source)
            calls = [program.arguments(seed + 17 * k, *size) for k in range(SAMPLES)]
            self.rest = calls[0][self.n :]
            # Entries of a batch are NumPy's numbers, and so is each sample's.
            self.samples = [[np.asarray(x)[()] for x in args[: self.n]] for args in calls]
            values = [self.f(*self.args(k)) for k in range(SAMPLES)]
        except Exception as problem:
            raise Unfit(repr(problem)) from problem
        if not all(np.ndim(v) == 0 and abs(v) < WITHIN for v in values):
            raise Unfit("a value that is large, or not finite")
        self.values = values
        self.gradient = srcad.value_and_grad(self.f, self.varied, cache=False)
        self.gradients = [self.gradient(*self.args(k))[1] for k in range(SAMPLES)]
        if not all(np.max(np.abs(g), initial=0) < WITHIN for gs in self.gradients for g in gs):
            raise Unfit("a gradient that is large, or not finite")

    def args(self, k: int) -> list[Any]:
        """The arguments of a sample, fresh."""
        return copied((*self.samples[k], *self.rest))

    @cached_property
    def vector(self) -> int:
        """The first argument that is a vector."""
        for k, x in enumerate(self.samples[0]):
            if x.ndim == 1:
                return k
        raise Unfit("no vector")

    def mapped(self, f: Callable[..., Any]) -> Any:
        """What `vmap` of a function gives for all samples."""
        axes = (*(0 for _ in self.varied), *(None for _ in self.rest))
        stacked = map(np.stack, zip(*self.samples, strict=True))
        return srcad.vmap(f, axes, cache=False)(*stacked, *copied(self.rest))


def _vmap(s: Subject) -> Pairs:
    yield s.mapped(s.f), np.stack(s.values)


def _vmap_of_gradient(s: Subject) -> Pairs:
    wanted = map(np.stack, zip(*s.gradients, strict=True))
    yield from zip(s.mapped(srcad.grad(s.f, s.varied, cache=False)), wanted, strict=True)


def _checkpoint(s: Subject, **options: Any) -> Pairs:
    g = srcad.checkpoint(s.f, **options)
    value, found = srcad.value_and_grad(lambda *a: g(*a), s.varied, cache=False)(*s.args(0))
    yield value, s.values[0]
    yield from zip(found, s.gradients[0], strict=True)


def _checkpointed_steps(s: Subject) -> Pairs:
    yield from _checkpoint(s, steps=2)


def _binomial(s: Subject) -> Pairs:
    yield from _checkpoint(s, steps="binomial")


def _saved(s: Subject) -> Pairs:
    gradient = srcad.value_and_grad(s.f, s.varied, cache=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"saved_{s.seed}.py"
        gradient.save(path, *s.args(0))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        value, found = getattr(module, module.__all__[0])(*s.args(0))
    yield value, s.values[0]
    yield from zip(found, s.gradients[0], strict=True)


def _pickled(s: Subject) -> Pairs:
    _, found = pickle.loads(pickle.dumps(s.gradient))(*s.args(0))
    yield from zip(found, s.gradients[0], strict=True)


def _hessian(s: Subject) -> Pairs:
    if not s.smooth:
        raise Unfit("not smooth")
    k, args = s.vector, s.args(1)
    whole = srcad.hessian(s.f, k, cache=False)(*s.args(1))
    gradient = srcad.grad(s.f, k, cache=False)
    yield srcad.jacfwd(gradient, k, cache=False)(*s.args(1)), whole
    yield srcad.jacrev(gradient, k, cache=False)(*s.args(1)), whole
    v = np.random.default_rng(s.seed).standard_normal(args[k].shape)
    yield srcad.hvp(s.f, k, cache=False)(*args[: k + 1], v, *args[k + 1 :]), whole @ v


def _sparse(s: Subject) -> Pairs:
    found = srcad.hessian(s.f, s.vector, sparse=True, cache=False)(*s.args(1))
    yield found.toarray(), srcad.hessian(s.f, s.vector, cache=False)(*s.args(1))


def _linearize(s: Subject) -> Pairs:
    rest = s.rest
    value, along = srcad.linearize(lambda *xs: s.f(*xs, *rest), *copied(s.samples[2]), cache=False)
    yield value, s.values[2]
    rng = np.random.default_rng(s.seed)
    tangents = [np.asarray(rng.standard_normal(x.shape))[()] for x in s.samples[2]]
    pairs = zip(s.gradients[2], tangents, strict=True)
    yield along(*tangents), sum(np.sum(g * t) for g, t in pairs)


def _steps(s: Subject) -> Pairs:
    """Two steps of a descent, compiled and by Python; arrays change in place."""
    f, varied, n = s.f, s.varied, s.n

    def compiled(*args: Any) -> Any:
        for _ in range(2):
            for x, g in zip(args[:n], srcad.grad(f, varied)(*args), strict=True):
                if isinstance(x, np.ndarray):
                    x -= 0.05 * g
        return f(*args)

    args = s.args(0)
    for _ in range(2):
        for x, g in zip(args[:n], s.gradient(*copied(args))[1], strict=True):
            if isinstance(x, np.ndarray):
                x -= 0.05 * g
    own = s.args(0)
    yield srcad.compile(compiled, cache=False)(*own), f(*args)
    yield from zip(own[:n], args[:n], strict=True)


LAWS: dict[str, Callable[[Subject], Pairs]] = {
    "vmap": _vmap,
    "vmap of gradient": _vmap_of_gradient,
    "checkpoint": _checkpoint,
    "checkpointed steps": _checkpointed_steps,
    "binomial": _binomial,
    "saved": _saved,
    "pickled": _pickled,
    "hessian": _hessian,
    "sparse": _sparse,
    "linearize": _linearize,
    "steps": _steps,
}
TO_THE_BIT = frozenset({"saved", "pickled"})


def check(seed: int, laws: Iterable[str] = LAWS) -> Iterator[tuple[str, str]]:
    """Each law and what became of it: "right", the code of a refusal, or the fault in words."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            subject = Subject(seed)
        except InternalError:
            raise
        except (Unfit, SrcadError, np.linalg.LinAlgError):
            return
        for name in laws:
            try:
                yield name, _outcome(name, subject)
            except Unfit:
                continue


def _outcome(name: str, subject: Subject) -> str:
    agree = same if name in TO_THE_BIT else lambda a, b: close(a, b, 1e-6)
    try:
        for found, wanted in LAWS[name](subject):
            if not agree(found, wanted):
                raise Fault(f"{name}: {found!r} is not {wanted!r}")
    except InternalError as problem:
        return f"internal error: {problem}"
    except SrcadError as problem:
        return problem.code
    except np.linalg.LinAlgError:
        return "LinAlgError"
    except Unfit:
        raise
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return "right"


def campaign(
    seeds: Iterable[int], laws: Iterable[str] = LAWS
) -> tuple[Counter[tuple[str, str]], dict[int, str]]:
    """How often each law was right or refused, and the faults by seed."""
    counts: Counter[tuple[str, str]] = Counter()
    faults: dict[int, str] = {}
    for seed in seeds:
        for law, what in check(seed, laws):
            is_fault = ":" in what
            counts[law, "fault" if is_fault else what] += 1
            if is_fault:
                faults[seed] = f"seed {seed}, {law}: {what}"
                print(faults[seed][:600], flush=True)
    return counts, faults


if __name__ == "__main__":
    first, count, *names = sys.argv[1:]
    found, _ = campaign(range(int(first), int(first) + int(count)), names or LAWS)
    for (law, what), n in sorted(found.items()):
        print(f"{law:20} {what:10} {n}")
