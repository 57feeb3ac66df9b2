"""Predicted balances of accounts.

``expected`` finds the payments that are due, from standing orders and recurring payments;
``reading`` estimates other income and spending, and computes balances from both.
"""
