"""Messages about parameters that an endpoint does not have."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import colander

from finance_api.auth.authentication import TOKEN_IN_QUERY, TOKEN_PARAMETERS
from finance_api.query.errors import quoted
from finance_api.query.model import DEFAULT_LIMIT
from finance_api.query.suggestions import suggestion_and_prefix


def message_about(
    name: str,
    given: Mapping[str, Sequence[str]],
    nodes: Mapping[str, colander.SchemaNode],
    refused: Mapping[str, str],
) -> str:
    """Return the message about an unknown parameter, with the one that was probably meant.

    given: the texts of all parameters. nodes: the parameters that there are. refused: as in
    `ParameterSchema`.
    """
    text = given[name][0]
    if name.lower() in TOKEN_PARAMETERS:
        return TOKEN_IN_QUERY
    if name in refused:
        return refused[name]
    meant, prefix = suggestion_and_prefix(name, nodes)
    if meant is None:
        return f"there is no such parameter; it takes {', '.join(nodes)}"
    value = f"{prefix}{text}" if prefix else None
    if (name.lower(), meant) == ("page", "offset") and text.isdecimal() and len(text) < 10:
        with suppress(colander.Invalid):
            limit = nodes["limit"].deserialize(given.get("limit", [str(DEFAULT_LIMIT)]))
            value = str(max(0, int(text) - 1) * limit)
    with suppress(colander.Invalid):
        if value is not None:
            nodes[meant].deserialize([value])
            meant += f"={value}"
    return f"there is no such parameter; did you mean {quoted(meant)}?"
