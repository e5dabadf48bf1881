"""Places: towns by their numbers in GeoNames, countries and others by their names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from bibld.model.iris import Iris
from bibld.model.mods import Controlled
from bibld.text.folding import strip_brackets, tidy, trim, without_others
from bibld.text.geography.towns import country_named, find_town, find_town_of_heading
from bibld.text.keys import entity_key
from bibld.text.places import (
    expand_place,
    is_unknown_imprint,
    town_in_countries,
    town_with_state,
    without_address,
)
from bibld.triplify._claims import EntityClaim
from bibld.triplify._describe.entities import find_identities, links_of, number_ties
from bibld.triplify._draft import Draft
from bibld.triplify._identity import (
    Identity,
    geonames_identity,
    numbers_in_files,
)

_NAMES_REMEMBERED = 16_384


class _NamedPlace(msgspec.Struct, frozen=True):
    """What a text that names a place means: its form in full, and its IRIs.

    ``by_name`` is made of the form, ``best`` of the number of the town in GeoNames or the English name of the country;
    ``aliases`` are those by which headings with a number are known, too. ``town`` is the identity of the town, if the
    table of towns knows it.
    """

    stated: str
    label: str
    by_name: str
    best: str
    aliases: tuple[str, ...]
    town: Identity | None


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _read_place(
    iris: Iris, text: str, countries: tuple[str, ...] | None, is_first: bool, is_slavic: bool
) -> _NamedPlace | None:
    """Return what a text means as a place; None if it names none. The arguments are those of :func:`claim_place`."""
    stated = trim(strip_brackets(without_others(without_address(tidy(text)))).replace("?", ""))
    if not stated or is_unknown_imprint(stated):
        return None
    label = expand_place(stated)
    by_name = iris.place(entity_key(label, is_slavic=is_slavic))
    town = find_town_of_heading(stated) if countries is None else find_town(stated, countries, is_first)
    if town is not None:
        identity = geonames_identity(town.number)
        return _NamedPlace(stated, label, by_name, iris.place(identity.key), (), identity)
    country = country_named(label)
    usual_name = country or town_with_state(label) or town_in_countries(label, countries or ())
    by_usual_name = iris.place(entity_key(usual_name)) if usual_name else by_name
    aliases = (by_usual_name,) if usual_name else ()
    return _NamedPlace(stated, label, by_name, by_usual_name if country else by_name, aliases, None)


def claim_place(
    draft: Draft,
    text: str,
    element: Controlled,
    path: str,
    countries: Iterable[str] | None = None,
    is_first: bool = True,
) -> str | None:
    """Claim a place; None also for a statement that the place is not known.

    A town that the table of towns knows is named by its number in GeoNames, in all its forms, a country by its English
    name. ``countries`` are those (codes of MARC) that the first place of publication may be in; None for a heading. A
    place of publication is copied from the resource, so it is in its language; ``is_first``: none precedes it. An
    abbreviation with a digit is a typing error, which is no other name of the town.
    """
    among = None if countries is None else tuple(sorted(countries))
    is_slavic = among is not None and draft.languages.is_slavic
    named = _read_place(draft.iris, text, among, is_first, is_slavic)
    if named is None:
        return None
    found = find_identities(draft, element, path)
    if named.town is not None:
        found = sorted({*found, named.town}, key=lambda one: one.rank)
    numbered = [draft.iris.place(one.key) for one in found]
    place = numbered[0] if found else named.best
    form = draft.name_form(named.label, draft.languages.tag_other(named.label, element))
    is_expanded = named.stated != named.label and not any(map(str.isdigit, named.stated))
    stated = draft.name_form(named.stated, draft.languages.tag_other(named.stated, element)) if is_expanded else form
    claim = EntityClaim(
        label=form,
        others=(stated,) if is_expanded else (),
        links=links_of(found),
        aliases=tuple(sorted({*numbered, *named.aliases} - {place})),
        former=(named.by_name,) if named.by_name != named.best else (),
        numbers=numbers_in_files(found),
        ties=number_ties(element),
    )
    draft.add_claim(place, "place", claim, path)
    return place
