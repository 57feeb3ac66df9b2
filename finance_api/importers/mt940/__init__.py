"""MT940 and MT942 of SWIFT, as banks write them, with the library mt-940 for their fields.

========================  ======================================================
``signature``             which message a file is
``lines``                 bytes -> fields: ``:61:`` and the text to the next one
``fields``                the values of balances and statement lines
``details``               what ``:86:`` says: payee, note, reference, account
``importer``              fields -> statements and entries
========================  ======================================================

The library is given one field at a time: it holds all that it reads, and joins what has no
transaction type to what comes before it. Of ``:86:`` it knows one of the forms that banks use.
"""
