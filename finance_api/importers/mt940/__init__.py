"""MT940 and MT942 of SWIFT, as banks write them, with the library mt-940 for their fields.

``lines`` makes fields of bytes, ``fields`` and ``details`` values of fields, and ``importer``
statements and entries of those.

The library is given one field at a time: it keeps all that it reads in memory, and joins what has
no transaction type to the entry before it. It knows one of the forms of ``:86:`` that banks use.
"""
