"""The comparison of examples notices any answer that a page does not show."""

import pytest

from support.examples import Block, examples_of, matches, rewritten


def _block(language: str, body: str) -> Block:
    return Block(language, body, "", 1, 0, 0)


@pytest.mark.parametrize(
    "shown, told",
    [
        ('{"a": 1, "b": [1, 2]}', '{"a":1,"b":[1,2]}'),
        ('{"a": 1, "…": "…"}', '{"a":1,"b":2}'),
        ('{"a": "…"}', '{"a":[{}]}'),
        ('{"a": ["x", "…"]}', '{"a":["x","y","z"]}'),
        ('{"a": "fin_…"}', '{"a":"fin_9K3S"}'),
        ('{"a": -52.32}', '{"a":-52.32}'),
    ],
)
def test_json_with_parts_left_out_is_the_same(shown: str, told: str) -> None:
    block = _block("json", shown)
    assert matches(block, told)
    assert matches(_block("json", rewritten(block, told)), told)


@pytest.mark.parametrize(
    "shown, told",
    [
        ('{"a": 1}', '{"a":2}'),
        ('{"a": 1}', '{"a":1,"b":2}'),
        ('{"a": 1, "…": "…"}', '{"a":1}'),
        ('{"b": 1, "a": 1}', '{"a":1,"b":1}'),
        ('{"a": [1, "…"]}', '{"a":[1]}'),
        ('{"a": [1]}', '{"a":[1,2]}'),
        ('{"a": "1"}', '{"a":1}'),
        ('{"a": 1}', '{"a":true}'),
        ('{"a": -52.3}', '{"a":-52.30}'),
        ('{"a": "fin_…"}', '{"a":"fan_9K3S"}'),
    ],
)
def test_other_json_is_not(shown: str, told: str) -> None:
    block = _block("json", shown)
    assert not matches(block, told)
    assert matches(_block("json", rewritten(block, told)), told)


MESSAGE = 'HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nDate: now\r\n\r\n{"a":1}'


@pytest.mark.parametrize(
    "shown",
    [
        'HTTP/1.1 404 Not Found\nDate: …\ncontent-type: text/plain\n\n{"a": 1}\n',
        'HTTP/1.1 404 Not Found\nContent-Type: text/plain\n…\n\n{"a": "…"}\n',
    ],
)
def test_a_message_is_the_same_in_any_order(shown: str) -> None:
    assert matches(_block("http", shown), MESSAGE)


@pytest.mark.parametrize(
    "shown",
    [
        'HTTP/1.1 400 Bad Request\n…\n\n{"a": 1}\n',
        'HTTP/1.1 404 Not Found\nContent-Type: text/plain\n\n{"a": 1}\n',
        'HTTP/1.1 404 Not Found\nRetry-After: 8\n…\n\n{"a": 1}\n',
        'HTTP/1.1 404 Not Found\n…\n\n{"a": 2}\n',
    ],
)
def test_another_message_is_not(shown: str) -> None:
    block = _block("http", shown)
    assert not matches(block, MESSAGE)
    assert matches(_block("http", rewritten(block, MESSAGE)), MESSAGE)


def test_lines_are_compared_one_by_one() -> None:
    assert matches(_block("", "a\n…\nd …\n"), "a\nb\nc\nd 1\n")
    assert not matches(_block("", "a\n…\nd\n"), "a\nb\ne\n")
    assert not matches(_block("", "a\n"), "a\nb\n")
    assert rewritten(_block("", "a …\nb\n"), "a 1\nc\n") == "a …\nc\n"


PAGE = """
```sh
curl one
```

```json
{"a": 1}
```

```sh
make
```

<!-- not run: another machine -->
```sh
curl two
```

```json
{"b": 1}
```

<!-- example: quota used up -->
```sh
curl three
```

Text.

```
no answer
```
"""


def test_examples_are_found_with_their_answers() -> None:
    found, left_out = examples_of(PAGE, commands=("curl",))
    assert [(e.command.body, e.answer and e.answer.body, e.condition) for e in found] == [
        ("curl one\n", '{"a": 1}\n', ""),
        ("curl three\n", None, "quota used up"),
    ]
    assert [block.body for block in left_out] == ["curl two\n"]


def test_an_answer_of_no_command_is_an_error() -> None:
    with pytest.raises(AssertionError, match="line 5"):
        examples_of("\n\ntext\n\n```json\n{}\n```\n", commands=("curl",))
