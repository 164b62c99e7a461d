"""The explorer: a function and its derivative side by side, on one page of HTML."""
