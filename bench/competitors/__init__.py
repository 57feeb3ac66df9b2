"""The competitors: the same responses from the same data, programmed the usual way."""
