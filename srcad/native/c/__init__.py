"""C for the loop form of a program: one function of C99 with its helpers, a header, a test.

flat            one index for each entry, extents as integers: what C has
names, types    of variables
expressions     operations as expressions, by tables
checks          what Python raises, as conditions
statements      loops, branches, assignments
declarations    each variable where it is first needed
helpers         functions of C that the program calls
texts           the files
"""
