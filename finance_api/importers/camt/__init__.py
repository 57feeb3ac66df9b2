"""Reads camt.052, camt.053 and camt.054 of ISO 20022, in all their versions.

``markup`` parses the XML with expat, without document types and entities, and yields each complete
entry with the statement that contains it. ``importer`` converts these elements to statements and
entries.

The messages: https://www.iso20022.org/catalogue-messages, Bank-to-Customer Cash Management.
"""
