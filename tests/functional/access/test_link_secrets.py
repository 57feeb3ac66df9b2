"""Links of saved questions: neither logs nor metrics nor the audit log have their secrets."""

import json
import logging
import re

import pytest

from finance_api.auth.question_links import revoke_link
from finance_api.runtime.logs import JsonFormatter
from finance_api.storage.interface import QuestionLink
from support.nightly import count
from support.question_links import Linked, household
from support.service import on_one_storage


@pytest.fixture
def linked(client):
    return Linked(household(client))


class Log(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines += [logging.Formatter().format(record), JsonFormatter().format(record)]


@pytest.fixture
def log():
    handler, root, own = Log(), logging.getLogger(), logging.getLogger("finance_api")
    for logger in (root, own):
        logger.addHandler(handler)
    level = own.level
    own.setLevel("DEBUG")
    yield handler
    own.setLevel(level)
    for logger in (root, own):
        logger.removeHandler(handler)


def strangely(secret):
    """Return paths that people and programs make of a link."""
    path = f"/q/{secret}.csv"
    return (
        *(path, f"{path}?limit=1", f"/q/{secret}", f"/q/{secret}.nothing", f"/q/{secret}/x.csv"),
        *(f"//q/{secret}.csv", f"/Q/{secret}.csv", f"/x/q/{secret}.csv", f"/q//{secret}.csv"),
        *(f"/records/{secret}", f"/settings/login?next=/q/{secret}.csv", f"/{secret}.csv"),
        *(f"/q/{secret}%0a.csv", f"/q/{secret}.html", f"/q/{secret[:20]}%20{secret[20:]}.csv"),
    )


@on_one_storage
@pytest.mark.nightly
def test_no_log_metric_or_response_has_the_secret(linked, log, monkeypatch):
    """Errors are included: their log has neither the address nor the message."""
    web, secret = linked.service.web, linked.secret
    answers = []
    for path in strangely(secret) * count(1, 10_000 // len(strangely(secret))):
        for accept in ("*/*", "text/html"):
            headers = {"Accept": accept, "Referer": f"https://host.example/q/{secret}.csv"}
            answer = web.get(path, headers=headers, status="*", expect_errors=True)
            # Responses to other paths may contain the path, as the address of the sign-in page
            # does.
            answers += [answer] * path.startswith("/q/")
    failing = linked.service.backend.read
    monkeypatch.setattr(linked.service.backend, "read", lambda **options: {}[f"planted {secret}"])
    answers.append(linked.read(".csv"))
    monkeypatch.setattr(linked.service.backend, "read", failing)
    assert answers[-1].status_int == 500
    shown = "".join(answer.text + str(answer.headers) for answer in answers if answer.charset)
    linked.service.services.audit.flush()
    stored = linked.service.change(
        lambda s: repr((s.audit.list_newest(), s.users.list_owned(QuestionLink, 1)))
    )
    told = "\n".join(log.lines) + stored
    assert len(log.lines) > len(answers)
    for part in (secret, secret[5:25], secret[-20:]):
        assert part not in told
        assert part not in shown


def test_the_path_in_the_log_is_a_template_and_names_the_link(linked, log):
    linked.read(".csv")
    line = next(json.loads(line) for line in log.lines if line.startswith("{"))
    assert (line["path"], line["credential"]) == ("/q/-", linked.links[0].id)


def test_making_and_revoking_links_is_in_the_audit_log(linked):
    (link,) = linked.links
    linked.service.change(lambda s: revoke_link(s, link, linked.service.clock.now()))
    actions = [
        (entry.action.value, entry.detail)
        for entry in linked.service.change(lambda s: s.audit.list_newest(linked.client.user.id))
    ]
    assert actions[:2] == [("link-revoked", "sheet"), ("link-created", "sheet")]
    assert not re.search(r"finq_\w", str(actions))
