"""GET /wallet/v1/api/api-usage/stats: as the flat one."""

from finance_api.api.public.api_usage import PERIOD, api_usage, get_usage
from finance_api.api.service import Service, options
from finance_api.api.wallet.parameters import COMMON, schema_of
from finance_api.auth.contexts import own_by_any_token
from finance_api.auth.permissions import Permission
from finance_api.http.surfaces import USAGE_PATH, WALLET

_schema = schema_of(COMMON)
_schema.add_parameter("period", *PERIOD)

_SERVICE = Service(
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
_SERVICE.add_view("GET", get_usage)
SERVICES = (_SERVICE,)
