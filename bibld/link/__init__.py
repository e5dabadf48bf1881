"""Link the entities of a catalog (persons, organisations, places, concepts) to the records of authority files.

``add_and_link`` reads an authority file (N-Triples, Turtle, MARC authority records or CSV) into an index on disk, looks
up candidates for each entity by keys, estimates the probability of each from names, years, titles of works and the
rarity of the name, and stores the link that is probable enough, or the candidates for a person to decide about.
``update_links`` is the part of a run that links the entities that changed. Links own their quads: ``owl:sameAs`` for
agents and places, ``skos:exactMatch`` and ``skos:closeMatch`` for concepts, each authority in a separate graph, with a
VoID description of the link set.
"""

from __future__ import annotations

from bibld.link._command import (
    LinkOptions,
    LinkReport,
    add_and_link,
    link_verdict,
    read_link_verdicts,
    remove_file,
    write_links,
)
from bibld.link._linking import REVIEW, THRESHOLD, describe_link_sets, update_links

__all__ = (
    "REVIEW",
    "THRESHOLD",
    "LinkOptions",
    "LinkReport",
    "add_and_link",
    "describe_link_sets",
    "link_verdict",
    "read_link_verdicts",
    "remove_file",
    "update_links",
    "write_links",
)
