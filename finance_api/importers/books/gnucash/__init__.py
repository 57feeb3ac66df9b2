"""GnuCash: the file of a book, as XML (also packed with gzip) or SQLite."""
