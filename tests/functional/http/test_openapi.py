"""The OpenAPI descriptions: valid, complete, and true to the service."""

import io
import json
import re
import shutil
import subprocess
import urllib.request
from urllib.parse import quote

import hypothesis
import hypothesis.strategies as st
import jsonschema
import pytest
from openapi_spec_validator import validate

from finance_api.api.openapi.document import INTERNAL, PUBLIC, described
from finance_api.api.openapi.samples import HOST
from finance_api.api.parameters import ListSchema
from finance_api.api.validation import read_parameters
from finance_api.auth.personal_tokens import SCOPES
from finance_api.http.surfaces import (
    INTERNAL_DESCRIPTION,
    PUBLIC_DESCRIPTION,
    SUFFIXES,
    WALLET_DESCRIPTION,
    needs_token,
)
from finance_api.questions.saved import add_question
from finance_api.resources import RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.serialization.formats import XLSX
from finance_api.wallet import others, responses
from support.native_rows import household, uid
from support.nightly import count
from support.programs import missing

DESCRIPTIONS = {
    PUBLIC_DESCRIPTION: PUBLIC,
    WALLET_DESCRIPTION: responses.SURFACE,
    INTERNAL_DESCRIPTION: INTERNAL,
}
#: Headers of every response, which the description does not list for each.
USUAL = {
    *("Content-Type", "Content-Length", "Content-Encoding", "X-Content-Type-Options"),
    *("Content-Security-Policy", "Referrer-Policy"),
}
#: Formats that the description only mentions in a sentence, so that generated clients read JSON.
OTHER_FORMATS = ("text/csv", "application/x-ndjson", XLSX.media_type)
#: Messages for values that the schema allows, but that are refused.
RULES = {
    "needs a period in groupBy",
    "needs days to compare",
    "is not a column of these groups",
    "conditions; at most 10 are allowed",
}


@pytest.fixture(scope="module")
def service(services):
    found = services("memory")
    found.clock.set("2026-03-18T12:00:00Z")
    return found


@pytest.fixture(scope="module")
def client(service):
    client = service.client()
    client.load(*household())
    question = {"name": "All", "address": "/v1/api/records", "now": 0}
    service.change(lambda storage: add_question(storage, client.user, **question))
    return client


@pytest.fixture(params=DESCRIPTIONS)
def path(request):
    return request.param


@pytest.fixture
def document(service, path):
    return service.web.get(path).json


def headers_for(client, path):
    if not path.startswith("/internal"):
        return client.headers
    return {"Authorization": f"Bearer {client.service.jwt(client.user)}"}


def operations(document):
    found = [(path, methods["get"]) for path, methods in document["paths"].items()]
    assert found
    return found


def resolved(document, each):
    while "$ref" in each:
        _, _, kind, name = each["$ref"].split("/")
        each = document["components"][kind][name]
    return each


def validator(document, schema):
    whole = {**schema, "components": document["components"]}
    draft = jsonschema.Draft202012Validator
    return draft(whole, format_checker=draft.FORMAT_CHECKER)


def is_valid(document, schema, instance):
    validator(document, schema).validate(instance)
    return True


def bodies(document):
    for _, operation in operations(document):
        for response in operation["responses"].values():
            yield from resolved(document, response).get("content", {}).values()


def examples_of(each):
    """Return the examples of a parameter or a body."""
    if "example" in each:
        return [each["example"]]
    return [named["value"] for named in each.get("examples", {}).values()]


def written(name, value, parameter):
    """Write a parameter as in a query string."""
    values = value if isinstance(value, list) else [value]
    texts = [json.dumps(v) if not isinstance(v, str) else v for v in values]
    if parameter.get("explode") is False:
        texts = [",".join(texts)]
    return "&".join(f"{name}={quote(text, safe='')}" for text in texts)


def allowed(document, schema):
    """Return a strategy for the values that a parameter's schema allows."""
    schema = resolved(document, schema)
    match schema:
        case {"enum": choices}:
            return st.sampled_from(choices)
        case {"pattern": pattern}:
            return st.from_regex(pattern, fullmatch=True)
        case {"type": "array"}:
            low, high = schema.get("minItems", 0), schema.get("maxItems", 5)
            values, unique = allowed(document, schema["items"]), schema.get("uniqueItems", False)
            return st.lists(values, min_size=low, max_size=min(high, 10), unique=unique)
        case {"type": "integer"}:
            return st.integers(schema["minimum"], schema["maximum"])
        case {"type": "boolean"}:
            return st.booleans()
        case {"format": "date"}:
            return st.dates().map(str)
        case {"format": "uuid"}:
            return st.uuids().map(str)
    raise ValueError(f"nothing makes values of {schema}")


