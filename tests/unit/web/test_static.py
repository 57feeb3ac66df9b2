"""The weight of what every browser loads."""

from importlib.resources import files

import pytest

STATIC = files("finance_api.web") / "static"


@pytest.mark.parametrize(("kind", "most"), [(".css", 49_000), (".js", 80_000)])
def test_styles_and_scripts_stay_small(kind, most):
    # The viewer of the API's description is another project's file, which only that page loads.
    sizes = {f.name: len(f.read_bytes()) for f in STATIC.iterdir() if f.name.endswith(kind)}
    assert len(sizes) >= 2
    assert sum(sizes.values()) <= most, sizes
