"""Names: block 7, and the headings that subjects share with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import RELATOR, UNDETERMINED_RELATOR
from bibld.crosswalk._unimarc.titles import has_name_title_group
from bibld.crosswalk._unimarc.view import UnimarcView, fold_words, space_initials
from bibld.model.marc import DataField
from bibld.model.mods import AlternativeName, Name, NameIdentifier, NamePart, Role, RoleTerm
from bibld.model.relators import TERM_OF_RELATOR, relators_of

BOOK = RuleBook()

_DASH = re.compile(r"\s*[-–—]\s*")
_NUMERIC_CODE = re.compile(r"\d{3}")


def _years(text: str) -> str:
    """Return dates of a life: ``1874 - 1965`` as ``1874-1965``, the open ``1965-....`` as ``1965-``."""
    return _DASH.sub("-", text).removesuffix("....")


def personal_name(field: DataField, view: UnimarcView) -> Name | None:
    """Return a person (600, 700–703, 790): entry element, and the full form ($g) or else the initials ($b) of the rest.

    The name is in direct order if indicator 2 is 0. Repeated subfields are other forms of the name.
    """
    entry = space_initials((field.first("a") or "").rstrip(" ,;"))
    short = space_initials((field.first("b") or "").strip(" ,;"))
    full = space_initials((field.first("g") or "").strip(" ,;"))
    if not entry and not short and not full:
        return None
    separator = " " if field.indicator2 == "0" else ", "
    parts = [NamePart(value=separator.join(piece for piece in (entry, full or short) if piece))]
    parts += [NamePart(value=value, type="termsOfAddress") for value in field.values("c", "d")]
    parts += [NamePart(value=_years(value), type="date") for value in field.values("f")]
    return _with_identifiers(
        Name(
            type="personal",
            name_part=tuple(parts),
            display_form=(f"{entry}, {short}",) if entry and short and full and field.indicator2 != "0" else (),
            affiliation=tuple(field.values("p")),
            alternative_name=tuple(
                AlternativeName(name_part=(NamePart(value=value),))
                for code in "abg"
                for value in field.values(code)[1:]
            ),
        ),
        field,
        view,
    )


def corporate_name(field: DataField, view: UnimarcView) -> Name | None:
    """Return a body or (indicator 1) a conference (601, 710–713, 791) with its subdivisions.

    Number, date and place of a meeting are added to the conference, or to the body or subdivision before them.
    """
    parts: list[str] = []
    meeting: int | None = None  # the part that number, date and place belong to
    for subfield in field.subfields:
        code, value = subfield.code, subfield.value
        if code in "ab":
            parts.append(value.rstrip(" ,;"))
        elif code == "c":
            parts[-1:] = [f"{parts[-1]} ({value.strip('()')})"] if parts else [value]
        elif code in "gh":
            parts[-1:] = [f"{parts[-1]} {value}"] if parts else [value]
        elif code in "def" and meeting is None:
            meeting = 0 if field.indicator1 == "1" else max(len(parts) - 1, 0)
    if meeting is not None and parts:
        ordered = [value for code in "dfe" for value in field.values(code)]
        parts[meeting] = f"{parts[meeting]} ({' : '.join(ordered)})"
    if not parts:
        return None
    return _with_identifiers(
        Name(
            type="conference" if field.indicator1 == "1" else "corporate",
            name_part=tuple(NamePart(value=part) for part in parts),
            description=tuple(field.values("p")),
        ),
        field,
        view,
    )


def family_name(field: DataField, view: UnimarcView) -> Name | None:
    """Return a family (602, 720–723)."""
    if not field.first("a"):
        return None
    parts = [NamePart(value=value) for value in field.values("a")]
    parts += [NamePart(value=value, type="termsOfAddress") for value in field.values("c")]
    parts += [NamePart(value=_years(value), type="date") for value in field.values("f")]
    return _with_identifiers(
        Name(type="family", name_part=tuple(parts), description=tuple(field.values("d"))), field, view
    )


_NAME_OF_KIND = {"0": personal_name, "1": corporate_name, "2": family_name}
"""The digit of a heading's tag that states what it names: the second in block 7, the third in block 6."""


def heading_name(field: DataField, view: UnimarcView) -> Name | None:
    """Return the name in a heading: 700 and 600 persons, 710 and 601 bodies, 720 and 602 families."""
    return _NAME_OF_KIND[field.tag[2] if field.tag[0] == "6" else field.tag[1]](field, view)


def _with_identifiers(name: Name, field: DataField, view: UnimarcView) -> Name:
    identifiers = [NameIdentifier(value=value.removeprefix("ISNI").strip(), type="isni") for value in field.values("o")]
    reference = None
    for number in field.values("3"):
        address = view.authority_reference(number)
        if address is not None and address.startswith(("http:", "https:")):
            reference = reference or address
        else:
            identifiers.append(NameIdentifier(value=number, type="local"))
    label = "; ".join(field.values("5", "8")) or None
    return replace(name, name_identifier=tuple(identifiers), value_uri=reference, display_label=label)


def roles(field: DataField, view: UnimarcView) -> Iterator[Role]:
    """Yield the relators in ``$4``: codes of UNIMARC or MARC 21, or words; ``$r`` is a part played."""
    stated = False
    for text in field.values("4"):
        for value in re.split(r"[;,]\s*", text):
            for role in _roles(value.strip(), view):
                stated = True
                yield role
    for value in field.values("r"):
        yield Role(role_term=(RoleTerm(value=value, type="text"),))
    if not stated and field.tag[2] == "3":
        yield _relator("fmo")
    elif not stated and field.tag in ("700", "701") and view.settings.authors_without_role:
        yield _relator("aut")


