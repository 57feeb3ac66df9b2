"""No text keeps a regular expression busy, and none is made of what users send."""

import ast
import builtins
import gc
import importlib
import random
import re
import signal
from collections import defaultdict

import pytest

from support.nightly import count
from support.sources import nodes, sources

#: Many times what any expression takes, and less than quadratic time would take.
LENGTH, FUSE_SECONDS = count((20_000, 0.25), (50_000, 2.5))
METHODS = {"match", "fullmatch", "search", "split", "sub", "findall", "finditer"}
#: Modules that make an expression from more than constants, and from what.
MADE = {
    "finance_api.importers.csv.amounts": "the marks of a way to write numbers, escaped",
    "finance_api.importers.csv.dates": "the directives of a format; all else in it is escaped",
    "finance_api.importers.formats": "the beginning of each format, a constant of its importer",
    "finance_api.values.written": "the usual marks in numbers, escaped, and sizes of groups",
    "finance_api.web.views.objects": "the name of a field",
}
COMMON = ["a", "0", "A", "_", " ", "\t", "\n", ".", ",", ";", ":", "-", "<", "=", '"', "'", "é"]
COMMON += ["\xa0", "1,", "a ", "=''", "a:", "-a"]


def calls_of_re(module):
    """Yield (method, first argument) of each call of a function of `re`."""
    for node in nodes(sources()[module]):
        match node:
            case ast.Call(ast.Attribute(ast.Name("re"), method), [first, *_]):
                if method != "escape":
                    yield method, first


def compiled(value, depth=2):
    """Yield the patterns in a value, also those in collections."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        yield from compiled([*value, *value.values()], depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from compiled(each, depth - 1)


def uses():
    """Return the patterns of the package with the methods called on them."""
    methods, found = defaultdict(set), set()
    for tree in sources().values():
        for node in nodes(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                of = node.value
                methods[getattr(of, "id", getattr(of, "attr", ""))].add(node.attr)
    for module in sources():
        if "migrations" in module:
            continue
        for name, value in vars(importlib.import_module(module)).items():
            for pattern in compiled(value):
                found |= {(pattern, method) for method in methods[name] or {"search"}}
        for method, first in calls_of_re(module):
            if method in METHODS and isinstance(first, ast.Constant):
                found.add((re.compile(first.value), method))
    return sorted(found, key=lambda use: (repr(use[0].pattern), use[1]))


def texts(pattern, draw):
    """Yield long texts of characters in the pattern, which end in a different character."""
    written = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    alphabet = list(dict.fromkeys([*COMMON, *sorted(set(written) - set("\\[](){}?*|^$"))]))
    for piece in alphabet:
        yield piece * (LENGTH // len(piece)) + "\0"
    for _ in range(count(0, 60)):
        one, other = draw.choice(alphabet), draw.choice(alphabet)
        yield one + other * (LENGTH // len(other)) + "\0"
        yield (one + other) * (LENGTH // len(one + other)) + "\0"
        yield one * (LENGTH // 2 // len(one)) + other * (LENGTH // 2 // len(other))


def apply(pattern, method, text):
    if method == "sub":
        pattern.sub(text[:0], text)
    elif method == "finditer":
        list(pattern.finditer(text))
    else:
        getattr(pattern, method)(text)


class Busy(Exception):
    """Raised in an expression that takes too long."""


def blow(number, frame):
    raise Busy


@pytest.mark.nightly
def test_no_text_takes_long(figures):
    draw, busy, tried, found = random.Random(5), [], 0, uses()
    before = signal.signal(signal.SIGPROF, blow)
    # Collecting the garbage of other tests takes as long as an expression may.
    gc.disable()
    try:
        for pattern, method in found:
            for text in texts(pattern.pattern, draw):
                sent = text if isinstance(pattern.pattern, str) else text.encode()
                tried += 1
                signal.setitimer(signal.ITIMER_PROF, FUSE_SECONDS)
                try:
                    apply(pattern, method, sent)
                except Busy:
                    busy.append((pattern.pattern, method, text[:3]))
                signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        gc.enable()
        signal.signal(signal.SIGPROF, before)
    assert busy == []
    figures(f"{len(found)} uses of patterns, {tried} texts of {LENGTH} characters")


def is_constant(node):
    """Whether an expression consists of constants, built-in functions and escaped text."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.escape":
        return True
    if isinstance(node, ast.Name):
        return node.id.isupper() or node.id == "re" or hasattr(builtins, node.id)
    return all(map(is_constant, ast.iter_child_nodes(node)))


def test_none_is_made_of_what_users_send():
    calls = [(module, first) for module in sources() for _, first in calls_of_re(module)]
    assert len(calls) > 100
    assert {module for module, first in calls if not is_constant(first)} == MADE.keys()
