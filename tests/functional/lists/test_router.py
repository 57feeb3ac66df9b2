"""The router tries one path after the other, so that a path near the end of them costs time."""

import pytest
from pyramid.interfaces import IRoutesMapper

from finance_api.http.surfaces import SUFFIX
from support.service import Service

pytestmark = pytest.mark.parametrize("storage_of_service", ["memory"])


def test_records_changes_and_other_lists_are_tried_first(service: Service) -> None:
    routes = service.app.registry.getUtility(IRoutesMapper).get_routes()
    first, second, *others = [
        route.pattern for route in routes if route.name.startswith(("api.", "ops."))
    ]
    assert (first, second) == ("/v1/api/records" + SUFFIX, "/v1/api/changes")
    lists = [pattern for pattern in others if pattern.endswith(SUFFIX)]
    assert others[: len(lists)] == lists
