"""What the constructors of rules rest on: what a declaration is, where one may stand, and
the cases it is tried at.
"""
