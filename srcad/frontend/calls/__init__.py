"""Calls: of the user's functions, of builtins, and of the library functions read in place."""
