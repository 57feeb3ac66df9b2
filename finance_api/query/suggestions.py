"""Suggests a parameter, field, prefix or value for an unknown one."""

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from finance_api.query.errors import quoted
from finance_api.query.operators import Operator

#: Two names that are at least this similar can be mistaken for each other.
_NEAR = 0.72
_IGNORED = re.compile("[^a-z0-9]")
#: Compare up to this many characters of a name.
_COMPARED_CHARACTERS = 60
#: A message with a suggestion lists the known names only if there are at most this many.
_LISTED = 20
#: Other programs' names -> our names, of which the first known one is suggested; after = the prefix
#: of the condition that is meant.
_SYNONYMS = {
    other: ours.split()
    for ours, others in {
        "offset": "page skip start startat",
        "limit": "perpage pagesize size count max top take rows",
        "sortBy sort_by": "sort order orderby sorting ordering",
        "q name": "q query search text find words",
        "date_from recordDate=gte. startDate=gte.": "from since datefrom fromdate sincedate "
        "startdate start begin mindate",
        "date_to recordDate=lte. endDate=lte.": "to until dateto todate untildate "
        "enddate end maxdate",
        "recordDate startDate": "date day month year bookingdate transactiondate",
        "labelIds": "labelid tagid tagids",
        "labels": "label tag tags",
        "payee": "counterparty counterpartyname merchant vendor recipient",
        "note": "description memo comment remittance details",
        "min_amount amount=gte.": "minamount amountfrom amountmin",
        "max_amount amount=lte.": "maxamount amountto amountmax",
        "currencyCode": "currency",
        "recordType accountType type document_type": "type kind doctype",
        "fields": "field columns select only attributes",
        **{operator.value.word: operator.value.spellings for operator in Operator},
    }.items()
    for other in others.split()
}


def suggestion_and_prefix(name: str, known: Collection[str]) -> tuple[str | None, str]:
    """Return the known name that was probably meant, and the prefix that its condition needs.

    The name is None if no name is close; the prefix is mostly "".
    """
    name = name[:_COMPARED_CHARACTERS].lower()
    for each in _SYNONYMS.get(_IGNORED.sub("", name), ()):
        ours, _, prefix = each.partition("=")
        if ours in known:
            return ours, prefix
    by_lower = {each.lower(): each for each in known}
    nearest = get_close_matches(name, by_lower, n=1, cutoff=_NEAR)
    return by_lower[nearest[0]] if nearest else None, ""


def question(names: Iterable[str], known: Collection[str], before: str = "") -> str:
    """Return the end of a message about unknown names: the names probably meant, if any.

    before: what stands before each name.
    """
    near = dict.fromkeys(filter(None, [suggestion_and_prefix(name, known)[0] for name in names]))
    return f"; did you mean {' or '.join(quoted(before + each) for each in near)}?" if near else ""


def unknown(
    names: Sequence[str], known: Collection[str], fault: str, lead: str, before: str = ""
) -> str:
    """Return a message about unknown names.

    lead: the text before the list of known names. fault: the text in place of both if the list is
    long and the message suggests a name. before: as in `question`.
    """
    meant = question(names, known, before)
    return (fault if meant and len(known) > _LISTED else f"{lead} {', '.join(known)}") + meant
