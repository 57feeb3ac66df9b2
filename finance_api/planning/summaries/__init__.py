"""Summaries of records: sums by dimensions that the records have in common.

``declaration`` lists the dimensions and columns, ``reading`` asks the storage for sums, and
``folding`` makes groups of them. Every group has one currency: nothing is added across currencies.
"""
