"""While a service is unavailable, not every request calls it."""

import threading

import pytest

from finance_api.runtime.circuit_breaker import CircuitBreaker, CircuitOpen


class Away(Exception):
    pass


def fail():
    raise Away


class Seconds:
    """A monotonic clock that only the test moves."""

    now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def circuit(seconds):
    return CircuitBreaker(Away, monotonic=seconds)


@pytest.fixture
def opened(circuit):
    with pytest.raises(Away):
        circuit.call(fail)
    return circuit


def test_after_each_failure_nobody_calls_for_a_second(opened, seconds):
    called = []
    for _ in range(2):
        for later in (0, 0.5, 0.49):
            seconds.now += later
            assert opened.state == "open"
            with pytest.raises(CircuitOpen):
                opened.call(lambda: called.append("called"))
        seconds.now += 0.01
        assert opened.state == "half-open"
        with pytest.raises(Away):
            opened.call(fail)
    assert called == []
    seconds.now += 1
    assert [opened.call(lambda n=n: n) for n in range(3)] == [0, 1, 2]
    assert opened.state == "closed"


def test_one_thread_at_a_time_probes(opened, seconds):
    seconds.now += 1
    inside, go_on = threading.Event(), threading.Event()
    found = []

    def wait():
        inside.set()
        assert go_on.wait(10)
        return "there"

    prober = threading.Thread(target=lambda: found.append(opened.call(wait)))
    prober.start()
    assert inside.wait(10)
    with pytest.raises(CircuitOpen):
        opened.call(lambda: found.append("called"))
    go_on.set()
    prober.join(10)
    assert found == ["there"]
    assert opened.call(lambda: "again") == "again"


def test_a_call_from_before_the_failure_does_not_close_the_circuit(circuit):
    def fail_meanwhile():
        with pytest.raises(Away):
            circuit.call(fail)
        return "late"

    assert circuit.call(fail_meanwhile) == "late"
    assert circuit.state == "open"


def test_another_error_says_nothing_about_the_service(opened, seconds):
    seconds.now += 1
    with pytest.raises(ZeroDivisionError):
        opened.call(lambda: 1 // 0)
    assert opened.state == "half-open"
    assert opened.call(lambda: "there") == "there"
    with pytest.raises(ZeroDivisionError):
        opened.call(lambda: 1 // 0)
    assert opened.state == "closed"
