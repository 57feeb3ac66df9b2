"""Cached responses are never for another user or state, and never exceed the size limit."""

import random
import threading

import pytest

from finance_api.runtime.response_cache import ResponseCache

#: A size that is enough for an entry without a body, but not for one with a body of this size.
ENTRY = 2_000
LARGE = 1 << 20


def fill(cache, *numbers, user=1, tag=1, size=ENTRY):
    for number in numbers:
        cache.put(user, tag, (f"/{number}",), number, size)


def found(cache, *numbers, user=1, tag=1):
    return [cache.get(user, tag, (f"/{number}",)) for number in numbers]


def test_a_cached_answer_is_found_by_user_tag_and_key():
    cache = ResponseCache(LARGE)
    answer = object()
    cache.put(1, 5, ("/a", "x=1", "application/json", ""), answer, 10)
    assert cache.get(1, 5, ("/a", "x=1", "application/json", "")) is answer
    for user, tag, key in (
        (2, 5, ("/a", "x=1", "application/json", "")),
        (1, 4, ("/a", "x=1", "application/json", "")),
        (1, 6, ("/a", "x=1", "application/json", "")),
        (1, 5, ("/a", "x=2", "application/json", "")),
        (1, 5, ("/a", "x=1", "text/csv", "")),
        (1, 5, ("/a", "x=1", "application/json", "2026-01-01")),
    ):
        assert cache.get(user, tag, key) is None
    assert cache.get(1, 5, ("/a", "x=1", "application/json", "")) is answer


def test_a_state_that_comes_back_finds_its_answers_again():
    """Tests what a restore does. Tags have no order, so none of them is the newest."""
    cache = ResponseCache(LARGE)
    for tag in (7, -3, 2**63 - 1, 7):
        fill(cache, 1, tag=tag)
    assert [found(cache, 1, tag=tag) for tag in (7, -3, 2**63 - 1, 8)] == [[1], [1], [1], [None]]


def test_keeping_the_same_answer_again_takes_no_more_memory():
    cache = ResponseCache(LARGE)
    cache.put(1, 1, ("/",), "first", 5_000)
    before = cache.cached_bytes
    for _ in range(1_000):
        cache.put(1, 1, ("/",), "again", 5_000)
    assert cache.cached_bytes == before
    cache.put(1, 1, ("/",), "smaller", 1_000)
    assert cache.cached_bytes == before - 4_000
    assert cache.get(1, 1, ("/",)) == "smaller"


def test_the_overhead_of_an_entry_counts_too():
    cache = ResponseCache(100_000)
    for number in range(10_000):
        cache.put(1, 1, (f"/{number}",), None, 0)
    count = sum(cache.get(1, 1, (f"/{number}",)) is not None for number in range(10_000))
    assert cache.cached_bytes <= 100_000
    assert count <= 100
    long = ResponseCache(100_000)
    long.put(1, 1, ("/", "q" * 5_000), "x", 0)
    assert long.cached_bytes >= 5_000


def test_the_least_recently_used_answers_go_first():
    cache = ResponseCache(10 * 2 * ENTRY + 1_000)
    fill(cache, *range(10))
    assert found(cache, 0, 3) == [0, 3]
    fill(cache, 10, 11)
    assert found(cache, 0, 3, 10, 11, 4) == [0, 3, 10, 11, 4]
    assert found(cache, 1, 2) == [None, None]
    fill(cache, 20, 21, user=2)
    assert found(cache, 5, 6, 7) == [None, None, 7]


def test_an_answer_that_is_too_large_is_not_cached_and_evicts_no_other():
    cache = ResponseCache(100_000)
    fill(cache, 1, 2)
    fill(cache, 3, size=50_000)
    assert found(cache, 1, 2, 3) == [1, 2, None]


@pytest.mark.parametrize("max_bytes", [0, 1, 1_000])
def test_a_cache_without_room_keeps_nothing(max_bytes):
    cache = ResponseCache(max_bytes)
    cache.put(1, 1, ("/",), "x", 0)
    assert cache.get(1, 1, ("/",)) is None
    assert cache.cached_bytes == 0


def test_threads_never_get_the_answer_of_another_user_or_state():
    """Each response names its user and state; several threads use the cache at once."""
    cache = ResponseCache(200_000)
    wrong, start = [], threading.Barrier(8)
    newest = [0] * 5

    def work(seed):
        chance = random.Random(seed)
        start.wait()
        for _ in range(4_000):
            user, key = chance.randrange(5), (f"/{chance.randrange(40)}",)
            if chance.random() < 0.01:
                newest[user] += 1
            tag = max(0, newest[user] - (chance.random() < 0.1))
            if chance.random() < 0.5:
                cache.put(user, tag, key, (user, tag, key), chance.randrange(9_000))
            else:
                answer = cache.get(user, tag, key)
                if answer not in (None, (user, tag, key)):
                    wrong.append((user, tag, key, answer))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    sizes = [size for _, size in cache._entries.values()]
    assert cache.cached_bytes == sum(sizes) <= 200_000
