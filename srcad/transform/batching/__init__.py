"""`vmap`: a program for one sample as a program for all samples."""
