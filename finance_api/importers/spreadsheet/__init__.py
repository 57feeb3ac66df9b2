"""Sheets of xlsx, xls and ods files, read as the tables that CSV files are.

``container`` checks and copies a file, ``faults`` finds cells without a value, ``conversion`` makes
rows of text of the sheets, and ``importer`` chooses the sheet. calamine takes the cells out.
Damaged files make it abort or never end, and two cells far apart make it take all memory: that is
why it runs in a process of its own, with limits.
"""
