"""MT940 and MT942 of SWIFT, as banks write them, with the library mt-940 for their fields.

``fields`` makes fields of bytes and values of fields, ``details`` reads the text of an entry, and
``importer`` makes statements and entries.

The library is given one field at a time: it keeps all that it reads in memory, and joins what has
no transaction type to the entry before it. It knows one of the forms of ``:86:`` that banks use.
"""
