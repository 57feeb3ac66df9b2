"""The rules that match entries to equal stored records, one rule in each module."""
