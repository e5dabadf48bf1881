"""KnownStatements of nodes: lines of N-Quads, grouped by subject. A statement in two graphs counts once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Mapping

from bibld.errors import StageError
from bibld.validate._terms import RDF_TYPE

Node = Mapping[str, list[str]]
"""The statements about a node: values by predicate, all of them terms."""

_TERM = r"<[^>\n]*>|_:[^\s]+"
_TEXT = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_VALUE = rf"{_TERM}|{_TEXT}(?:@[A-Za-z0-9-]+|\^\^<[^>\n]*>)?"
_LINE = re.compile(rf"^({_TERM}) (<[^>\n]*>) ({_VALUE})(?: (?:{_TERM}))? ?\.$", re.M)
_NOTHING: Node = {}


class NodeElsewhereError(Exception):
    """The statements about a node (``node``) are not among those that are present."""

    def __init__(self, node: str) -> None:
        super().__init__(node)
        self.node = node


def group_by_subject(lines: str) -> dict[str, dict[str, list[str]]]:
    """Group lines of N-Quads by subject and predicate; raises ``StageError`` for a line that is not N-Quads."""
    nodes: dict[str, dict[str, list[str]]] = {}
    count = 0
    for subject, predicate, value in _LINE.findall(lines):
        count += 1
        node = nodes.get(subject)
        if node is None:
            nodes[subject] = {predicate: [value]}
            continue
        values = node.get(predicate)
        if values is None:
            node[predicate] = [value]
        elif value not in values:
            values.append(value)
    if count != lines.count("\n") + (not lines.endswith("\n") and bool(lines)):
        wrong = next(line for line in lines.split("\n") if line and not _LINE.match(line))
        raise StageError(f"a stored line is not N-Quads: {wrong[:200]}; run `bibld check` on the workspace")
    return nodes


class KnownStatements:
    """What is known while nodes are checked: statements of some nodes, and the instances of classes.

    ``absent`` are nodes without any statement; a node that is neither in ``nodes`` nor absent is elsewhere, unless
    ``is_complete``. ``is_instance_elsewhere`` answers for a node and a class whether it has been found to be an
    instance in all the data; ``subclasses`` maps a class to itself and all its subclasses, if it has any.
    """

    def __init__(
        self,
        nodes: dict[str, dict[str, list[str]]],
        subclasses: Mapping[str, frozenset[str]],
        is_instance_elsewhere: Callable[[str, str], bool] | None = None,
        absent: Container[str] = (),
        is_complete: bool = False,
    ) -> None:
        self.nodes = nodes
        self._subclasses = subclasses
        self._is_instance_elsewhere = is_instance_elsewhere
        self._absent = absent
        self._is_complete = is_complete

    def about(self, term: str) -> Node:
        """Return the statements about a term; raises ``NodeElsewhereError`` if they are not present."""
        found = self.nodes.get(term)
        if found is not None:
            return found
        if self._is_complete or term.startswith('"') or term in self._absent:
            return _NOTHING
        raise NodeElsewhereError(term)

    def is_instance(self, term: str, class_: str) -> bool:
        """Return whether a term is an instance of a class, or of one of its subclasses."""
        node = self.nodes.get(term)
        if node is not None:
            classes = self._subclasses.get(class_)
            types = node.get(RDF_TYPE, ())
            if class_ in types if classes is None else not classes.isdisjoint(types):
                return True
        return self._is_instance_elsewhere is not None and self._is_instance_elsewhere(term, class_)


def subclass_closure(pairs: Collection[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return each superclass with itself and all its direct and indirect subclasses, from (subclass, class) pairs."""
    children: dict[str, set[str]] = {}
    for child, parent in pairs:
        children.setdefault(parent, set()).add(child)
    closure = {}
    for parent in children:
        found = {parent}
        queue = [parent]
        while queue:
            new = children.get(queue.pop(), set()) - found
            found |= new
            queue += new
        closure[parent] = frozenset(found)
    return closure
