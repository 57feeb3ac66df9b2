"""Summaries of records: sums by dimensions that the records have in common.

``declaration`` lists the dimensions and columns, ``reading`` asks the storage for sums, and
``folding`` turns them into groups. Each group has one currency: currencies are never added up.
"""
