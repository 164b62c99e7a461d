"""From a request to a compiled program: the list of stages, specialisation, and calling."""
