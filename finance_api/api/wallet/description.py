"""GET /wallet/openapi: what is below /wallet, by OpenAPI."""

from typing import Any

from finance_api.api.openapi.document import PERSONAL_TOKEN, Surface, an_example
from finance_api.api.openapi.problems import PROBLEM
from finance_api.api.openapi.schemas import Schema, of_members, value
from finance_api.api.ops.openapi import description_service
from finance_api.api.representation import JSON
from finance_api.api.wallet.responses import OF_TOKEN, error_body
from finance_api.http.surfaces import WALLET, WALLET_DESCRIPTION

_ERROR: Schema = of_members(
    "Error",
    {
        **PROBLEM["properties"],
        "error": value("What is wrong.", "limit must be at most 200"),
    },
    PROBLEM["required"],
)


def _error_content(status: int, problem: dict[str, Any]) -> dict[str, Any]:
    body = error_body(status, problem)
    if isinstance(body, str):
        return {"text/plain": {"schema": {"type": "string"}, **an_example(body)}}
    return {JSON.media_type: {"schema": _ERROR, **an_example(body)}}


SURFACE = Surface(
    title="finance_api: Wallet-compatible representation",
    about="The public API as clients of the hosted Wallet REST API know it; from an independent "
    "project. Read-only. Without recordDate or id the list of records has those of the last 3 "
    "months alone, and says so in appliedRecordDateFilters.",
    version="2.0.0",
    prefixes=(f"{WALLET}/",),
    scheme=PERSONAL_TOKEN,
    headers=OF_TOKEN,
    problem_content=_error_content,
)
SERVICES = (description_service(WALLET_DESCRIPTION, SURFACE),)
