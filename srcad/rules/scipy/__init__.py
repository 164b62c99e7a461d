"""Derivative rules of SciPy: read when SciPy is in use, which srcad does without.

`import srcad` does not import SciPy. A program that calls `scipy.special.expit` has imported
`scipy.special`; the first look for a rule that the table lacks then reads the modules that state
rules of that package. Each of them imports its own package of SciPy and is imported in no other
way.
"""

from __future__ import annotations

from typing import Any

# The modules of `srcad.rules` that state the rules of a package of SciPy.
MODULES: dict[str, tuple[str, ...]] = {
    "scipy.fft": ("scipy.fft",),
    "scipy.fftpack": ("scipy.fftpack",),
    "scipy.integrate": ("scipy.integrate",),
    "scipy.ndimage": ("scipy.ndimage", "scipy.filters"),
    "scipy.optimize": ("scipy.optimize",),
    "scipy.signal": ("scipy.signal", "scipy.waveforms"),
    "scipy.spatial.distance": ("scipy.distance",),
    "scipy.special": (
        "scipy.special.elementary",
        "scipy.special.errors",
        "scipy.special.gammas",
        "scipy.special.bessel",
        "scipy.special.integrals",
        "scipy.special.hypergeometric",
        "scipy.special.polynomials",
        "scipy.special.probabilities",
        "scipy.special.sums",
        "scipy.special.nondifferentiable",
    ),
    "scipy.stats": (
        "scipy.stats.continuous",
        "scipy.stats.positive",
        "scipy.stats.discrete",
        "scipy.stats.multivariate",
        "scipy.stats.means",
        "scipy.stats.summaries",
    ),
    "scipy.linalg": (
        "scipy.linalg.banded",
        "scipy.linalg.systems",
        "scipy.linalg.cholesky",
        "scipy.linalg.lu",
        "scipy.linalg.functions",
        "scipy.linalg.equations",
        "scipy.linalg.spectra",
        "scipy.linalg.makers",
    ),
}

# Distributions of `scipy.stats`: a call of one, `norm(loc, scale)`, holds its parameters.
FROZEN: set[Any] = set()
