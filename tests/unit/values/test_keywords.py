"""A text is searched for many keywords in one pass."""

import random

import pytest

from finance_api.values.keywords import Keywords


class Text(str):
    """A text that counts how often a part of it is read."""

    reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("letters", ["a", "ab", "abc", "aßé "])
def test_exactly_the_keywords_in_the_text_are_found(letters):
    rng = random.Random(letters)
    for _ in range(500):
        words = {
            "".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(rng.randint(0, 15))
        }
        text = "".join(rng.choices(f"{letters}\0", k=rng.randint(0, 25)))
        assert Keywords(words).found_in(text) == {word for word in words if word in text}


def test_overlapping_and_nested_keywords_are_all_found():
    words = {"shop", "hop", "shopping", "ping", "corner shop", "op", "shopping bag"}
    found = Keywords(words).found_in("the corner shopping mall")
    assert found == words - {"shopping bag"}


def test_a_blank_keyword_is_in_no_text():
    assert Keywords([""]).found_in("shop") == set()


@pytest.mark.parametrize("number", [1, 100, 10_000])
def test_a_text_is_read_once_however_many_keywords_there_are(number):
    text = Text("corner shop " * 10)
    Keywords(f"keyword {n}" for n in range(number)).found_in(text)
    assert text.reads == len(text)


def test_keywords_that_are_prefixes_of_each_other_are_found_in_few_steps():
    # Of 250 keywords, only the shortest are in the text.
    words = ["ab" * n for n in range(1, 251)]
    keywords, steps = Keywords(words), []

    class Counted(dict):
        def __getitem__(self, key):
            steps.append(key)
            return super().__getitem__(key)

    keywords._shorter, keywords._far = Counted(keywords._shorter), Counted(keywords._far)
    assert keywords.found_in("ab" * 120 + "z") == set(words[:120])
    # Keywords begin at 120 places. One by one, each place would take some 190 steps.
    assert len(steps) < 120 * 80
