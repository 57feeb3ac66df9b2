"""granian's processes: how they start, are replaced, and end."""

import os
import re
import signal
import time
from importlib.metadata import version
from pathlib import Path

import psutil
import pytest

from finance_api.server.granian.settings import GranianSettings
from finance_api.server.settings import StartError, read_settings

HOLD = b"GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"
GET = b"GET /%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
PATIENCE_SECONDS = 15


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def hold(server, count):
    """As many connections with a request in the application's hands."""
    connections = [server.connect() for _ in range(count)]
    for connection in connections:
        connection.send(HOLD)
        while (line := server.lines.get(timeout=PATIENCE_SECONDS)) != "held":
            assert line == "hook called"
    return connections


# -- settings


def test_the_keys_are_those_of_waitress_and_the_number_of_processes():
    settings = read_settings({}, {}, GranianSettings)
    assert (settings.workers, settings.threads, settings.port) == (1, 4, 6543)
    assert read_settings({}, {"workers": "3"}, GranianSettings).workers == 3
    with pytest.raises(StartError, match="workers: unknown"):
        read_settings({}, {"workers": "3"})


def test_the_command_line_can_give_the_number_of_processes():
    given = {"http_workers": "3", "http_port": "7000", "http_host": "::1"}
    chosen = read_settings(given, {"workers": "1"}, GranianSettings)
    assert (chosen.workers, chosen.port, chosen.host) == (3, 7000, "::1")
    # waitress has no such key, so it does not look for it.
    assert read_settings(given, {}).port == 7000


# -- the start


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"workers": "0"}, r"server setting workers: '0' is not a number of processes .+"),
        ({"workers": "two"}, r"server setting workers: 'two' is not a number of processes .+"),
        ({"ident": "me"}, r"server setting ident: unknown; known are host, .+, workers"),
        ({"host": "192.0.2.1", "port": "1"}, r"cannot listen on 192\.0\.2\.1:1: [a-z ]+"),
        (
            {"workers": 2, "application": {"finance_api.ratelimit.backend": "memory"}},
            r"server setting workers: 2 need finance_api\.ratelimit\.backend = redis, to .+",
        ),
        (
            {"workers": 1, "arguments": ("http_workers=x",)},
            r"server setting http_workers: 'x' is not a number of processes .+",
        ),
    ],
)
def test_a_start_that_fails_says_so_in_one_line(start_granian, settings, said):
    failed = start_granian(**settings)
    assert failed.exit_code() == 1
    lines = failed.errors().splitlines()
    assert [line for line in lines if re.fullmatch(said, line)]
    assert not [line for line in lines if "granian" in line and "Traceback" in line]


def test_one_process_may_count_by_itself(start_granian):
    granian = start_granian(application={"finance_api.ratelimit.backend": "memory"})
    assert len(granian.workers()) == 1


def test_a_library_that_is_missing_is_named(start_granian, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['granian'] = None\n")
    # The fixture's own path comes behind it.
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    monkeypatch.setattr(
        "subprocess.Popen", _with_path_before(str(tmp_path), __import__("subprocess").Popen)
    )
    failed = start_granian()
    assert failed.exit_code() == 1
    line = "granian is not installed; install finance-api with its extra granian"
    assert line in failed.errors().splitlines()


def _with_path_before(directory, popen):
    def opened(*arguments, env, **options):
        env = {**env, "PYTHONPATH": f"{directory}:{env['PYTHONPATH']}"}
        return popen(*arguments, env=env, **options)

    return opened


def test_a_second_server_leaves_the_first_one_alone(granian, server, start_granian):
    for port in (granian.port, server.port):
        second = start_granian(port=port)
        assert second.exit_code() == 1
        line = f"cannot listen on 127.0.0.1:{port}: address already in use"
        assert line in second.errors().splitlines()
    assert granian.ask(GET % b"x")[0].status == 200


def test_an_application_that_its_workers_cannot_make_ends_the_start(start_granian):
    granian = start_granian()
    (worker,) = granian.workers()
    # It can be made by the first worker, and not by the one that takes its place.
    (granian.directory / "refuses").touch()
    os.kill(worker, signal.SIGKILL)
    assert granian.exit_code() == 1
    assert granian.errors().count("refused: the settings are wrong") == 1


def test_the_parent_has_one_thread_and_as_many_children_as_are_asked_for(start_granian):
    granian = start_granian(workers=1, arguments=("http_workers=3",))
    assert len(granian.workers()) == 3
    assert psutil.Process(granian.process.pid).num_threads() == 1


def test_all_processes_answer(granian):
    answering = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while answering != granian.workers():
        assert time.monotonic() < deadline
        connections = [granian.connect() for _ in range(16)]
        for connection in connections:
            connection.send(GET % b"process")
        answering |= {int(c.read_answers()[0].body) for c in connections}


# -- a worker that dies


def test_a_worker_that_dies_is_replaced_and_the_others_go_on(start_granian):
    granian = start_granian(workers=2)
    before = granian.workers()
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len(granian.workers() - {victim}) == 2)
    for _ in range(5):
        assert granian.ask(GET % b"x")[0].status == 200
    granian.signal()
    assert granian.exit_code() == 0, granian.errors()
    errors = granian.errors()
    assert f"(PID {victim}) ended with -9; another one takes its place" in errors


