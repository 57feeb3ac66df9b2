"""Pages that read the user's data have a place among the requests for data."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.web.page import identity_of


def in_place(view: Any, info: Any) -> Any:
    """A view deriver. Templates read, too: they are within."""
    if info.options.get("permission") is not Permission.DATA_READ:
        return view

    def wrapped(context: Any, request: Request) -> Response:
        user_id = identity_of(request).user.id
        return request.in_place(lambda: view(context, request), user_id, is_cheap=False)

    return wrapped


def includeme(config: Configurator) -> None:
    config.add_view_deriver(in_place)
