"""Predicted balances of accounts.

``expected`` finds the payments that are due, from standing orders and recurring payments;
``typical`` estimates other income and spending; ``reading`` makes balances from both.
"""
