"""The crosswalk of MARC 21 against the stylesheet of the Library of Congress, each difference with its correction.

Compares the MODS of both for the same records, element by element: path, attributes and text, blanks collapsed.
``recordOrigin``, which names the converter, is left out. An element whose letters and digits both have is *changed*,
any other is *added* or *missing*. Each difference is explained by the first correction that matches it (the table of
docs/reference/mapping-marc21.md); what no correction explains is printed, and counted. Then the records per second.

Usage: ``python benchmarks/loc_agreement.py [STYLESHEET]``. Without the stylesheet (MARC21slim2MODS3-7.xsl) its stored
output is compared.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from _measure import real_data, seconds
from lxml import etree

from bibld.crosswalk import marc21, xslt
from bibld.model.marc import MarcRecord
from bibld.model.mods_plan import MODS, XML
from bibld.model.mods_xml import to_element
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

SHOWN = 20

Node = tuple[str, tuple[tuple[str, str], ...], str]
Nodes = Counter[Node]

CORRECTIONS = {
    "scripts_named": r"\w+ \S+ (?:[^, ]+,)*script\b",
    "authority_links_resolved": r"changed \S+ \S*(?:href|valueURI)|\w+ \S*nameIdentifier|added relatedItem \S*href"
    r"|missing location/physicalLocation href|added location/url ",
    "coordinates_written": r"added subject/cartographics",
    "government_numbers_written": r"added classification authority=(?:sudocs|candoc)",
    "class_marks_separate": r"\w+ classification",
    "every_coded_genre": r"added genre authority=marcgt .*: (?!fiction|poetry|mixed)",
    "literary_forms_read": r"added genre authority=marcgt .*: (?:fiction|poetry|mixed)",
    "coded_genres_by_kind": r"missing genre authority=marcgt",
    "genre_authority_named": r"changed genre .*authority",
    "form_of_composition_read": r"added genre .*musical composition",
    "form_of_item_by_kind": r"\w+ physicalDescription/form authority=marcform",
    "coded_forms_in_every_script": r"added physicalDescription/form authority=marc(?:category|smd)",
    "kits_typed": r"\w+ typeOfResource",
    "file_characteristics_written": r"added physicalDescription/(?:form .*type=(?!media|carrier)|extent unit)",
    "extents_punctuated": r"(?:changed|added) physicalDescription/extent",
    "isbns_normalized": r"changed \S*identifier (?:displayLabel|invalid)",
    "system_numbers_named": r"changed \S*identifier |missing \S*identifier .*type=(?:oclc|local)",
    "sellers_separate": r"missing identifier \S*type=stock number",
    "every_number_written": r"added identifier ",
    "part_languages_kept": r"added language",
    "language_codes_current": r"missing language/languageTerm",
    "addresses_by_field": r"(?:changed location/url (?:displayLabel|access)|missing location)",
    "holdings_complete": r"added location(?:/holdingSimple|/physicalLocation|/shelfLocator|  :)",
    "conference_roles_read": r"missing name/role/roleTerm type=text ",
    "roles_paired": r"\w+ name/role",
    "main_entry_marked": r"changed name usage|changed name nameTitleGroup|changed titleInfo nameTitleGroup",
    "every_name_kept": r"added name",
    "names_tidied": r"changed \S*namePart|missing (?:subject|relatedItem)/name",
    "notes_complete": r"\w+ note|\w+ accessCondition|changed abstract|added relatedItem/note",
    "functions_tidied": r"\w+ originInfo/dateOther|missing originInfo/(?:place/placeTerm|publisher) \S* : $",
    "dates_normalized": r"\w+ originInfo/(?:date\w+|copyrightDate)|\w+ recordInfo/record(?:Creation|Change)Date",
    "imprints_parsed": r"\w+ relatedItem/originInfo",
    "country_codes_written": r"added originInfo/place/placeTerm \S*authority=",
    "places_unbracketed": r"\w+ originInfo/(?:place|edition|publisher)",
    "coded_data_in_one_element": r"\w+ originInfo(?:/issuance|/frequency)? ",
    "places_in_hosts_read": r"\w+ (?:relatedItem/)?part|missing physicalDescription/extent",
    "empty_details_dropped": r"missing relatedItem/part/(?:detail|extent)",
    "empty_elements_left_out": r"missing \S+ .*: $",
    "description_standard_read": r"added recordInfo/descriptionStandard",
    "traced_series_kept": r"added relatedItem type=series",
    "series_traced_once": r"missing relatedItem/titleInfo/title",
    "relations_named": r"changed relatedItem|changed titleInfo displayLabel",
    "citations_written": r"added relatedItem(?:/part| type=isReferencedBy| )",
    "linked_titles_written": r"added relatedItem|changed relatedItem/titleInfo",
    "index_terms_separate": r"added subject/topic|added subject ",
    "geographic_codes_trimmed": r"changed subject/geographicCode",
    "abbreviations_keep_full_stop": r"changed \S+ text",
    "families_typed": r"changed subject/name type",
    "periods_separate": r"added subject/temporal",
    "contained_titles_once": r"missing titleInfo (?:altRepGroup,)?type=alternative|missing titleInfo/title",
    "parallel_titles_split": r"\w+ titleInfo",
    "places_by_level": r"missing subject/hierarchicalGeographic",
}
"""Corrections → the differences that each explains, in order: kind, path, attributes that differ, and text."""


class Difference(NamedTuple):
    """An element that only one side has, or that both have with other attributes or marks (*changed*)."""

    kind: str
    path: str
    attributes: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind} {self.path} {self.attributes} : {self.text}"

    @property
    def correction(self) -> str | None:
        """The name of the first correction that explains it."""
        line = str(self)
        return next((name for name, pattern in CORRECTIONS.items() if re.match(pattern, line)), None)


def expected_files(folder: Path) -> list[Path]:
    """The files of stored output, each for the records of the MARC file of the same name."""
    return sorted((folder / "mods" / "loc_expected").glob("*.jsonl.gz"))


def source_of(expected: Path, folder: Path) -> Path:
    """The MARC file of a file of stored output."""
    name = expected.name.removesuffix(".jsonl.gz")
    return next(path for path in sorted((folder / "marc21").rglob(f"{name}.*")))


def records(path: Path) -> Iterator[MarcRecord | None]:
    """The records of a file in their order; None for what cannot be read."""
    examined = examine(HarvestedFile("s", path.name, path))
    for raw in read(HarvestedFile("s", path.name, path), examined):
        record = examined.carrier.parse(raw).record if isinstance(raw, Raw) else None
        yield record if isinstance(record, MarcRecord) else None


def pairs(folder: Path, stylesheet: str = "") -> Iterator[tuple[MarcRecord, etree._Element]]:
    """Every record of which the output of the stylesheet is stored, with that output, or with what it writes now."""
    for path in expected_files(folder):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            stored = {entry["n"]: entry["mods"] for entry in map(json.loads, lines)}
        for position, record in enumerate(islice(records(source_of(path, folder)), max(stored) + 1)):
            if position in stored and record is not None:
                if stylesheet:
                    yield record, to_element(xslt.convert(record, xslt.Settings(stylesheet)).mods)
                else:
                    yield record, etree.fromstring(stored[position].encode())


def nodes(root: etree._Element) -> Nodes:
    """Path, attributes and text of every element below the root; the text is that directly in the element."""
    found: Nodes = Counter()
    for element in root.iter(etree.Element):
        path = "/".join(
            str(step.tag).removeprefix(f"{{{MODS}}}")
            for step in [*reversed(list(element.iterancestors())), element][1:]
        )
        if path and path != "recordInfo/recordOrigin":
            attributes = sorted(
                (etree.QName(name).localname, str(value))
                for name, value in element.attrib.items()
                if name != f"{{{XML}}}space"
            )
            text = " ".join([element.text or "", *(child.tail or "" for child in element)])
            found[path, tuple(attributes), " ".join(text.split())] += 1
    return found


def differences(ours: Nodes, theirs: Nodes) -> Iterator[Difference]:
    """Compare the elements of both sides."""
    added, missing = list((ours - theirs).elements()), list((theirs - ours).elements())
    for is_same in (_have_equal_letters_and_attribute, _have_equal_letters, _is_one_within_other):
        for one in list(added):
            other = next((two for two in missing if two[0] == one[0] and is_same(one, two)), None)
            if other is None:
                continue
            added.remove(one)
            missing.remove(other)
            names = sorted({name for name, _ in {*one[1]} ^ {*other[1]}})
            yield Difference("changed", one[0], ",".join([*names, *["text"] * (one[2] != other[2])]), one[2])
    for kind, elements in (("added", added), ("missing", missing)):
        for path, attributes, text in elements:
            written = (f"{name}={value}" if name in ("type", "authority") else name for name, value in attributes)
            yield Difference(kind, path, ",".join(written), text)


def _letters(node: Node) -> str:
    return "".join(filter(str.isalnum, node[2].casefold()))


def _have_equal_letters_and_attribute(one: Node, other: Node) -> bool:
    return (one[1] == other[1] or not {*one[1]}.isdisjoint(other[1])) and _letters(one) == _letters(other)


def _have_equal_letters(one: Node, other: Node) -> bool:
    return _letters(one) == _letters(other)


def _is_one_within_other(one: Node, other: Node) -> bool:
    letters, others = _letters(one), _letters(other)
    return bool(letters and others) and (letters in others or others in letters)


def main() -> None:
    stylesheet = str(Path(sys.argv[1]).absolute()) if len(sys.argv) > 1 else ""
    total = equal = 0
    explained: Counter[str] = Counter()
    records_with: Counter[str] = Counter()
    unexplained: list[Difference] = []
    compared = list(pairs(real_data(), stylesheet))
    for record, written in compared:
        ours, theirs = nodes(to_element(marc21.convert(record, marc21.Settings()).mods)), nodes(written)
        total, equal = total + (ours | theirs).total(), equal + (ours & theirs).total()
        found = [(difference, difference.correction) for difference in differences(ours, theirs)]
        explained.update(name for _, name in found if name is not None)
        records_with.update({name for _, name in found if name is not None})
        unexplained += [difference for difference, name in found if name is None]
    print(f"{len(compared):,} records: {equal:,} of {total:,} elements equal ({equal / total:.1%})")
    for name in CORRECTIONS:
        print(f"  {name}: {explained[name]:,} differences in {records_with[name]:,} records")
    for difference in unexplained[:SHOWN]:
        print(f"  not explained: {difference}")
    print(f"{explained.total():,} differences explained, {len(unexplained):,} not")
    made = [record for record, _ in compared]
    _print_speed("marc21", made, partial(marc21.convert, settings=marc21.Settings()))
    if stylesheet:
        _print_speed("xslt", made, partial(xslt.convert, settings=xslt.Settings(stylesheet)))


def _print_speed(name: str, made: list[MarcRecord], convert: Callable[[MarcRecord], object]) -> None:
    taken = seconds(lambda: [convert(record) for record in made])
    print(f"{name}: {len(made) / taken:,.0f} records a second")


if __name__ == "__main__":
    main()
