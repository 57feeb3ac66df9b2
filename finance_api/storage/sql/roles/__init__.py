"""The parts of a unit of work other than the data itself; each class reads and writes."""
