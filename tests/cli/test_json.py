"""Whatever a public function returns can be printed with ``--json``."""

import inspect
import json
import types
import typing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
import pytest

import bibld
from bibld.catalog import Catalog
from bibld.cli._options import to_json
from bibld.serve.site import StaticSite

EXAMPLES: dict[Any, Any] = {
    str: "text",
    int: 1,
    float: 0.5,
    bool: True,
    bytes: b"bytes",
    Path: Path("folder/file.txt"),
    datetime: datetime(2026, 1, 31, tzinfo=UTC),
    Any: "anything",
    object: "anything",
    type(None): None,
}
SEQUENCES = (list, tuple, set, frozenset, Sequence, Iterable, Iterator)
NOT_PRINTED = {bibld.Review, bibld.ReviewSession, bibld.Links, bibld.DuplicateClusters, bibld.Converter}


def example(hint: Any, within: tuple[Any, ...] = ()) -> Any:
    """Return a value of a type, with values in all optional parts; a struct is not put into itself again."""
    if hint in EXAMPLES:
        return EXAMPLES[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return example(arguments[0], within)
    if origin is Literal:
        return arguments[0]
    if origin in (typing.Union, types.UnionType):
        return example(next(one for one in arguments if one is not type(None)), within)
    if origin is bibld.Table:
        row_type = Row if arguments[0] is Any else arguments[0]
        return bibld.Table(row_type, [example(row_type)])
    if origin in SEQUENCES:
        values = [example(one, within) for one in arguments if one is not ... and one not in within]
        return values if origin in (Sequence, Iterable, Iterator) else origin(values)
    if origin in (dict, Mapping, Counter):
        return {example(arguments[0], within): example(arguments[-1], within)}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint))
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and hint not in within:
        hints = typing.get_type_hints(hint, include_extras=True)
        return hint(**{name: example(hints[name], (*within, hint)) for name in hint.__struct_fields__})
    return None


class Row(msgspec.Struct):
    """A row of a query, whose columns are those of the query."""

    value: Any


_NAMES = ("Evaluation", "LinkReport", "MethodComparison", "ReportSettings", "Review", "ValidationReport", "Workspace")
TYPES_ONLY_CHECKED = {name: getattr(bibld, name) for name in _NAMES} | {"Catalog": Catalog, "StaticSite": StaticSite}


def results() -> Iterator[tuple[str, Any]]:
    """Yield the types that public functions and methods return; objects with methods are results of none."""
    functions = {name: getattr(bibld, name) for name in bibld.__all__ if inspect.isfunction(getattr(bibld, name))}
    for kind in (bibld.Workspace, bibld.Review, bibld.Links, bibld.Converter):
        methods = inspect.getmembers(kind, inspect.isfunction)
        functions |= {f"{kind.__name__}.{name}": method for name, method in methods if not name.startswith("_")}
    for name, function in functions.items():
        hint = typing.get_type_hints(function, localns=TYPES_ONLY_CHECKED)["return"]
        if not (hint is type(None) or hint in NOT_PRINTED or Catalog in get_args(hint)):
            yield name, hint


@pytest.mark.parametrize("hint", dict(results()).values(), ids=dict(results()))
def test_every_result_can_be_printed_as_json(hint: Any) -> None:
    assert json.loads(to_json(example(hint))) is not None


def test_what_is_no_result_is_named() -> None:
    with pytest.raises(NotImplementedError, match="object cannot be written as JSON"):
        to_json(object())
