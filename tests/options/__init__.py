"""The documented parameters of NumPy's functions, one by one."""
