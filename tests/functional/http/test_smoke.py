ACCOUNT = "11111111-0000-4000-8000-000000000000"


def test_an_imported_account_is_listed(client):
    client.load(
        {"reserved_model_type": "Account", "id": ACCOUNT, "name": "Giro", "currencyCode": "EUR"}
    )
    assert client.names("accounts", "name") == ["Giro"]
