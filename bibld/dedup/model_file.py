"""The file of a trained model: readable, with the data it was trained on."""

from __future__ import annotations

import msgspec

from bibld.dedup.similarity import NAMES
from bibld.dedup.trees import Tree

FORMAT = 1


class Provenance(msgspec.Struct, frozen=True):
    """What a model was trained on: labels, their licence, day, command; ``figures`` are of clusters it had not seen."""

    data: str
    licence: str
    date: str
    command: str
    pairs: int
    made_up_pairs: int
    seed: int
    figures: dict[str, float]


class Model(msgspec.Struct, frozen=True):
    """A trained model. The probability that a pair is the same is the logistic function of ``scale`` times the sum of
    ``start`` and the leaves that the pair reaches, plus ``shift``. ``words`` are the weights of frequent words.
    """

    format: int
    provenance: Provenance
    features: dict[str, str]
    start: float
    scale: float
    shift: float
    other_word: float
    words: dict[str, float]
    trees: list[Tree]


def from_json(data: bytes) -> Model:
    """Read a model; raises ``ValueError`` for one that does not fit the features of this version."""
    try:
        model = msgspec.json.decode(data, type=Model)
    except msgspec.MsgspecError as error:
        raise ValueError(f"is no model: {error}") from error
    if model.format != FORMAT or list(model.features) != list(NAMES):
        raise ValueError("was trained for other features than this version compares; train it again")
    return model


def to_json(model: Model) -> bytes:
    """Write a model with one line for each feature and tree."""
    lines = []
    for field in msgspec.structs.fields(Model):
        value = getattr(model, field.name)
        encoded = msgspec.json.encode(value).decode()
        if field.name == "trees":
            encoded = "[\n" + ",\n".join("  " + msgspec.json.encode(tree).decode() for tree in value) + "\n ]"
        elif field.name in ("features", "provenance"):
            encoded = msgspec.json.format(encoded, indent=2).replace("\n", "\n ")
        lines.append(f' "{field.name}": {encoded}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
