"""Rules of `scipy.stats`: the methods of distributions."""
