"""Works as they are published: titles, creators, the original or whole, and the publications of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bibld.model.mods import Mods, RelatedItem, TitleInfo
from bibld.model.rdf import expand

_MAX_ABOVE = 8
"""Works above that of a publication that are followed."""


class WorkTitle(msgspec.Struct, frozen=True, omit_defaults=True):
    """A title of a work; ``language`` is its tag (BCP 47), empty if it is not known."""

    text: str
    language: str = ""


class WorkCreator(msgspec.Struct, frozen=True, omit_defaults=True):
    """An agent to whom a work is ascribed: IRI, name, and codes of roles (MARC relators)."""

    iri: str
    name: str
    roles: tuple[str, ...] = ()


class OtherWork(msgspec.Struct, frozen=True, omit_defaults=True):
    """A work that another one names: IRI, title, and codes of its languages (ISO 639-2)."""

    iri: str
    title: str
    languages: tuple[str, ...] = ()


class Work(msgspec.Struct, frozen=True, omit_defaults=True):
    """A work by its IRI.

    ``title`` is that in its own language, if there is one, ``titles`` are all of them, the preferred ones first.
    ``languages`` are codes of ISO 639-2. ``contributors`` are translators and others whom the work is not entered
    under. ``publications`` are the IRIs of its publications, ``same_as`` its IRIs in other files and further ones of
    this dataset.
    """

    iri: str
    title: str
    titles: tuple[WorkTitle, ...] = ()
    creators: tuple[WorkCreator, ...] = ()
    contributors: tuple[WorkCreator, ...] = ()
    languages: tuple[str, ...] = ()
    translation_of: tuple[OtherWork, ...] = ()
    part_of: tuple[OtherWork, ...] = ()
    publications: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()


class WorkOfPublication(msgspec.Struct, frozen=True):
    """The work of a publication, its title, and the work under which readers expect it; empty if there is none."""

    work: str = ""
    title: str = ""
    top_work: str = ""


def find_top_work(work: str, above: Callable[[str], Sequence[str]]) -> str:
    """Return the work under which readers expect a publication of a work: the set of a volume, the original.

    ``above`` returns the wholes of a work (its IRI) and the works that it is a translation of. Of works that are above
    each other, the top is the same for all: the first in the order of the IRIs.
    """
    path = [work]
    while len(path) <= _MAX_ABOVE:
        higher = next((one for one in above(path[-1]) if one != path[-1]), "")
        if not higher:
            break
        if higher in path:
            return min(path[path.index(higher) :])
        path.append(higher)
    return path[-1]


def add_work(description: Mods, work: str, title: str) -> Mods:
    """Add the work of a publication (IRI and title) to its description, as a related item that it is an instance of."""
    item = RelatedItem(
        mods=Mods(title_info=(TitleInfo(title=title),) if title else ()),
        other_type="instanceOf",
        other_type_uri=expand("bf:instanceOf"),
        xlink_href=work,
    )
    return msgspec.structs.replace(description, related_item=(*description.related_item, item))
