"""Neighbours on grids: Jacobi sweeps, flow in a cavity, horizontal diffusion of the weather."""

from __future__ import annotations

import numpy as np


def jacobi_1d(a, b, steps):
    """Average each entry with its neighbours, to and fro between two arrays, in place."""
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return a, b


def jacobi_2d(a, b, steps):
    """Average each entry with its four neighbours, to and fro between two arrays, in place."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )
    return a, b


def build_up_b(b, rho, dt, u, v, dx, dy):
    """Overwrite `b` with the source of the pressure equation."""
    b[1:-1, 1:-1] = rho * (
        1 / dt * ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) ** 2
    )


def pressure_poisson(sweeps, p, dx, dy, b):
    """Relax the pressure `p` in place; no flow through the walls, 0 at the lid."""
    for _ in range(sweeps):
        pn = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def cavity_flow(u, v, p, rho, nu, dt, dx, dy, steps, sweeps):
    """Drive the fluid in a square by its lid: velocities `u`, `v` and pressure `p`, in place."""
    b = np.zeros_like(p)
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        build_up_b(b, rho, dt, u, v, dx, dy)
        pressure_poisson(sweeps, p, dx, dy, b)
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu
            * (
                dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
                + dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])
            )
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[:-2, 1:-1])
            - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
            + nu
            * (
                dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, :-2])
                + dt / dy**2 * (vn[2:, 1:-1] - 2 * vn[1:-1, 1:-1] + vn[:-2, 1:-1])
            )
        )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0
    return u, v, p


def horizontal_diffusion(field, coeff):
    """Smooth each level of a field of the atmosphere; fluxes that go uphill are cut off."""
    i, j, _ = coeff.shape
    lap = 4.0 * field[1 : i + 3, 1 : j + 3, :] - (
        field[2 : i + 4, 1 : j + 3, :]
        + field[0 : i + 2, 1 : j + 3, :]
        + field[1 : i + 3, 2 : j + 4, :]
        + field[1 : i + 3, 0 : j + 2, :]
    )
    res = lap[1:, 1 : j + 1, :] - lap[:-1, 1 : j + 1, :]
    uphill = res * (field[2 : i + 3, 2 : j + 2, :] - field[1 : i + 2, 2 : j + 2, :]) > 0
    flx = np.where(uphill, 0, res)
    res = lap[1 : i + 1, 1:, :] - lap[1 : i + 1, :-1, :]
    uphill = res * (field[2 : i + 2, 2 : j + 3, :] - field[2 : i + 2, 1 : j + 2, :]) > 0
    fly = np.where(uphill, 0, res)
    return field[2 : i + 2, 2 : j + 2, :] - coeff * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :]
    )
