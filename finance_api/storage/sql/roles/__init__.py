"""The parts of a unit of work other than the data itself; each reads and writes."""
