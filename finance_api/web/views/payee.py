"""The figures of one payee."""

from typing import Any

from pyramid.httpexceptions import HTTPNotFound

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import ParametersRefused
from finance_api.web.api_requests import ApiAnswers
from finance_api.web.development import PayeeDetail
from finance_api.web.page import own_rows, page
from finance_api.web.routes import get


@get("payee", Permission.DATA_READ, "payee")
def show_payee(request: Request) -> dict[str, Any]:
    payee = request.GET.get("name", "")
    row = {"id": payee, "name": payee}
    detail = PayeeDetail(ApiAnswers(request), own_rows(request), row, request.region)
    if not payee:
        raise HTTPNotFound()
    try:
        return page("records", payee, detail=detail, has_records=bool(detail.records))
    except ParametersRefused:
        # Too long for a payee.
        raise HTTPNotFound() from None
