"""Balances of accounts in days to come.

``expected`` finds the payments that are due, from standing orders and recurring payments;
``typical`` what else usually comes and goes; ``reading`` makes balances of both.
"""
