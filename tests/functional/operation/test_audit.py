"""The audit log: who did what, when and from where, and never a secret."""

import re

from finance_api.storage.interface import AuditAction, AuditEntry, reading
from support.browser import PASSWORD, Visitor, jwts_of, new_user, tokens_of
from support.html import shown_text
from support.native_rows import account, household, record
from support.uploads import STATEMENT, do, sent

ADDRESS = "192.0.2.77"
DAY = 86_400
NEW_PASSWORD = "an umbrella of seven oceans"
TYPED = "typed-into-the-wrong-field@example.org"


def audit_of(service, user=None):
    """Oldest first."""
    service.services.audit.flush()
    with reading(service.backend) as storage:
        return storage.audit.list_newest(None if user is None else user.id)[::-1]


def test_all_that_a_person_does_is_noted_with_its_address_and_no_secret(service):
    user, visitor = new_user(service), Visitor(service, address=ADDRESS)
    visitor.sign_in(user, "wrong", status=403)
    visitor.sign_in(user)
    scopes = ["records"]
    form = visitor.submit("/settings/tokens/new", status=303, name="sheet", scopes=scopes)
    made = visitor.follow(form).text
    (token,) = tokens_of(service, user)
    visitor.submit(f"/settings/tokens/{token.id}", status=303, name="tax")
    visitor.submit(f"/settings/tokens/{token.id}/revoke", status=303)
    issued = visitor.follow(visitor.submit("/settings/jwts", status=303)).text
    (jwt,) = jwts_of(service, user)
    visitor.submit(f"/settings/jwts/{jwt.jti}/revoke", status=303)
    visitor.submit("/settings/jwts/revoke-all", status=303)
    passwords = {"new_password": NEW_PASSWORD, "repeated_password": NEW_PASSWORD}
    visitor.submit(
        "/settings/security",
        "/settings/security/password",
        status=303,
        current_password=PASSWORD,
        revoke_tokens="yes",
        **passwords,
    )
    path = sent(visitor, STATEMENT, name="März.csv")
    do(visitor, path, "confirm")
    visitor.submit("/categories/new", "/categories/new", status=303, name="Pets", kind="expense")
    visitor.submit("/imports/1/undo", status=303)
    visitor.get("/accounts/export")
    visitor.request("HEAD", "/accounts/export")
    found = audit_of(service, user)
    assert {entry.origin for entry in found} == {ADDRESS}
    assert {entry.at for entry in found} == {service.clock.now()}
    # Entries without a transaction of their own are written a little later.
    behind = (AuditAction.SIGN_IN_FAILED, AuditAction.EXPORT)
    assert sorted((e.action, e.detail) for e in found if e.action in behind) == [
        ("export", "/accounts/export"),
        ("sign-in-failed", ""),
    ]
    assert [(e.action, e.detail) for e in found if e.action not in behind] == [
        ("sign-in", ""),
        ("token-created", "sheet"),
        ("token-renamed", "sheet, now tax"),
        ("token-revoked", "tax"),
        ("jwt-issued", jwt.jti),
        ("jwt-revoked", jwt.jti),
        ("jwts-revoked", ""),
        ("password-changed", ""),
        ("jwts-revoked", ""),
        ("tokens-revoked", ""),
        ("import", "1 (März.csv)"),
        ("edit", "2 (add categories)"),
        ("undo", "1"),
    ]
    shown = shown_text(visitor.get("/settings/security").text)
    assert "Import 1 (März.csv)" in shown and ADDRESS in shown
    secrets = set(re.findall(r"fin_\w{49}|eyJ[\w-]+\.[\w-]+\.[\w-]+", made + issued))
    kept = repr(found)
    assert len(secrets) == 2
    for secret in (PASSWORD, NEW_PASSWORD, "wrong", token.sha256, visitor.secret, *secrets):
        assert secret not in kept


def test_what_is_typed_by_nobody_is_not_kept(service):
    Visitor(service, address="192.0.2.99").submit(
        "/settings/login", status=403, email=TYPED, password="x"
    )
    entry = AuditEntry(service.clock.now(), AuditAction.SIGN_IN_FAILED, "192.0.2.99", None)
    found = audit_of(service)
    assert entry in found
    assert TYPED not in repr(found)


def test_an_export_by_a_token_says_by_which(service, client):
    client.load(*household(), account(1), record(1))
    (token,) = tokens_of(service, client.user)
    assert client.get("export/records.csv").status_int == 200
    assert client.get("records.csv").status_int == 200
    assert client.get("export/records.csv", headers={"If-None-Match": "*"}).status_int == 304
    (entry,) = [e for e in audit_of(service, client.user) if e.action is AuditAction.EXPORT]
    assert entry.detail == f"/v1/api/export/records.csv ({token.id})"


def test_what_is_refused_or_undone_is_not_noted(service):
    user, visitor = new_user(service), Visitor(service)
    visitor.sign_in(user)
    before = audit_of(service, user)
    visitor.submit("/settings/tokens/new", status=400, name="")
    visitor.submit("/rules/new", "/rules/new", status=400, keywords="aldi, lidl")
    sent(visitor, STATEMENT)
    assert audit_of(service, user) == before


def test_old_entries_are_forgotten(service):
    user = new_user(service)
    note = AuditAction.EDIT
    service.change(lambda s: s.note(user.id, note, service.clock.now() - 399 * DAY, "kept"))
    service.change(lambda s: s.note(user.id, note, service.clock.now() - 401 * DAY, "old"))
    service.services.housekeeping._work()
    assert [entry.detail for entry in audit_of(service, user)] == ["kept"]
