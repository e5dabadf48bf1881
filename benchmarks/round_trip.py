"""What comes back of MARC records that were converted to MODS, and from it to MARC again.

Of each real record the subfields are taken that the crosswalk maps: those that have content ($6 and $8, and $7 of
UNIMARC, only link fields), are not private and not counted as unmapped (of a name of which a record has mapped and
unmapped ones, those that do not come back are the unmapped ones). One *comes back* if the record that is made of its
MODS has a subfield with the same tag and code whose text is equal; each subfield of the new record is used once. The
tag of a field in another script is that of the field that it repeats, with 880. Control fields 001, 003 and 005 are one
subfield each; the leader, 006 to 008 and 100 to 140 of UNIMARC contain codes by position and are measured by their
elements below.

Two texts are *equal* if they are the same characters after composition (NFC), with blanks in sequence as one, without
blanks and the marks ``. , : ; / = +`` at both ends, and without the control characters around what sorting skips.
*Strictly equal* are texts whose characters are the same after composition alone; the record is written with punctuation
there.

*Coded elements* are leader/06 and 07 and those of 008: date of entry, type of date, dates, country, language, and each
position of 18-34 whose code has a term in MODS.

Then the second law: MODS → MARC → MODS. The share of records whose MODS is the same, and of values (each element of
MODS below the top, with its path and attributes) that both have.

Records whose control number has a SHA-1 with an even last byte are for development, the others are the result:
``--half`` chooses. ``--show TAG`` prints what is lost of a tag, ``--show mods`` the values of MODS; only of the
development half.

With ``--to`` the record is written in another format, and the second law states what its MODS still has.

Usage: ``python benchmarks/round_trip.py [--flavour marc21] [--to rusmarc] [--half test] [--show TAG]``
"""

from __future__ import annotations

import argparse
import hashlib
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator

import msgspec
from _measure import real_data
from unmapped import files, records

from bibld import crosswalk
from bibld.crosswalk import to_marc
from bibld.crosswalk._marc21 import codes
from bibld.errors import BibldError
from bibld.model.marc import ControlField, Field, MarcRecord, with_embedded_fields
from bibld.model.mods import Mods, RecordInfo
from bibld.protocols import Converted

LINKS, LINKS_OF_UNIMARC = frozenset("68"), frozenset("678")
CODED = frozenset((
    "100", "105", "106", "110", "115", "116", "117", "120", "121", "123", "124", "125", "126", "130", "135",
    "140",
))  # fmt: skip
"""Fields of UNIMARC that contain codes by their positions."""
MARKS = " .,:;/=+"
NON_SORTING = str.maketrans("", "", "\x98\x9c\x88\x89")
SHOWN = 25
HALVES = ("development", "test")
Item = tuple[str, str]
"""Name of a subfield, and its text."""


def half_of(record: MarcRecord) -> str:
    """Return the half that a record belongs to, by its control number, which its copies in other files share."""
    number = (record.control_number or "").encode()
    return HALVES[hashlib.sha1(number, usedforsecurity=False).digest()[-1] & 1]


def items(record: MarcRecord, unimarc: bool) -> list[Item]:
    """Return the subfields of a record that have content."""
    return list(_items(record.all_fields, "", unimarc))


def _items(fields: tuple[Field, ...], within: str, unimarc: bool) -> Iterator[Item]:
    for field in fields:
        if isinstance(field, ControlField):
            if field.tag in ("001", "003", "005") and field.value.strip():
                yield f"{within}{field.tag}", field.value
            continue
        if unimarc and field.tag[:1] in "436":
            field = with_embedded_fields(field)
        tag = field.tag
        if tag == "880":
            tag = f"880-{(field.first('6') or '')[:3]}"
        for subfield in () if unimarc and tag in CODED else field.subfields:
            if subfield.value.strip() and subfield.code not in (LINKS_OF_UNIMARC if unimarc else LINKS):
                yield f"{within}{tag}${subfield.code}", subfield.value
        yield from _items(field.embedded, f"{within}{field.tag}/", unimarc)


def normal(text: str) -> str:
    """Return a text as it is compared."""
    return " ".join(unicodedata.normalize("NFC", text).translate(NON_SORTING).split()).strip(MARKS)


def exact(text: str) -> str:
    """Return a text as it is compared strictly."""
    return unicodedata.normalize("NFC", text)


