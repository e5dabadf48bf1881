"""A list of all titles, for people who want no more: ``titles.tsv``, with an IRI and a title in each line."""

from __future__ import annotations

import msgspec

from bibld.protocols import ReleaseDraft

QUERY = """
SELECT ?resource ?title {{
  ?resource <http://purl.org/dc/terms/title> ?title
  FILTER STRSTARTS(STR(?resource), "{base}resource/")
}} ORDER BY ?title ?resource
"""


class Settings(msgspec.Struct, frozen=True):
    """``name``: the name of the file."""

    name: str = "titles.tsv"


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the list from the live store; the draft does not change."""
    with draft.open_store() as store:
        rows = store.query(QUERY.format(base=draft.manifest.dataset.base))
    lines = [f"{resource}\t{title}\n" for resource, title in rows]
    (draft.folder / settings.name).write_text("".join(lines), encoding="utf-8")
    return draft
