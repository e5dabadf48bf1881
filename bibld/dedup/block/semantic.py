"""Embeddings: pairs whose texts mean the same, or are spelt so differently that no key of theirs is equal.

As a source of candidates it finds the pairs of a cosine of ``candidates`` or more, and the pre-filter drops none of
them. As the last filter it drops the
pairs of other blockers whose cosine is below ``least``, except those of blockers that are certain; a pair passes if one
of the two texts is empty.

``model`` is the folder of a model of sentence-transformers or of model2vec, the better choice for translations.
Without one a model is trained on the catalogue: latent semantic analysis of character trigrams. It knows spellings
and words that occur together, but no language that the records do not explain. The fields that are compared are
romanised, so a Cyrillic title is near its romanised form; the field ``title`` is in its own script.

Candidates come from an inverted file index (FAISS): the embeddings are divided into cells by centroids, which are
trained on a sample chosen by content and frozen with the statistics. Two texts are candidates if their cosine is high
enough and the cell of the one is among the ``probes`` nearest cells of the other, either way. This depends on the two
texts and the frozen centroids alone, so the pairs are the same in any order of records, after any number of runs. The
graph of HNSW would depend on the order in which records are added and on threads; the nearest k neighbours of a record
would depend on other records. Below 20,000 records there is one cell, and all pairs are compared.

A run embeds all records again; only those that are new are compared.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from bibld.dedup._shingle_kernels import shingle_sets
from bibld.dedup.arrays import Flags, Numbers, Places, RowNumbers, once, pack_pairs, unpack_pairs
from bibld.dedup.columns import FeatureRows
from bibld.dedup.compilation import OFFSETS, ROWS, kernel, types
from bibld.dedup.texts import (
    TextField,
    check_pairs,
    expand_groups,
    field_chunks,
    field_texts,
    group_texts,
    sample_texts,
)
from bibld.errors import ConfigError, StageError
from bibld.model.features import FeatureColumns, Statistics, TextColumn

if TYPE_CHECKING:
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


FAMILIES = ("similar meaning",)
IS_CERTAIN = True

_SAMPLE = 50_000
_ONE_CELL = 20_000
_MAX_CELLS = 4096
_QUERIES = 512
_INSTALL = 'pip install "bibld[semantic]"'


class Settings(msgspec.Struct, frozen=True):
    """``fields``: the texts that are compared, joined by blanks; ``model``: the folder of a model, empty to train one;
    ``candidates``: the cosine from which two records are candidates, 0 for none; ``least``: the cosine below which
    candidates of other blockers are dropped, 0 to keep all; ``dimensions``: those of the model that is trained;
    ``probes``: the cells that are searched; ``most_pairs``: more candidates are an error.
    """

    fields: Annotated[tuple[TextField, ...], msgspec.Meta(min_length=1)] = ("main_title", "remainder", "names")
    model: str = ""
    candidates: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.8
    least: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    dimensions: Annotated[int, msgspec.Meta(ge=16, le=512)] = 128
    probes: Annotated[int, msgspec.Meta(ge=1, le=256)] = 8
    most_pairs: Annotated[int, msgspec.Meta(ge=1)] = 50_000_000


def chosen_columns(settings: Settings) -> tuple[str, ...]:
    """Return the fields."""
    return settings.fields


def fit(rows: FeatureRows, settings: Settings) -> bytes:
    """Train the model and the centroids on a sample of the texts."""
    sample = sample_texts(field_chunks(rows, settings.fields), _SAMPLE)
    model = from_folder(settings.model) if settings.model else train_model(sample, settings.dimensions)
    if settings.candidates and len(rows) >= _ONE_CELL:
        faiss, _ = _faiss()
        vectors = embed(sample, model, settings.model)
        cells = min(int(4 * len(rows) ** 0.5), _MAX_CELLS, len(sample))
        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)  # so that the centroids do not depend on the number
        try:
            means = faiss.Kmeans(model.dimensions, cells, niter=10, seed=1, spherical=True, min_points_per_centroid=1)
            means.train(vectors / np.float32(SCALE))
        finally:
            faiss.omp_set_num_threads(threads)
        centroids = np.rint(means.centroids * SCALE).astype("<i2")
        model = msgspec.structs.replace(model, cells=centroids.tobytes())
    return msgspec.msgpack.encode(model)


def join(
    columns: FeatureColumns, settings: Settings, statistics: Statistics, fresh: Flags | None
) -> tuple[RowNumbers, RowNumbers]:
    """Return the pairs of similar rows; with ``fresh`` (rows,) those with at least one fresh row."""
    nothing = np.empty(0, np.int64)
    texts = field_texts(columns, settings.fields)
    groups = group_texts(texts)
    if not settings.candidates or not len(groups.first):
        return nothing.astype(np.uint32), nothing.astype(np.uint32)
    sizes = np.diff(groups.starts)
    is_fresh: Any = np.ones(len(sizes), np.bool_)
    if fresh is not None:
        is_fresh = np.logical_or.reduceat(fresh[groups.members], groups.starts[:-1])
    equal = np.flatnonzero((sizes > 1) & is_fresh)
    total = int((sizes[equal] * (sizes[equal] - 1)).sum()) // 2
    check_pairs(total, settings.most_pairs, "semantic", groups, texts)
    model = _model(statistics)
    vectors = embed(texts.rows(groups.first), model, settings.model)
    left, right = (side.astype(np.int64) for side in unpack_pairs(_similar(vectors, model, settings, is_fresh)))
    check_pairs(total + int((sizes[left] * sizes[right]).sum()), settings.most_pairs, "semantic", groups, texts)
    one, other, _ = expand_groups(groups, np.concatenate((left, equal)), np.concatenate((right, equal)), fresh)
    return one.astype(np.uint32), other.astype(np.uint32)


def passes(
    columns: FeatureColumns, left: RowNumbers, right: RowNumbers, settings: Settings, statistics: Statistics
) -> Flags:
    """Return which pairs have a cosine of at least ``least``, or a text that is empty or unknown to the model."""
    found: Flags = np.ones(len(left), np.bool_)
    if not settings.least:
        return found
    vectors = embed(field_texts(columns, settings.fields), _model(statistics), settings.model)
    is_known: Any = vectors.any(axis=1)
    for start in range(0, len(left), _QUERIES * 64):
        one, other = left[start : start + _QUERIES * 64], right[start : start + _QUERIES * 64]
        products = np.einsum("ij,ij->i", vectors[one], vectors[other])
        found[start : start + _QUERIES * 64] = (products >= _product(settings.least)) | ~(
            is_known[one] & is_known[other]
        )
    return found


def _faiss() -> tuple[Any, Any]:
    """Import FAISS and its functions for inverted files; raises ``ConfigError`` if it is not installed."""
    try:
        import faiss
        import faiss.contrib.ivf_tools as ivf
    except ImportError as error:
        raise not_installed("faiss", _INSTALL, error) from error
    return faiss, ivf


def _model(statistics: Statistics) -> EmbeddingModel:
    """Return the frozen model; raises ``StageError`` if there is none."""
    frozen = statistics.fitted.get("semantic")
    if not frozen:
        raise StageError('dedup: the statistics contain no model of "semantic"; count them again with --restat')
    return msgspec.msgpack.decode(frozen, type=EmbeddingModel)


def _product(cosine: float) -> int:
    """Return the least product of two embeddings with this cosine."""
    return int(np.ceil(cosine * SCALE**2))


def _similar(vectors: Vectors, model: EmbeddingModel, settings: Settings, is_fresh: Flags) -> Numbers:
    """Return the pairs of similar vectors with at least one that is fresh, as ``left << 32 | right``, ascending."""
    centroids = np.frombuffer(model.cells, "<i2").reshape(-1, model.dimensions).astype(np.float32)
    if not len(centroids):
        centroids = np.zeros((1, model.dimensions), np.float32)
    cells = _nearest_cells(vectors, centroids, settings.probes)
    rows = np.arange(len(vectors))
    fresh = np.flatnonzero(is_fresh)
    searches = [(fresh, rows)] if len(fresh) == len(rows) else [(fresh, rows), (rows, fresh)]
    faiss, ivf = _faiss()
    found, count = [np.empty(0, np.uint64)], 0
    for queries, targets in searches:
        quantizer = faiss.IndexFlatIP(model.dimensions)
        quantizer.add(centroids)
        index = faiss.IndexIVFFlat(quantizer, model.dimensions, len(centroids), faiss.METRIC_INNER_PRODUCT)
        index.nprobe = cells.shape[1]
        ivf.add_preassigned(index, vectors[targets], np.ascontiguousarray(cells[targets, 0]), targets)
        for start in range(0, len(queries), _QUERIES):
            some = queries[start : start + _QUERIES]
            limits, _, positions = ivf.range_search_preassigned(
                index, vectors[some], _product(settings.candidates) - 0.5, np.ascontiguousarray(cells[some])
            )
            one = np.repeat(some, np.diff(limits.astype(np.int64)))
            one, positions = one[one != positions], positions[one != positions]
            found.append(pack_pairs(np.minimum(one, positions), np.maximum(one, positions)))
            count += len(one)
            if count > 4 * settings.most_pairs:  # each pair is found up to four times
                raise StageError(
                    f"semantic: more than {settings.most_pairs:,} candidates; raise candidates or most_pairs"
                )
    return once(np.concatenate(found))


def _nearest_cells(vectors: Vectors, centroids: Vectors, probes: int) -> Places:
    """Return the nearest cells of each vector, the nearest one first; of equally near cells the first is nearer."""
    count = min(probes, len(centroids))
    found = np.empty((len(vectors), count), np.int64)
    tie = np.arange(len(centroids))
    for start in range(0, len(vectors), _QUERIES * 8):
        products = (vectors[start : start + _QUERIES * 8] @ centroids.T).astype(np.int64)
        keys = tie - products * len(centroids)
        if count < len(centroids):
            chosen = np.argpartition(keys, count - 1, axis=1)[:, :count]
            keys = np.take_along_axis(keys, chosen, axis=1)
        else:
            chosen = np.broadcast_to(tie, keys.shape)
        found[start : start + _QUERIES * 8] = np.take_along_axis(chosen, np.argsort(keys, axis=1), axis=1)
    return found


SCALE = 2048.0
_GRAM = 3
_BUCKET_BITS = 15
_PASSES = 5
_CHUNK = 20_000


class EmbeddingModel(msgspec.Struct, frozen=True):
    """What is frozen with the statistics.

    ``table`` (float16): a vector for each bucket of grams, and ``dimensions`` of each; for a model in a folder instead
    the ``digest`` of its files. ``cells`` (int16): the centroids of the index.
    """

    dimensions: int
    table: bytes = b""
    digest: str = ""
    cells: bytes = b""


def train_model(texts: TextColumn, dimensions: int) -> EmbeddingModel:
    """Train a model on distinct texts: latent semantic analysis of the trigrams of their characters.

    Deerwester and others, "Indexing by latent semantic analysis" (1990): a truncated singular value decomposition of
    the matrix of texts and trigrams (hashed to 32,768 buckets), weighted by inverse document frequency. The singular
    vectors are found by subspace iteration from fixed random vectors.
    """
    starts, buckets = _buckets(texts)
    size = 1 << _BUCKET_BITS
    counts = np.bincount(buckets, minlength=size)
    weights = np.where(counts, np.log((1 + len(texts)) / (1 + counts)), 0).astype(np.float32)
    lengths = np.sqrt(add_rows(starts, buckets, np.square(weights)[:, None], 0.0)) + np.float32(1e-9)
    order = np.argsort(buckets, kind="stable")
    rows = np.repeat(np.arange(len(texts), dtype=np.uint32), np.diff(starts))[order]
    bucket_starts = np.concatenate(([0], np.cumsum(counts)))
    basis: Any = np.random.default_rng(1).standard_normal((size, dimensions)).astype(np.float32)
    for _ in range(_PASSES):
        scores: Any = add_rows(starts, buckets, weights[:, None] * basis, 0.0) / np.square(lengths)
        grown: Any = weights[:, None] * add_rows(bucket_starts, rows, scores, 0.0)
        values, vectors = np.linalg.eigh((grown.T @ grown).astype(np.float64))
        basis = grown @ (vectors / np.sqrt(np.maximum(values, 1e-6))).astype(np.float32)  # orthonormal
    return EmbeddingModel(dimensions, (weights[:, None] * basis).astype("<f2").tobytes())


def from_folder(folder: str) -> EmbeddingModel:
    """Return the model of a folder; raises ``ConfigError`` if it is none or cannot be loaded."""
    dimensions = len(_encoder(folder).encode(["model"])[0])
    return EmbeddingModel(int(dimensions), digest=_digest(folder))


def embed(texts: TextColumn, model: EmbeddingModel, folder: str) -> Vectors:
    """Return the embedding of each text, shape (n, dimensions): whole numbers; all 0 for a text without known grams."""
    if not folder:
        table = np.frombuffer(model.table, "<f2").reshape(-1, model.dimensions).astype(np.float32)
        return add_rows(*_buckets(texts), table, SCALE)
    if _digest(folder) != model.digest:
        raise ConfigError(
            [f"dedup.semantic.model: {folder} has changed since the statistics were counted; use --restat"]
        )
    found = np.zeros((len(texts), model.dimensions), np.float32)
    for start in range(0, len(texts), _CHUNK):
        rows = [
            row for row in range(start, min(start + _CHUNK, len(texts))) if texts.offsets[row + 1] > texts.offsets[row]
        ]
        if rows:
            vectors = np.asarray(_encoder(folder).encode([texts.text(row) for row in rows]), np.float64)
            found[rows] = np.rint(vectors * (SCALE / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-12)))
    return found


def _buckets(texts: TextColumn) -> tuple[Places, RowNumbers]:
    starts, hashes = shingle_sets(texts.offsets, texts.codes, _GRAM, False, 1)
    return starts, (hashes >> np.uint64(64 - _BUCKET_BITS)).astype(np.uint32)


@kernel(types.float32[:, ::1](OFFSETS, ROWS, types.float32[:, ::1], types.float64))
def add_rows(starts: Places, rows: RowNumbers, table: Vectors, scale: float) -> Vectors:
    """Return sums of rows of a table: that of ``rows[starts[i]:starts[i + 1]]`` for each i, added in this order.

    With a scale sums are stretched to this length and rounded; sums of 0 remain.
    """
    found = np.zeros((starts.shape[0] - 1, table.shape[1]), np.float32)
    for row in range(found.shape[0]):
        for position in range(starts[row], starts[row + 1]):
            for column in range(table.shape[1]):
                found[row, column] += table[rows[position], column]
        if scale > 0:
            square = 0.0
            for column in range(table.shape[1]):
                square += np.float64(found[row, column]) ** 2
            if square > 0:
                for column in range(table.shape[1]):
                    found[row, column] = np.float32(np.rint(found[row, column] * (scale / np.sqrt(square))))
    return found


@lru_cache(maxsize=1)
def _encoder(folder: str) -> Any:  # noqa: ANN401
    """Load a model of sentence-transformers or model2vec."""
    expected = 'a folder that sentence-transformers ("modules.json") or model2vec ("config.json") saved is expected'
    path = Path(folder)
    if not path.is_dir():
        raise ConfigError([f"dedup.semantic.model: {folder} is no folder; {expected}"])
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
        is_static = isinstance(config, dict) and config.get("model_type") == "model2vec"
    except (OSError, ValueError):
        is_static = False
    if not is_static and not (path / "modules.json").is_file():
        raise ConfigError([f"dedup.semantic.model: {folder} is no model; {expected}"])
    package = "model2vec" if is_static else "sentence-transformers"
    try:
        if is_static:
            from model2vec import StaticModel

            return StaticModel.from_pretrained(folder)
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(folder)
    except ImportError as error:
        raise not_installed(package, f"pip install {package}", error) from error
    except Exception as error:
        raise ConfigError([f"dedup.semantic.model: {package} cannot load {folder} ({error}); {expected}"]) from error


def not_installed(package: str, command: str, error: ImportError) -> ConfigError:
    """Return the error for a package that bibld does not require, with the command that installs it."""
    return ConfigError([f'dedup.block: "semantic" needs {package}, which is not installed ({error}): {command}'])


@lru_cache(maxsize=1)
def _digest(folder: str) -> str:
    """Return a hash of the files of a model."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode())
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
