"""The Reconciliation Service API 0.2: answers against its schemas, and how many names of others it finds.

``reconciliation/schemas.json`` are JSON Schemas written from the text of the specification
(https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/), not the files that it publishes.
``reconciliation/variants.tsv`` has names as other catalogues and tables might write them, written before the service
was measured with them: the path of the thing, its type and the name.
"""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import jsonschema
import pytest

from bibld.parallel import batches

pytestmark = pytest.mark.server

FOLDER = Path(__file__).with_name("reconciliation")
SCHEMAS = json.loads((FOLDER / "schemas.json").read_text(encoding="utf-8"))
AUTHOR = "agent/RU~5CNLR~5Cauth~5C661346654"
BOOK = "resource/rsl/01005485442"


@pytest.fixture(scope="module")
def http(server):
    with httpx.Client(base_url=server, timeout=600) as client:
        yield client


def check(name: str, value: object) -> None:
    schema = {**SCHEMAS["schemas"][name], "$defs": SCHEMAS["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(value)


def ask(http: httpx.Client, queries: dict[str, object]) -> dict[str, object]:
    answer = http.post("reconcile", data={"queries": json.dumps(queries)})
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


def test_the_schemas_refuse_what_the_specification_forbids():
    for name, wrong in (
        ("manifest", {"name": "x", "identifierSpace": "http://e.example/"}),
        ("result", {"q": {"result": [{"id": "a", "name": "b", "score": "high"}]}}),
        ("suggest", {"result": [{"name": "without an identifier"}]}),
        ("extension", {"meta": [{"id": "isbn"}], "rows": {}}),
    ):
        with pytest.raises(jsonschema.ValidationError):
            check(name, wrong)


def test_the_manifest_conforms(http):
    check("manifest", http.get("reconcile").json())


@pytest.mark.parametrize(
    "query",
    [
        {"query": "Мастер и Маргарита"},
        {"query": "Булгаков", "type": "person", "limit": 3},
        {"query": "Мастер и Маргарита", "properties": [{"pid": "year", "v": "1966"}]},
        {"query": "9785170000000"},
        {"query": "zzzz"},
        {"query": ""},
    ],
)
def test_answers_conform(http, query):
    check("result", ask(http, {"q": query}))


@pytest.mark.parametrize("kind", ["entity", "type", "property"])
@pytest.mark.parametrize("prefix", ["бул", "pub", "", "zzzz"])
def test_suggestions_conform(http, kind, prefix):
    check("suggest", http.get(f"reconcile/suggest/{kind}", params={"prefix": prefix}).json())


def test_extensions_conform(http):
    for kind in ("publication", "person", "place", "nothing"):
        check("properties", http.get("reconcile/properties", params={"type": kind}).json())
    listed = [{"id": name} for name in ("title", "isbn", "author", "year", "birth")]
    asked = {"ids": [BOOK, AUTHOR, "nothing"], "properties": listed}
    check("extension", http.post("reconcile", data={"extend": json.dumps(asked)}).json())


def test_names_as_others_write_them_are_found(http):
    lines = (FOLDER / "variants.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    first, among_five, missed = 0, 0, []
    for batch in batches(pairs, 50):
        queries = {
            str(number): {"query": name, "type": kind, "limit": 5} for number, (_, kind, name) in enumerate(batch)
        }
        found = ask(http, queries)
        for number, (path, _, name) in enumerate(batch):
            listed = [each["id"] for each in found[str(number)]["result"]]
            first += listed[:1] == [path]
            among_five += path in listed
            if path not in listed:
                missed.append(f"{name} → {path}, got {listed}")
    print(f"first {first} of {len(pairs)}, among five {among_five}")
    assert first >= 0.9 * len(pairs), missed
    assert among_five >= 0.95 * len(pairs), missed
