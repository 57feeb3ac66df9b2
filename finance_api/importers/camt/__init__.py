"""camt.052, camt.053 and camt.054 of ISO 20022, in all their versions, with one reader.

========================  ======================================================
``signature``             which message a file is
``markup``                bytes -> elements: each entry when it is complete, and
                          the statement that it stands in; expat without document
                          types and entities
``statement``             what the statement says of its account and of itself
``transaction``           the parts of an entry, as soon as they are complete
``entry``                 an entry with its parts -> entries of the account
========================  ======================================================

The messages: https://www.iso20022.org/catalogue-messages, Bank-to-Customer Cash Management.
"""
