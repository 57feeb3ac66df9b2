"""Every choice that a form offers does what it says, and the same as a program's answer."""

import pytest

from finance_api.resources import RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.number import decimal_text
from support.answering import ask, chooser, drive, given_beside, person_with, stored
from support.clicking import import_by_clicks
from support.ledger import Person
from support.left_open import FILES, HEAD, POINTS, STORED, make
from support.nightly import count


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_format_is_imported_by_clicks(name):
    person, program = Person(MemoryBackend()), Person(MemoryBackend())
    import_by_clicks(person, FILES[name][0])
    drive(program, FILES[name][0])
    assert stored(person) == stored(program)


@pytest.mark.nightly
@pytest.mark.parametrize("point", POINTS)
def test_each_choice_of_a_form_does_what_its_effect_says(point):
    told = 0
    for seed in range(count(2, 200)):
        data, _ = make(seed, point)
        given = {"account": "Giro", "currency": "EUR"} if seed % 2 else {}
        asked = ask(Person(MemoryBackend()), data, given=given).get("questions", [])
        for question in asked:
            for number, choice in enumerate(question["choices"]):
                person, program = Person(MemoryBackend()), Person(MemoryBackend())
                choose = chooser(question, number)
                import_by_clicks(person, data, choose, given)
                drive(program, data, choose, given)
                assert stored(person) == stored(program), (data, question, number)
                for entry in (choice["effect"] or {"entries": []})["entries"]:
                    told += 1
                    found = [decimal_text(u) for day, u in stored(person) if day == entry["day"]]
                    assert entry["amount"] in found, (data, question, number)
    assert told, point


@pytest.mark.parametrize("point", STORED)
def test_each_choice_about_stored_records_does_what_its_effect_says(point):
    *_, text, expected = STORED[point]
    data, given, found = (HEAD + text).encode(), given_beside(point), []
    for number in (0, 1):
        person = person_with(point)
        import_by_clicks(person, data, lambda question, number=number: number, given)
        found.append(len(person.rows(RECORDS)))
    assert sorted(found) == [min(expected.values()), max(expected.values())]
