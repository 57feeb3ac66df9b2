"""How the grammar refuses."""


class QueryError(ValueError):
    """A parameter's value is not understood; the message says which part, and what is allowed."""


def quoted(text: str, longest: int = 60) -> str:
    """``text`` for a message: in quotes, and cut if it is long."""
    return f'"{text}"' if len(text) <= longest else f'"{text[:longest]}…"'
