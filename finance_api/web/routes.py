"""The routes of the settings pages."""

from pyramid.config import Configurator
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.auth.contexts import own_settings
from finance_api.surfaces import SETTINGS_PAGES

#: Public; a new version of a file has a new URL.
STATIC = f"{SETTINGS_PAGES}/static"
STATIC_SECONDS = 31_536_000

#: Name -> path below `SETTINGS_PAGES`. All but signing in need a session.
ROUTES = {
    "settings.login": "/login",
    "settings.logout": "/logout",
    "settings.overview": "",
    "settings.tokens": "/tokens",
    "settings.token_new": "/tokens/new",
    "settings.token_revoke": "/tokens/{id}/revoke",
    "settings.jwts": "/jwts",
    "settings.jwt_revoke_all": "/jwts/revoke-all",
    "settings.jwt_revoke": "/jwts/{jti}/revoke",
    "settings.usage": "/usage",
    "settings.data": "/data",
    "settings.download": "/data/download",
    "settings.security": "/security",
    "settings.password": "/security/password",
    "settings.sign_out_everywhere": "/security/sign-out-everywhere",
}


def includeme(config: Configurator) -> None:
    config.add_static_view(
        STATIC.lstrip("/"),
        "finance_api.web:static",
        cache_max_age=STATIC_SECONDS,
        permission=NO_PERMISSION_REQUIRED,
    )
    # It is often typed like this.
    config.add_route("settings.slash", SETTINGS_PAGES + "/")
    for name, path in ROUTES.items():
        config.add_route(name, SETTINGS_PAGES + path, factory=own_settings)
