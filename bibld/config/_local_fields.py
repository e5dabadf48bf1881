"""Local fields of a source: those that describe copies, and ``[source.fields]``, which are published beyond the format.

A rule names a field, its subfields, and where their text goes: an element of MODS or a property of RDF. One that can
never do anything is a fault, because its author believes that the text is published.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec

from bibld.config._package import folder
from bibld.config._structs import CopyFields, LocalField, SourceConfig, ValueKind
from bibld.model.iris import is_web_iri
from bibld.model.rdf import PREFIXES, expand
from bibld.model.text_path import TextPath
from bibld.protocols import adapters

_TAG = re.compile("[0-9A-Za-z]{3}")
_CODES = re.compile("[0-9a-z]*")
_COMPACT = re.compile(r"([\w-]+):(\w+)")
_DECLARED = re.compile(r"^([\w-]+:\w+) a owl:(Object|Datatype|Annotation)Property", re.MULTILINE)
_LOGIC = ("rdf", "rdfs", "owl")
_OF_LOGIC = tuple(PREFIXES[prefix] for prefix in _LOGIC)
"""What the IRIs of the properties begin with that state what things are; a text of a record must not."""

_WITHOUT_FIELDS = {"crosswalk": ("columns", "xslt"), "read": ("csv", "dublincore", "jsonl", "mods", "yaz")}
"""Key of a source → its values with which no field of MARC is converted by rules."""

Fault = tuple[str, str]
"""A key within the table of a source, and what is wrong with its value."""


def read_local_fields(source: SourceConfig) -> tuple[tuple[LocalField, ...], list[Fault]]:
    """Return the rules of a source, and the faults of those that cannot be followed."""
    if not source.fields:
        return (), []
    faults = [
        (
            "fields",
            f'cannot be used with {key} = "{getattr(source, key)}", which reads no fields by rules; remove it',
        )
        for key, names in _WITHOUT_FIELDS.items()
        if getattr(source, key) in names
    ]
    if source.kind == "authority":
        faults.append(("fields", 'cannot be used with kind = "authority": it has other rules; remove it'))
    found = []
    for tag, targets in source.fields.items():
        pairs = {"": targets} if isinstance(targets, str) else targets
        seen = ""
        for codes, target in pairs.items():
            key = f"fields.{tag}.{codes}" if codes else f"fields.{tag}"
            fault = _place_fault(tag, codes, source, seen)
            rule = _rule(tag, codes, target)
            faults += [(key, text) for text in (fault, rule) if isinstance(text, str) and text]
            seen += codes
            if isinstance(rule, LocalField):
                found.append(rule)
    return tuple(found), faults


def copy_faults(holdings: Mapping[str, CopyFields]) -> Iterator[Fault]:
    """Yield the faults of the fields that describe copies, by tag."""
    for tag, fields in holdings.items():
        at = f"holdings.{tag}"
        if not _TAG.fullmatch(tag):
            yield at, f'"{tag}" is not a tag; write its three characters, such as 999'
        for key, codes in msgspec.structs.asdict(fields).items():
            if not _CODES.fullmatch(codes):
                yield f"{at}.{key}", f'"{codes}" names no subfields; write their codes, such as "ab"'
        if not (fields.library or fields.location or fields.call_number):
            yield at, "names no place of a copy; add library, location or call_number"


def _place_fault(tag: str, codes: str, source: SourceConfig, seen: str) -> str:
    """Return why there is no text of these subfields to publish; empty if there can be."""
    if not _TAG.fullmatch(tag):
        return f'"{tag}" is not a tag; write its three characters, such as 990'
    if not _CODES.fullmatch(codes):
        return f'"{codes}" names no subfields; write their codes, such as ab'
    copies = source.holdings.get(tag)
    of_copies = "".join(msgspec.structs.astuple(copies)) if copies is not None else ""
    if twice := [code for code in codes if code in seen or code in of_copies]:
        other = "another rule of the field" if twice[0] in seen else f"holdings.{tag}"
        return f"subfield ${twice[0]} belongs to {other}; name it once"
    flavours = [source.crosswalk] if source.crosswalk != adapters.AUTO else adapters.adapter_names("crosswalk")
    rules = {name: getattr(adapters.load_adapter("crosswalk", name), "RULES", None) for name in flavours}
    reasons = {name: rule_set.reason_to_skip(tag, codes) for name, rule_set in rules.items() if rule_set is not None}
    if not reasons or not all(reasons.values()):
        return ""
    return "can never do anything: " + "; ".join(f"{name}: {reason}" for name, reason in reasons.items())


def _rule(tag: str, codes: str, target: str) -> LocalField | str:
    """Return the rule with a target, or what is wrong with the target."""
    if is_free_property(target):
        compact = next((f"{name}:{target[len(iri) :]}" for name, iri in PREFIXES.items() if target.startswith(iri)), "")
        return LocalField(tag, codes, property=target, values=_properties().get(compact, "any"))
    if target.startswith(_OF_LOGIC) or target.partition(":")[0] in _LOGIC:
        return f'"{target}" states what a thing is, which no text of a record may; name another property'
    if not _COMPACT.fullmatch(target):
        try:
            return LocalField(tag, codes, TextPath.parse(target))
        except ValueError as error:
            return f'"{target}" {error}'
    known = _properties()
    if target not in known:
        close = difflib.get_close_matches(target, known, n=1)
        hint = f' (did you mean "{close[0]}"?)' if close else ""
        return f'"{target}" is no property of the ontology{hint}; write one of another vocabulary as an absolute IRI'
    return LocalField(tag, codes, property=expand(target), values=known[target])


def is_free_property(iri: str) -> bool:
    """Whether a text of a record may be stated with a property: an absolute IRI of no vocabulary of logic."""
    return is_web_iri(iri) and not iri.startswith(_OF_LOGIC)


@cache
def _properties() -> Mapping[str, ValueKind]:
    """Return the properties that the ontology declares, and what their values are."""
    kinds: Mapping[str, ValueKind] = {"Object": "link", "Datatype": "text", "Annotation": "any"}
    text = (folder("ontology") / "terms.ttl").read_text(encoding="utf-8")
    return {name: kinds[kind] for name, kind in _DECLARED.findall(text)}
