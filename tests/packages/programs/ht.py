"""Heat transfer: convection and radiation."""

from ht import conv_external, conv_free_immersed, conv_internal, core, radiation

re = 1e5
pr = 1.2
fd = 0.0185
d = 0.05
t = 400.0

conv_internal.Morimoto_Hotta(re, pr, 0.05, 0.5)
conv_internal.Nu_conv_internal(re, pr, fd=fd)
conv_internal.laminar_entry_Baehr_Stephan(1500.0, pr, 1.0, d)
conv_internal.turbulent_Churchill_Zajic(re, pr, fd)
conv_internal.turbulent_Colburn(re, pr)
conv_internal.turbulent_Dittus_Boelter(re, pr)
conv_internal.turbulent_Gnielinski(re, pr, fd)
conv_internal.turbulent_Sieder_Tate(re, pr)
conv_internal.turbulent_von_Karman(re, pr, fd)
conv_external.Nu_cylinder_Zukauskas(7992.0, pr)
conv_external.Nu_cylinder_Churchill_Bernstein(re, pr)
conv_external.Nu_cylinder_Fand(re, pr)
conv_free_immersed.Nu_vertical_plate_Churchill(pr, 2.6e9)
conv_free_immersed.Nu_sphere_Churchill(pr, 1e7)
core.LMTD(100.0, 60.0, d, 40.0)
core.fin_efficiency_Kern_Kraus(d, 0.06, 0.001, 200.0, 58.0)
radiation.blackbody_spectral_radiance(t, 4e-6)
radiation.q_rad(0.8, t, 300.0)
