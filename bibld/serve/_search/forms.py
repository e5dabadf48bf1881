"""Results of a search for programs: JSON, CSV and RDF."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from bibld.model.origin import from_slug
from bibld.model.rdf import iri, literal, quad, term
from bibld.search import EXCLUDABLE, FacetValue, SearchResult, StoredPublication
from bibld.serve._search.addresses import Address
from bibld.serve._statements import HYDRA

Label = Callable[[str, FacetValue], str]
_XSD = "http://www.w3.org/2001/XMLSchema#"
_FORMULA = re.compile(r"""(?:^|(?<=[;\t\r\n]))(?=[\s"]{0,9}[=+\-@])|^(?=[\t\r])""")
"""Where a spreadsheet may see the beginning of a formula: some begin a cell at a semicolon or tab, even in quotes."""

COLUMNS = ("iri", "title", "statement", "imprint", "year", "type", "language", "agents", "records", "libraries", "isbn")


def record_id(path: str) -> str:
    """Return the id of a record, such as ``rsl:01001``, by the part of its path after ``record/``."""
    source, _, slug = path.partition("/")
    return f"{source}:{from_slug(slug)}"


def to_json(address: Address, found: SearchResult, base: str, sparql: str, label: Label) -> bytes:
    """Return results and facets; addresses of further searches are paths of the server."""
    asked = address.asked
    has_next = asked.page * asked.per_page < found.total and bool(found.hits)
    corrected = found.correction
    document = {
        "query": asked.text,
        "understood": found.understood,
        "total": found.total,
        "about": False,
        "page": asked.page,
        "per_page": asked.per_page,
        "results": [_result(hit, base) for hit in found.hits],
        "facets": {
            name: [
                {
                    "value": value.value,
                    "label": label(name, value),
                    "count": value.count,
                    "url": address.with_filter(name, value.value),
                    "exclude": address.with_excluded(name, value.value) if name in EXCLUDABLE else None,
                }
                for value in values
            ]
            for name, values in found.facets.items()
        },
        "did_you_mean": corrected.text if corrected is not None and corrected.kind != "without" else None,
        "correction": msgspec.to_builtins(corrected),
        "too_broad": False,
        "cut": found.is_cut,
        "wrong_check_digit": found.wrong_check_digit,
        "sparql": sparql,
        "next": address.with_page(asked.page + 1) if has_next else None,
        "previous": address.with_page(asked.page - 1) if asked.page > 1 else None,
    }
    return msgspec.json.encode(document)


def _result(hit: StoredPublication, base: str) -> dict[str, object]:
    return {
        "iri": base + hit.path,
        "title": hit.title,
        "statement": hit.statement,
        "imprint": hit.imprint,
        "year": hit.year,
        "type": hit.type,
        "language": hit.languages,
        "agents": [{"iri": base + agent.path, "name": agent.name, "role": agent.role} for agent in hit.agents],
        "records": [record_id(record) for record in hit.records],
        "libraries": hit.libraries,
        "isbn": hit.isbns,
        "why": hit.why,
    }


def to_csv(hits: Iterable[StoredPublication], base: str, columns: Iterable[str] = COLUMNS) -> bytes:
    """Return results as a table with one line of headings; lists are separated by semicolons."""
    chosen = [column for column in dict.fromkeys(columns) if column in COLUMNS] or list(COLUMNS)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(chosen)
    for hit in hits:
        row = {
            "iri": base + hit.path,
            "title": hit.title,
            "statement": hit.statement,
            "imprint": hit.imprint,
            "year": hit.year,
            "type": hit.type,
            "language": "; ".join(hit.languages),
            "agents": "; ".join(agent.name for agent in hit.agents),
            "records": "; ".join(map(record_id, hit.records)),
            "libraries": "; ".join(hit.libraries),
            "isbn": "; ".join(hit.isbns),
        }
        writer.writerow([_cell(row[column]) for column in chosen])
    return file.getvalue().encode()


def _cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return _FORMULA.sub("'", text)


def to_lines(hits: Sequence[StoredPublication], total: int, here: str, base: str) -> bytes:
    """Return results as lines of N-Quads: a collection of Hydra with what a list shows of each.

    ``here`` is the IRI of the search. Statements with one subject and predicate follow each other.
    """
    own = iri(here)
    lines = [
        quad(own, term("rdf:type"), iri(f"{HYDRA}Collection")),
        quad(own, iri(f"{HYDRA}totalItems"), literal(str(total), datatype=f"{_XSD}integer")),
    ]
    lines += [quad(own, iri(f"{HYDRA}member"), iri(base + hit.path)) for hit in hits]
    for hit in hits:
        member = iri(base + hit.path)
        lines.append(quad(member, term("rdfs:label"), literal(hit.title)))
        if hit.year:
            lines.append(quad(member, term("dcterms:issued"), literal(hit.year, datatype=f"{_XSD}gYear")))
        lines += [quad(member, term("dcterms:contributor"), iri(base + agent.path)) for agent in hit.agents]
        lines += [quad(member, term("prov:wasDerivedFrom"), iri(f"{base}record/{record}")) for record in hit.records]
    names = {agent.path: agent.name for hit in hits for agent in hit.agents}
    lines += [quad(iri(base + path), term("rdfs:label"), literal(name)) for path, name in names.items()]
    return "".join(dict.fromkeys(lines)).encode()
