"""The worklists of the sources: what is wrong in their records, and how that changes from run to run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TextIO

from bibld._api.configured import ConfiguredWorkspace, PathName, check_choice, check_source
from bibld._api.table_files import FileFormat, table_format, write_table
from bibld._api.tables import Table
from bibld.config import Source
from bibld.ingest import inspection_rules
from bibld.worklist import (
    FormatDefinition,
    SourceWorklist,
    WorkKind,
    WorklistCount,
    WorklistLine,
    WorklistPart,
    checker_for,
    compare_worklist,
    record_worklist,
    worklist_counts,
)


class WorklistMethods(ConfiguredWorkspace):
    """The methods that look for what cataloguers should mend."""

    def worklist(self, source: str | None = None, *, kinds: Sequence[str] = ()) -> Table[WorklistLine]:
        """Return what is to be mended in the records of one source or of all, the most harmful first.

        ``kinds`` are kinds of lines such as ``wrong-check-digit``, or parts of the worklist: ``duplicates``,
        ``contradictions``, ``format``, ``authorities``; all by default. A worklist of all kinds is remembered: the
        next one after a run shows what is new, and :meth:`worklist_counts` what was mended. Raises ``ConfigError``,
        and ``CatalogError`` before the first run or if the workspace cannot be written.

        >>> workspace.worklist("rsl")[0].kind
        'contradicting-dates'
        """
        lines = [line for found in self._worklists(source, kinds) for line in found]
        lines.sort(key=lambda line: (-line.harm, line.kind))
        return Table(WorklistLine, lines)

    def export_worklist(
        self,
        out: PathName | TextIO,
        file_format: FileFormat | None = None,
        *,
        source: str | None = None,
        kinds: Sequence[str] = (),
    ) -> None:
        """Write a worklist as CSV, an Excel workbook, JSON Lines or Parquet; the columns are those of its lines.

        The format is that of the suffix of the file by default; a text stream takes CSV.

        >>> workspace.export_worklist("worklist.csv", source="rsl")
        """
        form = table_format(out, file_format)
        write_table(self.worklist(source, kinds=kinds), WorklistLine.__struct_fields__, out, form, self.words)

    def worklist_counts(self, source: str | None = None) -> Table[WorklistCount]:
        """Return how many lines of each kind the remembered worklists had, by source and run.

        A kind without lines is listed when its last ones were mended. Empty before the first worklist.

        >>> len(workspace.worklist_counts("rsl"))
        0
        """
        check_source(self.config, source)
        return Table(WorklistCount, worklist_counts(self.config.workspace, source))

    def _worklists(self, source: str | None, kinds: Sequence[str]) -> Iterator[list[WorklistLine]]:
        """Yield the lines of each source; those of all kinds are remembered."""
        check_source(self.config, source)
        chosen = _kinds_named(kinds)
        with self.catalog() as catalog, catalog.snapshot():
            run = catalog.worklist.last_run()
            for one in self.config.sources:
                if source not in (None, one.id):
                    continue
                lines = SourceWorklist(catalog, one.id, _definitions(one)).lines(chosen)
                complete = compare_worklist if chosen else record_worklist
                yield complete(self.config.workspace, run, one.id, lines)


def _definitions(source: Source) -> Callable[[str], FormatDefinition | None]:
    """Return what gives the definitions of formats by their names, completed by the profile of a source."""
    rules = inspection_rules(source)

    def definition_of(flavour: str) -> FormatDefinition | None:
        checker = checker_for(flavour, rules)
        return checker.definition if checker else None

    return definition_of


@cache
def _names() -> dict[str, frozenset[WorkKind]]:
    parts = {part.value: frozenset(kind for kind in WorkKind if kind.part is part) for part in WorklistPart}
    return parts | {kind.value: frozenset((kind,)) for kind in WorkKind}


def _kinds_named(names: Sequence[str]) -> frozenset[WorkKind]:
    """Return the kinds that are named, or that belong to parts that are named; raises ``ConfigError``."""
    for name in names:
        check_choice(name, "kind", list(_names()))
    return frozenset(kind for name in names for kind in _names()[name])
