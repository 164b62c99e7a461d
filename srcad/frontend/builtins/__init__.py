"""Builtins and containers of Python's library that lowering itself evaluates."""
