"""The router tries one path after the other, so that a path near the end of them costs time."""

import pytest
from pyramid.interfaces import IRoutesMapper

from finance_api.http.surfaces import SUFFIX
from support.service import Service

pytestmark = pytest.mark.parametrize("storage_of_service", ["memory"])


def test_lists_are_tried_first(service: Service) -> None:
    routes = service.app.registry.getUtility(IRoutesMapper).get_routes()
    patterns = [route.pattern for route in routes if route.name.startswith(("api.", "ops."))]
    lists = [pattern for pattern in patterns if pattern.endswith(SUFFIX)]
    assert patterns[: len(lists)] == lists
    assert "/v1/api/records" + SUFFIX in lists[:5]
