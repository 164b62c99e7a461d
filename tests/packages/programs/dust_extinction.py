"""Extinction curves."""

import numpy as np
from dust_extinction import averages, parameter_averages, shapes

x = np.array([0.5, 1.3, 2.1, 4.4])
u = np.array([4.0, 5.5, 7.9])
r = 3.1

parameter_averages.CCM89(Rv=3.1).evaluate(x, r)
parameter_averages.O94(Rv=3.1).evaluate(x, r)
parameter_averages.F99(Rv=3.1).evaluate(x, r)
parameter_averages.F04(Rv=3.1).evaluate(x, r)
parameter_averages.VCG04(Rv=3.1).evaluate(u, r)
parameter_averages.M14(Rv=3.1).evaluate(x, r)
parameter_averages.G23(Rv=3.1).evaluate(x, r)
shapes.FM90().evaluate(u, 0.1, 0.7, 3.23, 0.41, 4.59, 0.95)
averages.G03_SMCBar().evaluate(x)