def query_for(document, operation, *, every=False):
    """Return the examples of the required parameters. every: of all parameters."""
    found = [resolved(document, each) for each in operation["parameters"]]
    return [
        written(each["name"], each["example"], each)
        for each in found
        if each["in"] == "query" and (every or each.get("required"))
    ]


def test_it_is_valid_and_for_everybody(document):
    validate(document)
    assert document["openapi"].startswith("3.1.")


def test_every_service_is_in_one_description_and_nothing_else(service):
    registry = service.app.registry
    found = [each for surface in DESCRIPTIONS.values() for each in described(registry, surface)]
    # Services that only respond with 404.
    answers = set(registry.cornice_services) - {others.custom.path}
    assert {each.service.path for each in found} == answers
    assert len(found) == len(answers)
    shown = [at for path in DESCRIPTIONS for at in service.web.get(path).json["paths"]]
    assert len(shown) == len(found)
    # A path that may end with a format's suffix is listed once.
    assert "/v1/api/records" in shown
    assert not [at for at in shown if at.endswith(SUFFIXES) and not at.endswith("/all.ndjson")]


def test_a_response_is_json_alone_where_there_is_json(document):
    for path, operation in operations(document):
        formats = list(operation["responses"]["200"]["content"])
        assert "application/json" not in formats or len(formats) == 1, path


def test_operations_are_named_apart(document):
    names = [operation["operationId"] for _, operation in operations(document)]
    assert len(set(names)) == len(names)


def test_a_token_is_asked_for_where_it_is_needed(document):
    for path, operation in operations(document):
        assert bool(operation["security"]) is needs_token(path)
        for requirement in operation["security"]:
            assert requirement.keys() <= document["components"]["securitySchemes"].keys()
            assert all(set(scopes) <= set(SCOPES) for scopes in requirement.values())


def test_the_scope_is_the_one_without_which_a_token_is_refused(service, client):
    document = service.web.get(PUBLIC_DESCRIPTION).json
    client = service.client(scopes=["labels"])
    for path, operation in operations(document):
        if not operation["security"]:
            continue
        (scopes,) = operation["security"][0].values()
        query = "&".join(query_for(document, operation))
        url = f"{path.replace('{id}', uid('Record', 1))}?{query}"
        answer = service.web.get(url, headers=client.headers, expect_errors=True)
        assert (answer.status_int == 403) is bool(set(scopes) - {"labels"}), path


def test_everything_has_a_meaning_and_an_example(document):
    for kind in ("parameters", "headers"):
        for name, each in document["components"][kind].items():
            assert each["description"].endswith("."), name
            assert each["example"] is not None, name
            assert each["schema"], name
    for path, operation in operations(document):
        assert operation["summary"], path
        assert operation["responses"]["200"]["content"], path
    for schema in document["components"]["schemas"].values():
        for name, each in schema.get("properties", {}).items():
            told = resolved(document, each)
            assert told.keys() & {"description", "items", "properties", "anyOf"}, name


def test_every_example_is_valid_by_its_own_schema(document):
    seen = 0
    for each in (*document["components"]["parameters"].values(), *bodies(document)):
        for example in examples_of(each):
            seen += is_valid(document, each["schema"], example)
    for schema in document["components"]["schemas"].values():
        for each in schema.get("properties", {}).values():
            for example in resolved(document, each).get("examples", ()):
                seen += is_valid(document, each, example)
    assert seen > 30


def test_every_example_of_a_parameter_is_taken(service, document, path):
    services = {each.path: each for each in described(service.app.registry, DESCRIPTIONS[path])}
    shown = {operation["operationId"]: operation for _, operation in operations(document)}
    assert len(services) == len(shown)
    for each, operation in zip(services.values(), shown.values(), strict=True):
        needed = query_for(document, operation)
        for one in query_for(document, operation, every=True):
            query = "&".join(dict.fromkeys([*needed, one]))
            parameters, faults = read_parameters(each.schema, query)
            # fill also needs a period, and compare also needs days.
            assert faults == [] or one in ("fill=true", "compare=previous"), one
            # Entity tags contain it, so it must be the same in every process.
            assert not re.search(" at 0x", parameters.canonical), one


