"""A user with some of all data, and the paths and forms of all routes for that user."""

from finance_api.auth.sessions import digest as session_digest
from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.routes import ROUTES
from support.browser import (
    PASSWORD,
    Visitor,
    jwts_of,
    new_jwt,
    new_token,
    new_user,
    signed_in,
    tokens_of,
)
from support.html import csrf_of, forms
from support.native_rows import household, uid
from support.question_links import Linked
from support.service import Client
from support.uploads import STATEMENT, sent

NEW = "a new password"


class World:
    """A user with some of all data, who is signed in twice, and another user.

    statement: the file of an upload that is not imported yet.
    """

    statement = STATEMENT

    def __init__(self, service):
        self.service = service
        self.user = new_user(service)
        new_token(service, self.user)
        new_jwt(service, self.user)
        service.load(self.user, household())
        self.visitor = signed_in(service, self.user)
        self.elsewhere = signed_in(service, self.user)
        self.stranger = signed_in(service)
        self.anonymous = Visitor(service)
        self.token_id = tokens_of(service, self.user)[0].id
        self.jti = jwts_of(service, self.user)[0].jti
        self.linked = Linked(Client(service, self.user, ""))
        self.upload_id = sent(self.visitor, self.statement).rpartition("/")[2]

    def path(self, name):
        """Return the path of a route, with the ids of the user's own objects."""
        link_id = self.linked.links[0].id
        return ROUTES[name].format(id=self._id(name), jti=self.jti, number=1, link=link_id)

    def _id(self, name):
        if name == "settings.session_end":
            return session_digest(self.elsewhere.secret or "")[:16]
        kind = name.partition(".")[0]
        if kind in OBJECT_PAGES:
            return uid(OBJECT_PAGES[kind].resource.model_type, 1)
        return {
            "record": uid("Record", 3),
            "records": uid("Record", 3),
            "question": self.linked.question.id,
            "import": self.upload_id,
        }.get(kind, self.token_id)

    def form(self, name):
        """Return the fields of a route's form, without its CSRF token."""
        return {
            "settings.login": {"email": self.user.email, "password": PASSWORD},
            "imports.undo": {"revision": "1"},
            "settings.token_new": {"name": "forged", "scopes": "records", "expiry": "30"},
            "settings.token": {"name": "renamed"},
            "settings.token_regenerate": {"overlap": "3600"},
            "settings.jwts": {"ttl": "3600"},
            "settings.profile": {"time_zone": "Europe/Berlin"},
            "settings.password": {
                "current_password": PASSWORD,
                "new_password": NEW,
                "repeated_password": NEW,
            },
            "question.new": {"name": "forged", "address": "/v1/api/records"},
            "goals.new": {"name": "forged", "currencyCode": "EUR"},
            "records": self._confirmation() if name == "records" else {},
        }.get(name, {})

    def _confirmation(self):
        """Return the fields of the form that confirms a change of several records.

        Leave out the mark of its owner: with it, a refused form is kept for them.
        """
        asked = {"id": uid("Record", 1), "do": "category", "set_category": "none"}
        page = self.visitor.post("/records", {**asked, "csrf_token": self.visitor.csrf()})
        (form,) = (form for form in forms(page.text) if "seen" in form.names)
        return {k: v for k, v in form.fields if k not in ("csrf_token", "form-user")}

    def sender(self, name):
        """Return the visitor who sends the form, and the right token."""
        if name.startswith("settings.login"):
            visitor = Visitor(self.service)
            return visitor, csrf_of(visitor.get(self.path(name)).text)
        return self.visitor, self.visitor.csrf()
