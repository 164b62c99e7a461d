"""Linear algebra: products, decompositions, and what is made of them."""
