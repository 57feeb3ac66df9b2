"""A program that imports an upload as a server does.

Arguments: database URL, e-mail, upload id. Prints a line when the import process runs.
"""

import sys
import time

from finance_api.runtime.clock import SystemClock
from finance_api.runtime.metrics import Metrics
from finance_api.settings import read_settings
from finance_api.storage.interface import open_backend, reading
from finance_api.uploads.jobs import UploadJobs


def main(url: str, email: str, upload_id: str) -> None:
    settings = read_settings({"sqlalchemy.url": url}, {})
    backend = open_backend(settings)
    with reading(backend) as storage:
        user = storage.users.get(email)
        upload = storage.uploads.get(user.id, upload_id)
    jobs = UploadJobs(backend, SystemClock(), settings, Metrics())
    jobs.start(user, upload, "-")
    print("started", flush=True)
    jobs.wait(user.id, upload_id)
    # Wait until a test ends this program.
    time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
