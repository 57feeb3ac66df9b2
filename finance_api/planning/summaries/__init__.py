"""Summaries of records: sums by dimensions that the records have in common.

``declaration`` lists the dimensions and columns, ``reading`` asks the storage for sums, ``folding``
turns them into groups, ``measuring`` computes the columns of the groups, ``comparing`` finds the
earlier time, and ``summary`` puts them together. Each group has one currency: currencies are never
added up.
"""
