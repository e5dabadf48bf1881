"""What the first page and the page about the dataset contain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

import msgspec

from bibld.model.release import Manifest, PatchDumps, ReleaseFile
from bibld.search import SearchRequest, SearchView
from bibld.serve._addresses import Addresses
from bibld.serve._language import Message, PageLanguage, message
from bibld.serve._pages.views import LinkGroup, PageLink
from bibld.text.scripts import has_cyrillic

_CREATIVE_COMMONS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:(publicdomain)/(zero|mark)|licenses/([a-z-]+))/(\d\.\d)/?.*"
)
_PUBLIC_DOMAIN = {"zero": "CC0", "mark": "Public Domain Mark"}
_OTHER_LICENCES = {
    "opendatacommons.org/licenses/pddl": "PDDL",
    "opendatacommons.org/licenses/by": "ODC-By",
    "opendatacommons.org/licenses/odbl": "ODbL",
}
_FILES = (
    (re.compile(r"added.*\.nq\."), message("statements to add")),
    (re.compile(r"removed.*\.nq\."), message("statements to remove")),
    (re.compile(r"\.nq\.(gz|zst)$"), message("all statements, with their graphs")),
    (re.compile(r"\.nt\.(gz|zst)$"), message("the merged descriptions alone")),
    (re.compile(r"^changes\.tsv$"), message("addresses that changed in this release")),
    (re.compile(r"^feed"), message("feed of changes")),
    (re.compile(r"^void\.ttl$"), message("statistics of the dataset (VoID)")),
    (re.compile(r"^dcat\.ttl$"), message("description of the dataset (DCAT)")),
    (re.compile(r"^run\.nq$"), message("how this release was made")),
    (re.compile(r"^sitemap"), message("list of pages for search engines")),
    (re.compile(r"\.mods\.xml|mods.*\.xml"), message("merged descriptions in MODS")),
    (re.compile(r"\.jsonl"), message("merged descriptions, one line of JSON each")),
    (re.compile(r"^report\.json$"), message("figures of this release")),
    (re.compile(r"^completion\.json$"), message("terms for the query editor")),
)
_BROWSED = {"author": message("People and organisations"), "subject": message("Subjects")}
"""Facet → the heading of its most frequent values on the first page."""

_BROWSE_LINKS = 8
_WORD = re.compile(r"[^\W\d_]{3}")
_QUERIES = 3
_MAX_QUERY_LENGTH = 32
_CHANGES_SHOWN = 10


class Downloads(msgspec.Struct, frozen=True):
    """Files that belong together, with a caption."""

    caption: Message
    files: tuple[ReleaseFile, ...]


def downloads(manifest: Manifest) -> list[Downloads]:
    """Group the files of a release: full dumps, patches from them to the present, patches to them, the rest."""
    left = {file.name: file for file in manifest.files}
    groups: list[Downloads] = []
    since = manifest.since_full

    def put(caption: Message, names: list[str]) -> None:
        files = tuple(left.pop(name) for name in names if name in left)
        if files:
            groups.append(Downloads(caption, files))

    others = [patch for patch in manifest.patches if patch not in since]
    to_full = [name for patch in others for name in (patch.removed, patch.added)]
    from_full = [name for patch in since for name in (patch.removed, patch.added)]
    if manifest.full is not None:
        full = {"number": manifest.full.release, "date": date.fromisoformat(manifest.full.created[:10])}
        put(message("Full dumps of release %(number)s, %(date)s", **full), list(manifest.full.files))
        put(message("Changes since then, in this order: remove the removed lines, add the added ones"), from_full)
        if others:
            put(message("Changes from release %(number)s to the full dumps", number=others[0].since), to_full)
    put(message("About this release"), list(left))
    return groups


def words_of_file(file: ReleaseFile) -> str:
    """Return what a file of a release contains, in words; empty if only its name states it."""
    return next((words for pattern, words in _FILES if pattern.search(file.name)), "")


def bare_address(address: str) -> str:
    """Return a web address as people write it: without the scheme, and without a slash at the end."""
    return address.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def browse_groups(search: SearchView, addresses: Addresses, language: PageLanguage) -> list[LinkGroup]:
    """Return the people, subjects and decades with the most publications."""
    all_publications = SearchRequest("")
    groups = []
    for facet, title in _BROWSED.items():
        values = search.facet(facet, all_publications, 4 * _BROWSE_LINKS)
        worded = [value for value in values if _WORD.search(value.label)]  # not a class mark, which few readers know
        links = tuple(
            PageLink(
                addresses.page(value.value),
                value.label.replace("--", " — "),
                "ru" if has_cyrillic(value.label) else "",
                value.count,
            )
            for value in worded[:_BROWSE_LINKS]
        )
        if links:
            groups.append(LinkGroup(language.text(title), links))
    decades: dict[int, int] = {}
    for year, count in search.years(all_publications):
        decades[year // 10 * 10] = decades.get(year // 10 * 10, 0) + count
    latest = sorted(decades)[-_BROWSE_LINKS:]
    earlier = sum(count for decade, count in decades.items() if decade < min(latest))
    before = f"{addresses.page('search')}?year=-{min(latest, default=1) - 1}"
    links = tuple(
        PageLink(
            f"{addresses.page('search')}?year={decade}-{decade + 9}",
            language.text("%(first)s–%(last)s", first=decade, last=decade + 9),
            "",
            decades[decade],
        )
        for decade in latest
    )
    if earlier:
        links = (PageLink(before, language.text("before %(year)s", year=latest[0]), "", earlier), *links)
    if links:
        groups.append(LinkGroup(language.text("Years of publication"), links))
    return groups


def licence_name(licence: str) -> str:
    """Return the usual short name of a licence (``CC BY 4.0``); its address without the scheme if it has none."""
    found = _CREATIVE_COMMONS.fullmatch(licence)
    if found:
        return f"{_PUBLIC_DOMAIN[found[2]] if found[1] else f'CC {found[3].upper()}'} {found[4]}"
    bare = bare_address(licence)
    return next((name for start, name in _OTHER_LICENCES.items() if bare.startswith(f"{start}/")), bare)


def recent_patches(manifest: Manifest) -> list[PatchDumps]:
    """Return the changes of the latest releases, the newest first."""
    return sorted(manifest.patches, key=lambda patch: -patch.release)[:_CHANGES_SHOWN]


def example_queries(titles: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return queries for the search box that find something: the short title of a publication, and the names of others.

    A title ends where its subtitle begins, a name where its forenames do.
    """
    found = [re.split(r"\s*[:/;=.\[]\s*", title, maxsplit=1)[0] for title in titles][:1]
    found += [name.partition(",")[0] for name in names]
    wanted = (query for query in dict.fromkeys(found) if 2 < len(query) <= _MAX_QUERY_LENGTH)
    return list(wanted)[:_QUERIES]


def citation(manifest: Manifest, language: PageLanguage) -> str:
    """Return the reference to a release of the dataset."""
    dataset = manifest.dataset
    return language.text(
        "%(publisher)s. %(title)s. Release %(number)s. %(date)s. Dataset. %(address)s",
        publisher=dataset.publisher.rstrip("."),
        title=language.best(dataset.title).rstrip("."),
        number=manifest.number,
        date=language.date(manifest.created),
        address=dataset.base,
    )