class Law:
    """Counts of values of MODS that both sides have."""

    def __init__(self) -> None:
        self.records = self.same = self.values = self.kept = self.made = 0
        self.lost: Counter[str] = Counter()
        self.added: Counter[str] = Counter()

    def add(self, before: Mods, after: Mods) -> None:
        left, right = values(before), values(after)
        self.records += 1
        self.same += left == right
        self.values += left.total()
        self.kept += (left & right).total()
        self.made += right.total()
        self.lost.update(f"{path} {text}" for path, text in (left - right).elements())
        self.added.update(f"{path} {text}" for path, text in (right - left).elements())


def values(mods: Mods) -> Counter[Item]:
    """Return the values of a description: path and text, with the attributes of its element."""
    found: Counter[Item] = Counter()
    for kind in Mods.elements:
        for element in getattr(mods, kind):
            if isinstance(element, RecordInfo):
                element = msgspec.structs.replace(element, record_origin=())
            _values(msgspec.to_builtins(element), kind, found)
    return found


def _values(value: object, path: str, found: Counter[Item]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _values(inner, f"{path}.{name}", found)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _values(inner, path, found)
    elif value is not None:
        found[path, str(value)] += 1


class Shares:
    """Counts by tag."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.equal: Counter[str] = Counter()
        self.strict: Counter[str] = Counter()
        self.written = 0
        self.wanted = 0
        self.lost: dict[str, list[tuple[str, str]]] = {}

    def add(
        self, source: list[Item], converted: Converted, result: list[Item], punctuated: list[Item], number: str
    ) -> None:
        absent = Counter((*converted.unmapped, *converted.private))
        left = Counter((name, normal(text)) for name, text in result)
        strict = Counter((name, exact(text)) for name, text in punctuated)
        self.written += len(result)
        for name, text in source:
            tag = name.partition("$")[0]
            own = f"880${name[-1]}" if tag.startswith("880") and absent[f"880${name[-1]}"] else name
            if absent[own] and not left[name, normal(text)]:
                absent[own] -= 1
                continue
            self.seen[tag] += 1
            if strict[name, exact(text)]:
                strict[name, exact(text)] -= 1
                self.strict[tag] += 1
            if left[name, normal(text)]:
                left[name, normal(text)] -= 1
                self.equal[tag] += 1
                self.wanted += 1
            else:
                others = [f"{other}" for (other_name, other), many in left.items() if other_name == name and many]
                self.lost.setdefault(tag, []).append((f"{number} {name} {text!r}", " | ".join(others)[:160]))


def positions_with_terms(leader: str) -> dict[int, str]:
    """Return the positions of 008/18-34 of a kind of resource, and the codes of each that have a term in MODS."""
    kind = (
        codes.CONFIGURATION_OF_LEVEL.get(leader[7], "") if leader[6] == "a" else codes.CONFIGURATION.get(leader[6], "")
    )
    listed: dict[int, str] = {}
    if kind in (codes.BOOK, codes.SERIAL):
        contents = codes.BOOK_CONTENTS_GENRE if kind == codes.BOOK else codes.CONTENTS_GENRE
        listed |= {at: "".join(contents) for at in range(24, 28)} | {29: "1"}
    if kind in (codes.BOOK, codes.FILE, codes.MUSIC, codes.VISUAL):
        listed[22] = "".join(codes.AUDIENCE)
    if kind not in ("", codes.MUSIC, codes.MIXED):
        listed[28] = codes.GOVERNMENT_CODES
    listed[29 if kind in (codes.MAP, codes.VISUAL) else 23] = "".join(codes.FORM_OF_ITEM)
    listed |= {
        codes.BOOK: {30: "1", 33: "".join(codes.LITERARY_FORM), 34: codes.BIOGRAPHY_CODES},
        codes.SERIAL: {18: "".join(codes.FREQUENCY), 21: "".join(codes.SERIAL_GENRE)},
        codes.MAP: {25: "".join(codes.MAP_GENRE)},
        codes.FILE: {26: "".join(codes.FILE_GENRE)},
        codes.MUSIC: {30: "".join(codes.MUSIC_TEXT_GENRE)},
        codes.VISUAL: {33: "".join(codes.VISUAL_GENRE)},
    }.get(kind, {})
    return listed


class Coded:
    """Counts of coded elements."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.equal: Counter[str] = Counter()

    def add(self, source: MarcRecord, result: MarcRecord) -> None:
        left, right = source.leader.text, result.leader.text
        own, other = source.control("008") or "", result.control("008") or ""
        pairs = [(f"LDR/{at:02}", left[at : at + 1], right[at : at + 1]) for at in (6, 7)]
        if len(own) == 40:
            spans = ((0, 6), (6, 7), (7, 11), (11, 15), (15, 18), (35, 38))
            pairs += [(f"008/{start:02}", own[start:end], other[start:end]) for start, end in spans]
            coded = positions_with_terms(left)
            pairs += [(f"008/{at:02}", own[at], other[at]) for at, known in coded.items() if own[at] in known]
        for name, one, two in pairs:
            if one.strip(" |#0"):
                self.seen[name] += 1
                self.equal[name] += one == two


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flavour", choices=("marc21", "unimarc"), default="marc21")
    parser.add_argument(
        "--to", choices=("marc21", "unimarc", "rusmarc"), help="write this flavour: the second law alone"
    )
    parser.add_argument("--half", choices=HALVES, default="development")
    parser.add_argument(
        "--show", metavar="TAG", help="print lost subfields of a tag; `mods` prints lost values of MODS"
    )
    asked = parser.parse_args()
    if asked.show and asked.half == "test":
        parser.error("the records of the test half are not shown; use --half development")
    shares, coded, law = Shares(), Coded(), Law()
    forth = back = 0.0
    for path in files(real_data()):
        for record in records(path):
            if half_of(record) != asked.half:
                continue
            try:
                begin = time.process_time()
                flavour, converted = crosswalk.convert(record)
                middle = time.process_time()
            except BibldError:
                continue
            if (flavour == "marc21") != (asked.flavour == "marc21"):
                continue
            made = asked.to or flavour
            result = to_marc(converted.mods, made)
            end = time.process_time()
            forth, back = forth + middle - begin, back + end - middle
            law.add(converted.mods, crosswalk.convert(result, made)[1].mods)
            if asked.to:
                continue
            unimarc = flavour != "marc21"
            marked = to_marc(converted.mods, flavour, punctuation=True)
            number = f"{path.name} {record.control_number}"
            own, new, written = (items(one, unimarc) for one in (record, result, marked))
            shares.add(own, converted, new, written, number)
            coded.add(record, result)
    report(shares, coded, law, asked.show)
    print(f"to MODS {forth / law.records * 1e6:.0f} us a record, from MODS {back / law.records * 1e6:.0f} us")


def report(shares: Shares, coded: Coded, law: Law, show: str | None) -> None:
    """Print the shares: those of a tag with the most losses first."""
    seen, equal, strict = shares.seen.total(), shares.equal.total(), shares.strict.total()
    lost = sorted(shares.seen, key=lambda tag: shares.equal[tag] - shares.seen[tag])
    if show == "mods":
        for title, counter in (("lost", law.lost), ("added", law.added)):
            print(title, *(f"  {many:6} {what[:160]}" for what, many in counter.most_common(60)), sep="\n")
    elif show:
        for tag, examples in shares.lost.items():
            if tag == show:
                step = max(1, len(examples) // SHOWN)
                print(*(f"{one}\n    now: {other}" for one, other in examples[::step]), sep="\n")
    for tag in lost[:SHOWN]:
        many, equal_ones = shares.seen[tag], shares.equal[tag]
        print(f"  {tag:9} {many:7,} subfields, {equal_ones / many:7.2%} back, {many - equal_ones:6,} lost")
    many, same = coded.seen.total(), coded.equal.total()
    if many:
        print("  coded", *(f"{name} {coded.equal[name] / coded.seen[name]:.1%}" for name in sorted(coded.seen)))
        print(f"{many:,} coded elements: {same / many:.2%} come back")
    if seen:
        print(
            f"{law.records:,} records, {seen:,} subfields: {equal / seen:.2%} come back, strictly {strict / seen:.2%}"
        )
        print(f"{shares.written:,} subfields written, {shares.wanted / shares.written:.2%} of them are in the source")
    print(
        f"MODS → MARC → MODS: {law.same / law.records:.2%} of the records and {law.kept / law.values:.2%} of the values"
        f" are the same; {law.made:,} values are made of {law.values:,}"
    )


if __name__ == "__main__":
    main()
