"""Calls of compiled programs: guards, dispatch, failures, and the choice between backends."""
