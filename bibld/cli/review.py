"""``bibld review``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bibld.cli._options import clock, config_argument, json_option, print_json, print_table
from bibld.cli._terminal import is_conversation, print_question, shown
from bibld.cli._verdicts import person_option, speaker
from bibld.errors import ConfigError

if TYPE_CHECKING:
    from bibld.catalog import Catalog, StoredVerdict, Verdicts
    from bibld.config import Config
    from bibld.dedup.review import Question


@click.command()
@config_argument
@click.option("--list", "listing", is_flag=True, help="Print the pairs and ask nothing.")
@click.option("--export", type=click.Path(path_type=Path), help="Write the pairs into this CSV file, to be filled in.")
@click.option("--csv", "table", type=click.Path(path_type=Path), help="Take verdicts from this CSV file.")
@click.option("--withdraw", nargs=2, metavar="A B", help="Take back the last verdict about two records.")
@click.option("--verdicts", "given", is_flag=True, help="List the verdicts that hold.")
@click.option("--limit", type=click.IntRange(min=1), help="No more than so many pairs.")
@click.option("--source", help="Only pairs with a record of this source.")
@person_option
@json_option
def review(
    config: Path,
    listing: bool,
    export: Path | None,
    table: Path | None,
    withdraw: tuple[str, str] | None,
    given: bool,
    limit: int | None,
    source: str | None,
    person: str | None,
    as_json: bool,
) -> None:
    """Show the pairs that matching left undecided, the most uncertain first, and ask whether they are the same.

    Verdicts hold in all later runs until they are withdrawn. They may be given while a run is going on: it uses those
    given before its matching began, the next run the others.

    A verdict file begins with two columns of record ids, as for `bibld evaluate`; label is same, different or related
    (1 and 0 will do), relation, reason and person are optional; a row without a label says nothing.
    """
    from bibld import config as configuration
    from bibld.catalog import Catalog, Verdicts

    if sum((listing, export is not None, table is not None, bool(withdraw), given)) > 1:
        raise click.UsageError("--list, --export, --csv, --withdraw and --verdicts exclude each other")
    loaded = configuration.load(config)
    if source is not None and source not in (known := [one.id for one in loaded.sources]):
        raise ConfigError([f'--source: there is no source "{source}" (there are: {", ".join(known)})'])
    asks = not listing and not as_json and is_conversation()
    with Catalog(loaded.workspace, read_only=True) as catalog:
        if export is not None:
            _export(_questions(catalog, loaded, source, limit), export)
        elif table is None and not withdraw and not given and not asks:
            _list(_questions(catalog, loaded, source, limit), as_json)
        else:
            with Verdicts(loaded.workspace) as verdicts:
                if table is not None:
                    _take(catalog, verdicts, table, speaker(person), as_json)
                elif withdraw:
                    _withdraw(catalog, loaded, verdicts, withdraw, as_json)
                elif given:
                    _print_verdicts(verdicts, as_json)
                else:
                    _converse(catalog, loaded, verdicts, speaker(person), source, limit)


def _questions(catalog: Catalog, config: Config, source: str | None, limit: int | None) -> Iterator[Question]:
    from bibld.dedup import review as reviewing

    found = (reviewing.load_question(catalog, pair) for pair in reviewing.undecided_pairs(catalog, config, source))
    return islice((one for one in found if one is not None), limit)


def _list(questions: Iterator[Question], as_json: bool) -> None:
    if as_json:
        print_json(list(questions))
        return
    number = 0
    for number, question in enumerate(questions, 1):
        print_question(question, f"{number}: ")
    if not number:
        click.echo("no pair waits for review", err=True)


def _export(questions: Iterator[Question], file: Path) -> None:
    from bibld.dedup.verdict_table import questions_csv

    try:
        with file.open("x", encoding="utf-8", newline="") as out:
            out.writelines(questions_csv(questions))
    except FileExistsError as error:
        raise ConfigError([f"--export {file}: is there already, perhaps with labels; name another file"]) from error
    except OSError as error:
        raise ConfigError([f"--export {file}: cannot be written: {error.strerror}"]) from error


def _take(catalog: Catalog, verdicts: Verdicts, table: Path, person: str, as_json: bool) -> None:
    from bibld.dedup import review as reviewing
    from bibld.dedup.verdict_table import read_verdicts

    said = read_verdicts(table, catalog, person)
    places = {one.verdict.pair: one.place for one in said}
    new = reviewing.store_verdicts(verdicts, [one.verdict for one in said], clock().isoformat(), places)
    for one in said:
        if one.sleeps:
            message = "one of the two records is deleted; the verdict holds when it is there again"
            click.echo(f"{one.place}: {message}", err=True)
    if as_json:
        print_json(list(map(_flat, new)))
    else:
        click.echo(f"verdicts given: {len(new)}; known before: {len(said) - len(new)}")


def _withdraw(catalog: Catalog, config: Config, verdicts: Verdicts, records: tuple[str, str], as_json: bool) -> None:
    from bibld import explain as explaining
    from bibld.dedup import review as reviewing
    from bibld.model.linkage import Pair

    try:
        pair = Pair.from_records(*(explaining.resolve_record(catalog, config, text) for text in records))
    except ValueError as error:
        raise ConfigError([f"--withdraw: {error}"]) from error
    taken = reviewing.withdraw_verdict(verdicts, pair)
    held = verdicts.get(pair)
    if as_json:
        print_json({"withdrawn": _flat(taken), "holds": None if held is None else _flat(held)})
        return
    click.echo(f"withdrawn: {shown(str(taken.verdict))}")
    if held is not None:
        click.echo(f"holds again: {shown(str(held.verdict))}")


def _print_verdicts(verdicts: Verdicts, as_json: bool) -> None:
    held = list(map(_flat, verdicts.current()))
    if as_json:
        print_json(held)
        return
    names = ("left", "right", "decision", "relation", "person", "given", "reason")
    print_table(names, [tuple(shown(one[name]) for name in names) for one in held])


def _flat(given: StoredVerdict) -> dict[str, str]:
    """A verdict as it is printed."""
    saying = given.verdict
    return {
        "left": str(saying.pair.left),
        "right": str(saying.pair.right),
        "decision": saying.decision,
        "relation": saying.relation,
        "person": saying.person,
        "reason": saying.reason,
        "given": given.given_at,
    }


def _converse(
    catalog: Catalog, config: Config, verdicts: Verdicts, person: str, source: str | None, limit: int | None
) -> None:
    from bibld.cli._review_session import Session
    from bibld.dedup import review as reviewing

    pairs = list(islice(reviewing.undecided_pairs(catalog, config, source), limit))
    if not pairs:
        click.echo("no pair waits for review")
        return
    made = Session(catalog, verdicts, pairs, person, lambda: clock().isoformat(), _ask).hold()
    told = ", ".join(f"{count} {decision}" for decision, count in sorted(made.items())) or "none"
    click.echo(f"verdicts given: {told}. The next `bibld run {config.file.name}` uses them.")


def _ask(text: str) -> str:
    answer: str = click.prompt(text, default="", show_default=False, prompt_suffix="\n> ")
    return answer
