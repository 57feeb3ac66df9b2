"""The distribution; what tools need to know of it is in pyproject.toml."""

import re
from pathlib import Path

from setuptools import find_packages, setup

_MODULE = Path(__file__).parent / "finance_api" / "values" / "version.py"
(_VERSION,) = re.findall('^__version__ = "(.+)"$', _MODULE.read_text(), re.M)

setup(
    name="finance-api",
    version=_VERSION,
    description="A self-hosted, read-only REST API over a person's own finance data",
    long_description=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.11",
    packages=find_packages(include=["finance_api", "finance_api.*"]),
    include_package_data=True,
    package_data={
        # A link to development.ini.
        "finance_api.cli": ["*.ini"],
        "finance_api.importers": ["*.toml"],
        "finance_api.importers.books": ["*.toml"],
        "finance_api.importers.csv": ["*.toml", "profiles/*.toml", "profiles/index.json"],
        "finance_api.resources": ["*.txt"],
        "finance_api.web": [
            *("static/*", "static/rapidoc/*", "templates/*.jinja2"),
            # A link to the folder docs.
            *("docs/*.md", "docs/*/*.md", "docs/images/*.png"),
        ],
    },
    install_requires=[
        "alembic>=1.20",
        "argon2-cffi>=25.1",
        "babel>=2.17",
        "click>=8.5",
        "colander>=2.0",
        "cornice>=6.1.0",
        "granian>=2.8.7",
        "icalendar>=7.3",
        "iso4217>=1.16",
        "markdown-it-py>=4.2",
        "olefile>=0.47",
        "orjson>=3.13",
        "plaster-pastedeploy>=1.0.1",
        "prometheus-client>=0.26",
        "PyJWT[crypto]>=2.15.1",
        "MarkupSafe>=3.0",
        "pyramid>=2.1",
        "pyramid_jinja2>=2.10.1",
        "python-calamine>=0.9",
        "python-multipart>=0.0.34",
        "rich>=15.0",
        # Pyramid and Cornice import pkg_resources, which setuptools 82 no longer has and 80.9 warns
        # of at each start; before 78.1.1 it wrote outside of its folder (CVE-2025-47273).
        "setuptools>=78.1.1,<80.9",
        "SQLAlchemy>=2.1.9",
        "transaction>=5.1",
        "waitress>=3.0.2",
        "WebOb>=1.8.11",
        "zope.interface>=8.0",
        "zope.sqlalchemy>=4.1",
        # Time zones, where the system has none.
        "tzdata>=2026.6",
        # The time zone of this computer, for a first user.
        "tzlocal>=5.4",
        "XlsxWriter>=3.3",
        # For its list of common passwords.
        "zxcvbn>=4.5",
    ],
    extras_require={
        # wrk and PostgreSQL are the system's own.
        "bench": [
            "datasette>=0.65.5",
            "fastapi>=0.165",
            "psycopg[binary]>=3.3",
            "redis>=8.1",
            "uvicorn[standard]>=0.54",
        ],
        "mcp": ["httpx2>=2.16", "jsonschema>=4.26", "mcp>=2.3", "starlette>=1.0", "uvicorn>=0.54"],
        "otel": ["opentelemetry-api>=1.45"],
        "postgresql": ["psycopg[binary]>=3.3"],
        "redis": ["redis>=8.1"],
        "test": [
            "axe-playwright-python>=0.1.8",
            "duckdb>=2.0",
            # Run by a recipe.
            "datasette>=0.65.5",
            # Other readers of calendars and feeds.
            "feedparser>=6.0.14",
            "vobject>=0.9.9",
            # Of the extra mcp.
            "httpx2>=2.16",
            "hypothesis>=6.170",
            "jsonschema>=4.26",
            "mcp>=2.3",
            # Other readers and writers of spreadsheets.
            "odfpy>=1.4.1",
            "openpyxl>=3.1.5",
            "opentelemetry-sdk>=1.45",
            "openapi-spec-validator>=0.9",
            "packaging>=25.0",
            "pandas>=3.1",
            "psutil>=7.0",
            # The library alone: the browser is the system's own.
            "playwright>=1.65",
            "psycopg[binary]>=3.3",
            # Another reader of recurrence rules.
            "python-dateutil>=4.0",
            "pytest>=9.0",
            "pytest-cov>=7.1",
            "pytest-xdist>=3.8",
            "redis>=8.1",
            "schemathesis>=4.32",
            "starlette>=1.0",
            "uvicorn>=0.54",
            "WebTest>=3.0.7",
            "xlwt>=1.3",
        ],
        "lint": ["mypy>=2.4", "ruff>=0.17"],
    },
    entry_points={
        "paste.app_factory": ["main = finance_api.server.wsgi:app"],
        "paste.server_runner": ["granian = finance_api.server.granian:serve"],
        "console_scripts": ["finance-api = finance_api.cli:run"],
    },
)
