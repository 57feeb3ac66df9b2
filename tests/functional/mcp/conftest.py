"""One MCP server for the tests of the tools."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.mcp_client import Site


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Site]":
    # The SDK of MCP may be missing; then only the modules that need it are skipped.
    from support.mcp_client import running_site

    with running_site(tmp_path_factory.mktemp("mcp")) as running:
        yield running
