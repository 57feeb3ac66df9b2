"""Sheets of xlsx, xls and ods files, read as tables like CSV files.

``container`` checks and copies a file and finds cells without a value, ``conversion`` converts the
sheets to CSV with the library calamine, and ``importer`` chooses the sheet.
calamine can crash or hang on damaged files, and two cells far apart make it use all memory: that
is why it runs in a separate process, with limits.
"""
