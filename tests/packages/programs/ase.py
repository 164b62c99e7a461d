"""Cells, angles and distances of atoms."""

import ase
import numpy as np
from ase import geometry, quaternions
from ase.calculators.lj import LennardJones
from ase.eos import birchmurnaghan, murnaghan, pouriertarantola, vinet
from ase.geometry import cell as cells

p = np.array([[0.1, 0.3, 0.2], [1.2, 0.5, -0.3], [0.4, 1.1, 0.6]])
q = np.array([[0.2, 0.1, 0.4], [1.0, 0.7, -0.1], [0.1, 1.2, 0.9]])
C = np.array([[3.0, 0.1, 0.2], [0.3, 4.0, 0.1], [0.2, 0.4, 5.0]])
v = np.array([14.0, 15.5, 17.0])
e = -3.7
b = 0.5
w = 16.0

geometry.wrap_positions(p, C)
geometry.complete_cell(C)
geometry.find_mic(p, C)[0]
geometry.cell_to_cellpar(C)
geometry.cellpar_to_cell([3.0 * b, 4.0, 5.0, 80.0, 85.0, 95.0])
geometry.get_angles(p, q)
geometry.get_distances(p, q)[1]
geometry.get_dihedrals(p, q, p[::-1])
geometry.get_angles_derivatives(p, q)
geometry.get_distances_derivatives(p)
cells.unit_vector(p[0])
cells.angle(p[0], p[1])
murnaghan(v, e, b, 4.0, w)
birchmurnaghan(v, e, b, 4.0, w)
pouriertarantola(v, e, b, 4.0, w)
vinet(v, e, b, 4.0, w)
quaternions.Quaternion(np.append(p[0], b)).rotation_matrix()
ase.Atoms("H3", positions=p).get_center_of_mass()
ase.Atoms("H3", positions=p).get_moments_of_inertia()
ase.Atoms("H3", positions=p, calculator=LennardJones()).get_potential_energy()
