"""Summaries of records: sums by dimensions that the records have in common.

``declaration`` lists the dimensions and columns, ``reading`` asks the storage for sums, ``folding``
turns sums into groups, ``comparing`` finds the earlier time to compare with, ``left`` the payments
to come, and ``summary`` computes the columns and the answer. Each group has one currency: amounts
in different currencies are never added up.
"""
