"""Attributes of objects, classes and modules, and the instances made inside the program."""
