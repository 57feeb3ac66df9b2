"""The path of Wallet's that takes writes only: 405 as on every other path."""

from pyramid.response import Response

from finance_api.api.parameters import ParameterSchema
from finance_api.api.service import Service, options
from finance_api.auth.contexts import own_data
from finance_api.auth.permissions import Permission
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.requests import Request
from finance_api.http.surfaces import WALLET_SURFACE


def get_nothing(request: Request) -> Response:
    raise problem(404, NOT_FOUND)


_SERVICE = Service(
    "wallet categories/custom",
    f"{WALLET_SURFACE}categories/custom",
    **options(
        "Takes writes in Wallet, and nothing here.",
        ParameterSchema(),
        Permission.CATEGORIES_READ,
        own_data("categories", Permission.CATEGORIES_READ),
        None,
    ),
)
_SERVICE.add_view("GET", get_nothing)
SERVICES = (_SERVICE,)
