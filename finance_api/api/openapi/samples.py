"""Code that asks for an operation, in some languages (the extension x-codeSamples)."""

from finance_api.api.representation import JSON, NDJSON, Representation

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
    """target: path and query. form: the answer's representation."""
    url = f"{HOST}{target}"

    def with_token(text: str) -> str:
        return text if has_token else ""

    text = "response.getContentText()"
    modules = ["json"] * (form is JSON) + ["os"] * has_token + ["urllib.request"]
    options = ", { headers: { Authorization: 'Bearer ' + token } }"
    sources = {
        ("Shell", "curl"): _CURL.format(
            header=with_token(' -H "Authorization: Bearer $TOKEN"'),
            url=url,
        ),
        ("Python", "Python"): _PYTHON.format(
            imports="\n".join(f"import {name}" for name in modules),
            url=url,
            header=with_token(
                """\n    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},"""
            ),
            read="json.load(response)" if form is JSON else "response.read().decode()",
        ),
        ("JavaScript", "JavaScript"): _JAVASCRIPT.format(
            url=url,
            options=with_token(options),
            read="json()" if form is JSON else "text()",
        ),
        ("PowerQuery", "Power Query"): _POWER_QUERY.format(
            read={JSON: "Json.Document", NDJSON: "Lines.FromBinary"}.get(form, "Text.FromBinary"),
            host=HOST,
            path=target.removeprefix("/"),
            header=with_token(', Headers = [Authorization = "Bearer " & Token]'),
        ),
        ("JavaScript", "Google Sheets"): _SHEETS.format(
            url=url,
            options=with_token(options),
            read=f"JSON.parse({text})" if form is JSON else text,
        ),
    }
    return [
        {"lang": lang, "label": label, "source": source}
        for (lang, label), source in sources.items()
    ]
