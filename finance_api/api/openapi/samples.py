"""Code samples of an operation, in several languages (x-codeSamples)."""

from finance_api.serialization.formats import JSON, NDJSON, Representation

#: A placeholder for the service's address.
HOST = "https://finance.example.org"

_CURL = """\
curl{header} "{url}"
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
const response = await fetch('{url}'{header});
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
  const response = UrlFetchApp.fetch('{url}'{header});
  return {read};
}}
"""


_SCRIPT_OPTIONS = ", { headers: { Authorization: 'Bearer ' + token } }"
_SCRIPT_TEXT = "response.getContentText()"
#: Language, label, template; then its parts that send a token, read JSON, and read a text.
_SAMPLES = (
    ("Shell", "curl", _CURL, ' -H "Authorization: Bearer $TOKEN"', "", ""),
    (
        *("Python", "Python", _PYTHON),
        """\n    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},""",
        *("json.load(response)", "response.read().decode()"),
    ),
    ("JavaScript", "JavaScript", _JAVASCRIPT, _SCRIPT_OPTIONS, "json()", "text()"),
    (
        *("PowerQuery", "Power Query", _POWER_QUERY),
        ', Headers = [Authorization = "Bearer " & Token]',
        *("Json.Document", "Text.FromBinary"),
    ),
    (
        *("JavaScript", "Google Sheets", _SHEETS, _SCRIPT_OPTIONS),
        *(f"JSON.parse({_SCRIPT_TEXT})", _SCRIPT_TEXT),
    ),
)


def samples(target: str, form: Representation, *, has_token: bool) -> list[dict[str, str]]:
    """Return code samples. target: the path and query. form: the answer's representation."""
    modules = ["json"] * (form is JSON) + ["os"] * has_token + ["urllib.request"]
    found = []
    for language, label, template, header, of_json, of_text in _SAMPLES:
        source = template.format(
            url=HOST + target,
            host=HOST,
            path=target.removeprefix("/"),
            imports="\n".join(f"import {name}" for name in modules),
            header=header if has_token else "",
            read=of_json if form is JSON else of_text,
        )
        if form is NDJSON:
            source = source.replace("Text.FromBinary", "Lines.FromBinary")
        found.append({"lang": language, "label": label, "source": source})
    return found
