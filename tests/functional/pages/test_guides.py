"""The guides of docs/ as pages: complete, linked with each other, and nothing else of the disk."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from finance_api.http.surfaces import GUIDES
from finance_api.web.guides import FILES, IMAGES, guide_path

DOCS = Path(__file__).parents[3] / "docs"


class Read(HTMLParser):
    """The ids, links, images and styled elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.styled: list[str] = []
        self.headings: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.styled += [tag] if "style" in given or tag in ("script", "style") else []
        self.headings += [tag] if re.fullmatch("h[1-6]", tag) else []


@pytest.fixture(scope="module")
def service(services):
    return services("memory")


@pytest.fixture(scope="module")
def pages(service):
    return {guide_path(n): Read(service.web.get(guide_path(n), status=200).text) for n in FILES}


def test_every_guide_is_a_page(pages):
    assert len(pages) == len(list(DOCS.rglob("*.md")))
    for path, found in pages.items():
        assert found.headings.count("h1") == 1, path
        assert len(found.ids) == len(set(found.ids)), path
        # The only one is the page's own script.
        assert found.styled == ["script"], path


def test_links_between_guides_lead_to_a_page_and_a_heading(pages, service):
    others = set()
    for path, found in pages.items():
        for link in found.links:
            at, _, fragment = link.partition("#")
            if at in ("", *pages):
                assert not fragment or fragment in pages[at or path].ids, (path, link)
            elif at.startswith("/"):
                others.add(at)
            else:
                assert at.startswith("http"), (path, link)
    assert f"{GUIDES}/images/overview.png" not in others
    for link in others - {"/overview"}:
        assert service.web.get(link, status=200).status_int == 200


@pytest.mark.parametrize("at", ["..", "../setup.py", "%2e%2e/setup.py", "x", "images", "a%00b.md"])
def test_nothing_else_is_served(service, at):
    assert service.web.get(f"{GUIDES}/{at}", status=404).content_type == "text/html"


def test_a_guide_is_also_the_markdown_and_its_images(service):
    found = service.web.get(f"{GUIDES}/recipes/README.md")
    assert found.content_type == "text/markdown"
    assert found.body == (DOCS / "recipes/README.md").read_bytes()
    for name in IMAGES:
        found = service.web.get(f"{GUIDES}/{name}")
        assert (found.content_type, found.body) == ("image/png", (DOCS / name).read_bytes())


def test_a_guide_has_the_policy_of_the_other_pages(service):
    found = service.web.get(f"{GUIDES}/filters")
    assert "unsafe" not in found.headers["Content-Security-Policy"]
    assert "<!--" not in found.text


def test_llms_txt_leads_to_every_guide(service):
    found = service.web.get("/llms.txt")
    assert found.content_type == "text/plain"
    assert found.text.startswith("# finance_api\n\n> ")
    links = re.findall(r"\((/[^)]+)\)", found.text)
    assert len(links) == len(FILES) + 1
    for link in links:
        service.web.get(link, status=200)
    # Each guide is described by a sentence of its own, not by how it was tested.
    lines = found.text.split("## Guides")[1].strip().splitlines()
    for line in lines:
        summary = line.partition("): ")[2]
        assert summary.endswith(".") and not re.match("Not tried|Run in a test|Context", summary)


def test_an_error_links_to_what_a_guide_says_about_it(service, pages):
    client = service.client()
    ids = pages[f"{GUIDES}/errors"].ids
    for path, status in (
        ("/v1/api/records?limit=0", 400),
        ("/v1/api/nothing", 404),
        ("/v1/api/records/by-id?id=x", 400),
        ("/nothing", 404),
        ("/v1/api/changes?since=17", 410),
        (f"/v1/api/records?q={'x' * 9000}", 414),
    ):
        found = service.web.get(path, headers=client.headers, status=status).json["help"]
        at, _, heading = found.partition("#")
        assert (at, heading.partition("-")[0]) == (f"{GUIDES}/errors", str(status))
        assert heading in ids
    found = service.web.get("/v1/api/records", status=401, extra_environ={"SCRIPT_NAME": "/money"})
    assert found.json["help"] == "/money/docs/guides/errors#401-unauthorized"
    assert int(found.headers["Content-Length"]) == len(found.body)


@pytest.mark.parametrize("path", ["/internal/v1/get-records", "/wallet/v1/api/records"])
def test_errors_of_other_surfaces_stay_as_their_clients_know_them(service, path):
    assert "help" not in service.web.get(path, status=401).json


def test_a_guide_has_a_menu_that_leads_to_the_others_and_back(pages):
    for path, found in pages.items():
        assert {"/overview", "/docs", GUIDES, f"{GUIDES}/filters"} <= {*found.links}, path
