"""Programs out of the books of fields: water, drugs, orbits, chemistry, batteries, finance.

`cliffs.py` counts those of which every loop is compiled.
"""

from __future__ import annotations

import math

import numpy as np
from habits import numbers, program

# Water --------------------------------------------------------------------------------------------


@program(np.array([0.7, 40.0, 2.0, 0.3]), 10 * numbers(90, seed=1), 4 * numbers(90, seed=2))
def gr4j_like(p, rain, evaporation):
    """Return the misfit of a rainfall-runoff model: production store, unit hydrograph, routing."""
    n = len(rain)
    production, routing = 0.5 * p[1], 0.3 * p[1]
    length = int(np.ceil(2.5))
    sh = np.array([min((t / 2.5) ** 2.5, 1.0) for t in range(length + 1)])
    uh = np.diff(sh)
    queue = np.zeros(length)
    flows = []
    for t in range(n):
        if rain[t] >= evaporation[t]:
            net = rain[t] - evaporation[t]
            ws = np.tanh(net / p[1])
            s = production / p[1]
            stored = p[1] * (1 - s**2) * ws / (1 + s * ws)
            taken = 0.0
        else:
            net, stored = 0.0, 0.0
            ws = np.tanh((evaporation[t] - rain[t]) / p[1])
            s = production / p[1]
            taken = production * (2 - s) * ws / (1 + (1 - s) * ws)
        production = production - taken + stored
        percolation = production * (1 - (1 + (4 / 9 * production / p[1]) ** 4) ** (-0.25))
        production -= percolation
        effective = percolation + net - stored
        queue = np.roll(queue, -1)
        queue[-1] = 0.0
        queue += uh * effective
        routing = max(0.0, routing + 0.9 * queue[0] + p[2] * (routing / p[1]) ** 3.5)
        out = routing * (1 - (1 + (routing / p[1]) ** 4) ** (-0.25))
        routing -= out
        flows.append(out + 0.1 * queue[0] * p[0])
    flows = np.array(flows)
    return 1 - np.sum((flows - p[3] * rain) ** 2) / np.sum((rain - rain.mean()) ** 2)


@program(np.array([0.2, 1.3]), 0.5 * numbers(30, seed=1))
def muskingum(p, inflow):
    """Return the peak of a flood after three reaches of a river."""
    x, k = p
    dt = 0.5
    denominator = 2 * k * (1 - x) + dt
    c0 = (dt - 2 * k * x) / denominator
    c1 = (dt + 2 * k * x) / denominator
    c2 = (2 * k * (1 - x) - dt) / denominator
    reach = inflow
    for _ in range(3):
        outflow = np.empty_like(reach)
        outflow[0] = reach[0]
        for i in range(1, len(reach)):
            outflow[i] = c0 * reach[i] + c1 * reach[i - 1] + c2 * outflow[i - 1]
        reach = outflow
    return reach.max()


