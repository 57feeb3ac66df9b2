"""Reads OFX, QFX and QBO statements, both SGML (OFX 1.x) and XML (OFX 2.x), tolerantly.

``markup`` splits bytes into tags, and ``tree`` builds transactions and the elements around them.
``importer`` reads each transaction as a movement, which is kept in a temporary file, and after the
end of the file makes statements and entries from the elements and movements.

The format: https://financialdataexchange.org/ofx, OFX 1.6 and 2.3.
"""
