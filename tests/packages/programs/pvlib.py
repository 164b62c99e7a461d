"""Irradiance, temperature and power of photovoltaic systems."""

import numpy as np
from pvlib import (
    atmosphere,
    clearsky,
    iam,
    irradiance,
    pvsystem,
    solarposition,
    temperature,
    tracking,
)
from pvlib import singlediode as sd

z = np.array([20.0, 45.0, 62.0])
azimuth = np.array([150.0, 180.0, 205.0])
dni = np.array([800.0, 750.0, 500.0])
ghi = np.array([700.0, 600.0, 300.0])
dhi = np.array([90.0, 110.0, 80.0])
extra = np.array([1360.0, 1365.0, 1370.0])
mass = np.array([1.1, 1.4, 2.1])
ta = np.array([15.0, 20.0, 27.0])
wind = np.array([1.0, 2.5, 4.0])
rh = np.array([30.0, 55.0, 70.0])
water = np.array([1.2, 1.5, 2.0])
angle = np.array([10.0, 35.0, 55.0])
tilt = 30.0
i = 7.0
i0 = 3e-9
rs = 0.3
rsh = 400.0
vth = 1.5
volt = np.array([10.0, 20.0, 24.0])

irradiance.get_extra_radiation(100.5 + 0 * z) * z
irradiance.aoi_projection(tilt, 180.0, z, azimuth)
irradiance.aoi(tilt, 180.0, z, azimuth)
irradiance.beam_component(tilt, 180.0, z, azimuth, dni)
irradiance.get_total_irradiance(tilt, 180.0, z, azimuth, dni, ghi, dhi)["poa_global"]
irradiance.poa_components(angle, dni, dhi, 0.1 * ghi)["poa_direct"]
irradiance.get_ground_diffuse(tilt, ghi)
irradiance.isotropic(tilt, dhi)
irradiance.klucher(tilt, 180.0, dhi, ghi, z, azimuth)
irradiance.haydavies(tilt, 180.0, dhi, dni, extra, z, azimuth)
irradiance.reindl(tilt, 180.0, dhi, dni, ghi, extra, z, azimuth)
irradiance.king(tilt, dhi, ghi, z)
irradiance.perez(tilt, 180.0, dhi, dni, extra, z, azimuth, mass)
irradiance.perez_driesse(tilt, 180.0, dhi, dni, extra, z, azimuth, mass)
irradiance.clearsky_index(ghi, 1.2 * ghi)
irradiance.clearness_index(ghi, z, extra)
irradiance.clearness_index_zenith_independent(ghi / 1000, mass)
irradiance.disc(ghi, z, 100)["dni"]
irradiance.erbs(ghi, z, 100)["dhi"]
irradiance.orgill_hollands(ghi, z, 100)["dhi"]
irradiance.boland(ghi, z, 100)["dhi"]
irradiance.campbell_norman(z, 0.6)["ghi"]
irradiance.dni(ghi, dhi, z)
irradiance.louche(ghi, z, 100)["dni"]
atmosphere.pres2alt(100.0 * ghi)
atmosphere.alt2pres(ghi)
atmosphere.get_absolute_airmass(mass, 98000.0)
atmosphere.get_relative_airmass(z)
atmosphere.get_relative_airmass(z, "young1994")
atmosphere.gueymard94_pw(ta, rh)
atmosphere.rh_from_tdew(ta, 0.5 * ta)
atmosphere.tdew_from_rh(ta, rh)
atmosphere.bird_hulstrom80_aod_bb(0.1 * water, 0.2 * water)
atmosphere.kasten96_lt(mass, water, 0.1)
atmosphere.angstrom_aod_at_lambda(0.1 * water, 500.0)
atmosphere.angstrom_alpha(0.2, 380.0, 0.1 * water, 500.0)
atmosphere.windspeed_powerlaw(wind, 10.0, 2.0, 0.2)
clearsky.ineichen(z, mass, 3.0)["ghi"]
clearsky.simplified_solis(90.0 - z)["dni"]
clearsky.bird(z, mass, 0.1, 0.08, water)["direct_horizontal"]
iam.ashrae(angle)
iam.physical(angle)
iam.martin_ruiz(angle)
iam.interp(angle, [0.0, 40.0, 60.0, 90.0], [1.0, 0.95, 0.8, 0.0])
iam.schlick(angle)
temperature.sapm_cell(ghi, ta, wind, -3.47, -0.0594, 3.0)
temperature.sapm_module(ghi, ta, wind, -3.47, -0.0594)
temperature.pvsyst_cell(ghi, ta, wind)
temperature.faiman(ghi, ta, wind)
temperature.faiman_rad(ghi, ta, wind, 300.0)
temperature.ross(ghi, ta, 45.0)
temperature.noct_sam(ghi, ta, wind, 45.0, 0.18)
temperature.generic_linear(ghi, ta, wind, 25.0, 6.0, 0.2, 0.9)
pvsystem.calcparams_desoto(ghi, ta, 0.004, 1.5, 7.0, 3e-9, 400.0, 0.3)[1]
pvsystem.calcparams_cec(ghi, ta, 0.004, 1.5, 7.0, 3e-9, 400.0, 0.3, 8.0)[1]
pvsystem.calcparams_pvsyst(ghi, ta, 0.004, 1.1, -0.0003, 7.0, 3e-9, 400.0, 5000.0, 0.3, 60)[3]
pvsystem.singlediode(i, i0, rs, rsh, vth)["p_mp"]
pvsystem.i_from_v(volt, i, i0, rs, rsh, vth)
pvsystem.v_from_i(2.0, i, i0, rs, rsh / 4, vth)
pvsystem.pvwatts_dc(ghi, ta, 240.0, -0.003)
pvsystem.pvwatts_losses(i, rs)
pvsystem.dc_ohms_from_percent(volt, i, 2.0)
pvsystem.dc_ohmic_losses(rs, i)
sd.estimate_voc(i, i0, vth)
sd.bishop88(volt, i, i0, rs, rsh, vth)[0]
solarposition.declination_spencer71(z)
solarposition.equation_of_time_pvcdrom(z)
solarposition.solar_zenith_analytical(0.01 * z, 0.02 * z, 0.1)
tracking.calc_surface_orientation(z)["surface_tilt"]
