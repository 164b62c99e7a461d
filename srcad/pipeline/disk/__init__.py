"""Programs on disk: fingerprints, the store, and compiling in the background."""
