"""The exact similarity join: all pairs of texts at or above a similarity, none missed.

Tateishi and Kusui, "Fast Duplicated Documents Detection using Multi-level Prefix-filter" (IJCNLP 2008). A prefix
filter puts the tokens of each text in one order, rare ones first. If two texts are similar, the first token that they
have in common is near the beginning of both: it is in the *prefix*, the words just over the share of one minus the
threshold. So only texts that share a token of their prefixes are compared. This holds for any order. Therefore further
levels, each with another order, drop further pairs: a pair must share a token of its prefixes in every level. The
priority of a word is its frequency ``df`` in the first level; in the others it is ``0.1 df`` plus the number of
prefixes of the levels before that contain the word.

Tokens are the distinct words of a text, or its grams of characters. For edit similarity (one minus the edit distance
divided by the length of the longer text) they are grams with their positions. A gram that no edit touches moves by no
more than the edits on its left and on its right, and a prefix ends where spoiling all of its grams takes more edits
than allowed (the filters of Xiao, Wang and Lin, "Ed-Join", VLDB 2008). Texts so short that the allowed edits may
spoil all grams are compared with each other without filter. The tables of word priorities are counted on a sample
that is chosen by content, and frozen; other words have the priority of a word that occurs once. The pairs do not
depend on them.

No pair is dropped by the pre-filter. Equal texts are joined without comparing them. Tokens and equal texts are
recognised by hashes of 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
import numpy as np

from bibld.dedup._shingle_kernels import shingle_sets
from bibld.dedup.arrays import Flags, Numbers, Places, RowNumbers, once
from bibld.dedup.block import _prefix_kernels as kernels
from bibld.dedup.columns import FeatureRows
from bibld.dedup.texts import (
    TextField,
    check_pairs,
    expand_groups,
    field_chunks,
    field_texts,
    group_texts,
    sample_texts,
)
from bibld.errors import StageError
from bibld.model.features import FeatureColumns, Statistics, TextColumn

if TYPE_CHECKING:
    import numpy.typing as npt

Measure = Literal["jaccard", "cosine", "edit"]

FAMILIES = ("similar texts",)
IS_CERTAIN = True
_MEASURES: tuple[Measure, ...] = ("jaccard", "cosine", "edit")
_SAMPLE = 200_000
_ROOM = 1_000_000
_EDIT_GRAM = 3
_FACTOR = np.uint64(0xFF51AFD7ED558CCD)
_USED = 10
"""How much more a use in a level before counts than a text that contains the word."""
MAX_EDIT_CHARACTERS = 10_000
"""Characters of the longest text that edit similarity can compare."""


class Settings(msgspec.Struct, frozen=True):
    """``fields``: the texts that are compared, joined by blanks; ``measure``: how similarity is measured;
    ``threshold``: the least similarity of a candidate pair; ``levels``: the levels of the filter (with ``edit`` one
    level is often the fastest, since computing a distance is as cheap as two levels); ``gram``: characters of a token,
    0 for words (with ``edit`` for grams of 3); ``most_pairs``: more pairs are an error, since a title that a million
    records share would make half a billion of them.
    """

    fields: Annotated[tuple[TextField, ...], msgspec.Meta(min_length=1)] = ("main_title", "remainder")
    measure: Measure = "jaccard"
    threshold: Annotated[float, msgspec.Meta(ge=0.1, le=1)] = 0.8
    levels: Annotated[int, msgspec.Meta(ge=1, le=32)] = 4
    gram: Annotated[int, msgspec.Meta(ge=0, le=8)] = 0
    most_pairs: Annotated[int, msgspec.Meta(ge=1)] = 50_000_000


class SimilarPairs(NamedTuple):
    """All similar pairs (n,): rows with ``left < right``, ascending, and their similarity. ``compared`` is the number
    of pairs of distinct texts whose similarity was computed."""

    left: RowNumbers
    right: RowNumbers
    similarity: npt.NDArray[np.float64]
    compared: int


class Priorities(msgspec.Struct, frozen=True):
    """Frozen priorities: tokens of more than one text, ascending (u64), and their priorities by level (u32)."""

    tokens: bytes
    levels: tuple[bytes, ...]


def chosen_columns(settings: Settings) -> tuple[str, ...]:
    """Return the fields."""
    return settings.fields


def fit(rows: FeatureRows, settings: Settings) -> bytes:
    """Count the word priorities of a sample of the texts."""
    sample = sample_texts(field_chunks(rows, settings.fields), _SAMPLE)
    levels = _levels(sample, settings, None)
    is_shared = levels.priorities[0] > 1
    stored = tuple(row[is_shared].astype("<u4").tobytes() for row in levels.priorities)
    return msgspec.msgpack.encode(Priorities(levels.vocabulary[is_shared].astype("<u8").tobytes(), stored))


def join(
    columns: FeatureColumns, settings: Settings, statistics: Statistics, fresh: Flags | None
) -> tuple[RowNumbers, RowNumbers]:
    """Return all similar pairs of rows; with ``fresh`` (rows,) those with at least one fresh row."""
    frozen = statistics.fitted.get("prefix")
    priorities = msgspec.msgpack.decode(frozen, type=Priorities) if frozen else None
    found = _similar_pairs(field_texts(columns, settings.fields), settings, priorities, fresh)
    return found.left, found.right


def similar_pairs(
    texts: Sequence[str] | TextColumn,
    measure: Measure,
    threshold: float,
    levels: int = 4,
    gram: int = 0,
    most_pairs: int = 50_000_000,
) -> SimilarPairs:
    """Return all pairs of texts whose similarity is ``threshold`` or more; texts without any token have no pairs.

    The parameters are those of :class:`Settings`. Raises ``StageError`` if there are more pairs than ``most_pairs``, or
    if a text is too long for edit similarity.
    """
    settings = Settings(measure=measure, threshold=threshold, levels=levels, gram=gram, most_pairs=most_pairs)
    column = texts if isinstance(texts, TextColumn) else TextColumn.from_texts(texts)
    return _similar_pairs(column, settings, None, None)


class _Levels(NamedTuple):
    """Distinct texts by ascending size, with the prefixes of each level, and the priorities that made them."""

    rule: kernels.JoinRule
    order: Places
    texts: kernels.Texts
    sizes: Places
    prefixes: kernels.Prefixes
    vocabulary: Numbers
    priorities: RowNumbers


def _levels(texts: TextColumn, settings: Settings, frozen: Priorities | None) -> _Levels:
    """Compute the prefixes of all levels, by frozen priorities or by those counted on the texts."""
    is_edit = settings.measure == "edit"
    gram = settings.gram or (_EDIT_GRAM if is_edit else 0)
    if is_edit:
        starts, tokens = _grams(texts, gram)
    else:
        starts, tokens = shingle_sets(texts.offsets, texts.codes, gram or 1, not gram, 1)
    sizes = np.diff(texts.offsets if is_edit else starts)
    order = np.argsort(sizes, kind="stable")
    if is_edit and len(order) and sizes[order[-1]] > MAX_EDIT_CHARACTERS:
        raise StageError(
            f"prefix: a text of {sizes[order[-1]]:,} characters is too long for edit similarity "
            f'(at most {MAX_EDIT_CHARACTERS:,}); set [dedup.prefix] measure = "jaccard", or compare other fields'
        )
    vocabulary = once(tokens)
    ids = TextColumn(starts, np.searchsorted(vocabulary, tokens).astype(np.uint32))
    ids, sizes = ids.rows(order), sizes[order]
    rule = kernels.JoinRule(_MEASURES.index(settings.measure), settings.threshold, gram, len(vocabulary), True)
    counts = np.bincount(ids.codes, minlength=len(vocabulary)).astype(np.int64)
    known = _frozen_priorities(frozen, settings.levels, vocabulary)
    prefixes, priorities = [], []
    used = np.zeros(len(vocabulary), np.int64)
    for level in range(settings.levels):
        priority = known[level] if known is not None else counts if level == 0 else counts + _USED * used
        rank = np.empty(len(vocabulary), np.uint32)
        rank[np.argsort(priority, kind="stable")] = np.arange(len(vocabulary), dtype=np.uint32)
        prefixes.append(kernels.prefixes(rule, sizes, ids.offsets, ids.codes, rank))
        used += np.bincount(prefixes[-1][1] >> kernels.TOKEN, minlength=len(vocabulary) + 1)[:-1]
        priorities.append(priority.astype(np.uint32))
    if is_edit:
        characters = texts.rows(order)
        is_used = np.zeros(int(texts.codes.max(initial=0)) + 1, np.int64)
        is_used[texts.codes] = 1
        symbols = kernels.Texts(
            characters.offsets, (np.cumsum(is_used) - 1)[characters.codes].astype(np.uint32), int(is_used.sum())
        )
    else:
        symbols = kernels.Texts(ids.offsets, ids.codes, len(vocabulary))
    return _Levels(
        rule, order, symbols, sizes, _prefixes(prefixes, sizes, len(vocabulary)), vocabulary, np.stack(priorities)
    )


def _prefixes(levels: list[tuple[Places, Numbers]], sizes: Places, tokens: int) -> kernels.Prefixes:
    """Put the prefixes of all levels together, and list the entries of the first one by token."""
    ends = np.cumsum([0] + [len(entries) for _, entries in levels])
    starts, entries = levels[0]
    rows = np.repeat(np.arange(len(sizes)), np.diff(starts))
    keys = (sizes[rows] << 16) | (entries & np.uint64(kernels.MAX_NEED)).astype(np.int64)
    found = entries >> kernels.TOKEN
    order = np.lexsort((keys, found))
    return kernels.Prefixes(
        np.stack([begins + end for (begins, _), end in zip(levels, ends[:-1], strict=True)]),
        np.concatenate([entries for _, entries in levels]),
        np.searchsorted(found[order], np.arange(tokens + 2, dtype=np.uint64)),
        rows[order],
        keys[order],
        ((entries >> kernels.NEED) & np.uint64(kernels.MAX_NEED)).astype(np.int64)[order],
    )


def _similar_pairs(
    texts: TextColumn, settings: Settings, frozen: Priorities | None, fresh: Flags | None
) -> SimilarPairs:
    groups = group_texts(texts)
    sizes = np.diff(groups.starts)
    old = np.zeros(len(sizes), np.int64)
    if fresh is not None and len(sizes):
        old = np.add.reduceat(~fresh[groups.members], groups.starts[:-1], dtype=np.int64)
    total = int((sizes * (sizes - 1) - old * (old - 1)).sum()) // 2
    check_pairs(total, settings.most_pairs, "prefix", groups, texts)
    levels = _levels(texts.rows(groups.first), settings, frozen)
    rule = levels.rule._replace(probe_all=fresh is None)
    is_probe = (sizes > old)[levels.order]
    room = np.empty((_ROOM + len(sizes), 3))
    start, compared, parts = 0, 0, []
    while start < len(sizes):
        start, filled, count = kernels.join(rule, levels.texts, levels.sizes, levels.prefixes, is_probe, start, room)
        left, right = (levels.order[room[:filled, side].astype(np.int64)] for side in (0, 1))
        total += int((sizes[left] * sizes[right] - old[left] * old[right]).sum())
        check_pairs(total, settings.most_pairs, "prefix", groups, texts)
        parts.append((left, right, room[:filled, 2].copy()))
        compared += count
    has_tokens = np.zeros(len(sizes), np.bool_)
    has_tokens[levels.order] = levels.sizes > 0
    equal = np.flatnonzero((sizes > 1) & (sizes > old) & has_tokens)
    parts.append((equal, equal, np.ones(len(equal))))
    one, other, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    left, right, origin = expand_groups(groups, one, other, fresh)
    order = np.lexsort((right, left))
    return SimilarPairs(left[order].astype(np.uint32), right[order].astype(np.uint32), values[origin[order]], compared)


def _grams(texts: TextColumn, size: int) -> tuple[Places, Numbers]:
    """Return the hashes of the grams of each text in the order of their positions, as offsets and hashes."""
    counts = np.maximum(np.diff(texts.offsets) - size + 1, 0)
    starts = np.concatenate(([0], np.cumsum(counts)))
    positions = np.arange(starts[-1]) + np.repeat(texts.offsets[:-1] - starts[:-1], counts)
    hashes = np.zeros(len(positions), np.uint64)
    for step in range(size):
        hashes = (hashes ^ texts.codes[positions + step]) * _FACTOR
        hashes ^= hashes >> np.uint64(32)
    return starts, hashes


def _frozen_priorities(frozen: Priorities | None, levels: int, vocabulary: Numbers) -> Places | None:
    """Return the frozen priorities (levels, tokens); a token without one counts as in one text and each prefix."""
    if frozen is None:
        return None
    priorities = 1 + _USED * np.arange(levels)[:, None] * np.ones(len(vocabulary), np.int64)
    known = np.frombuffer(frozen.tokens, "<u8")
    if len(known) and len(vocabulary):
        positions = np.minimum(np.searchsorted(known, vocabulary), len(known) - 1)
        found = known[positions] == vocabulary
        for level, stored in enumerate(frozen.levels[:levels]):
            priorities[level, found] = np.frombuffer(stored, "<u4")[positions[found]]
    return priorities
