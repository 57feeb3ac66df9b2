"""Files of banks and other projects. They are not part of this repository."""

import os
from pathlib import Path

_BESIDE = Path(__file__).parents[3] / "shared" / "corpora"
CORPORA = Path(os.environ.get("FINANCE_TEST_CORPORA", _BESIDE))
STATEMENTS = CORPORA / "statements"
