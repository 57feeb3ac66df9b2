"""YNAB: the JSON of a whole plan, as its API gives it."""