def test_answers_are_as_described(document, client):
    seen = 0
    for path, operation in operations(document):
        if path == "/__metrics__":
            continue
        url = path.replace("{id}", row_id(client, path))
        query = "&".join(query_for(document, operation))
        told = operation["responses"]["200"]
        others = OTHER_FORMATS if "Other formats" in operation["description"] else ()
        for media_type in (*told["content"], *others):
            accept = {"Accept": media_type, **headers_for(client, path)}
            answer = client.service.web.get(f"{url}?{query}", headers=accept, status="*")
            assert answer.status_int == 200, (url, answer.text)
            assert answer.content_type == media_type
            if media_type == "application/json":
                is_valid(document, told["content"][media_type]["schema"], answer.json)
            check_headers(document, told, answer)
            seen += 1
            tag = answer.headers.get("ETag")
            if tag is not None and "304" in operation["responses"]:
                unchanged = {**accept, "If-None-Match": tag}
                answer = client.service.web.get(f"{url}?{query}", headers=unchanged, status=304)
                check_headers(document, operation["responses"]["304"], answer)
    assert seen >= len(document["paths"])


def row_id(client, path):
    if "{id}" not in path:
        return ""
    found = client.get(path.split("/")[3], limit=1).json
    return next(value for value in found.values() if isinstance(value, list))[0]["id"]


def check_headers(document, told, answer):
    shown = {name: resolved(document, each) for name, each in told["headers"].items()}
    assert set(answer.headers) - USUAL <= shown.keys()
    assert {name for name, each in shown.items() if each["required"]} <= set(answer.headers)


def test_every_column_of_a_summary_is_described(service, client):
    document = service.web.get(PUBLIC_DESCRIPTION).json
    group = document["components"]["schemas"]["Group"]["properties"]
    for names in ("account,category,topCategory", "label,payee,recordType", "day,week,month"):
        answer = client.get(f"records/summary?groupBy={names}").json
        assert answer["groups"][0].keys() <= group.keys()


def test_problems_are_as_described(service, client):
    document = service.web.get(PUBLIC_DESCRIPTION).json
    missing = uid("Record", 4711)
    for status, url, headers in (
        (400, "/v1/api/records?limit=0&limt=3", client.headers),
        (401, "/v1/api/records", {}),
        (403, "/v1/api/records", service.client(premium=False).headers),
        (404, f"/v1/api/records/{missing}", client.headers),
        (406, "/v1/api/records", {**client.headers, "Accept": "image/png"}),
        (410, "/v1/api/changes?since=17", client.headers),
    ):
        place = url.partition("?")[0].replace(missing, "{id}")
        told = resolved(document, document["paths"][place]["get"]["responses"][str(status)])
        answer = service.web.get(url, headers=headers, status=status)
        is_valid(document, told["content"][answer.content_type]["schema"], answer.json)


def sample(operation, label):
    (source,) = (s["source"] for s in operation["x-codeSamples"] if s["label"] == label)
    return source


def test_every_sample_in_python_gets_its_answer(document, client, path, monkeypatch):
    """The samples run over WSGI instead of the network."""
    token = headers_for(client, path)["Authorization"].removeprefix("Bearer ")
    monkeypatch.setenv("TOKEN", token)
    seen = []

    def urlopen(request):
        target = request.full_url.removeprefix(HOST)
        if "{id}" in place:
            target = target.replace(EXAMPLE_ID, row_id(client, place))
        answer = client.service.web.get(target, headers=dict(request.header_items()), status=200)
        seen.append(place)
        return io.BytesIO(answer.body)

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    places = [place for place, _ in operations(document) if place != "/__metrics__"]
    for place in places:
        exec(sample(document["paths"][place]["get"], "Python"), {})
    assert seen == places


def test_the_samples_in_javascript_can_be_read(document, tmp_path):
    if shutil.which("node") is None:
        missing("node")
    program = tmp_path / "samples.js"
    with program.open("w") as file:
        for _, operation in operations(document):
            file.write(f"async () => {{\n{sample(operation, 'JavaScript')}}};\n")
            file.write(sample(operation, "Google Sheets"))
    subprocess.run(["node", "--check", program], check=True)


def test_it_is_asked_for_again_for_nothing(service, path):
    plain = service.web.get(path)
    tag = {"If-None-Match": plain.headers["ETag"]}
    assert service.web.get(path, headers=tag, status=304).body == b""
    packed = service.web.get(path, headers={"Accept-Encoding": "gzip"})
    # WebTest unpacks it.
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert packed.body == plain.body


def test_it_says_under_which_path_the_service_is_reached(service, path):
    below = service.web.get(path, extra_environ={"SCRIPT_NAME": "/money"})
    assert below.json["servers"] == [{"url": "/money"}]
    assert service.web.get(path).json["servers"] == [{"url": "/"}]


