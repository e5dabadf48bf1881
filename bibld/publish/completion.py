"""What an editor of queries completes, in ``completion.json``: prefixes, and the classes and properties that occur."""

from __future__ import annotations

import re
from collections import defaultdict

import msgspec

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.protocols import ReleaseDraft

NEEDS: tuple[str, ...] = ("void",)
IN_OWN_PROCESS = True

FILE = "completion.json"
_PARTITION = re.compile(
    r"<([^>]*)> <http://rdfs\.org/ns/void#(class|property|entities|triples)> (?:<([^>]*)>|\"(\d+)\")"
)


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


class Completion(msgspec.Struct, frozen=True):
    """The content of the file: prefix → namespace; pairs of IRI and count, the most frequent first."""

    prefixes: dict[str, str]
    classes: tuple[tuple[str, int], ...]
    properties: tuple[tuple[str, int], ...]


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write ``completion.json`` from the partitions of the description in VoID, so that no editor queries for them."""
    namespace = Iris(draft.manifest.dataset.base).ontology
    prefixes = {**rdf.PREFIXES, "bibld": f"{namespace}#"}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for line in draft.description:
        match = _PARTITION.match(line)
        if match is not None:
            found[match[1]][match[2]] = match[3] or match[4]
    content = Completion(prefixes, _terms(found, "class", "entities"), _terms(found, "property", "triples"))
    (draft.folder / FILE).write_bytes(msgspec.json.encode(content))
    return draft


def _terms(found: dict[str, dict[str, str]], kind: str, unit: str) -> tuple[tuple[str, int], ...]:
    pairs = [
        (part[kind], int(part[unit])) for part in found.values() if kind in part and part.get(unit, "").isdecimal()
    ]
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))
