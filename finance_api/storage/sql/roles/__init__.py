"""The parts of a unit of work other than the data itself; each has a reader and a writer."""
