"""Line shapes."""

import numpy as np
from lmfit import lineshapes as lines

x = np.array([-1.3, -0.2, 0.4, 1.7])
y = np.array([0.4, 0.9, 1.6, 2.2])
a = 1.4
c = 0.3
s = 0.8
g = 0.6

lines.gaussian(x, a, c, s)
lines.gaussian2d(x, y, a, c, c, s, g)
lines.lorentzian(x, a, c, s)
lines.split_lorentzian(x, a, c, s, g)
lines.voigt(x, a, c, s)
lines.pvoigt(x, a, c, s, g)
lines.moffat(x, a, c, s, g)
lines.pearson4(x, a, c, s, 1.2, g)
lines.pearson7(x, a, c, s, 1.2)
lines.breit_wigner(x, a, c, s, g)
lines.damped_oscillator(y, a, c, s)
lines.dho(x, a, c, s, g)
lines.logistic(x, a, c, s)
lines.lognormal(y, a, c, s)
lines.students_t(x, a, c, s)
lines.expgaussian(x, a, c, s, g)
lines.doniach(x, a, c, s, g)
lines.skewed_gaussian(x, a, c, s, g)
lines.skewed_voigt(x, a, c, s, g, 0.4)
lines.sine(x, a, 1.1, c)
lines.expsine(x, a, 1.1, c, 0.3)
lines.thermal_distribution(y, a, c, s)
lines.step(x, a, c, s, form="erf")
lines.rectangle(x, a, -0.3, s, 1.1, g, form="arctan")
lines.exponential(x, a, s)
lines.powerlaw(y, a, c)
lines.linear(x, a, c)
lines.parabolic(x, a, c, s)
