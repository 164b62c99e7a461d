"""Thermal comfort."""

import numpy as np
from pythermalcomfort import models, utilities

t = 27.3
r = 25.2
v = 0.25
h = 51.0
ts = np.array([26.3, 28.2, 31.4])

models.at(tdb=t, rh=h, v=v).at
models.clo_tout(tout=t).clo_tout
models.discomfort_index(tdb=t, rh=h).di
models.humidex(tdb=t, rh=h, round_output=False).humidex
models.net(tdb=t, rh=h, v=v, round_output=False).net
models.pmv_ppd_iso(tdb=t, tr=r, vr=v, rh=h, met=1.2, clo=0.5, round_output=False).pmv
models.solar_gain(
    sol_altitude=t, sharp=120, sol_radiation_dir=800, sol_transmittance=0.5, f_svv=0.5, f_bes=0.5
).erf
models.thi(tdb=t, rh=h, round_output=False).thi
models.vertical_tmp_grad_ppd(
    tdb=t, tr=r, vr=0.1, rh=h, met=1.2, clo=0.5, vertical_tmp_grad=1.3, round_output=False
).ppd_vg
models.wbgt(twb=t, tg=r, round_output=False).wbgt
models.wci(tdb=-t, v=v * 10, round_output=False).wci
utilities.v_relative(v=v, met=1.4)
utilities.clo_dynamic_ashrae(clo=v * 4, met=1.4)
utilities.mean_radiant_tmp(tg=t, tdb=r, v=v, standard="ISO")
utilities.body_surface_area(weight=h, height=v * 7)
utilities.p_sat_torr(tdb=t)
utilities.enthalpy_air(tdb=t, hr=0.01)
