"""What programs call for solvers of SciPy: integrals, linear programs, steps, solutions."""
