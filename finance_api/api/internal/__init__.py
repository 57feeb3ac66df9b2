"""The endpoints of the internal surface, a module each."""
