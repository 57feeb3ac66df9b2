"""Readers of files: bytes -> domain objects, one folder or file per format; they store nothing."""
