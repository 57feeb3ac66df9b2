"""camt.052, camt.053 and camt.054 of ISO 20022, in all their versions, with one reader.

``markup`` gives out each entry when it is complete, and the statement that it stands in; expat
reads the XML, without document types and entities. ``entry`` makes entries of the account of them,
and ``importer`` statements.

The messages: https://www.iso20022.org/catalogue-messages, Bank-to-Customer Cash Management.
"""
