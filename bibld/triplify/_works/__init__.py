"""Which work a publication is an edition of, and what identifies a work that a description names."""

from bibld.triplify._claims import WorkFacts
from bibld.triplify._works.publications import NamedWork, PublicationWorks, facts_of_heading, find_works

__all__ = ["NamedWork", "PublicationWorks", "WorkFacts", "facts_of_heading", "find_works"]
