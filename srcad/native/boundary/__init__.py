"""The boundary of compiled functions: what is outlined, what is passed, and in which form."""
