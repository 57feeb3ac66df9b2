"""The source of the package, parsed once."""

import ast
from functools import cache
from pathlib import Path

import finance_api

ROOT = Path(finance_api.__file__).parent


@cache
def sources() -> dict[str, ast.Module]:
    """Return the parsed modules by name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes of a tree. Walking it takes longer than most tests of the nodes."""
    return tuple(ast.walk(tree))
