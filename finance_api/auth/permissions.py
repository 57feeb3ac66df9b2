"""Permissions, ``<surface>:<resource>:<action>``: each view has one."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from pyramid.config import Configurator
from pyramid.exceptions import ConfigurationError


class Permission(StrEnum):
    RECORDS_READ = "public:records:read"
    ACCOUNTS_READ = "public:accounts:read"
    CATEGORIES_READ = "public:categories:read"
    BUDGETS_READ = "public:budgets:read"
    GOALS_READ = "public:goals:read"
    STANDING_ORDERS_READ = "public:standing-orders:read"
    LABELS_READ = "public:labels:read"
    RECORD_RULES_READ = "public:record-rules:read"
    CHANGES_READ = "public:changes:read"
    ALL_READ = "public:all:read"
    API_USAGE_READ = "public:api-usage:read"
    INTERNAL_RECORDS_READ = "internal:records:read"
    INTERNAL_DOCUMENTS_READ = "internal:documents:read"
    SETTINGS_READ = "settings:all:read"
    SETTINGS_TOKENS_WRITE = "settings:tokens:write"
    SETTINGS_JWTS_WRITE = "settings:jwts:write"
    SETTINGS_PROFILE_WRITE = "settings:profile:write"
    SETTINGS_SECURITY_WRITE = "settings:security:write"
    DATA_READ = "pages:data:read"
    DATA_WRITE = "pages:data:write"


#: The permissions of the pages.
PAGES = tuple(p for p in Permission if p.startswith(("pages:", "settings:")))


def require_permission(view: Callable[..., Any], info: Any) -> Callable[..., Any]:
    """View deriver: refuses to register a view without a permission."""
    if info.options.get("permission") is None and not info.exception_only:
        raise ConfigurationError(f"the view {info.original_view!r} names no permission")
    return view


def includeme(config: Configurator) -> None:
    config.add_view_deriver(require_permission, name="require_permission")
