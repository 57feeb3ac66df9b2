"""The locked versions in requirements/ satisfy setup.py, with hashes from PyPI only."""

import ast
import re
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
FILES = {"base": (), "mcp": ("mcp",), "postgresql": ("postgresql",), "redis": ("redis",)}


def asked(*extras):
    """Return the requirements in setup.py, without running it."""
    (call,) = (
        node
        for node in ast.walk(ast.parse((ROOT / "setup.py").read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setup"
    )
    options = {keyword.arg: keyword.value for keyword in call.keywords}
    wanted = ast.literal_eval(options["install_requires"])
    by_extra = ast.literal_eval(options["extras_require"])
    return [Requirement(line) for line in (*wanted, *(r for e in extras for r in by_extra[e]))]


def locked(name):
    """Return name -> version and number of hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    entries = {}
    for entry in re.split(r"\n(?=[a-zA-Z])", re.sub(r"(?m)^ *#.*\n?", "", text)):
        match = re.match(r"([\w.-]+)(?:\[[\w,-]+\])?==([\w.]+)", entry)
        assert match, entry
        hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry)
        entries[canonicalize_name(match[1])] = (Version(match[2]), len(hashes))
    return entries


@pytest.mark.parametrize("name", FILES)
def test_locked_versions_are_those_that_are_asked_for(name):
    found = locked(name)
    for requirement in asked(*FILES[name]):
        version, _ = found[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement
    assert all(hashes for _, hashes in found.values())


def test_locked_versions_agree_so_that_several_files_can_be_installed():
    base = locked("base")
    for name in FILES:
        found = locked(name)
        assert base.items() <= found.items()


@pytest.mark.parametrize("name", FILES)
def test_locked_versions_name_no_index(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    assert not re.search(r"://|file:|--(?!hash=)|^-", text, re.MULTILINE)


def test_setuptools_is_one_that_stays_in_its_folder_and_has_pkg_resources():
    """CVE-2025-47273 is fixed in 78.1.1; version 82 has no pkg_resources, which Cornice imports."""
    build = re.search(r'requires = \["(setuptools[^"]*)"\]', (ROOT / "pyproject.toml").read_text())
    (runtime,) = (r for r in asked() if r.name == "setuptools")
    for requirement in (runtime, Requirement(build[1])):
        assert not requirement.specifier.contains("78.1.0")
        assert not requirement.specifier.contains("82.0.0")
    assert locked("base")["setuptools"][0] >= Version("78.1.1")


def tracked(*patterns):
    command = ["git", "ls-files", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is not a checkout")
def test_no_package_that_was_built_or_downloaded_is_tracked():
    assert tracked("setup.py") == ["setup.py"]
    assert tracked("*.whl", "*.tar.gz", "*.tar.bz2", "*.egg", "*.mcpb", "*.deb") == []
