"""Lists, dicts, sets and records: what they hold, what they lead to, what may change them."""
