"""The page about a match: in words what agrees and what does not, the way from the prior to the score, the numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from bibld.model.linkage import Edge, Feature
from bibld.model.origin import RecordId
from bibld.serve._addresses import Addresses
from bibld.serve._language import PageLanguage, message, read_words
from bibld.serve._pages import fields
from bibld.serve._pages.facts import folded, letter_of
from bibld.serve._pages.views import SideBySide, values_side_by_side
from bibld.serve._pictures.drawing import Caption, Picture
from bibld.serve._pictures.lists import WaterfallStep, WaterfallTotal, draw_waterfall
from bibld.text.dates import year
from bibld.text.extents import pages_or_leaves, volumes
from bibld.text.numerals import edition_number
from bibld.text.places import places_to_compare
from bibld.text.publishers import publisher_key
from bibld.text.romanisation import romanise, unify_transcriptions

START = "start"
"""The name of what a pair has before any feature is known."""

_ALMOST = 0.5
"""The share of common words from which two texts are almost the same."""

_AGREEING = ("same", "almost")
_DISAGREEING = ("different", "almost", "same", "only_left", "only_right")

_STRONG, _SLIGHT = 1.0, 0.2
"""What a kind of evidence adds to the score (log odds) from which it counts strongly, and at all."""

_NOT_COMPARED = frozenset((fields.ABOUT_RECORD, "access"))
_MIN_STEP = 0.005
_MIN_PROBABILITY = 1e-6
_WORD = re.compile(r"\w+")

_MEANINGS: dict[str, Callable[[str], object]] = {
    message("Extent"): lambda text: pages_or_leaves(text) or volumes(text),
    message("Place"): places_to_compare,
    message("Publisher"): lambda text: unify_transcriptions(romanise(publisher_key(text))),
    message("Year"): year,
    message("Edition"): edition_number,
}
"""Label of a value → what its texts mean, however they are written; nothing or 0 where that is not known."""

DECISION_WORDS = read_words()["decision"]
"""Decision about a pair of records → the words for it."""

SCORER_WORDS = {
    "model": message("model"),
    "rules": message("rules"),
}
"""Name of what decided about a pair of records → the words for it; others have names that are shown as they are."""

RELATION_WORDS = read_words()["record_relation"]
"""The relations of two records that are not the same."""

RELATIONS_OF_WORKS = read_words()["work_relation"]
"""The relations of two works that are not the same."""

_GROUPS = {
    "title": (
        message("Titles"),
        "main_title full_title any_title whole_title title_start title_edits title_words all_title_words titles_found"
        " other_words title_numbers title_weight title_length remainder",
    ),
    "parts": (message("Volumes and parts"), "part_name part_number set_title set_or_volume"),
    "names": (message("Names"), "name first_name given_names names names_present name_in_statement statement author"),
    "time": (message("Years"), "year last_year"),
    "extent": (message("Pages, volumes, height"), "pages pages_apart volumes height"),
    "edition": (message("Edition"), "edition edition_text"),
    "imprint": (message("Publisher and place"), "publisher place"),
    "series": (message("Series"), "series series_number"),
    "form": (message("Language, carrier, level"), "language carrier level"),
    "numbers": (message("ISBN and other identifiers"), "isbn other_identifier"),
    "host": (message("Journal or book of an article"), "host host_numbers host_page"),
}
_GROUP_OF = {name: group for group, (_, names) in _GROUPS.items() for name in names.split()}

_EVIDENCE_OF_PATH = {
    "title_info": "title",
    "name": "names",
    "origin_info": "time",
    "origin_info/edition": "edition",
    "origin_info/place": "imprint",
    "origin_info/publisher": "imprint",
    "physical_description": "form",
    "physical_description/extent": "extent",
    "language": "form",
    "type_of_resource": "form",
    "identifier": "numbers",
    "part": "parts",
}
"""Elements of a description → the kind of evidence that their values are."""

_SERIES = message("Series")
_ABOUT_SCORE = "score "
"""What the reasons begin with that only state the score and its limits."""

FEATURE_WORDS = read_words()["feature"]
"""The features of the scorers in words."""

_SIGNS = {
    "same": ("=", message("equal")),
    "other form": ("=", message("other form")),
    "almost": ("≈", message("almost the same")),
    "different": ("≠", message("different")),
}
"""The sign of a row of records side by side and what it means, from what agrees to what does not."""


class Agreement(msgspec.Struct, frozen=True):
    """The labels of the values that two records have in common, almost in common, differently, or one of them alone.

    ``weights`` are words by labels: how strongly a value counts for or against that the records are the same. Those
    that count little have none.
    """

    same: tuple[str, ...]
    almost: tuple[str, ...]
    different: tuple[str, ...]
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]
    weights: Mapping[str, str] = {}


def verdict_reasons(reasons: Iterable[str], language: PageLanguage) -> tuple[list[str], list[str]]:
    """Return the reasons of a verdict in a language: those in words, and those that only state the score."""
    found: tuple[list[str], list[str]] = ([], [])
    for reason in reasons:
        found[reason.startswith(_ABOUT_SCORE)].append(language.sentence(reason))
    return found


def agreement(
    left: Sequence[fields.FieldValue],
    right: Sequence[fields.FieldValue],
    language: PageLanguage,
    features: Iterable[Feature] = (),
) -> Agreement:
    """Compare the values of two descriptions, label by label; ``features`` are those of their score."""
    one, other = _by_label(left), _by_label(right)
    meanings = {language.text(label): meaning for label, meaning in _MEANINGS.items()}
    found: dict[str, list[str]] = {"same": [], "almost": [], "different": [], "only_left": [], "only_right": []}
    for label in dict.fromkeys((*one, *other)):
        if label not in other:
            found["only_left"].append(label)
        elif label not in one:
            found["only_right"].append(label)
        else:
            is_equal = label in meanings and _mean_the_same(meanings[label], one[label], other[label])
            found["same" if is_equal else _comparison(one[label], other[label])].append(label)
    weights = _weights(found, _evidence_by_label((*left, *right), language), features, language)
    same, almost, different, only_left, only_right = map(tuple, found.values())
    return Agreement(same, almost, different, only_left, only_right, weights)


def _weights(
    found: Mapping[str, list[str]], evidence: Mapping[str, str], features: Iterable[Feature], language: PageLanguage
) -> dict[str, str]:
    """Return how much labels count, in words: what a kind of evidence adds is at the first label of the fitting sign.

    What counts for has no words where all its values differ. What counts against without any value (parts that the
    titles name) becomes a label among the different ones.
    """
    weights: dict[str, str] = {}
    for kind, amount in _amounts(features).items():
        words = _weight_words(amount, language)
        if not words:
            continue
        order = _AGREEING if amount > 0 else _DISAGREEING
        label = next((label for sign in order for label in found[sign] if evidence.get(label) == kind), None)
        if label is None and amount < 0:
            label = _group_words(kind, language)
            found["different"].append(label)
        if label is not None:
            weights[label] = words
    return weights


def _amounts(features: Iterable[Feature]) -> dict[str, float]:
    """Return what the kinds of evidence add to a score, without what a pair has before any is known."""
    sums: dict[str, float] = {}
    for feature in features:
        if feature.name != START:
            kind = _GROUP_OF.get(feature.name, feature.name)
            sums[kind] = sums.get(kind, 0.0) + feature.contribution
    return sums


def _weight_words(amount: float, language: PageLanguage) -> str:
    if abs(amount) < _SLIGHT:
        return ""
    if abs(amount) < _STRONG:
        return language.text("slightly for") if amount > 0 else language.text("slightly against")
    return language.text("strongly for") if amount > 0 else language.text("strongly against")


def _evidence_by_label(values: Iterable[fields.FieldValue], language: PageLanguage) -> dict[str, str]:
    series = language.text(_SERIES)
    found: dict[str, str] = {}
    for value in values:
        element, _, rest = value.path.partition("/")
        part = f"{element}/{rest.partition('/')[2].partition('/')[0]}"
        kind = _EVIDENCE_OF_PATH.get(part) or _EVIDENCE_OF_PATH.get(element)
        if element == "related_item":
            kind = "series" if value.label == series else "host"
        if kind:
            found.setdefault(value.label, kind)
    return found


def compare(
    records: Sequence[tuple[RecordId, Sequence[fields.FieldValue]]],
    language: PageLanguage,
    features: Iterable[Feature] = (),
) -> tuple[SideBySide, Agreement | None]:
    """Put the values of records side by side with signs, and return what the first two agree in; None for one."""
    agreements = [agreement(records[0][1], values, language, features) for _, values in records[1:]]
    found = mark_differences(values_side_by_side(records), agreements, language)
    return found, agreements[0] if agreements else None


class ShownEdge(msgspec.Struct, frozen=True):
    """A match in a list: ``href`` leads to its page, ``agreement`` is None where the records are not compared.

    ``reasons`` are those of the verdict in words, ``numbers`` those that state the score.
    """

    edge: Edge
    href: str
    agreement: Agreement | None
    reasons: Sequence[str]
    numbers: Sequence[str]


def shown_edges(
    edges: Iterable[Edge],
    addresses: Addresses,
    language: PageLanguage,
    values: Mapping[RecordId, Sequence[fields.FieldValue]] = {},
) -> list[ShownEdge]:
    """Return matches in their order; those of records with ``values`` state what agrees."""
    found = []
    for edge in edges:
        sides = [values[record] for record in (edge.pair.left, edge.pair.right) if record in values]
        agreed = agreement(sides[0], sides[1], language, edge.score.features) if len(sides) == 2 else None
        href = addresses.href(addresses.iris.match(edge.pair)) or ""
        found.append(ShownEdge(edge, href, agreed, *verdict_reasons(edge.verdict.reasons, language)))
    return found


def mark_differences(found: SideBySide, agreements: Sequence[Agreement], language: PageLanguage) -> SideBySide:
    """Mark in records side by side only what differs in words: not another script, nor one form more.

    ``agreements`` are those of the first record with each of the others. Each row gets the sign that agrees least, with
    its meaning.
    """
    is_written_differently = {label for label, cells in found.rows if any(cell.differs for cell in cells)}
    worst: dict[str, int] = {}
    ranks = {name: rank for rank, name in enumerate(_SIGNS)}
    for agreed in agreements:
        for name in ("same", "almost", "different"):
            for label in getattr(agreed, name):
                is_equal = name == "same" and label not in is_written_differently
                rank = ranks["same" if is_equal else "other form" if name == "same" else name]
                worst[label] = max(rank, worst.get(label, 0))
    shown = [(sign, language.text(meaning)) for sign, meaning in _SIGNS.values()]
    signs = {label: shown[rank] for label, rank in worst.items()}
    if len(agreements) == 1:
        for number, labels_of_one in enumerate((agreements[0].only_left, agreements[0].only_right)):
            only = language.text("only in %(record)s", record=letter_of(number))
            signs |= dict.fromkeys(labels_of_one, ("?", only))
    agreeing = {label for label, rank in worst.items() if rank < ranks["almost"]}
    rows = tuple(
        (
            label,
            tuple(msgspec.structs.replace(cell, differs=cell.differs and label not in agreeing) for cell in cells),
        )
        for label, cells in found.rows
    )
    return msgspec.structs.replace(found, rows=rows, signs=signs)


def _by_label(values: Iterable[fields.FieldValue]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in values:
        if value.group not in _NOT_COMPARED:
            found.setdefault(value.label, []).append(value.text)
    return found


def _mean_the_same(meaning: Callable[[str], object], one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether values that are written differently mean the same: ``911 с.`` and ``911 p.``, ``Л.`` and *Leningrad*."""
    meanings, others = ({known for text in texts if (known := meaning(text))} for texts in (one, other))
    return bool(meanings) and meanings == others