def _roles(text: str, view: UnimarcView) -> Iterator[Role]:
    if not text or text == UNDETERMINED_RELATOR:
        return
    code = RELATOR.get(text) or (text.lower() if text.lower() in TERM_OF_RELATOR else None)
    codes = (code,) if code is not None else relators_of(text)
    if codes:
        yield from map(_relator, codes)
        return
    view.warn(f"$4 {text!r} is an unknown relator; written unchanged")
    if _NUMERIC_CODE.fullmatch(text):
        yield Role(role_term=(RoleTerm(value=text, type="code", authority="unimarc-relator"),))
    else:
        yield Role(role_term=(RoleTerm(value=text, type="text"),))


def _relator(code: str) -> Role:
    return Role(role_term=(RoleTerm(value=code, type="code", authority="marcrelator"),))


_PERSON = "abcdfgop34r58"
_BODY = "abcdefghop34r58"
_FAMILY = "acdfo34r58"


@BOOK.record(
    "name[@type=personal, corporate, conference or family] with roles; @usage=primary for the first of 700, 710, 720; "
    "name/alternativeName for 790 and 791",
    t700=_PERSON, t701=_PERSON, t702=_PERSON, t703=_PERSON, t710=_BODY, t711=_BODY, t712=_BODY, t713=_BODY,
    t720=_FAMILY, t721=_FAMILY, t722=_FAMILY, t723=_FAMILY, t790="abcdfgopz3", t791="abcdefghopz3",
)  # fmt: skip
def names(view: UnimarcView) -> Elements:
    """Persons, bodies and families that had a part in the resource."""
    primary = False
    found: list[tuple[DataField, Name]] = []
    for field in view.fields("700", "701", "702", "703", "710", "711", "712", "713", "720", "721", "722", "723"):
        name = heading_name(field, view)
        if name is None:
            continue
        name = replace(name, role=tuple(roles(field, view)))
        if view.is_alternate(field):
            found.append((field, _in_other_script(name, field, found, view)))
            continue
        if not primary and field.tag[2] == "0" and not view.is_nested:
            primary = True
            name = replace(name, usage="primary", name_title_group="1" if has_name_title_group(view) else None)
        found.append((field, view.mark(name, field)))
    for field in view.fields("790", "791"):
        form = personal_name(field, view) if field.tag == "790" else corporate_name(field, view)
        if form is not None:
            _add_alternative_name(found, field, form, view)
    for _, name in found:
        yield name


def _in_other_script(name: Name, field: DataField, found: list[tuple[DataField, Name]], view: UnimarcView) -> Name:
    """Return a name that repeats another in a second script, with the roles and the usage of that one."""
    marked = view.mark(name, field)
    for _, other in found:
        if other.alt_rep_group == marked.alt_rep_group and other.type == marked.type:
            return replace(marked, role=marked.role or other.role, usage=other.usage)
    return marked


def _add_alternative_name(found: list[tuple[DataField, Name]], field: DataField, form: Name, view: UnimarcView) -> None:
    """Add a form in another language or script (790, 791) to the name that ``$6`` or ``$3`` names."""
    kind = "0" if field.tag == "790" else "1"
    same_kind = [position for position, (heading, _) in enumerate(found) if heading.tag[1] == kind]
    if not same_kind:
        found.append((field, form))
        return
    linked = [position for position in same_kind if _is_form_of(field, found[position][0])]
    if not linked and len(same_kind) > 1:
        view.warn(f"{field.tag} does not name the heading of which it is a form; added to the first")
    position = (linked or same_kind)[0]
    heading, name = found[position]
    other = AlternativeName(name_part=form.name_part, name_identifier=form.name_identifier)
    found[position] = (heading, replace(name, alternative_name=(*name.alternative_name, other)))


def _is_form_of(form: DataField, heading: DataField) -> bool:
    """Return whether ``$3``, ``$6`` or (Italy) the heading in ``$z`` links a form of a name to its heading.

    ``$6`` consists of a letter, the number of the link, and the tag of the other field (``z01702``).
    """
    links = [value[:3] for value in heading.values("6")]
    if any(value[:3] in links and value[-3:] == heading.tag for value in form.values("6")):
        return True
    if any(number in heading.values("3") for number in form.values("3")):
        return True
    return any(fold_words(name) == fold_words(" ".join(heading.values("a", "b"))) for name in form.values("z"))


_TYPE_OF_UNCONTROLLED = {"1": "personal", "2": "corporate"}


@BOOK.field("730", "a4", "name, @type=personal or corporate by indicator 1")
def uncontrolled_name(field: DataField, view: UnimarcView) -> Elements:
    """Names that no authority file controls."""
    for value in field.values("a"):
        yield Name(
            name_part=(NamePart(value=value),),
            role=tuple(roles(field, view)),
            type=_TYPE_OF_UNCONTROLLED.get(field.indicator1),
        )


@BOOK.field("716", "acf3", "name without @type")
def trademark(field: DataField, view: UnimarcView) -> Elements:
    """Trademark to which the resource is ascribed."""
    text = field.first("a") or ""
    qualifiers = " ; ".join(field.values("c"))
    if not text:
        text, qualifiers = qualifiers, ""
    parts = [NamePart(value=f"{text} ({qualifiers})" if qualifiers else text)] if text else []
    parts += [NamePart(value=_years(value), type="date") for value in field.values("f")]
    if parts:
        yield _with_identifiers(Name(name_part=tuple(parts)), field, view)