def test_without_their_parent_workers_end(start_granian):
    granian = start_granian(workers=2)
    workers = [psutil.Process(pid) for pid in granian.workers()]
    granian.process.kill()
    _, left = psutil.wait_procs(workers, timeout=PATIENCE_SECONDS)
    assert not left


# -- the end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_every_accepted_request_is_answered_whole(start_granian, number):
    granian = start_granian(workers=2, threads=2)
    working = hold(granian, 4)
    # Beyond the threads of one process: some wait for one.
    queued = [granian.connect() for _ in range(20)]
    for connection in queued:
        connection.send(HOLD)
    granian.signal(number)
    granian.wait_until_not_listening()
    granian.release()
    for connection in working + queued:
        (answer,) = connection.read_answers()
        assert (answer.status, answer.json["path"]) == (200, "/hold")
        assert answer.headers["connection"] == "close"
    assert granian.exit_code() == 0, granian.errors()


def test_a_terminal_that_signals_all_processes_ends_them_gracefully(start_granian):
    granian = start_granian(workers=2)
    (working,) = hold(granian, 1)
    for pid in (*granian.workers(), granian.process.pid):
        os.kill(pid, signal.SIGINT)
    granian.wait_until_not_listening()
    granian.release()
    assert working.read_answers()[0].status == 200
    assert granian.exit_code() == 0, granian.errors()


def test_the_hooks_of_every_process_are_called(start_granian):
    granian = start_granian(workers=3)
    granian.signal()
    assert granian.exit_code() == 0, granian.errors()
    granian._reader.join()
    # Lines of several processes can meet.
    said = "".join(granian.lines.get_nowait() for _ in range(granian.lines.qsize()))
    assert said.count("hook called") == 3
    assert granian.errors().count("a shutdown hook failed") == 4


def test_idle_connections_are_closed(start_granian):
    granian = start_granian()
    idle, silent = granian.connect(), granian.connect()
    idle.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert idle.read_one().status == 200
    granian.signal()
    assert [connection.read_to_end() for connection in (idle, silent)] == [b"", b""]
    assert granian.exit_code() == 0, granian.errors()


def test_past_the_drain_limit_it_ends_with_a_failure(start_granian):
    granian = start_granian(drain_seconds=0.3)
    (working,) = hold(granian, 1)
    granian.signal()
    assert granian.exit_code() == 1
    assert "the drain limit of 0.3 s has passed" in granian.errors()
    assert granian.lines.get(timeout=PATIENCE_SECONDS) == "hook called"
    working.socket.close()


def test_work_whose_client_has_gone_is_waited_for(start_granian):
    granian = start_granian()
    (working,) = hold(granian, 1)
    working.socket.close()
    granian.signal()
    granian.wait_until_not_listening()
    assert granian.process.poll() is None
    granian.release()
    assert granian.exit_code() == 0, granian.errors()


def test_a_second_signal_ends_all_processes_at_once(start_granian):
    granian = start_granian(workers=2)
    workers = [psutil.Process(pid) for pid in granian.workers()]
    (working,) = hold(granian, 1)
    granian.signal()
    granian.wait_until_not_listening()
    granian.signal()
    assert granian.exit_code() == 1
    assert "second signal" in granian.errors()
    _, left = psutil.wait_procs(workers, timeout=PATIENCE_SECONDS)
    assert not left
    working.socket.close()


def test_granian_is_the_one_whose_internals_were_read():
    pytest.importorskip("granian")
    assert version("granian") == "2.8.7"


def test_the_package_does_not_hide_the_library():
    granian = pytest.importorskip("granian")
    assert "finance_api" not in Path(granian.__file__).parts
