"""The same source under the `numpy` of another system."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy


def load(path: Path, name: str, np: Any) -> types.ModuleType:
    """The module at `path` with `np` in place of its `import numpy as np`."""
    source = path.read_text().replace("\nimport numpy as np\n", "\n")
    module = types.ModuleType(name)
    vars(module)["np"] = np
    sys.modules[name] = module  # dataclasses look there
    exec(compile(source, str(path), "exec"), vars(module))
    return module


def jax_numpy() -> Any:
    """`jax.numpy` in double precision."""
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy


def autograd_numpy() -> Any:
    """`autograd.numpy`."""
    import autograd.numpy

    return autograd.numpy


class TorchNumpy:
    """So much of NumPy's interface to PyTorch as the kinks need."""

    def __init__(self) -> None:
        import torch

        self.torch = torch
        self.linalg = types.SimpleNamespace(
            norm=torch.linalg.norm,
            det=torch.linalg.det,
            eigvalsh=torch.linalg.eigvalsh,
            svd=lambda a, compute_uv: torch.linalg.svdvals(a),
        )
        self.inf, self.pi = numpy.inf, numpy.pi

    def __getattr__(self, name: str) -> Any:
        return getattr(self.torch, {"power": "pow", "quantile": "quantile"}.get(name, name))

    def _tensor(self, x: Any) -> Any:
        return self.torch.as_tensor(x, dtype=self.torch.float64)

    def array(self, x: Any) -> Any:
        """A tensor of doubles."""
        return self._tensor(x)

    def zeros(self, n: int) -> Any:
        """Zeros in double precision."""
        return self.torch.zeros(n, dtype=self.torch.float64)

    def maximum(self, a: Any, b: Any) -> Any:
        """As NumPy's, of numbers too."""
        return self.torch.maximum(a, self._tensor(b))

    def copysign(self, a: Any, b: Any) -> Any:
        """As NumPy's."""
        return self.torch.copysign(a, self._tensor(b))

    def sort(self, x: Any) -> Any:
        """The values alone."""
        return self.torch.sort(x).values

    def std(self, x: Any) -> Any:
        """Over n, not n - 1."""
        return self.torch.std(x, correction=0)

    def var(self, x: Any) -> Any:
        """Over n, not n - 1."""
        return self.torch.var(x, correction=0)

    def cumprod(self, x: Any) -> Any:
        """Along the only axis."""
        return self.torch.cumprod(x, 0)

    def where(self, c: Any, a: Any, b: Any) -> Any:
        """As NumPy's, of numbers too."""
        return self.torch.where(c, self._tensor(a), self._tensor(b))
