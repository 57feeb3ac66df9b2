"""SWIFT's MT940 and MT942, as banks write them; the library mt-940 parses their fields.

``fields`` reads fields and their values, ``details`` parses the text of an entry, and
``importer`` makes statements and entries.

The library gets only one field at a time, because it keeps everything it reads in memory, and joins
lines without a transaction type to the entry before. It knows only one of the forms of ``:86:``.
"""
