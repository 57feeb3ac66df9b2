"""The parts of a unit of work for all but the data itself, each with a reader and a writer."""
