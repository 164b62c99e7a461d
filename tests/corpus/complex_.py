"""Complex numbers: loops, writes, filters, waves, circuits, real parts and branches on sizes."""

import cmath

import numpy as np
from corpus.program import Theme, array, number, positive, positive_number, scalar, vector

program = Theme("complex")


def complexes(*shape):
    """A maker of complex arrays."""
    return lambda rng: rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def complex_number(rng):
    """A Python complex number."""
    return complex(rng.standard_normal(), rng.standard_normal())


def complex_scalar(rng):
    return np.complex128(complex_number(rng))


z4 = complexes(4)


@program(complex_number, again=[(complex_number,)])
def polynomial_of_a_number(z):
    return z**3 - (2 + 1j) * z * z.conjugate() + z / (3 - z) + 2**z


@program(z4, vector)
def mixed_arithmetic(z, x):
    return z * x + x / z - 2j * x + 3 * z - x


@program(number, number)
def built_from_parts(a, b):
    z = complex(a, b)
    w = a + 1j * b
    return (z * w).real + abs(z - 2 * w)


@program(z4)
def parts(z):
    return z.real * z.imag + np.abs(z) ** 2 + np.angle(z) + np.real(z * np.conj(z))


@program(complex_scalar)
def numpy_scalar(z):
    return np.exp(1j * z) * z.conj() + z.real


@program(vector, vector)
def filled_in_a_loop(a, b):
    z = np.empty(4, complex)
    for i in range(4):
        z[i] = a[i] + 1j * b[i]
        if i > 0:
            z[i] += z[i - 1] ** 2
    return z


@program(vector, vector)
def parts_are_written(r, i):
    z = np.zeros(4, dtype=complex)
    z.real = r
    z.imag[1:] = i[1:] ** 2
    z *= 1 + 2j
    return np.sum(np.abs(z) ** 2)


@program(z4, vector)
def real_values_into_a_complex_array(z, x):
    z = z.copy()
    z[1:3] = x[:2] * z[0].real
    z[0] *= 1j
    return z


@program(vector)
def cast_there_and_back(x):
    z = x.astype(complex)
    z = z * (1 + 1j) + np.asarray(x, dtype=np.complex128) ** 2
    return z.real + 3 * z.imag


@program(complexes(3, 3), complexes(3))
def linear_algebra(a, b):
    m = a @ a.conj().T + 3 * np.eye(3)
    x = np.linalg.solve(m, b)
    return np.vdot(b, x).real + np.abs(np.linalg.det(m)) / 100


@program(z4)
def reductions(z):
    return z.sum() + z.mean() * z.prod() + z.var() * z.std() + np.cumsum(z)[2]


@program(complex_number, 2.0, again=[(lambda rng: 0.1 + 0.2j, 2.0)])
def escape_time(c, bound):
    z = c
    for _ in range(6):
        if abs(z) > bound:
            break
        z = z * z + c
    return abs(z) ** 2


@program(complex_number, again=[(lambda rng: -1.5 - 0.5j,), (lambda rng: 0.2 + 0.1j,)])
def branches_on_size(z):
    if abs(z) < 0.5:
        return z.real
    if z.real > 0:
        return (z * z).imag
    return cmath.exp(z).real


@program(complex_number)
def newton_for_a_root(c):
    z = 1 + 1j
    for _ in range(8):
        z = z - (z**3 - c) / (3 * z**2)
    return z


@program(z4)
def masked_writes(z):
    w = z.copy()
    w[w.real > 0] *= 1j
    w[w.imag < -0.5] = 0.5
    return np.where(np.abs(w) > 1, w, w.conj())


@program(array(16), positive(9))
def filter_by_fft(x, gains):
    return np.sum(np.fft.irfft(np.fft.rfft(x) * gains, n=len(x)) ** 2)


@program(array(8), again=[(array(9),)])
def spectrum_of_odd_and_even(x):
    n = len(x)
    power = np.abs(np.fft.rfft(x)) ** 2
    k = np.fft.rfftfreq(n, d=1.0 / n)
    return np.sum(k * power) / np.sum(power)


