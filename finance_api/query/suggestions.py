"""Suggests a parameter for an unknown one."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

#: Two names that are at least this similar can be mistaken for each other.
_NEAR = 0.72
_IGNORED = re.compile("[^a-z0-9]")
#: Other programs' names -> our parameters; the first that the endpoint has is suggested.
_SYNONYMS = {
    other: ours.split()
    for ours, others in {
        "offset": "page skip start startat",
        "limit": "perpage pagesize size count max top take rows",
        "sortBy sort_by": "sort order orderby sorting ordering",
        "q name": "q query search text find words",
        "date_from recordDate startDate": "from since after datefrom startdate begin mindate",
        "date_to recordDate endDate": "to until before dateto enddate end maxdate",
        "recordDate startDate": "date day month year bookingdate transactiondate",
        "labelIds": "labelid tagid tagids",
        "labels": "label tag tags",
        "payee": "counterparty counterpartyname merchant vendor recipient",
        "note": "description memo comment remittance details",
        "accountName accountId": "account accounts",
        "category categoryId": "categories categoryname",
        "min_amount amount": "minamount amountfrom amountmin",
        "max_amount amount": "maxamount amountto amountmax",
        "amount": "value sum price",
        "currencyCode": "currency",
        "recordType accountType type document_type": "type kind doctype",
        "recordState state": "state status",
        "withTotal": "total includetotal withcount",
        "withSubcategories": "subcategories recursive includesubcategories",
        "counted": "onlycounted excludevoid excludetransfers withouttransfers",
        "fields": "field columns select only attributes",
    }.items()
    for other in others.split()
}


def suggestion(name: str, known: Sequence[str]) -> str | None:
    """The known parameter that was meant, where that is likely."""
    plain = _IGNORED.sub("", name.lower())
    for ours in _SYNONYMS.get(plain, ()):
        if ours in known:
            return ours
    by_lower = {each.lower(): each for each in known}
    nearest = get_close_matches(name.lower(), by_lower, n=1, cutoff=_NEAR)
    return by_lower[nearest[0]] if nearest else None