@program(numbers(24, 18), np.array([0.3, 0.7]))
def groundwater(conductivity, p):
    """Return the head under a well by successive over-relaxation."""
    ny, nx = conductivity.shape
    head = np.ones((ny, nx))
    head[:, -1] = p[0]
    for sweep in range(500):  # noqa: B007 - read after the loop
        largest = 0.0
        for i in range(1, ny - 1):
            for j in range(1, nx - 1):
                w, e = conductivity[i, j - 1], conductivity[i, j + 1]
                s, n = conductivity[i + 1, j], conductivity[i - 1, j]
                mean = (
                    w * head[i, j - 1]
                    + e * head[i, j + 1]
                    + s * head[i + 1, j]
                    + n * head[i - 1, j]
                ) / (w + e + s + n)
                if (i, j) == (ny // 2, nx // 2):
                    mean -= 0.05 * p[1]
                change = 1.6 * (mean - head[i, j])
                head[i, j] += change
                largest = max(largest, abs(change))
        if largest < 1e-3:
            break
    return head[ny // 2, nx // 2] + 0.001 * sweep


# Drugs and diseases -------------------------------------------------------------------------------


def eliminate(t, y, p):
    """Return the rates of a drug in gut, blood and tissue with saturable clearance."""
    gut, blood, tissue = y
    ka, vmax, km, k12, k21 = p
    dgut = -ka * gut
    dblood = ka * gut - vmax * blood / (km + blood) - k12 * blood + k21 * tissue
    dtissue = k12 * blood - k21 * tissue
    return [dgut, dblood, dtissue]


@program(np.array([1.1, 0.8, 0.5, 0.2, 0.1]), numbers(12, seed=1))
def repeated_doses(p, measured):
    """Return the log likelihood of concentrations under doses every twelve hours."""
    y = np.array([0.0, 0.0, 0.0])
    t, dt = 0.0, 0.25
    doses = {0.0: 1.0, 12.0: 1.0, 24.0: 0.5}
    loglik = 0.0
    k = 0
    while t < 36.0:
        for when, amount in doses.items():
            if abs(t - when) < 1e-9:
                y[0] += amount
        f1 = np.array(eliminate(t, y, p))
        f2 = np.array(eliminate(t + dt / 2, y + dt / 2 * f1, p))
        f3 = np.array(eliminate(t + dt / 2, y + dt / 2 * f2, p))
        f4 = np.array(eliminate(t + dt, y + dt * f3, p))
        y = y + dt / 6 * (f1 + 2 * f2 + 2 * f3 + f4)
        t += dt
        if abs(t % 3.0) < 1e-9 and k < len(measured):
            loglik -= 0.5 * (np.log(y[1] + 1e-3) - np.log(measured[k])) ** 2
            k += 1
    return loglik


@program(np.array([0.05, 0.2, 0.1]), numbers(5, 5, seed=1), np.array([30, 20, 20, 20, 10]))
def sir_by_age(p, contacts, people):
    """Return what an epidemic in age groups costs, with a lockdown while many are ill."""
    s = people - 0.1
    i = np.full(len(people), 0.1)
    r = np.zeros(len(people))
    locked, cost = False, 0.0
    for _ in range(120):
        if not locked and i.sum() > 10:
            locked = True
        elif locked and i.sum() < 3:
            locked = False
        factor = 0.3 if locked else 1.0
        force = factor * p[0] * contacts @ (i / people)
        new = np.minimum(force * s, s)
        gone = p[1] * i
        s, i, r = s - new, i + new - gone, r + gone
        cost += np.sum(i) + (p[2] * 5 if locked else 0)
    return cost / 120


@program(np.array([0.3, 0.1, 2.0]), np.array([3, 5, 2, 8, 1, 4, 6]))
def renewal(p, cases):
    """Return the Poisson log likelihood of cases under the renewal equation."""
    gamma = [t ** (p[2] - 1) * math.exp(-t * 0.5) for t in range(1, 8)]
    norm = sum(gamma)
    w = [g / norm for g in gamma]
    infections = [2.0]
    for t in range(1, 30):
        pressure = 0.0
        for lag in range(1, min(t, 7) + 1):
            pressure += infections[t - lag] * w[lag - 1]
        rate = math.exp(p[0] - p[1] * math.sin(t / 10))
        infections.append(rate * pressure)
    loglik = 0.0
    for t, c in enumerate(cases):
        lam = infections[t * 4]
        loglik += c * math.log(lam) - lam - math.lgamma(c + 1)
    return -loglik


# Orbits and mechanics -----------------------------------------------------------------------------


@program(np.array([0.2, 1.1]), np.linspace(0.1, 6.0, 40))
def kepler(elements, anomalies):
    """Return the squared distances of a satellite by Newton's iteration for Kepler's equation."""
    e, a = elements
    total = 0.0
    for m in anomalies:
        big_e = m if e < 0.8 else np.pi
        for _ in range(50):
            delta = (big_e - e * np.sin(big_e) - m) / (1 - e * np.cos(big_e))
            big_e -= delta
            if abs(delta) < 1e-12:
                break
        nu = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(big_e / 2), np.sqrt(1 - e) * np.cos(big_e / 2))
        r = a * (1 - e * np.cos(big_e))
        x, y = r * np.cos(nu), r * np.sin(nu)
        total += x**2 + 2 * y**2
    return total


@program(0.5 + numbers(5, 3), 0.1 * numbers(5, 3, seed=1), numbers(5, seed=2))
def star_cluster(x, v, m):
    """Return the energy error of a small star cluster."""

    def acceleration(x):
        a = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(len(x)):
                if i == j:
                    continue
                d = x[j] - x[i]
                r = np.linalg.norm(d) + 0.05
                a[i] += m[j] * d / r**3
        return a

    def energy(x, v):
        kinetic = 0.5 * np.sum(m * np.sum(v**2, axis=1))
        potential = 0.0
        for i in range(len(x)):
            for j in range(i):
                potential -= m[i] * m[j] / (np.linalg.norm(x[i] - x[j]) + 0.05)
        return kinetic + potential

    start = energy(x, v)
    dt = 0.01
    a = acceleration(x)
    for _ in range(20):
        v = v + 0.5 * dt * a
        x = x + dt * v
        a = acceleration(x)
        v = v + 0.5 * dt * a
    return (energy(x, v) - start) ** 2 + energy(x, v)


@program(np.array([1.0, 0.02, 0.01, -0.03]), 0.1 * numbers(50, 3, seed=1))
def attitude(q, gyro):
    """Return how far a body has turned, integrating its gyroscope by quaternions."""
    dt = 0.02
    for k in range(len(gyro)):
        wx, wy, wz = gyro[k]
        omega = np.array([[0, -wx, -wy, -wz], [wx, 0, wz, -wy], [wy, -wz, 0, wx], [wz, wy, -wx, 0]])
        q = q + 0.5 * dt * omega @ q
        q /= np.linalg.norm(q)
    w, x, y, z = q
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1))


