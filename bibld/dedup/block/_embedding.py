"""Embeddings of texts: by a model trained on the catalogue, or by one in a folder.

An embedding consists of whole numbers: its length is about ``SCALE``, so all products that are added for a cosine are
exact in single precision, in any order. Whatever computes a cosine, with any number of threads, finds the same pairs.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from bibld.dedup.arrays import Places, RowNumbers
from bibld.dedup.compilation import OFFSETS, ROWS, kernel, types
from bibld.dedup.shingle_kernels import shingle_sets
from bibld.errors import ConfigError
from bibld.model.features import TextColumn

if TYPE_CHECKING:
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

SCALE = 2048.0
_GRAM = 3
_BUCKET_BITS = 15
_PASSES = 5
_CHUNK = 20_000


class Model(msgspec.Struct, frozen=True):
    """What is frozen with the statistics.

    ``table`` (float16): a vector for each bucket of grams, and ``dimensions`` of each; for a model in a folder instead
    the ``digest`` of its files. ``cells`` (int16): the centroids of the index.
    """

    dimensions: int
    table: bytes = b""
    digest: str = ""
    cells: bytes = b""


def train(texts: TextColumn, dimensions: int) -> Model:
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
    return Model(dimensions, (weights[:, None] * basis).astype("<f2").tobytes())


def from_folder(folder: str) -> Model:
    """Return the model of a folder; raises ``ConfigError`` if it is none or cannot be loaded."""
    dimensions = len(_encoder(folder).encode(["model"])[0])
    return Model(int(dimensions), digest=_digest(folder))


def embed(texts: TextColumn, model: Model, folder: str) -> Vectors:
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
        for place in range(starts[row], starts[row + 1]):
            for column in range(table.shape[1]):
                found[row, column] += table[rows[place], column]
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
