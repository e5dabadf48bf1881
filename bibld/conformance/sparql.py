"""The SPARQL 1.1 Protocol: the cases of the W3C suite without their data, and more."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, urlencode

import msgspec
from lxml import etree

from bibld.conformance.checks import Check, FailedError, NotApplicableError, Outcome, expect
from bibld.conformance.site import Site
from bibld.conformance.sparql_cases import CASES, FORM, JSON, PROTOCOL, QUERY, RDF, TABLE, XML, Case
from bibld.conformance.triples import FORMATS, Triples
from bibld.conformance.web import Answer
from bibld.model.foreign_xml import parse_xml
from bibld.model.rdf import PREFIXES

_SD = PREFIXES["sd"]


def _send(site: Site, case: Case) -> Answer:
    uses_graph = "{graph}" in repr(case)
    graph = _graph(site) if uses_graph else ""
    pairs = [(name, value.replace("{graph}", graph)) for name, value in case.parameters]
    body = case.body.replace(b"{graph}", graph.encode()) if uses_graph else case.body
    headers = [("Accept", case.accept)] if case.accept else []
    if case.content_type:
        headers.append(("Content-Type", case.content_type))
    parameters = urlencode(pairs, quote_via=quote)
    if case.content_type == FORM and not body:
        body, parameters = parameters.encode(), ""
    return site.client.send(case.method, _with(site.endpoint, parameters), headers, body)


def _with(url: str, parameters: str) -> str:
    return url + ("&" if "?" in url else "?") + parameters if parameters else url


def _is_as_expected(case: Case, answer: Answer) -> bool:
    is_refused = 400 <= answer.status < 500
    if case.expected == "refused" or (is_refused and case.expected.endswith("refused")):
        return is_refused
    if answer.status // 100 != 2:
        return False
    if case.expected == "graph":
        return answer.media_type in FORMATS and Triples.from_answer(answer) is not None
    if case.expected == "table":
        return len(_rows(answer)) == 2
    return _boolean(answer) is (case.expected == "true")


def _run(case: Case) -> Callable[[Site], Outcome]:
    def run(site: Site) -> Outcome:
        answer = _send(site, case)
        return expect(_is_as_expected(case, answer), f"{answer}: {_beginning(answer)}")

    return run


def _beginning(answer: Answer) -> str:
    return " ".join(answer.body[:120].decode("utf-8", "replace").split())


@lru_cache(maxsize=8)
def _graph(site: Site) -> str:
    """Return a named graph of the endpoint that has triples."""
    answer = _ask(site, "SELECT ?g WHERE { GRAPH ?g { ?s ?p ?o } } LIMIT 1")
    if answer.status != 200 or not (rows := _rows(answer)):
        raise NotApplicableError(f"the endpoint has no named graph: {answer}")
    return rows[0]["g"]


def _ask(site: Site, query: str, accept: str = JSON) -> Answer:
    return site.client.get(_with(site.endpoint, urlencode({"query": query}, quote_via=quote)), accept)


def _rows(answer: Answer) -> list[dict[str, str]]:
    """Return the rows of a table in JSON or XML; raises ``FailedError`` if it is no table."""
    try:
        if answer.media_type == XML:
            root = parse_xml(answer.body)
            return [
                {str(cell.get("name")): "".join(map(str, cell.itertext())).strip() for cell in row}
                for row in root.iter("{*}result")
            ]
        bindings = msgspec.json.decode(answer.body)["results"]["bindings"]
        return [{name: str(cell["value"]) for name, cell in row.items()} for row in bindings]
    except (msgspec.DecodeError, etree.XMLSyntaxError, KeyError, TypeError, AttributeError) as error:
        raise FailedError(f"{answer} is no table: {_beginning(answer)}") from error


def _boolean(answer: Answer) -> bool | None:
    try:
        if answer.media_type == XML:
            root = parse_xml(answer.body)
            return {"true": True, "false": False}.get((root.findtext("{*}boolean") or "").strip())
        value = msgspec.json.decode(answer.body)["boolean"]
    except (msgspec.DecodeError, etree.XMLSyntaxError, KeyError, TypeError):
        return None
    return value if isinstance(value, bool) else None


# -- results, errors, description --------------------------------------------------------------------------------------


def _table_in(media_type: str, is_right: Callable[[Answer], bool]) -> Callable[[Site], Outcome]:
    def run(site: Site) -> Outcome:
        answer = _ask(site, TABLE, media_type)
        if answer.status == 406:
            raise NotApplicableError("not offered: 406")
        is_table = answer.status == 200 and answer.media_type == media_type
        return expect(is_table and is_right(answer), f"{answer}: {_beginning(answer)}")

    return run


def _is_rows(answer: Answer) -> bool:
    return sorted(row["x"] for row in _rows(answer)) == ["1", "2"]


def _is_csv(answer: Answer) -> bool:
    return sorted(each[0] for each in csv.reader(io.StringIO(answer.body.decode())) if each) == ["1", "2", "x"]


def _is_tsv(answer: Answer) -> bool:
    lines = answer.body.decode().split("\n")
    return lines[0].strip() == "?x" and {"1", "2"} <= {line.strip().partition("^^")[0].strip('"') for line in lines[1:]}


def _default(site: Site) -> Outcome:
    answer = site.client.get(_with(site.endpoint, urlencode({"query": TABLE}, quote_via=quote)))
    return expect(answer.status == 200 and answer.media_type in (JSON, XML, "text/csv"), str(answer))


def _not_acceptable(site: Site) -> Outcome:
    answer = _ask(site, TABLE, "application/x-nothing-of-the-kind")
    return expect(answer.status in (200, 406), str(answer))


def _error_text(site: Site) -> Outcome:
    answer = _ask(site, "SELECT * WHERE { ?s ?p }")
    return expect(answer.status == 400 and len(answer.body) > 10, f"{answer}: {_beginning(answer)}")


def _two_places(site: Site) -> Outcome:
    # A query in the address and another one in the form.
    body = urlencode({"query": "ASK {}"}, quote_via=quote).encode()
    url = _with(site.endpoint, urlencode({"query": "SELECT * {}"}, quote_via=quote))
    answer = site.client.send("POST", url, (("Content-Type", FORM), ("Accept", JSON)), body)
    return expect(400 <= answer.status < 500, str(answer))


def _charset(site: Site) -> Outcome:
    query = 'SELECT ?x WHERE { VALUES ?x { "Ёж — 作家" } }'
    answers = [
        _ask(site, query),
        site.client.send("POST", site.endpoint, (("Content-Type", QUERY), ("Accept", JSON)), query.encode()),
    ]
    values = [[row["x"] for row in _rows(answer)] for answer in answers]
    return expect(values == [["Ёж — 作家"]] * 2, f"{values}")


def _cors(site: Site) -> Outcome:
    query = _with(site.endpoint, urlencode({"query": "ASK {}"}, quote_via=quote))
    answer = site.client.get(query, JSON, (("Origin", "https://other.example.org"),))
    value = answer.header("access-control-allow-origin")
    return expect(value in ("*", "https://other.example.org"), f"Access-Control-Allow-Origin: {value or 'none'}")


def _preflight(site: Site) -> Outcome:
    headers = (
        ("Origin", "https://other.example.org"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type"),
    )
    answer = site.client.send("OPTIONS", site.endpoint, headers)
    names = {name.strip().lower() for name in answer.header("access-control-allow-headers").split(",")}
    methods = {name.strip().upper() for name in answer.header("access-control-allow-methods").split(",")}
    is_right = answer.status in (200, 204) and bool(names & {"content-type", "*"})
    return expect(is_right and bool(methods & {"POST", "*", ""}), f"{answer}, headers: {', '.join(sorted(names))}")


def _large(site: Site) -> Outcome:
    query = b"ASK { } #" + b"x" * (4 << 20)
    answer = site.client.send("POST", site.endpoint, (("Content-Type", QUERY), ("Accept", JSON)), query)
    return expect(answer.status == 200 or 400 <= answer.status < 500, str(answer))


@lru_cache(maxsize=8)
def _description(site: Site) -> Triples:
    answer = site.client.follow(site.endpoint, RDF)
    if answer.status != 200:
        raise FailedError(f"{site.endpoint} without a query: {answer}")
    return Triples.from_answer(answer)


def _returns_rdf(site: Site) -> Outcome:
    return expect(len(_description(site)) > 0, f"{len(_description(site))} triples")


def _endpoint_triple(site: Site) -> Outcome:
    named = _description(site).objects(None, f"{_SD}endpoint")
    is_named = site.endpoint in [site.address(each) for each in named]
    return expect(is_named, f"sd:endpoint {', '.join(named) or 'none'}")


_TERMS = {
    "Service": ("endpoint", "supportedLanguage", "languageExtension", "feature", "resultFormat", "inputFormat"),
    "Dataset": ("defaultGraph", "namedGraph"),
    "NamedGraph": ("name", "graph", "entailmentRegime", "supportedEntailmentProfile"),
}
_OTHER_TERMS = {
    "Graph", "Function", "Aggregate", "Language", "Feature", "EntailmentRegime", "EntailmentProfile", "GraphCollection",
    "propertyFeature", "extensionFunction", "extensionAggregate", "availableGraphs", "defaultDataset",
    "defaultEntailmentRegime", "defaultSupportedEntailmentProfile",
}  # fmt: skip


def _conforms(site: Site) -> Outcome:
    found = _description(site)
    known = {*_TERMS, *_OTHER_TERMS, *(name for names in _TERMS.values() for name in names)}
    used = {each.predicate.value for each in found.triples} | set(found.objects(None, "rdf:type"))
    unknown = sorted(iri for iri in used if iri.startswith(_SD) and iri[len(_SD) :] not in known)
    services = found.subjects("rdf:type", f"{_SD}Service")
    languages = {f"{_SD}SPARQL10Query", f"{_SD}SPARQL11Query", f"{_SD}SPARQL11Update"}
    other = [
        each
        for each in found.objects(None, f"{_SD}supportedLanguage")
        if each.startswith(_SD) and each not in languages
    ]
    wrong = [*unknown, *other] + ([] if services else ["no sd:Service"])
    return expect(not wrong, ", ".join(wrong) or services[0])


CHECKS = (
    *(Check(case.id, case.what, case.clause, _run(case)) for case in CASES),
    Check(
        "sd-returns-rdf",
        "the endpoint without a query describes itself in RDF",
        "SPARQL 1.1 Service Description, 2",
        _returns_rdf,
    ),
    Check(
        "sd-has-endpoint-triple",
        "the description names the endpoint",
        "SPARQL 1.1 Service Description, 3.2.1",
        _endpoint_triple,
    ),
    Check(
        "sd-conforms-to-schema",
        "the description uses the vocabulary rightly",
        "SPARQL 1.1 Service Description, 3",
        _conforms,
    ),
    Check("results-json", "results in JSON", "SPARQL 1.1 Query Results JSON, 3", _table_in(JSON, _is_rows)),
    Check("results-xml", "results in XML", "SPARQL Query Results XML, 2", _table_in(XML, _is_rows)),
    Check("results-csv", "results in CSV", "SPARQL 1.1 Results CSV and TSV, 3", _table_in("text/csv", _is_csv)),
    Check(
        "results-tsv",
        "results in TSV",
        "SPARQL 1.1 Results CSV and TSV, 4",
        _table_in("text/tab-separated-values", _is_tsv),
    ),
    Check("results-default", "without Accept a table comes as JSON, XML or CSV", PROTOCOL, _default),
    Check("results-unknown", "an unknown Accept answers 406 or the default", "RFC 9110, 12.5.1", _not_acceptable),
    Check("results-utf8", "texts outside ASCII come back", "SPARQL 1.1 Protocol, 2.1.3", _charset),
    Check("sparql-error", "an invalid query answers 400 with a reason", "SPARQL 1.1 Protocol, 2.1.7", _error_text),
    Check("sparql-two-places", "a query in the address and one in the form are refused", PROTOCOL, _two_places),
    Check("sparql-large", "4 MiB of query are answered, or refused", "RFC 9110, 15.5.14", _large),
    Check("sparql-cors", "scripts of other sites may query", "Fetch Standard, 3.2", _cors),
    Check("sparql-preflight", "… with POST", "Fetch Standard, 4.8", _preflight),
)
