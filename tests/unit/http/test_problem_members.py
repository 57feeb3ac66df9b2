"""Problem documents get further members without being taken apart as text."""

from finance_api.http.errors import problem_body, with_member


def test_a_further_member_stands_at_the_end() -> None:
    body = problem_body(404, "There is no “page” {here}.")
    assert with_member(body, "help", "/ä/docs") == body[:-1] + ',"help":"/ä/docs"}'.encode()


def test_blanks_after_a_document_do_no_harm() -> None:
    assert with_member(b'{"status":404}\n', "help", "/docs") == b'{"status":404,"help":"/docs"}'
