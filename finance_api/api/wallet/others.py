"""The paths below /wallet that are no lists: usage statistics, and one that only takes writes."""

from pyramid.response import Response

from finance_api.api.parameters import ParameterSchema
from finance_api.api.public.api_usage import PERIOD, api_usage, get_usage
from finance_api.api.service import Service, options
from finance_api.api.wallet.parameters import COMMON, schema_of
from finance_api.auth.contexts import own_by_any_token, own_data
from finance_api.auth.permissions import Permission
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.requests import Request
from finance_api.http.surfaces import USAGE_PATH, WALLET, WALLET_SURFACE

_schema = schema_of(COMMON)
_schema.add_parameter("period", *PERIOD)

USAGE = Service(
    "wallet api-usage",
    f"{WALLET}{USAGE_PATH}",
    **options(
        "The user's requests by day, week or month.",
        _schema,
        Permission.API_USAGE_READ,
        own_by_any_token(Permission.API_USAGE_READ),
        api_usage.response,
    ),
)
USAGE.add_view("GET", get_usage)


def get_nothing(request: Request) -> Response:
    raise problem(404, NOT_FOUND)


#: 405 for its writes, as on every other path.
WRITES = Service(
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
WRITES.add_view("GET", get_nothing)
SERVICES = (USAGE, WRITES)