@pytest.mark.parametrize("at", ["/", "/v1", "/v1/api"])
def test_the_index_leads_to_what_there_is(service, at):
    found = service.web.get(at, headers={"Accept": "application/json"}).json
    assert found["name"] == "finance-api"
    for name, path in found["links"].items():
        kind = "text/html" if name == "docs" else "application/json"
        assert service.web.get(path, status=200).content_type == kind
    below = service.web.get(at, extra_environ={"SCRIPT_NAME": "/money"}).json
    assert below["links"] == {name: f"/money{path}" for name, path in found["links"].items()}


def test_a_browser_is_led_to_the_overview(service):
    answer = service.web.get("/", headers={"Accept": "text/html"}, status=303)
    assert answer.headers["Location"] == "/overview"


@pytest.mark.parametrize(
    "at", ["/v1/api/nothing", "/v1/api/x%0A", "/nothing", "/v2", "/openapi.json"]
)
def test_a_404_leads_to_the_index(service, client, at):
    answer = service.web.get(at, headers=client.headers, status=404)
    assert answer.headers["Link"] == '</v1>; rel="index", </docs>; rel="service-doc"'


@pytest.mark.parametrize(
    "text", ["", "a", "\x07", "a\x07 ", "a\0", " ", "\t\n", "é\u3000ü", "x" * 256, "x" * 257]
)
def test_a_text_is_taken_where_the_schema_allows_it(service, text):
    """Control characters are removed first; NUL is refused."""
    document = service.web.get(PUBLIC_DESCRIPTION).json
    for name, value in (("q", text), ("note", [f"eq.{text}"]), ("note", [f"startsWith-i.{text}"])):
        parameter = resolved(document, {"$ref": f"#/components/parameters/{name}"})
        _, faults = read_parameters(ListSchema(RECORDS), written(name, value, parameter))
        assert validator(document, parameter["schema"]).is_valid(value) is not bool(faults)


def numbers():
    """Return operands up to the longest one, and those that are one character too long."""
    digits = ("9" * 255, "9" * 257, "0." + "9" * 239, "9" * 127 + "." + "9" * 127)
    return ["gte." + text for text in (*digits, "+5", "-0.01000001", "0." + "9" * 255)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("amount", text) for text in numbers()),
        *(("amount", f"abs.{text},lt.7") for text in numbers()),
        ("amount", "gte.-50,lt.-40"),
        ("amount", "gte.-50,"),
        ("amount", "gte.-50,x"),
        ("originalAmount", "is.not_null,gt.5"),
        ("amount", "is.null,gt.5"),
        ("recordDate", "gte.2025,lt.2026-03"),
        ("recordDate", "gte.2025,lt.2026-02-30"),
        ("recordDate", "gte.-36525d,lt.-1200m"),
        ("recordDate", "gte.-36526d"),
        ("recordDate", "gte.-1201m"),
        ("recordDate", "gte.-100y"),
        ("recordDate", "gte.-101y"),
        ("createdAt", "gte.2026-02-27T12:00:00+02:00,lt.today"),
    ],
)
def test_conditions_between_commas_are_taken_where_the_schema_allows_them(service, name, text):
    document = service.web.get(PUBLIC_DESCRIPTION).json
    parameter = resolved(document, {"$ref": f"#/components/parameters/{name}"})
    _, faults = read_parameters(ListSchema(RECORDS), written(name, [text], parameter))
    assert validator(document, parameter["schema"]).is_valid([text]) is not bool(faults)


@pytest.mark.nightly
def test_every_value_that_a_schema_allows_is_taken(service, document, path):
    services = {each.path: each for each in described(service.app.registry, DESCRIPTIONS[path])}
    asked = set()

    def check(each, parameter):
        schema = parameter["schema"]

        @hypothesis.settings(
            max_examples=count(2, 200),
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
            phases=[hypothesis.Phase.generate],
        )
        @hypothesis.given(allowed(document, schema).filter(validator(document, schema).is_valid))
        def values(value):
            name = parameter["name"]
            _, faults = read_parameters(each.schema, written(name, value, parameter))
            refused = [message for of, message in faults if of == name]
            assert not [m for m in refused if not any(rule in m for rule in RULES)], value

        values()

    for each, (_, operation) in zip(services.values(), operations(document), strict=True):
        for parameter in [resolved(document, one) for one in operation["parameters"]]:
            key = json.dumps([parameter["name"], parameter["schema"]])
            if parameter["in"] == "query" and parameter["name"] != "since" and key not in asked:
                asked.add(key)
                check(each, parameter)
    assert len(asked) > 5
