"""The rules that decide which stored records entries equal, one rule in each module."""
