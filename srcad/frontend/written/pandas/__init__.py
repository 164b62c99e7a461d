"""Series and tables of pandas, and what it makes of many values: read in place of them."""
