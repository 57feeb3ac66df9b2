"""MT940 and MT942 of SWIFT, as banks write them, with the library mt-940 for their fields.

========================  ======================================================
``signature``             which message a file is
``lines``                 bytes -> fields: ``:61:`` and the text to the next one
``fields``                the values of balances and statement lines
``details``               what ``:86:`` says: payee, note, reference, account
``pages``                 whether a page between two others is missing
``importer``              fields -> statements and entries
========================  ======================================================

The library is given one field at a time: it keeps all that it reads in memory, and joins what has
no transaction type to the entry before it. It knows one of the forms of ``:86:`` that banks use.
"""
