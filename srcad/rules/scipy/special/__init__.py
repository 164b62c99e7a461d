"""Rules of `scipy.special`, by families of functions."""
