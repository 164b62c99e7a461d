"""Correlations of vapor pressure, heat capacity and viscosity."""

import numpy as np
from chemicals import heat_capacity, vapor_pressure, viscosity

t = 350.0
tc = 540.0
pc = 2.7e6
omega = 0.35
ys = np.array([0.3, 0.7])

vapor_pressure.Ambrose_Walton(t, tc, pc, omega)
vapor_pressure.Antoine(t, 8.95, 1510.0, -31.0)
vapor_pressure.Edalat(t, tc, pc, omega)
vapor_pressure.Lee_Kesler(t, tc, pc, omega)
vapor_pressure.Psat_IAPWS(t)
vapor_pressure.Sanjari(t, tc, pc, omega)
vapor_pressure.Wagner(t, tc, pc, -7.6, 1.94, -2.9, -2.8)
vapor_pressure.Yaws_Psat(t, 28.5, -3000.0, -3.5, -1e-10, 7e-6)
heat_capacity.Cpg_statistical_mechanics(t, [1360.0, 2330.0, 2330.0, 4800.0, 4880.0])
heat_capacity.Dadgostar_Shaw(t, 0.139)
heat_capacity.Lastovka_Shaw(t, 0.1333)
heat_capacity.Poling(t, 4.0, 1e-3, -2e-6, 3e-9, -1e-12)
heat_capacity.Shomate(t, 30.0, 6.8e-3, 6.8e-6, -2.5e-9, 82000.0)
heat_capacity.TRCCp(t, 4.0, 7.6e5, 720.0, 3.5, -0.05, 9.5, 42.0, -49.0)
heat_capacity.Zabransky_cubic(t, 20.9, -10.5, 3.5, -0.35)
viscosity.Letsou_Stiel(t, 46.07, tc, 6.2e6, omega)
viscosity.Stiel_Thodos(t, tc, pc, 58.1)
viscosity.Twu_1985(t, 500.0, 800.0)
viscosity.Wilke([ys[0], ys[1]], [1e-5, 2e-5], [44.0, 18.0])
viscosity.Yoon_Thodos(t, tc, pc, 58.1)
viscosity.mu_IAPWS(t, 980.0)
viscosity.mu_Yaws(t, -6.5, 1100.0, 0.01, -1e-5)
