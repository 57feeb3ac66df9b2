"""QIF, the Quicken Interchange Format: registers of accounts, line by line.

``register`` reads lines as transactions, each with its account, and ``importer`` makes statements
and entries; it reads dates and amounts as the CSV importer does.

The format: https://en.wikipedia.org/wiki/Quicken_Interchange_Format
"""
