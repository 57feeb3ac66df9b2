"""User accounts: passwords, and the sessions and JWTs that end when a password changes.

Comparing and hashing passwords is slow, so do it before beginning a unit of work that writes. Then
lock the user, and write a session or the like only if the user has not changed.
"""

from finance_api.auth.passwords import checked_hash, is_password
from finance_api.auth.question_links import revoke_links
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import AuditAction, Jwt, Storage, Token, User, WritableStorage
from finance_api.values.ids import new_id
from finance_api.values.text import EmailRefused, normal_email


def make_user(
    storage: WritableStorage, email: str, *, premium: bool, password: str | None, now: int
) -> User:
    """Add and return a new user. Raises EmailRefused, PasswordRefused, storage.errors.Conflict."""
    address = normal_email(email)
    return storage.users.add(
        uuid=new_id(),
        email=address,
        premium=premium,
        password_hash=None if password is None else checked_hash(password, address),
        created_at=now,
    )


def find_user(storage: Storage, email: str) -> User | None:
    """Return the user with this e-mail, in any spelling; None if there is no such user."""
    try:
        return storage.users.get(normal_email(email))
    except (EmailRefused, NotFound):
        return None


def lets_in(user: User | None, password: str) -> bool:
    """Return whether the user is enabled and has this password; takes as long if user is None."""
    matches = is_password(password, None if user is None else user.password_hash)
    return matches and user is not None and user.enabled


def is_unchanged(storage: WritableStorage, user: User) -> bool:
    """Lock the user, and return whether the user is still enabled with the same password."""
    try:
        now = storage.users.lock(user.id)
    except NotFound:
        return False
    return now.enabled and now.password_hash == user.password_hash


def set_password(
    storage: WritableStorage, user: User, password_hash: str, now: int, *, revoke_tokens: bool
) -> None:
    """Change the password, and end all sessions and JWTs. Raises NotFound.

    revoke_tokens: whether to revoke all tokens and links as well.
    """
    storage.users.lock(user.id)
    storage.users.update(user.id, password_hash=password_hash)
    storage.note(user.id, AuditAction.PASSWORD_CHANGED, now)
    _end_access(storage, user.id, now, tokens=revoke_tokens)


def set_enabled(storage: WritableStorage, user: User, enabled: bool, now: int) -> None:
    """Enable or disable the user. Raises NotFound.

    Enabling also ends sessions and JWTs, as an issuer may have issued JWTs in the meantime.
    """
    if storage.users.lock(user.id).enabled and enabled:
        return
    storage.users.update(user.id, enabled=enabled)
    action = AuditAction.USER_ENABLED if enabled else AuditAction.USER_DISABLED
    storage.note(user.id, action, now)
    _end_access(storage, user.id, now, tokens=True)


def sign_out(storage: WritableStorage, user: User, now: int) -> None:
    """End all sessions of the user; tokens, links and JWTs stay. Raises NotFound."""
    storage.users.lock(user.id)
    storage.users.delete_sessions(user.id)
    storage.note(user.id, AuditAction.SIGNED_OUT, now)


def _end_access(storage: WritableStorage, user_id: int, now: int, *, tokens: bool) -> None:
    storage.users.delete_sessions(user_id)
    revoke_all_jwts(storage, user_id, now)
    if tokens:
        storage.users.revoke_all(Token, user_id, now)
        storage.note(user_id, AuditAction.TOKENS_REVOKED, now)
        revoke_links(storage, user_id, now)


def revoke_all_jwts(storage: WritableStorage, user_id: int, now: int) -> None:
    """Revoke all JWTs of the user, wherever they were issued. Raises NotFound.

    A JWT that was issued right after an earlier revocation is included: its iat may be a second
    ahead.
    """
    user = storage.users.lock(user_id)
    issued = [jwt.issued_at or 0 for jwt in storage.users.list_owned(Jwt, user_id)]
    latest = max([now, *issued])
    storage.users.revoke_all(Jwt, user_id, latest)
    storage.users.update(user_id, jwts_revoked_at=max(latest, user.jwts_revoked_at or latest))
    storage.note(user_id, AuditAction.JWTS_REVOKED, now)
