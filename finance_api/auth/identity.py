"""Who a request comes from."""

from dataclasses import dataclass
from enum import Enum

from finance_api.storage.interface import User


@dataclass(frozen=True, slots=True)
class Identity:
    """An authenticated user, by means of one personal token.

    scopes: paths of the resources that the token may read; None means all.
    """

    user: User
    token_id: str
    scopes: tuple[str, ...] | None


class Failure(Enum):
    """Why there is no identity."""

    #: No credential was sent.
    ABSENT = "absent"
    #: One was sent that is malformed, unknown, revoked, or of a disabled user: not told apart.
    INVALID = "invalid"
    EXPIRED = "expired"
