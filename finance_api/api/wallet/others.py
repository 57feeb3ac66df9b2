"""The paths below /wallet that are no lists: usage statistics, and one that only takes writes."""

from pyramid.response import Response

from finance_api.api.parameters import ParameterSchema
from finance_api.api.public.api_usage import PERIOD, api_usage, get_usage
from finance_api.api.service import Service, of_resource
from finance_api.api.wallet.parameters import COMMON, schema_of
from finance_api.auth.contexts import own_by_any_token
from finance_api.auth.permissions import Permission
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.requests import Request
from finance_api.http.surfaces import USAGE_PATH, WALLET, WALLET_SURFACE
from finance_api.resources import CATEGORIES

_schema = schema_of(COMMON)
_schema.add_parameter("period", *PERIOD)

USAGE = Service(
    f"{WALLET}{USAGE_PATH}",
    get_usage,
    "The user's requests by day, week or month.",
    schema=_schema,
    response=api_usage.response,
    permission=Permission.API_USAGE_READ,
    factory=own_by_any_token(Permission.API_USAGE_READ),
)


def get_nothing(request: Request) -> Response:
    raise problem(404, NOT_FOUND)


#: 405 for its writes, as on every other path.
WRITES = Service(
    f"{WALLET_SURFACE}categories/custom",
    get_nothing,
    **of_resource(CATEGORIES, ParameterSchema(), None, "Takes writes in Wallet, and nothing here."),
)
SERVICES = (USAGE, WRITES)
