"""Link the entities of a catalog (persons, organisations, places, concepts, works) to the records of authority files.

``add_and_link`` reads an authority file (N-Triples, Turtle, MARC authority records or CSV) into an index on disk, looks
up candidates for each entity by keys, estimates the probability of each from names, years, titles of works and the
rarity of the name, and stores the link that is probable enough, or the candidates for a person to decide about.
``update_links`` is the part of a run that links the entities that changed. Links own their quads: ``owl:sameAs`` for
agents, places and works, ``skos:exactMatch`` and ``skos:closeMatch`` for concepts, each authority in a separate graph,
with a VoID description of the link set. ``names_of_persons`` are the pseudonyms and real names in authority files,
which matching knows by them.
"""

from __future__ import annotations

from bibld.link._command import LinkOptions as LinkOptions
from bibld.link._command import LinkReport as LinkReport
from bibld.link._command import add_and_link as add_and_link
from bibld.link._command import link_verdict as link_verdict
from bibld.link._command import read_link_verdicts as read_link_verdicts
from bibld.link._command import remove_file as remove_file
from bibld.link._command import write_links as write_links
from bibld.link._linking import REVIEW as REVIEW
from bibld.link._linking import THRESHOLD as THRESHOLD
from bibld.link._linking import describe_link_sets as describe_link_sets
from bibld.link._linking import names_of_persons as names_of_persons
from bibld.link._linking import update_links as update_links
