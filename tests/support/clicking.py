"""A person who imports a file on the pages: each question of the form, and the clicks it takes."""

from finance_api.resources import RECORDS
from finance_api.storage.interface import UploadState, reading, unit_of_work
from finance_api.uploads.jobs import add_upload
from finance_api.uploads.work import UploadWork
from finance_api.values.regions import region_of
from finance_api.web.upload_form import read_form, upload_form
from support.answering import KNOWN, MOST_ROUNDS
from support.ledger import IMPORT_SETTINGS

REGION = region_of("en-GB")


def work(person, upload):
    """Check or import the upload, and return it as it is then."""
    backend, user, now = person.backend, person.user, person.clock.now()
    UploadWork(backend, IMPORT_SETTINGS, user, upload, now, "page").run()
    with reading(backend) as storage:
        return storage.uploads.get(user.id, upload.id)


def change(person, upload, **changes):
    with unit_of_work(person.backend) as storage:
        return storage.uploads.change(person.user.id, upload, **changes)


def clicked(upload, choose):
    """Return the options of the form after a choice for each question.

    choose: takes a question of the outcome and returns the number of the choice.
    """
    form = upload_form(upload, [], [], REGION)
    fields = [field for question in form.questions for field in question.fields]
    fields += [field for group in form.groups for field in group.fields]
    sent = {field.key: [field.value] for field in fields}
    sent |= {column.key: [column.role] for column in form.columns}
    for shown, asked in zip(form.questions, upload.outcome["questions"], strict=True):
        if shown.answers:
            assert len(shown.answers) == len(asked["choices"])
            sent[f"answer-{shown.number}"] = [str(choose(asked))]
        needs = {*asked["needs"], *(n for choice in asked["choices"] for n in choice["needs"])}
        for name in needs & KNOWN.keys():
            # The currency is asked for beside the account.
            assert name in form.asked or (name == "columns" and form.columns), (name, shown)
            sent["new-account-name" if name == "account" else name] = [KNOWN[name]]
        for choice in asked["choices"] if len(asked["choices"]) == 1 else ():
            for name, value in choice["changes"].items():
                # A person reads what the only choice says, and sets the field.
                if sent.get(name) == [""] and isinstance(value, str):
                    sent[name] = [value]
    given = read_form(upload, sent)
    assert not given.errors, (given.errors, sent)
    return given.answered(upload)


def import_by_clicks(person, data, choose=lambda question: 0, given=None):
    """Import a file to its end. Return the number of forms that were sent."""
    pieces = {"pieces": [data], "size": len(data), "now": person.clock.now()}
    with unit_of_work(person.backend) as storage:
        storage.users.lock(person.user.id)
        upload = add_upload(
            storage, person.user.id, name="f", max_waiting_bytes=100 << 20, **pieces
        )
    if given:
        upload = change(person, upload, options=given)
    upload = work(person, upload)
    for sent in range(MOST_ROUNDS):
        if upload.state is UploadState.READY:
            assert work(person, change(person, upload, state=UploadState.IMPORTING)).state is (
                UploadState.DONE
            )
            assert person.rows(RECORDS)
            return sent
        options = clicked(upload, choose)
        upload = work(person, change(person, upload, state=UploadState.CHECKING, options=options))
    raise AssertionError((upload.outcome, data))
