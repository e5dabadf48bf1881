"""The first pass over the data: what must be known of all nodes before any node can be checked.

Nodes are streamed in batches. The survey finds the instances of the classes that constraints name, and the *groups* of
nodes whose statements are in more than one batch. A group is an IRI with all IRIs that differ only in their fragment.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bibld.validate._hashes import Hashes, to_array
from bibld.validate._terms import RDF_TYPE, SUBCLASS_OF

# Each pattern begins with a line end, because a search for a literal character is much faster than one for "^".
_GROUP = re.compile(rb"\n(<[^>#\n]*|_:[^ \n]+)")
_SUBCLASS = re.compile(rb"\n(<[^>\n]*>) %s (<[^>\n]*>)" % re.escape(SUBCLASS_OF.encode()))


class BatchSurvey(NamedTuple):
    """What one batch contains: its number of lines, its groups, instances of classes, and (subclass, class) pairs."""

    lines: int
    groups: Hashes
    instances: Hashes
    subclasses: tuple[tuple[str, str], ...]


def group_of(term: str) -> bytes:
    """Return the name of the group of a node."""
    return (term.partition("#")[0].removesuffix(">") if term.startswith("<") else term).encode()


def instance_key(term: str, class_: str) -> bytes:
    """Return what stands for "the term is an instance of the class" in a set."""
    return f"{class_} {term}".encode()


def survey_batch(classes: dict[str, tuple[str, ...]], batch: bytes) -> BatchSurvey:
    """Survey a batch; ``classes`` maps each class or subclass to the classes that constraints name."""
    lines = b"\n" + batch
    groups = set(_GROUP.findall(lines))
    keys: set[bytes] = set()
    if classes:
        names = b"|".join(re.escape(name.encode()) for name in sorted(classes))
        typed = re.compile(rb"\n(<[^>\n]*>|_:[^ \n]+) %s (%s)" % (re.escape(RDF_TYPE.encode()), names))
        for node, found in typed.findall(lines):
            keys.update(class_.encode() + b" " + node for class_ in classes[found.decode()])
    pairs = {(child.decode(), parent.decode()) for child, parent in _SUBCLASS.findall(lines)}
    return BatchSurvey(batch.count(b"\n"), to_array(groups), to_array(keys), tuple(sorted(pairs)))
