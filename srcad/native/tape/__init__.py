"""The tape of compiled loops: rematerialisation, and updating arrays in place on it."""
