"""The routes of the pages, and the decorators of their views."""

from typing import Any

from pyramid.config import Configurator
from pyramid.security import NO_PERMISSION_REQUIRED
from pyramid.view import view_config

from finance_api.auth.policy import own_answer, own_pages
from finance_api.http.surfaces import LINKS, QUESTIONS_PAGE, SETTINGS_PAGES, UPLOADS
from finance_api.web.object_pages import OBJECT_PAGES

#: The path of static files, which are public; a new version of a file has a new URL.
STATIC = f"{SETTINGS_PAGES}/static"
STATIC_SECONDS = 31_536_000

#: Name -> path. All except the sign-in page need a session.
ROUTES = {
    "overview": "/overview",
    "records": "/records",
    "record.new": "/records/new",
    "records.download": "/records/download",
    "records.category": "/records/{id}/category",
    "records.rule": "/records/{id}/rule",
    "record": "/records/{id}",
    "record.remove": "/records/{id}/remove",
    "record.split": "/records/{id}/split",
    "record.join": "/records/{id}/join",
    "record.link": "/records/{id}/link",
    "record.unlink": "/records/{id}/unlink",
    "questions": QUESTIONS_PAGE,
    "question.new": f"{QUESTIONS_PAGE}/new",
    "question": f"{QUESTIONS_PAGE}/{{id}}",
    "question.download": f"{QUESTIONS_PAGE}/{{id}}/download",
    "question.edit": f"{QUESTIONS_PAGE}/{{id}}/edit",
    "question.remove": f"{QUESTIONS_PAGE}/{{id}}/remove",
    "question.link_made": f"{QUESTIONS_PAGE}/{{id}}/links/made",
    "question.links_revoke": f"{QUESTIONS_PAGE}/{{id}}/links/revoke",
    "question.link_revoke": f"{QUESTIONS_PAGE}/{{id}}/links/{{link}}/revoke",
    "rules.apply": "/rules/apply",
    "payee": "/payee",
    "payees": "/payees",
    "payees.categories": "/payees/categories",
    "transfers": "/transfers",
    "duplicates": "/duplicates",
    "export": "/accounts/export",
    **{
        f"{name}{action}": f"{page.path}{below}"
        for name, page in OBJECT_PAGES.items()
        for action, below in (
            ("", ""),
            (".new", "/new"),
            (".edit", "/{id}"),
            (".remove", "/{id}/remove"),
        )
    },
    "import": UPLOADS,
    "import.upload": f"{UPLOADS}/{{id}}",
    "import.options": f"{UPLOADS}/{{id}}/options",
    "import.confirm": f"{UPLOADS}/{{id}}/confirm",
    "import.again": f"{UPLOADS}/{{id}}/again",
    "import.discard": f"{UPLOADS}/{{id}}/discard",
    "imports": "/imports",
    "imports.entry": "/imports/{number}",
    "imports.undo": "/imports/{number}/undo",
    "settings.login": "/settings/login",
    "settings.logout": "/settings/logout",
    "settings.tokens": "/settings/tokens",
    "settings.token_new": "/settings/tokens/new",
    "settings.token_made": "/settings/tokens/made",
    "settings.token": "/settings/tokens/{id}",
    "settings.token_regenerate": "/settings/tokens/{id}/regenerate",
    "settings.token_revoke": "/settings/tokens/{id}/revoke",
    "settings.jwts": "/settings/jwts",
    "settings.jwt_made": "/settings/jwts/made",
    "settings.jwt_revoke_all": "/settings/jwts/revoke-all",
    "settings.jwt_revoke": "/settings/jwts/{jti}/revoke",
    "settings.usage": "/settings/usage",
    "settings.profile": "/settings/profile",
    "settings.security": "/settings/security",
    "settings.password": "/settings/security/password",
    "settings.session_end": "/settings/security/sessions/{id}/end",
    "settings.sign_out_everywhere": "/settings/security/sign-out-everywhere",
}


def get(route: str, permission: str, template: str | None = None, **options: Any) -> view_config:
    """Decorate the view that answers GET for a route. options: passed on to `view_config`."""
    return _view(route, "GET", permission, template, options)


def post(route: str, permission: str, template: str | None = None, **options: Any) -> view_config:
    """Decorate the view that answers POST for a route. options: passed on to `view_config`."""
    return _view(route, "POST", permission, template, options)


def _view(
    route: str, method: str, permission: str, template: str | None, options: dict[str, Any]
) -> view_config:
    if template is not None:
        options["renderer"] = f"{template}.jinja2"
    return view_config(route_name=route, request_method=method, permission=permission, **options)


def includeme(config: Configurator) -> None:
    config.add_static_view(
        STATIC.lstrip("/"),
        "finance_api.web:static",
        cache_max_age=STATIC_SECONDS,
        permission=NO_PERMISSION_REQUIRED,
    )
    # Paths that people often type; both redirect to a page.
    config.add_route("settings", SETTINGS_PAGES)
    config.add_route("settings.slash", f"{SETTINGS_PAGES}/")
    config.add_route("link", f"{LINKS}{{address:.*}}", factory=own_answer)
    for name, path in ROUTES.items():
        config.add_route(name, path, factory=own_pages)
