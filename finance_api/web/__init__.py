"""The settings pages: a small web application, rendered here, that needs no script.

Users sign in, make and revoke their tokens, see their use of the API, and get their data.
"""

from pyramid.config import Configurator

from finance_api.auth.passwords import nobodys_hash
from finance_api.surfaces import is_settings_page


def includeme(config: Configurator) -> None:
    config.add_settings({"jinja2.undefined": "strict", "jinja2.trim_blocks": "true"})
    config.include("pyramid_jinja2")
    config.add_jinja2_search_path("finance_api.web:templates")
    config.include("finance_api.web.rendering")
    config.include("finance_api.web.csrf")
    config.include("finance_api.web.headers")
    config.include("finance_api.web.errors")
    config.include("finance_api.web.routes")
    config.set_default_csrf_options(
        require_csrf=True,
        # Pyramid compares the origin with HTTPS only; see `csrf`.
        check_origin=False,
        callback=lambda request: is_settings_page(request.path_info),
    )
    config.scan("finance_api.web.views")
    # Else the first to ask for an unknown account would wait longer than others.
    nobodys_hash()
