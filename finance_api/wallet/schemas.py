"""The schemas of the envelopes of lists."""

from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.query.model import DEFAULT_LIMIT
from finance_api.resources.common import EXAMPLE_ID

_HINT = of_members(
    "AgentHint",
    {
        "type": value("Kind of the hint.", "pagination.has_more"),
        "severity": value(
            "Importance of the hint.", "info", enum=["info", "warning", "instruction"]
        ),
        "text": value("Text of the hint.", "There are more rows: the next page is at action.url."),
        "action": of_members(
            "HintAction",
            {"url": value("The next request to send.", "/wallet/v1/api/labels?limit=30&offset=30")},
        ),
        "data": {
            "type": "object",
            "description": "More data, depending on the type.",
            "examples": [{}],
        },
    },
    ["type", "severity", "text"],
)
HINTS = array_of(_HINT)
IDS = array_of(value("Identifier.", EXAMPLE_ID, format="uuid"))
#: Members of every list's envelope, besides the rows.
PAGE = {
    "limit": value("Maximum number of rows on a page.", DEFAULT_LIMIT),
    "offset": value("Number of rows before the page.", 0),
}
SOMETIMES = {
    "nextOffset": value("The offset of the next page; left out on the last page.", 30),
    "total": value("Number of rows that match; with withTotal=true.", 4711),
    "agentHints": HINTS,
}
DATE_FILTERS = array_of(value("The conditions on recordDate.", "gte.2026-01-31T10:00:00.000Z"))
