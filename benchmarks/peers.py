"""The same loss text on other systems: its global `np` is replaced by each system's own."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
from programs import Program

Call = Callable[[], object]


def available(program: Program) -> dict[str, Call]:
    """Return a call that computes the program's gradient for each system that can be imported."""
    calls = {}
    for name, build in {"autograd": _autograd, "PyTorch": _torch, "JAX": _jax}.items():
        try:
            calls[name] = build(program)
        except ImportError:
            continue
    return calls


def rebind(function: types.FunctionType, numpy: Any) -> types.FunctionType:
    """Return `function`, and the functions of its module that it calls, with another `np`."""
    scope: dict[str, Any] = {"__builtins__": function.__globals__["__builtins__"], "np": numpy}
    for name, value in function.__globals__.items():
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            scope[name] = types.FunctionType(value.__code__, scope, name, value.__defaults__)
    return scope[function.__name__]


def _autograd(program: Program) -> Call:
    import autograd
    import autograd.numpy as anp

    transform = autograd.value_and_grad if program.mode == "value_and_grad" else autograd.grad
    g = transform(rebind(program.loss, anp), program.argnums)
    return lambda: g(*program.args)


def _jax(program: Program) -> Call:
    import jax

    jax.config.update("jax_enable_x64", True)
    transform = jax.value_and_grad if program.mode == "value_and_grad" else jax.grad
    g = jax.jit(transform(rebind(program.loss, jax.numpy), program.argnums))
    args = jax.tree_util.tree_map(jax.numpy.asarray, program.args)
    return lambda: jax.block_until_ready(g(*args))


def _torch(program: Program) -> Call:
    import torch

    def tensors(tree: Any) -> Any:
        return (
            tuple(map(tensors, tree))
            if isinstance(tree, tuple)
            else torch.as_tensor(np.array(tree))
        )

    def flat(tree: Any) -> list[Any]:
        return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, tuple) else [tree]

    argnums = program.argnums if isinstance(program.argnums, tuple) else (program.argnums,)
    args = tensors(program.args)
    wanted = flat(tuple(args[i] for i in argnums))
    for leaf in wanted:
        leaf.requires_grad_()
    loss = rebind(program.loss, _torch_names(torch))

    def call() -> object:
        value = loss(*args)
        gradient = torch.autograd.grad(value, wanted)
        return gradient if program.mode == "grad" else (value.detach(), gradient)

    return call


def _torch_names(torch: Any) -> types.SimpleNamespace:
    """Return the functions that the losses use, under NumPy's names and keywords."""
    return types.SimpleNamespace(
        arange=torch.arange,
        exp=torch.exp,
        log=torch.log,
        mean=torch.mean,
        tanh=torch.tanh,
        trace=torch.trace,
        logaddexp=lambda zero, z: torch.nn.functional.softplus(z),
        max=lambda z, axis, keepdims: torch.amax(z, dim=axis, keepdim=keepdims),
        maximum=lambda z, floor: torch.clamp(z, min=floor),
        sum=lambda z, axis=None, keepdims=False: torch.sum(z, dim=axis, keepdim=keepdims),
        zeros=lambda shape, dtype: torch.zeros(shape, dtype=dtype),
    )
