"""Payments that recur: finding them in the records, and their standing orders."""
