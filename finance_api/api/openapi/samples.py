"""Code that asks for an operation, in some languages (the extension x-codeSamples)."""

from finance_api.api.representation import CSV, JSON, NDJSON, XLSX, Representation

#: Stands for where the service is reached.
HOST = "https://finance.example.org"

_CURL = """\
curl{header} "{url}"{output}
"""
_PYTHON = """\
{imports}

request = urllib.request.Request(
    "{url}",{header}
)
with urllib.request.urlopen(request) as response:
    answer = {read}
print(answer)
"""
_JAVASCRIPT = """\
const response = await fetch('{url}'{options});
if (!response.ok) throw new Error(await response.text());
const answer = await response.{read};
console.log(answer);
"""
_POWER_QUERY = """\
let
    Answer = {read}(
        Web.Contents("{host}", [RelativePath = "{path}"{header}])
    )
in
    Answer
"""
_SHEETS = """\
function load() {{
  const response = UrlFetchApp.fetch('{url}'{options});
  return {read};
}}
"""


def samples(target: str, form: Representation, *, has_token: bool) -> list[dict[str, str]]:
    """target: path and query. form: of the answer."""
    url = f"{HOST}{target}"

    def with_token(text: str) -> str:
        return text if has_token else ""

    modules = ["json"] * (form is JSON) + ["os"] * has_token + ["urllib.request"]
    options = ", { headers: { Authorization: 'Bearer ' + token } }"
    sources = {
        ("Shell", "curl"): _CURL.format(
            header=with_token(' -H "Authorization: Bearer $TOKEN"'),
            url=url,
            output=" --remote-name --remote-header-name" if form is XLSX else "",
        ),
        ("Python", "Python"): _PYTHON.format(
            imports="\n".join(f"import {name}" for name in modules),
            url=url,
            header=with_token(
                """\n    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},"""
            ),
            read=_read(form, "json.load(response)", "response.read()", "response.read().decode()"),
        ),
        ("JavaScript", "JavaScript"): _JAVASCRIPT.format(
            url=url,
            options=with_token(options),
            read=_read(form, "json()", "arrayBuffer()", "text()"),
        ),
        ("PowerQuery", "Power Query"): _POWER_QUERY.format(
            read={
                JSON: "Json.Document",
                CSV: "Csv.Document",
                NDJSON: "Lines.FromBinary",
                XLSX: "Excel.Workbook",
            }.get(form, "Text.FromBinary"),
            host=HOST,
            path=target.removeprefix("/"),
            header=with_token(', Headers = [Authorization = "Bearer " & Token]'),
        ),
        ("JavaScript", "Google Sheets"): _SHEETS.format(
            url=url,
            options=with_token(options),
            read=_read(
                form,
                "JSON.parse(response.getContentText())",
                "response.getBlob()",
                "response.getContentText()",
            ),
        ),
    }
    return [
        {"lang": lang, "label": label, "source": source}
        for (lang, label), source in sources.items()
    ]


def _read(form: Representation, as_json: str, as_bytes: str, as_text: str) -> str:
    return {JSON: as_json, XLSX: as_bytes}.get(form, as_text)