@program(complexes(8), array(8), again=[(complexes(6), array(6))])
def split_step(psi, potential):
    n = len(psi)
    k = 2 * np.pi * np.fft.fftfreq(n)
    dt = 0.1
    for _ in range(3):
        psi = psi * np.exp(-0.5j * dt * potential)
        psi = np.fft.ifft(np.exp(-0.5j * dt * k**2) * np.fft.fft(psi))
        psi = psi * np.exp(-0.5j * dt * potential)
    return np.sum(np.arange(n) * np.abs(psi) ** 2)


@program(array(8), positive(8))
def phase_retrieval(phase, measured):
    field = measured * np.exp(1j * phase)
    modulus = np.abs(np.fft.fft(field))
    return np.sum((modulus - 2.0) ** 2)


@program(array(4, 6))
def blur_in_two_dimensions(image):
    spectrum = np.fft.rfft2(image)
    rows = np.fft.fftfreq(image.shape[0])
    columns = np.fft.rfftfreq(image.shape[1])
    damp = np.exp(-(rows[:, None] ** 2) - columns**2)
    return np.fft.irfft2(spectrum * damp, s=image.shape) * image


@program(scalar, scalar)
def quantum_gates(theta, phi):
    state = np.array([1.0, 0.0], dtype=complex)
    rotation = np.array(
        [[np.cos(theta), -1j * np.sin(theta)], [-1j * np.sin(theta), np.cos(theta)]]
    )
    shift = np.diag(np.array([1.0, np.exp(1j * phi)]))
    hadamard = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    for gate in (hadamard, rotation, shift, hadamard):
        state = gate @ state
    z = np.array([[1, 0], [0, -1]])
    return np.real(np.conj(state) @ z @ state)


@program(positive(3), positive(3), positive_number)
def impedance_of_a_ladder(r, c, omega):
    z = 50.0 + 0j
    for k in range(3):
        shunt = 1 / (1j * omega * c[k])
        z = r[k] + z * shunt / (z + shunt)
    return 20 * np.log10(abs(z))


@program(positive_number, positive_number, positive_number)
def transfer_function(r, l, c):  # noqa: E741 - what inductances are called
    total = 0.0
    for omega in (0.5, 1.0, 2.0):
        s = 1j * omega
        h = 1 / (l * c * s**2 + r * c * s + 1)
        total += abs(h) + cmath.phase(h)
    return total


@program(z4)
def horner(c):
    total = 0j
    point = 0.5 + 0.5j
    for k in range(len(c) - 1, -1, -1):
        total = total * point + c[k]
    return abs(total) ** 2


@program(complexes(3, 4))
def while_it_is_large(z):
    turns = 0
    while np.max(np.abs(z)) > 0.5 and turns < 10:
        z = z * (0.5 + 0.3j)
        turns += 1
    return np.sum(z.real**2 - z.imag**2)


@program(z4, complex_number)
def list_of_numbers(z, w):
    out = []
    for each in z:
        w = w * 1j + each
        out.append(w.conjugate())
    return np.array(out)


@program(vector, vector)
def polar_form(r, phi):
    z = r * np.exp(1j * phi)
    return np.abs(z + z[::-1]) + np.angle(z * (2 + 1j))


@program(lambda rng: {"z": complexes(3)(rng), "x": 1.5})
def in_a_dict(p):
    return {"w": p["z"] * p["x"], "size": np.sum(np.abs(p["z"])) * p["x"]}


@program(lambda rng: complexes(4)(rng).astype(np.complex64), single=True)
def single_precision(z):
    return np.fft.fft(z * 2) + z.conj()


@program(z4)
def three_term_recurrence(z):
    a, b = np.ones(4, complex), z
    for n in range(1, 4):
        a, b = b, ((2 * n + 1) * z * b - n * a) / (n + 1)
    return b
