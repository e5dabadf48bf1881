"""Tables of verdicts about links: what people filled in."""

from __future__ import annotations

import csv
from pathlib import Path

from bibld.catalog import PersonVerdict
from bibld.errors import ConfigError
from bibld.model.iris import Iris, web_iri
from bibld.model.review import LinkCandidate, VerdictDecision

_DECISIONS: dict[str, VerdictDecision] = {
    "accepted": "accepted",
    "accept": "accepted",
    "yes": "accepted",
    "1": "accepted",
    "rejected": "rejected",
    "reject": "rejected",
    "no": "rejected",
    "0": "rejected",
    "withdrawn": "withdrawn",
}
_NEEDED = ("entity", "target", "decision")


def link_verdict(entity: str, target: str, decision: str, person: str, reason: str, iris: Iris) -> PersonVerdict:
    """Return a verdict; raises ``ValueError`` with a message for an entity, target or decision that is none."""
    path = iris.path(entity.strip()) if "://" in entity else entity.strip()
    if not path:
        raise ValueError(f"{entity!r} is not the IRI of an entity of this dataset, which begins with {iris.base}")
    wanted = web_iri(target)
    if wanted is None:
        raise ValueError(f"{target!r} is not the IRI of an authority record")
    found = _DECISIONS.get(decision.strip().lower())
    if found is None:
        raise ValueError(f"{decision!r} is no decision; write accepted, rejected or withdrawn")
    return PersonVerdict(LinkCandidate(path, wanted), found, person, reason)


def read_link_verdicts(path: Path, iris: Iris, person: str) -> list[PersonVerdict]:
    """Read a table of verdicts: entity, target, decision, and perhaps reason and person.

    Rows with an empty decision are passed over. Raises ``ConfigError`` with a message for each row that is wrong.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            rows = list(csv.DictReader(file, delimiter=max(",;\t", key=head.count)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError([f"{path}: cannot be read: {error}"]) from error
    missing = [name for name in _NEEDED if rows and name not in rows[0]]
    if missing or not rows:
        raise ConfigError([f"{path}: has no column {', '.join(missing)}" if missing else f"{path}: has no rows"])
    verdicts, faults = [], []
    for number, row in enumerate(rows, 2):
        if not (row["decision"] or "").strip():
            continue
        by = (row.get("person") or "").strip() or person
        try:
            verdicts.append(
                link_verdict(
                    row["entity"] or "", row["target"] or "", row["decision"], by, row.get("reason") or "", iris
                )
            )
        except ValueError as error:
            faults.append(f"{path}:{number}: {error}")
    if faults:
        raise ConfigError(faults)
    return verdicts
