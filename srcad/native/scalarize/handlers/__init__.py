"""How each kind of array operation becomes loops, by the function that is called."""
