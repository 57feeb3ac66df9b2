"""The Wallet API's paths, tokens and methods, and the setting that switches it off."""

import pytest

from support.native_rows import uid
from support.service import Service

LISTS = {
    "records": "records",
    "accounts": "accounts",
    "categories": "categories",
    "budgets": "budgets",
    "goals": "goals",
    "standing-orders": "standingOrders",
    "standing-orders/items": "standingOrderItems",
    "labels": "labels",
    "record-rules": "recordRules",
}
OTHERS = (
    f"records/by-id?id={uid('Record', 1)}",
    f"records?id={uid('Record', 1)}",
    *(f"{name}/references?id=x" for name in ("categories", "records", "accounts", "labels")),
    *(f"{name}/references?id=x" for name in ("category", "record", "account", "label")),
    "api-usage/stats?period=30days",
)


@pytest.mark.parametrize("path", OTHERS)
def test_every_path_answers_a_token(wallet, path):
    answer = wallet.ask(path)
    assert answer.status_int == 200
    assert answer.content_type == "application/json"


@pytest.mark.parametrize(("path", "key"), LISTS.items())
def test_the_rows_stand_first_under_their_key(wallet, path, key):
    assert next(iter(wallet.get(path))) == key
    assert wallet.rows(path)


def test_one_token_serves_both_representations_of_one_quota_and_one_count(empty):
    left = int(empty.ask("records").headers["X-RateLimit-Remaining"])
    flat = empty.ask("/v1/api/records")
    assert int(flat.headers["X-RateLimit-Remaining"]) < left
    empty.service.services.usage.flush()
    counted = empty.get("api-usage/stats?period=1days")
    assert counted["total"] == 2
    assert empty.get("/v1/api/api-usage/stats?period=1days")["usage"] == counted["usage"]


def test_usage_is_not_counted_as_use(empty):
    for _ in range(3):
        empty.get("api-usage/stats?period=1days")
    empty.service.services.usage.flush()
    assert empty.get("api-usage/stats?period=1days")["total"] == 0


@pytest.mark.parametrize("path", ["client/profile", "records/aggregation", "me", "templates", "x"])
def test_other_paths_are_404(wallet, path):
    answer = wallet.ask(path)
    assert answer.status_int == 404
    assert answer.json["error"]


def test_a_mount_prefix_is_kept(wallet):
    answer = wallet.service.web.get(
        "/wallet/v1/api/records?limit=1&agentHints=true",
        headers=wallet.client.headers,
        extra_environ={"SCRIPT_NAME": "/money"},
    )
    assert answer.json["agentHints"][0]["action"]["url"].startswith("/money/wallet/v1/api/records?")
    assert answer.headers["Link"].startswith("</money/wallet/v1/api/records?")


def test_scripts_of_configured_origins_may_read_it():
    origin = "https://app.example"
    settings = {"finance_api.storage": "memory", "finance_api.cors.origins": origin}
    service = Service("memory", settings)
    headers = {**service.client().headers, "Origin": origin}
    answer = service.web.get("/wallet/v1/api/labels", headers=headers)
    assert answer.headers["Access-Control-Allow-Origin"] == origin
    assert "X-Sync-In-Progress" in answer.headers["Access-Control-Expose-Headers"]
    assert service.web.options("/wallet/v1/api/labels", headers=headers).status_int == 204
    service.stop()
