"""Derivative rules of SciPy: read when SciPy is in use, which srcad does without.

`import srcad` does not import SciPy. A program that calls `scipy.special.expit` has imported
`scipy.special`; the first look for a rule that the table lacks then reads the modules that state
rules of that package. Each of them imports its own package of SciPy and is imported in no other
way.
"""

from __future__ import annotations

from typing import Any

# The modules of this folder that state the rules of a package of SciPy.
MODULES: dict[str, tuple[str, ...]] = {
    "scipy.fft": ("fft",),
    "scipy.integrate": ("integrate",),
    "scipy.ndimage": ("ndimage", "filters"),
    "scipy.signal": ("signal",),
    "scipy.special": (
        "special.elementary",
        "special.errors",
        "special.gammas",
        "special.bessel",
        "special.integrals",
        "special.hypergeometric",
        "special.polynomials",
        "special.probabilities",
        "special.sums",
        "special.nondifferentiable",
    ),
    "scipy.stats": (
        "stats.continuous",
        "stats.positive",
        "stats.discrete",
        "stats.multivariate",
    ),
    "scipy.linalg": (
        "linalg.systems",
        "linalg.lu",
        "linalg.functions",
        "linalg.equations",
        "linalg.spectra",
        "linalg.makers",
    ),
}

# Distributions of `scipy.stats`: a call of one, `norm(loc, scale)`, holds its parameters.
FROZEN: set[Any] = set()
