"""Books of hledger, from what its commands print; the journal itself is never parsed."""
