"""``bibld worklist``: what cataloguers should mend, as text or as a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import cast, get_args

import click

import bibld
from bibld import WorklistCount, WorklistLine
from bibld._api.table_files import FileFormat
from bibld.cli._language import echo, terminal
from bibld.cli._options import config_argument, count_of, json_option, print_json, print_rows, printable
from bibld.worklist import WorkKind, WorklistPart

_TEXT = "text"
_KINDS = [*(part.value for part in WorklistPart), *(kind.value for kind in WorkKind)]


@click.command()
@config_argument
@click.argument("source", required=False)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(_KINDS),
    multiple=True,
    metavar="KIND",
    help=f"Only these lines: {', '.join(part.value for part in WorklistPart)}, or a kind of the list; may be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([*get_args(FileFormat), _TEXT]),
    help="By default that of the file name, or text.",
)
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Write this file instead of standard output.")
@click.option("--limit", type=click.IntRange(0), default=50, show_default=True, help="Lines of the text; 0: all.")
@json_option
def worklist(
    config: Path,
    source: str | None,
    kinds: tuple[str, ...],
    form: str | None,
    out: Path | None,
    limit: int,
    as_json: bool,
) -> None:
    r"""List what cataloguers should mend in their records.

    The lines are those of SOURCE, or of all sources, the most harmful first: duplicates in the catalogue, and pairs to
    decide; where other libraries state something else, and who; faults of MARC 21, RUSMARC and UNIMARC, with what to
    write; headings whose authority number is certain. A line stays the same until it is mended. A list of all kinds is
    remembered: the next one after a run shows what is new and what was mended.

    \b
    bibld worklist bibld.toml rsl
    bibld worklist bibld.toml rsl -o rsl.xlsx
    bibld worklist bibld.toml --kind wrong-check-digit --kind duplicates --format csv
    """
    workspace = bibld.Workspace(config, language=terminal().tag)
    is_text = form == _TEXT or (form is None and out is None)
    if not is_text and not as_json:
        workspace.export_worklist(out or sys.stdout, cast("FileFormat | None", form), source=source, kinds=kinds)
        if out is not None:
            _print_counts([] if kinds else _last_counts(workspace, source))
        return
    lines = workspace.worklist(source, kinds=kinds)
    counts = [] if kinds else _last_counts(workspace, source)
    if as_json:
        print_json({"counts": counts, "lines": lines})
    elif out is not None:
        out.write_text("\n".join(map(_as_text, lines)) + "\n", encoding="utf-8")
    else:
        _print_counts(counts)
        _print_lines(lines, limit)


def _last_counts(workspace: bibld.Workspace, source: str | None) -> list[WorklistCount]:
    """Return the counts of the last worklist of each source."""
    last: list[WorklistCount] = []
    for _, of_source in groupby(workspace.worklist_counts(source), key=lambda one: one.source):
        rows = list(of_source)
        last += [one for one in rows if one.run == rows[-1].run]
    return last


def _print_counts(counts: Sequence[WorklistCount]) -> None:
    if counts:
        print_rows(counts, "source", "kind", "harm", "lines", "new", "mended")
        click.echo()


def _print_lines(lines: Sequence[WorklistLine], limit: int) -> None:
    for line in lines[: limit or None]:
        click.echo(_as_text(line))
    if limit and len(lines) > limit:
        rest = count_of(len(lines) - limit, "more line")
        echo(f"[{rest}; --limit 0 prints all, --out FILE.xlsx writes a workbook]")
    if not lines:
        echo("nothing to mend")


def _as_text(line: WorklistLine) -> str:
    place = f" {line.where}" if line.where else ""
    value = f" “{line.value}”" if line.value else ""
    others = f" ({'; '.join(line.others)})" if line.others else ""
    wrong, remedy = map(terminal().text, (line.wrong, line.remedy))
    return printable(f"{line.record}{place}{value}: {wrong}; {remedy}{others}")
