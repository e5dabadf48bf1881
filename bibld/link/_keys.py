"""Keys by which candidates are found: an entity and an authority record that share one are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from bibld.link._lives import Life, life_of
from bibld.link._names import heading_key, person_name, without_qualifier
from bibld.link._values import AuthorityRecord, Profile
from bibld.text.romanisation import romanise
from bibld.triplify import parse_identity

MAX_LABEL_CHARACTERS = 1000
"""Labels with more characters are not used: they are texts, not names."""

_PERSONS = ("person", "family")


def keys_of_record(record: AuthorityRecord) -> set[int]:
    """Return the keys of an authority record."""
    texts = [label.text for label in record.labels if len(label.text) <= MAX_LABEL_CHARACTERS]
    found = set(keys_of_numbers((record.iri, *record.numbers)))
    found |= {_hash("notation", notation) for notation in record.notations}
    if record.kind in (*_PERSONS, ""):
        life = Life(record.born, record.died)
        found |= {key for text in texts if record.kind or "," in text for key in _person_keys(text, life)}
    found |= {key for text in texts for key in _heading_keys(text, record.kind in ("place", ""))}
    return found


def keys_of_profile(profile: Profile) -> set[int]:
    """Return the keys of an entity."""
    texts = [text for text, _ in profile.labels if len(text) <= MAX_LABEL_CHARACTERS]
    found = set(keys_of_numbers(profile.numbers))
    found |= {_hash("notation", notation) for notation in profile.notations}
    if profile.kind == "agent" and profile.type in ("personal", "family", ""):
        lives = [life_of(dates) for dates in profile.dates] or [Life()]
        found |= {key for text in texts for life in lives for key in _person_keys(text, life)}
    if profile.type != "personal":
        found |= {key for text in texts for key in _heading_keys(text, profile.kind == "place")}
    return found


def family_of(heading: str) -> str:
    """Return the romanised family name of a heading, under which the bearers of a family name are counted."""
    family = person_name(heading).family
    return romanise(family) or family


def first_given_name(heading: str) -> str:
    """Return the romanised first given name of a heading, empty without one."""
    name = person_name(heading)
    return romanise(name.given[0]) or name.given[0] if name.given else ""


def number_key(iri: str) -> str:
    """Return the key of a number of an authority file, equal for all IRIs under which the number is known."""
    identity = parse_identity(iri, None, "")
    return identity.key if identity is not None else iri


def keys_of_numbers(iris: Iterable[str]) -> Iterator[int]:
    """Return the keys of numbers of authority files, given as IRIs."""
    return (_hash("number", number_key(iri)) for iri in iris)


def _person_keys(heading: str, life: Life) -> Iterator[int]:
    name = person_name(heading)
    family = romanise(name.family) or name.family
    if not family:
        return
    if not name.given:
        yield _hash("single", family)
    for given in name.given_forms:
        words = [romanise(word) or word for word in given]
        if words:
            yield _hash("name", family, *words)
            yield _hash("initial", family, words[0][:1])
    for year in {life.born, life.died} - {None}:
        yield _hash("year", family, str(year))


def _heading_keys(heading: str, is_place: bool) -> Iterator[int]:
    key = heading_key(heading)
    if not key:
        return
    yield _hash("heading", key)
    plain = heading_key(without_qualifier(heading))
    if plain and plain != key:
        yield _hash("unqualified", plain)
    else:
        yield _hash("unqualified", key)
    last = key.rpartition("--")[2]
    if is_place and last != key:
        yield _hash("unqualified", last)


def _hash(*parts: str) -> int:
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)
