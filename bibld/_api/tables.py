"""Results as tables: lists of structs that turn into data frames and show themselves in notebooks; and their rows."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Generic, TypeVar, overload

import msgspec

from bibld.model.linkage import Edge
from bibld.model.mods import Mods
from bibld.protocols import adapters

Row = TypeVar("Row", bound=msgspec.Struct, covariant=True)

_SHOWN, _MAX_CELL = 20, 60
"""Rows and characters of a cell that a table shows of itself."""


class Table(Sequence[Row], Generic[Row]):
    """A list of rows, each a frozen struct with the same columns.

    It can be indexed, sliced and iterated like a list: ``table[0].score``. ``table.columns`` names the columns, and
    ``table.to_pandas()`` or ``table.to_polars()`` gives a data frame. A notebook shows it as HTML.
    """

    def __init__(self, row_type: type[Row], rows: Iterable[Row]) -> None:
        self._row_type = row_type
        self._rows = list(rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, which are the attributes of each row."""
        return self._row_type.__struct_fields__

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Table[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Table[Row]:
        if isinstance(index, slice):
            return Table(self._row_type, self._rows[index])
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.columns == other.columns and self._rows == list(other)

    __hash__ = None  # type: ignore[assignment]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries of plain values: structs inside a cell become text, tuples become lists.

        >>> workspace.files().to_dicts()[0]["file"]
        'rsl.mrc'
        """
        return [dict(zip(self.columns, map(_plain, _cells(row)), strict=True)) for row in self._rows]

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is optional, and so are its types
        """Return a ``pandas.DataFrame``; raises ``ModuleNotFoundError`` if pandas is not installed.

        >>> workspace.pairs().to_pandas()["score"].max()  # doctest: +SKIP
        """
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise _not_installed("pandas") from error
        return pandas.DataFrame(self.to_dicts(), columns=list(self.columns))

    def to_polars(self) -> Any:  # noqa: ANN401 - polars is optional, and so are its types
        """Return a ``polars.DataFrame``; raises ``ModuleNotFoundError`` if polars is not installed.

        >>> workspace.pairs().to_polars().height  # doctest: +SKIP
        """
        try:
            import polars
        except ModuleNotFoundError as error:
            raise _not_installed("polars") from error
        return polars.DataFrame(self.to_dicts(), schema=list(self.columns), orient="row", infer_schema_length=None)

    def __repr__(self) -> str:
        header = list(self.columns)
        lines = [header, *([_short(cell) for cell in _cells(row)] for row in self._rows[:_SHOWN])]
        widths = [max(len(line[number]) for line in lines) for number in range(len(header))]
        parts = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([*(part.rstrip() for part in parts), self._size()])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = ("".join(f"<td>{escape(_short(cell))}</td>" for cell in _cells(row)) for row in self._rows[:_SHOWN])
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"{table}<p>{escape(self._size())}</p>"

    def _size(self) -> str:
        count = len(self._rows)
        rows = f"{count:,} row{'' if count == 1 else 's'}"
        return f"[{rows}; the first {_SHOWN} are shown]" if count > _SHOWN else f"[{rows}]"


def _cells(row: msgspec.Struct) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row.__struct_fields__)


def _plain(value: object) -> Any:  # noqa: ANN401
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, msgspec.Struct) else value


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    text = "; ".join(map(str, value)) if isinstance(value, tuple) else "" if value is None else str(value)
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CELL else f"{line[: _MAX_CELL - 1]}…"


def _not_installed(package: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(f"{package} is not installed; install it with: pip install {package}", name=package)


# -- rows --------------------------------------------------------------------------------------------------------------


class FileRow(msgspec.Struct, frozen=True):
    """A file of a source."""

    source: str
    file: str
    bytes: int


class ClusterRow(msgspec.Struct, frozen=True):
    """A cluster: the record that names it, the number of its records, its title, and the ids of all its records."""

    cluster: str
    size: int
    title: str
    records: tuple[str, ...]


class PairRow(msgspec.Struct, frozen=True):
    """A scored pair.

    ``decision`` is same, different, related or review; ``by`` names the rule, model or person that decided, ``reasons``
    are sentences, ``relation`` is what related records are to each other, ``shared_keys`` are the kinds of blocking
    keys that both records have.
    """

    left: str
    right: str
    score: float
    decision: str
    by: str
    relation: str
    reasons: tuple[str, ...]
    shared_keys: tuple[str, ...]

    @classmethod
    def from_edge(cls, edge: Edge) -> PairRow:
        """Return the row of a stored edge."""
        verdict, score = edge.verdict, edge.score
        return cls(
            left=str(edge.pair.left),
            right=str(edge.pair.right),
            score=score.value,
            decision=verdict.decision,
            by=verdict.by,
            relation=verdict.relation,
            reasons=verdict.reasons,
            shared_keys=score.shared_blocking_keys,
        )


class WorkRow(msgspec.Struct, frozen=True):
    """A work: its IRI, its title, the names of its creators, and what is known of its publications.

    ``languages`` are codes of ISO 639-2. Of a translation, ``original_title``, ``original_languages`` and
    ``translation_of`` are title, languages and IRI of the original; of a part, ``part_of`` is the IRI of the whole.
    ``publications`` is the number of publications, which appeared from ``first_year`` to ``last_year`` (None without
    a year); ``libraries`` are the sources whose records describe one of them.
    """

    work: str
    title: str
    creators: tuple[str, ...]
    languages: tuple[str, ...]
    original_title: str
    original_languages: tuple[str, ...]
    translation_of: tuple[str, ...]
    part_of: tuple[str, ...]
    publications: int
    first_year: int | None
    last_year: int | None
    libraries: tuple[str, ...]


class AdapterRow(msgspec.Struct, frozen=True):
    """An adapter: its stage, the name that a configuration uses, and what it is."""

    stage: str
    name: str
    about: str


def list_adapters() -> Table[AdapterRow]:
    """Return the adapters of every stage, plug-ins included; for a broken plug-in ``about`` is the cause.

    >>> [row.name for row in bibld.list_adapters() if row.stage == "merge"]
    ['fill', 'longest', 'most_trusted', 'newest', 'union']
    """
    rows = []
    for stage in adapters.STAGES:
        for name in adapters.adapter_names(stage):
            about = inspect.cleandoc(adapters.load_adapter(stage, name).__doc__ or "").partition("\n\n")[0]
            rows.append(AdapterRow(stage, name, about.replace("\n", " ")))
        broken = [plugin for plugin in adapters.broken_plugins() if plugin.stage == stage]
        rows += [AdapterRow(stage, plugin.name, f"broken: {plugin.cause}") for plugin in broken]
    return Table(AdapterRow, rows)


def main_title(mods: Mods) -> str:
    """Return the first title with its subtitle, for lists."""
    for title in mods.title_info:
        return " : ".join([f"{title.non_sort or ''}{title.title}", *title.sub_title])
    return ""
