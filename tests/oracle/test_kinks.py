"""What other systems answer at kinks is what docs/kinks.md says of them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.oracle.namespaces import TorchNumpy, autograd_numpy, jax_numpy, load
from tests.rules import kink_programs
from tests.rules.kink_page import ANSWERS, short

pytest.importorskip("jax", reason="the oracle tests need the extra `oracle`")
pytest.importorskip("autograd", reason="the oracle tests need the extra `oracle`")
pytest.importorskip("torch", reason="the oracle tests need the extra `oracle`")


def answers(namespace: Any, gradient: Any) -> dict[str, str]:
    """The gradient of each function, or why there is none."""
    module = load(Path(kink_programs.__file__), f"kinks_of_{type(namespace).__name__}", namespace)
    found = {}
    for kink in module.KINKS:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                found[kink.f.__name__] = short(gradient(kink.f, np.array(kink.x)))
        except Exception:  # each system has its own for what it lacks
            found[kink.f.__name__] = "-"
    return found


def torch_gradient(f: Any, x: Any) -> Any:
    import torch

    t = torch.tensor(x, requires_grad=True)
    f(t).backward()
    return t.grad.numpy()


def test_the_table_holds(request):
    import autograd
    import jax

    systems = {
        "jax": answers(jax_numpy(), lambda f, x: jax.grad(f)(x)),
        "autograd": answers(autograd_numpy(), lambda f, x: autograd.grad(f)(x)),
        "torch": answers(TorchNumpy(), torch_gradient),
    }
    found = {
        kink.f.__name__: {name: said[kink.f.__name__] for name, said in systems.items()}
        for kink in kink_programs.KINKS
    }
    if request.config.getoption("--update-docs"):
        ANSWERS.write_text(json.dumps(found, indent=1) + "\n")
        return
    assert json.loads(ANSWERS.read_text()) == found, "--update-docs writes what they answer now"
