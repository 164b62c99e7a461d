"""Time and memory of training steps, and whether all systems computed the same.

Systems take turns in blocks of a few steps, each round beginning with another. The first step of a
block is not counted: it pays for the caches that its predecessor left otherwise.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from training.networks import MODELS, Model, Params
from training.systems import SYSTEMS, Trainer

BATCHES = 20  # different ones; then they come again
WARM = 3
EARLY = 20  # steps whose losses are compared


@dataclass
class Figures:
    """What one system took for one model. Times in seconds, memory in bytes."""

    first: float = 0.0
    times: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    peak: float = float("nan")
    allocated: float = float("nan")

    @property
    def median(self) -> float:
        """The median of all counted steps."""
        return median(self.times)

    @property
    def least(self) -> float:
        """The fastest step."""
        return min(self.times)


def trainers(model: Model, names: list[str]) -> dict[str, Trainer]:
    """Make the trainers that can be imported, each with its own copy of the same weights."""
    made = {}
    for name in names:
        try:
            made[name] = SYSTEMS[name](model, model.draw(np.random.default_rng(0)))
        except ImportError as error:
            print(f"{name}: left out ({error})", file=sys.stderr)
    return made


def compare(model: Model, names: list[str], seconds: float, steps: int = 0) -> dict[str, Figures]:
    """Train on all systems in turn; `seconds` for each but the slower, or so many `steps`.

    Raises:
        AssertionError: the systems do not agree on losses or weights.
    """
    made = trainers(model, names)
    batches = model.batches(BATCHES)
    fed = {name: [t.feed(*batch) for batch in batches] for name, t in made.items()}
    found = {name: Figures() for name in made}
    done = dict.fromkeys(made, 0)

    def run(name: str) -> float:
        batch = fed[name][done[name] % BATCHES]
        start = time.perf_counter()
        value = made[name].step(batch)
        took = time.perf_counter() - start
        found[name].losses.append(0.0 if value is None else float(value))
        done[name] += 1
        return took

    weights = {}
    for name, figures in found.items():
        figures.first = run(name)
        slowest = max(run(name) for _ in range(WARM - 1))
        weights[name] = {key: np.array(a) for key, a in made[name].weights().items()}
        if not steps or slowest * steps > 4 * seconds:
            steps = max(20, min(steps or 2000, int(2 * seconds / slowest)))
    block = max(2, min(50, steps // 8))
    for k in range(-(-steps // block)):
        order = list(made)
        for name in order[k % len(order) :] + order[: k % len(order)]:
            run(name)
            found[name].times += [run(name) for _ in range(block - 1)]
    check_same(model, weights, found)
    return found


def check_same(model: Model, weights: dict[str, Params], found: dict[str, Figures]) -> None:
    """Compare weights after the first steps, and losses of some more, with the first system's.

    Later the differences of rounding grow as training has it, exponentially where it is unstable.
    """
    first, *others = found
    want = weights[first]
    scale = max(np.abs(a).max() for a in want.values())
    for name in others:
        for key, a in weights[name].items():
            error = np.abs(a - want[key]).max() / scale
            assert error <= 2e-5, f"{model.name}: {name}: {key} off by {error}"
        np.testing.assert_allclose(
            found[name].losses[:EARLY], found[first].losses[:EARLY], rtol=1e-3, err_msg=name
        )


# ---------------------------------------------------------------------------- memory


def memory(model: Model, name: str, steps: int = 20) -> tuple[float, float]:
    """Return the peak growth of a fresh process in training, and bytes allocated in a step."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        library = Path(folder) / "allocated.so"
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler:
            source = Path(__file__).with_name("allocated.c")
            flags = ["-O2", "-shared", "-fPIC", "-fno-builtin"]
            subprocess.run([compiler, *flags, "-o", str(library), str(source)], check=True)
            environment["LD_PRELOAD"] = str(library)
        code = f"from training.measure import report; report({model.name!r}, {name!r}, {steps})"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    peak, allocated = map(float, done.stdout.split())
    return peak, allocated


def report(model_name: str, name: str, steps: int) -> None:
    """Print both numbers of `memory`, measured in this process."""
    model = MODELS[model_name]
    trainer = SYSTEMS[name](model, model.draw(np.random.default_rng(0)))
    fed = [trainer.feed(*batch) for batch in model.batches(4)]
    before = _resident()
    for k in range(WARM):
        trainer.step(fed[k % 4])
    counter = getattr(ctypes.CDLL(None), "allocated_bytes", None)
    if counter:
        counter.restype = ctypes.c_ulonglong
    start = counter() if counter else float("nan")
    for k in range(steps):
        trainer.step(fed[k % 4])
    allocated = ((counter() if counter else float("nan")) - start) / steps
    print(_status("VmHWM") - before, allocated)


def _resident() -> int:
    """Return the process's memory now, and let its peak count from here."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))
