"""The application factory for servers: errors that prevent the start are one line."""

import logging
from typing import Any

from finance_api import main
from finance_api.settings import SettingError
from finance_api.storage.errors import StorageNotReady, StorageUnavailable

logger = logging.getLogger(__name__)


def app(global_config: dict[str, str], **settings: str) -> Any:
    """`finance_api.main` as PasteDeploy's app factory.

    Ends the process for a wrong setting and for a storage that is not ready. A storage that does
    not answer may come back: the service starts, and answers with 503 until it does.
    """
    try:
        application = main(global_config, **settings)
        application.registry.services.storage.check()
    except (SettingError, StorageNotReady) as error:
        raise SystemExit(f"finance-api: {error}") from None
    except StorageUnavailable as error:
        logger.error("storage: %s", error)
    return application
