"""OFX, QFX and QBO statements: SGML (OFX 1.x) and XML (OFX 2.x) with one tolerant reader.

========================  ======================================================
``signature``             whether a file is OFX
``encoding``              bytes -> text
``markup``                text -> tags and text between them
``tree``                  tags -> elements, closed or not
``statement``             elements -> statements, with the help of ``account``,
                          ``transaction``, ``investment`` and ``identity``
========================  ======================================================

The format: https://financialdataexchange.org/ofx, OFX 1.6 and 2.3.
"""

from finance_api.importers.ofx.importer import OfxImporter
from finance_api.importers.ofx.signature import looks_like_ofx

__all__ = ["OfxImporter", "looks_like_ofx"]
