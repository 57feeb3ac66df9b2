"""Raw requests of other projects, read where they lie."""

import pytest

from support.raw_http import CORPORA, CORPUS, TAKEN, message


def files(verdict):
    chosen = [path for path in CORPUS if path.parent.name == verdict]
    if not chosen:
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"no corpus at {CORPORA}"))]
    return [pytest.param(path, id=path.name) for path in chosen]


@pytest.mark.parametrize("path", files("invalid"))
def test_an_invalid_message_of_the_corpus_gets_one_refusal_at_most(server, path):
    answers = server.exchange(message(path))
    assert len(answers) <= 1
    if path.name in TAKEN:
        assert not any(answer.status >= 500 for answer in answers)
    else:
        assert not any(answer.status < 400 for answer in answers)


@pytest.mark.parametrize("path", files("valid"))
def test_a_valid_message_of_the_corpus_is_never_a_fault_of_the_server(server, path):
    answers = server.exchange(message(path))
    assert answers
    assert not any(answer.status >= 500 for answer in answers)
    assert server.exchange(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0].status == 200
