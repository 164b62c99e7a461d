"""How the corpus fares on CuPy's stand-in: right, refused, raised, or wrong.

    python tests/on_cupy/counting.py [THEME ...]

right: value and gradient, and what the compiled function gives, are NumPy's. refused: by an error
with a code. raised: by CuPy itself while the program ran; "as plain" where the function raises
there, too, when it is simply called. wrong: another number. Programs that NumPy's backend refuses,
and those without an array among their arguments, are left out.
"""

from __future__ import annotations

import contextlib
import copy
import io
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from on_cupy.stand_in import make, ndarray  # noqa: E402

import srcad  # noqa: E402
from srcad.runtime.records import rebuilt  # noqa: E402


def on_device(x: Any) -> Any:
    """A copy of an argument, its arrays on the device."""
    return _mapped(x, _moved)


def _moved(x: Any) -> Any:
    is_numeric = type(x) is np.ndarray and x.dtype.kind in "biufc"
    return sys.modules["cupy"].asarray(x) if is_numeric else x


def on_host(x: Any) -> Any:
    """A result, its arrays on the host; what has no axes is a number."""
    return _mapped(x, lambda y: y.get()[()] if isinstance(y, ndarray) else y)


def _mapped(x: Any, leaf: Any) -> Any:
    made: dict[int, Any] = {}

    def visit(x: Any) -> Any:
        if isinstance(x, np.ndarray | ndarray):
            return leaf(x)
        if id(x) not in made:
            made[id(x)] = x
            made[id(x)] = rebuilt(x, visit)
        return made[id(x)]

    return visit(x)


def has_arrays(x: Any) -> bool:
    """Whether there is an array with axes in an argument."""
    found = []
    _mapped(x, lambda y: found.append(y.ndim > 0) or y)
    return any(found)


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal to rounding, part by part."""
    if isinstance(a, dict):
        return isinstance(b, dict) and [*a] == [*b] and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__dict__") and not isinstance(a, type) and not callable(a):
        return type(a) is type(b) and same(vars(a), vars(b))
    if isinstance(a, float | int | complex | np.ndarray | np.generic):
        try:
            if np.shape(a) != np.shape(b) or np.asarray(a).dtype.kind != np.asarray(b).dtype.kind:
                return False
            return bool(np.allclose(a, b, rtol=1e-6, atol=1e-8, equal_nan=True))
        except (TypeError, ValueError):
            return a is b
    return type(a) is type(b)


def outcome(program: Any, args: tuple[Any, ...]) -> tuple[str, str]:
    """What becomes of one call, and why."""
    fn, compared = program.fn, 0
    for k, made in enumerate((srcad.compile, srcad.value_and_grad, srcad.elementwise_grad)):
        if k == 2 and compared > 1:
            break
        try:
            with quiet():
                wanted = made(fn)(*copy.deepcopy(args))
        except Exception:
            continue
        compared = k + 1
        given = on_device(copy.deepcopy(args))
        try:
            with quiet():
                found = on_host(made(fn)(*given))
        except srcad.SrcadError as refusal:
            return "refused", f"{refusal.code} {str(refusal).splitlines()[0][-110:]}"
        except Exception as problem:
            why = (
                f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}"
            )
            if isinstance(plain(fn, args), Exception):
                return "raised as plain", why
            return "raised", f"{'compile' if k == 0 else 'gradient'}: {why}"
        if not same(wanted, found) and not as_plain(fn, args, k, wanted, found):
            return "wrong", f"{'compile' if k == 0 else 'gradient'}: {found!r} for {wanted!r}"
    return "right" if compared else "left out", ""


def as_plain(fn: Any, args: tuple[Any, ...], k: int, wanted: Any, found: Any) -> bool:
    """Whether a value that is not NumPy's is that of a plain call; the gradient is NumPy's."""
    if k == 0:
        return same(plain(fn, args), found)
    return k == 1 and same(plain(fn, args), found[0]) and same(wanted[1], found[1])


def plain(fn: Any, args: tuple[Any, ...]) -> Any:
    """What the function gives for arrays on the device when it is simply called, or raises."""
    try:
        with quiet():
            return on_host(fn(*on_device(copy.deepcopy(args))))
    except Exception as problem:
        return problem


@contextlib.contextmanager
def quiet() -> Any:
    """Without prints and warnings."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def count(themes: list[str]) -> tuple[Counter[str], list[tuple[str, str, str]]]:
    """The number of programs by their outcome, and those that were not right."""
    from corpus.all import PROGRAMS

    counts: Counter[str] = Counter()
    others = []
    for program in PROGRAMS:
        if themes and program.theme not in themes:
            continue
        args = program.arguments()[0]
        if not has_arrays(args):
            continue
        what, why = outcome(program, args)
        counts[what] += 1
        if what not in ("right", "left out"):
            others.append((what, program.name, why))
    return counts, others


if __name__ == "__main__":
    sys.modules.update(make())
    found, rest = count(sys.argv[1:])
    for line in sorted(rest):
        print(*line, sep="  ")
    print(dict(found))
