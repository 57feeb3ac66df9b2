"""Books: the whole own files of other programs, one folder per program.

A reader turns a book into objects of the native format, with ids derived from the program's own
ids, so that the same book imported again changes nothing.
"""
