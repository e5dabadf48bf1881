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
    LinkCount,
    LinkOptions,
    LinkReport,
    add_and_link,
    name_of_file,
    remove_file,
    write_links,
)
from bibld.link._description import describe_link_sets
from bibld.link._files import AuthorityFile, open_authority, read_authority
from bibld.link._index import AuthorityIndex, index_path, make_index
from bibld.link._keys import keys_of_profile
from bibld.link._linking import REVIEW, THRESHOLD, Linker, OpenFile, Outcome, Tally, preview_links, update_links
from bibld.link._profiles import profile_of, read_entity
from bibld.link._score import Entity, compare, rank_matches
from bibld.link._values import AuthorityLabel, AuthorityRecord, Match, Profile, Work
from bibld.link._verdicts import link_verdict, read_link_verdicts

__all__ = (
    "REVIEW",
    "THRESHOLD",
    "AuthorityFile",
    "AuthorityIndex",
    "AuthorityLabel",
    "AuthorityRecord",
    "Entity",
    "LinkCount",
    "LinkOptions",
    "LinkReport",
    "Linker",
    "Match",
    "OpenFile",
    "Outcome",
    "Profile",
    "Tally",
    "Work",
    "add_and_link",
    "compare",
    "describe_link_sets",
    "index_path",
    "keys_of_profile",
    "link_verdict",
    "make_index",
    "name_of_file",
    "open_authority",
    "preview_links",
    "profile_of",
    "rank_matches",
    "read_authority",
    "read_entity",
    "read_link_verdicts",
    "remove_file",
    "update_links",
    "write_links",
)
