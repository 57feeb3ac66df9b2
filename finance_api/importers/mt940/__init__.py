"""SWIFT's MT940 and MT942, as banks write them."""
