"""OFX, QFX and QBO statements: SGML (OFX 1.x) and XML (OFX 2.x) with one tolerant reader.

``markup`` makes tags of bytes, and ``tree`` transactions of tags, and the elements around them.
Each ``transaction`` is a movement, which waits in a file until all is read; then ``importer`` makes
statements and entries of elements and movements.

The format: https://financialdataexchange.org/ofx, OFX 1.6 and 2.3.
"""
