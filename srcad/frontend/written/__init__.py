"""Functions of NumPy's in terms of others: read in place, as a user's function is."""


def beyond(what: str) -> None:
    """What is not followed, and refused: `srcad.frontend.library.beyond`."""
