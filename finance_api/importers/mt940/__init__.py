"""SWIFT's MT940 and MT942, as banks write them; the library mt-940 parses their fields."""
