"""Sheets of xlsx, xls and ods files, read as the tables that CSV files are.

========================  ======================================================
``container``             whether the file can be opened at all; a copy of what it has in it
``markup``                the XML of its parts, piece by piece
``faults``                cells whose value is an error, or was never worked out
``conversion``            cells -> rows of text, in a process of its own
``workbook``              all of these: a file -> its sheets
``importer``              which sheet has the statement
========================  ======================================================

Cells are taken out by calamine. Damaged files make it abort or never end, and two cells far apart
make it take all memory: that is why it runs in a process of its own, with limits.
"""
