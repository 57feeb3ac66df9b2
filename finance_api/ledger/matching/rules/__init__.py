"""The rules by which entries are stored records, in modules of one rule each."""