def _comparison(one: Sequence[str], other: Sequence[str]) -> str:
    keys, others = ({_key(text) for text in texts} for texts in (one, other))
    if keys == others or (keys & others and (keys <= others or others <= keys)):
        return "same"
    words, other_words = (set(_WORD.findall(_romanised(" ".join(texts)))) for texts in (one, other))
    shared = len(words & other_words)
    return "almost" if keys & others or shared >= _ALMOST * min(len(words), len(other_words)) > 0 else "different"


def _key(text: str) -> str:
    return folded(_romanised(text)) or text


def _romanised(text: str) -> str:
    return unify_transcriptions(romanise(text))


def feature_lines(features: Iterable[Feature], language: PageLanguage) -> list[dict[str, object]]:
    """Return the features in words, in their order."""
    return [
        {"words": _feature_words(feature.name, language), "value": feature.value, "contribution": feature.contribution}
        for feature in features
    ]


def _feature_words(name: str, language: PageLanguage) -> str:
    words = FEATURE_WORDS.get(name)
    return language.text(words) if words is not None else name.replace("_", " ")


def waterfall(edge: Edge, language: PageLanguage) -> Picture | None:
    """Draw the steps from the prior to the score; None for a scorer whose features add nothing up."""
    features = edge.score.features
    if not any(feature.contribution for feature in features):
        return None
    start = sum(feature.contribution for feature in features if feature.name == START)
    sums = _amounts(features)
    ordered = sorted(sums.items(), key=lambda pair: -abs(pair[1]))
    steps = [
        WaterfallStep(_group_words(group, language), amount, _signed(amount, language))
        for group, amount in ordered
        if abs(amount) >= _MIN_STEP
    ]
    end = start + sum(sums.values())
    prior, score = _percent(_probability(start), language), _percent(edge.score.value, language)
    caption = Caption(
        "waterfall",
        language.text("From the prior to the score"),
        language.text(
            "Before anything is compared, the chance that the two records describe one publication is %(prior)s;"
            " what agrees raises it, what differs lowers it, in the end it is %(score)s.",
            prior=prior,
            score=score,
        ),
        (language.text("What was compared"), language.text("Adds")),
    )
    return draw_waterfall(
        caption,
        WaterfallTotal(language.text("Prior"), start, prior),
        steps,
        WaterfallTotal(language.text("Score"), end, score),
    )


def _group_words(group: str, language: PageLanguage) -> str:
    return language.text(_GROUPS[group][0]) if group in _GROUPS else _feature_words(group, language)


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))


def _percent(value: float, language: PageLanguage) -> str:
    shown = round(100 * max(_MIN_PROBABILITY, min(1 - _MIN_PROBABILITY, value)), 1)
    return f"{language.number(shown)}\u00a0%"


def _signed(amount: float, language: PageLanguage) -> str:
    return f"{'+' if amount > 0 else '−'}{language.number(round(abs(amount), 2))}"


def labels_in_words(labels: Sequence[str], weights: Mapping[str, str] = {}) -> str:
    """Return labels as a list in a sentence, each with the words for its weight in brackets if it has any."""
    texts = ((label if label[:2].isupper() else label[:1].lower() + label[1:], weights.get(label)) for label in labels)
    return ", ".join(f"{text} ({weight})" if weight else text for text, weight in texts)


def words_for(decisions: Mapping[str, str], name: str, language: PageLanguage) -> str:
    """Return the words for a decision or relation, its name where it has none."""
    found = decisions.get(name)
    return language.text(found) if found is not None else name
