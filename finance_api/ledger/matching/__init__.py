"""Decides which entry of a file equals which stored record.

The rules in `importing.RULES` decide, in that order. Each rule looks at the entries that earlier
rules left undecided, and yields pairs and questions. The rules that decide entries which the file
itself repeats, corrects or deletes are in `open_rows`; all other rules are in `rules`.
"""
