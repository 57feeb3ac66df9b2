"""Sends files on the page Import, as a browser without scripts does."""

from collections.abc import Mapping

from webtest import TestResponse

from finance_api.resources import RECORDS
from finance_api.storage.interface import Upload, User, reading
from support.browser import Visitor, location
from support.service import Service

BOUNDARY = "----WebKitFormBoundaryX3bY6PBMcbB1TX52"

STATEMENT = b"""date,amount,payee,account,currency
2026-03-01,-12.50,Corner Shop,Current account,EUR
2026-03-02,2000,Employer,Current account,EUR
2026-03-03,-4,Caf\xc3\xa9,Current account,EUR
"""
#: A file that leaves the direction of money and the account open.
OPEN = b"""Day,Value,Text
2026-03-01,12.50,Corner Shop
2026-03-02,20.00,Bakery
"""
#: A file that leaves only the direction of money open.
ONE_OPEN = b"""Date,Amount,Payee,Account,Currency
2026-03-01,12.50,Bakery,Card,EUR
2026-03-02,3.00,Bus,Card,EUR
"""


def body_of(
    content: bytes, *, name: str = "bank.csv", csrf: str | None = None, field: str = "file"
) -> bytes:
    return body_of_files({name: content}, csrf=csrf, field=field)


def body_of_files(
    files: Mapping[str, bytes], *, csrf: str | None = None, field: str = "file"
) -> bytes:
    parts = []
    if csrf is not None:
        parts.append(
            b'Content-Disposition: form-data; name="csrf_token"\r\n\r\n' + csrf.encode() + b"\r\n"
        )
    for name, content in files.items():
        written = name.replace('"', "%22").encode()
        parts.append(
            b'Content-Disposition: form-data; name="%b"; filename="%b"\r\n'
            b"Content-Type: text/csv\r\n\r\n" % (field.encode(), written) + content + b"\r\n"
        )
    edge = f"--{BOUNDARY}".encode()
    return b"".join(edge + b"\r\n" + part for part in parts) + edge + b"--\r\n"


def post_file(
    visitor: Visitor, content: bytes, *, status: int | None = 303, **options: str | None
) -> TestResponse:
    """Send a file with the form of the page."""
    if "csrf" not in options:
        options["csrf"] = visitor.csrf("/import")
    return post_body(visitor, body_of(content, **options), status=status)


def post_files(visitor: Visitor, files: Mapping[str, bytes]) -> TestResponse:
    """Send several files with the form of the page."""
    return post_body(visitor, body_of_files(files, csrf=visitor.csrf("/import")))


def post_body(
    visitor: Visitor, body: bytes, *, status: int | None = None, kind: str | None = None
) -> TestResponse:
    headers = {
        "Content-Type": kind or f"multipart/form-data; boundary={BOUNDARY}",
        "Origin": "null",
        "Sec-Fetch-Site": "same-origin",
    }
    return visitor.request("POST", "/import", body=body, headers=headers, status=status)


def sent(visitor: Visitor, content: bytes, **options: str) -> str:
    """Send a file, and wait until it is analysed. Return the path of the upload's page."""
    path = location(post_file(visitor, content, **options))
    finished(visitor.service)
    return path


def finished(service: Service) -> None:
    """Wait until no work on an upload is running."""
    jobs = service.services.upload_jobs
    while jobs.running:
        for user_id, upload_id in jobs.running:
            jobs.wait(user_id, upload_id)


def do(visitor: Visitor, path: str, what: str, *, status: int = 303, **given: object) -> str:
    """Send a form of an upload's page and wait. Return the path of the redirect, if any."""
    page = f"{path}/options" if what == "options" else path
    response = visitor.submit(page, f"{path}/{what}", status=status, **given)
    finished(visitor.service)
    return location(response) if status == 303 else ""


def uploads_of(service: Service, user: User) -> list[Upload]:
    found: list[Upload] = service.change(lambda storage: storage.uploads.list_by_user(user.id))
    return found


def records_of(service, user):
    with reading(service.backend) as storage:
        return storage.data.scan_rows(user.id, RECORDS)


def history_of(service, user):
    return service.change(lambda storage: storage.ledger.list_entries(user.id))
