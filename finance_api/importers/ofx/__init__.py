"""OFX, QFX and QBO statements: SGML (OFX 1.x) and XML (OFX 2.x) with one tolerant reader.

========================  ======================================================
``signature``             whether a file is OFX
``encoding``              bytes -> text
``markup``                text -> tags and text between them
``tree``                  tags -> transactions, and the elements around them
``transaction``           a transaction -> a movement, which waits in a file until
                          all is read; with the help of ``investment``
``statement``             elements and movements -> statements and entries, with
                          the help of ``account``
``values``                texts, amounts and dates of elements
========================  ======================================================

The format: https://financialdataexchange.org/ofx, OFX 1.6 and 2.3.
"""
