"""Messages about parameters that an endpoint does not have."""

from collections.abc import Mapping
from contextlib import suppress

import colander

from finance_api.auth.authentication import TOKEN_IN_QUERY, TOKEN_PARAMETERS
from finance_api.query.errors import quoted
from finance_api.query.suggestions import suggestion_and_prefix

#: Parameters with names that are taken for parameters: ``hour=eq.5``, ``share=true``.
_LISTS = ("groupBy", "columns")


def message_about(
    name: str, text: str, nodes: Mapping[str, colander.SchemaNode], refused: Mapping[str, str]
) -> str:
    """Return the message about an unknown parameter, with the one that was probably meant.

    text: its first value. nodes: the parameters that there are. refused: as in `ParameterSchema`.
    """
    if name.lower() in TOKEN_PARAMETERS:
        return TOKEN_IN_QUERY
    if name in refused:
        return refused[name]
    meant, prefix = suggestion_and_prefix(name, nodes)
    if meant is None:
        for owner in [each for each in _LISTS if each in nodes]:
            with suppress(colander.Invalid):
                nodes[owner].deserialize([name])
                return f"there is no such parameter; did you mean {quoted(f'{owner}={name}')}?"
        return f"there is no such parameter; it takes {', '.join(nodes)}"
    if prefix:
        with suppress(colander.Invalid):
            nodes[meant].deserialize([prefix + text])
            meant += f"={prefix}{text}"
    return f"there is no such parameter; did you mean {quoted(meant)}?"
