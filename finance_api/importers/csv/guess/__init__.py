"""Guesses what options leave open, from a table's headings and cells; asks what stays open.

`guessing` goes through the matters in order, one module for each. Nothing here makes an entry.
"""
