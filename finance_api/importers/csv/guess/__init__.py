"""Guesses what options leave open, from a table's headings and cells; asks what stays open.

`columns` finds the columns of a candidate table. For the chosen table, `evidence` collects what all
rows have, and `guessing` goes through the other matters, a module for each. The result is a
`TableReading`. Nothing here makes an entry.
"""
