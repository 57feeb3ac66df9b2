"""QIF, the Quicken Interchange Format: registers of accounts, line by line.

``register`` makes transactions of lines, each with its account, and ``importer`` statements and
entries; it reads dates and amounts as CSV does.

The format: https://en.wikipedia.org/wiki/Quicken_Interchange_Format
"""
