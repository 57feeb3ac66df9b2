"""Which stored record an entry of a statement is, if it is one."""