# Chemistry and batteries --------------------------------------------------------------------------


SPECIES = {"A": 0, "B": 1, "C": 2}
REACTIONS = [(("A",), ("B",)), (("B", "B"), ("B", "C")), (("B", "C"), ("A", "C"))]


@program(np.array([0.04, 3.0, 1.0]))
def robertson(k):
    """Return what is left of a species by implicit Euler with Newton's method."""
    y = np.array([1.0, 0.0, 0.0])
    h = 0.1
    for _ in range(20):
        z = y.copy()
        for _ in range(10):
            f = np.zeros(3)
            j = np.zeros((3, 3))
            for r, (left, right) in enumerate(REACTIONS):
                rate = k[r]
                for name in left:
                    rate = rate * z[SPECIES[name]]
                for name in left:
                    f[SPECIES[name]] -= rate
                for name in right:
                    f[SPECIES[name]] += rate
            j[0] = [-k[0], k[2] * z[2], k[2] * z[1]]
            j[1] = [k[0], -2 * k[1] * z[1] - k[2] * z[2], -k[2] * z[1]]
            j[2] = [0, 2 * k[1] * z[1], 0]
            dz = np.linalg.solve(np.eye(3) - h * j, y + h * f - z)
            z = z + dz
            if np.linalg.norm(dz) < 1e-10:
                break
        y = z
        h = min(1.2 * h, 1.0)
    return y[0] - y[2] ** 2


@program(np.array([1.2, 0.5, 0.1]), numbers(60, seed=1))
def single_particle(p, current):
    """Return the energy a battery gives until its voltage falls below a limit."""
    n = 10
    r = np.linspace(0.05, 0.95, n)
    c = np.full(n, 0.9)
    energy = 0.0
    for i in current:
        flux = np.zeros(n + 1)
        flux[1:-1] = -p[0] * 0.01 * (c[1:] - c[:-1]) / (r[1] - r[0])
        flux[-1] = 0.02 * i
        area = np.linspace(0.0, 1.0, n + 1) ** 2
        c = c - 0.2 * (area[1:] * flux[1:] - area[:-1] * flux[:-1]) / r**2
        surface = c[-1]
        ocv = 3.2 + 0.8 * surface - 0.1 * np.log((1 - surface) / surface)
        eta = 2 * p[2] * np.arcsinh(i / (2 * p[1] * np.sqrt(surface * (1 - surface))))
        voltage = ocv - eta
        if voltage < 2.5:
            break
        energy += voltage * i
    return energy


# Finance ------------------------------------------------------------------------------------------


@program(np.array([1.0, 0.2, 0.03]))
def binomial_put(p):
    """Return the value of an option that may be exercised early, by a binomial tree."""
    s, sigma, rate = p
    n, k, t = 12, 1.05, 1.0
    dt = t / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    q = (np.exp(rate * dt) - d) / (u - d)
    values = [max(k - s * u**j * d ** (n - j), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = np.exp(-rate * dt) * (q * values[j + 1] + (1 - q) * values[j])
            exercise = k - s * u**j * d ** (i - j)
            values[j] = max(hold, exercise)
    return values[0]


@program(np.array([0.04, 0.3, 0.02, -0.5]), np.random.default_rng(3).normal(size=(40, 20, 2)))
def heston(p, z):
    """Return the price of an Asian call with knock-out under stochastic volatility."""
    theta, xi, r, rho = p
    paths, steps, _ = z.shape
    dt = 1.0 / steps
    payoff = np.zeros(paths)
    for i in range(paths):
        s, v = 1.0, theta
        running = 0.0
        alive = True
        for t in range(steps):
            z1 = z[i, t, 0]
            z2 = rho * z1 + np.sqrt(1 - rho**2) * z[i, t, 1]
            s *= np.exp((r - 0.5 * v) * dt + np.sqrt(max(v, 1e-12) * dt) * z1)
            v += 1.5 * (theta - v) * dt + xi * np.sqrt(max(v, 1e-12) * dt) * z2
            running += s
            if s > 1.6:
                alive = False
                break
        if alive:
            payoff[i] = max(running / steps - 0.95, 0)
    return np.exp(-r) * payoff.mean()
