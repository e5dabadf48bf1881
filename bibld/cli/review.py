"""``bibld review``, ``split`` and ``join``: what people decide about pairs of records."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

import bibld
from bibld.cli._language import echo, terminal
from bibld.cli._options import (
    config_argument,
    is_interactive,
    json_option,
    opened,
    print_json,
    print_question,
    print_rows,
    printable,
    quiet_option,
    show,
)
from bibld.errors import CatalogError, ConfigError
from bibld.model.review import INVERSE_RELATION

_ASKED = "[s]ame  [d]ifferent  [r]elated  [enter] skip  [u]ndo  [q]uit; a reason may follow"
_DECISIONS_ABOUT_ENTITIES = ("same", "different", *INVERSE_RELATION)
_DECISIONS: dict[str, Any] = {"s": "same", "d": "different", "r": "related"}

person_option = click.option("--person", help="Who decides; the login name by default. It is not published.")
reason_option = click.option("--reason", default="", help="Why; for colleagues, it is not published.")
run_option = click.option("--run", "run_now", is_flag=True, help="Run all stages at once, so that it is published.")


# -- review ----------------------------------------------------------------------------------------------------------


@click.command()
@config_argument
@click.option("--list", "listing", is_flag=True, help="Print the pairs and ask nothing.")
@click.option(
    "--export", type=click.Path(path_type=Path), help="Write the pairs into this new CSV file, to be filled in."
)
@click.option("--csv", "table", type=click.Path(path_type=Path), help="Take verdicts from this CSV file.")
@click.option("--withdraw", nargs=2, metavar="A B", help="Withdraw the last verdict about two records.")
@click.option("--verdicts", is_flag=True, help="List the verdicts in force, those about entities last.")
@click.option(
    "--entity",
    nargs=3,
    metavar="IRI IRI DECISION",
    help="State that two agents, concepts, places, publishers, series or works are `same` or `different`, or of two"
    " works that the first is `translation_of` or `part_of` the second, or has it (`has_translation`, `has_part`);"
    " `withdraw` takes the last verdict about them back.",
)
@click.option("--limit", type=click.IntRange(min=1), help="At most this many pairs.")
@click.option("--source", help="Only pairs with a record of this source.")
@reason_option
@person_option
@json_option
def review(
    config: Path,
    listing: bool,
    export: Path | None,
    table: Path | None,
    withdraw: tuple[str, str] | None,
    verdicts: bool,
    entity: tuple[str, str, str] | None,
    reason: str,
    limit: int | None,
    source: str | None,
    person: str | None,
    as_json: bool,
) -> None:
    """Show the pairs that matching left undecided, those that teach most first, and ask whether they are the same.

    Uncertain pairs of each kind take turns, with what would have to be known to decide. Verdicts hold in all later runs
    until they are withdrawn, and `bibld train` learns from them. They may be given during a run, which uses those given
    before its matching began; the next run uses the others.

    A verdict file begins with two columns of record ids, as for `bibld evaluate`; label is same, different or related
    (or 1 and 0), relation, reason and person are optional; a row without a label is passed over.
    """
    if sum((listing, export is not None, table is not None, bool(withdraw), verdicts, bool(entity))) > 1:
        raise click.UsageError("--list, --export, --csv, --withdraw, --verdicts and --entity exclude each other")
    if reason and not entity:
        raise click.UsageError("--reason belongs to --entity; with pairs of records it follows the answer")
    workspace = bibld.Workspace(config, language=terminal().tag)
    if export is not None:
        if export.suffix.lower() in (".html", ".htm"):
            raise click.UsageError(
                "--export writes no page any more; name a .csv file, or answer in a browser at /review of `bibld serve`"
            )
        workspace.review.export_csv(export, source, limit)
    elif table is not None:
        _import(workspace.review, table, person, as_json)
    elif withdraw:
        _withdraw(workspace.review, withdraw, as_json)
    elif verdicts:
        rows = [*workspace.review.verdicts(), *workspace.review.entity_verdicts()]
        show(rows, as_json, lambda: _print_verdicts(rows))
    elif entity:
        _decide_entities(workspace, entity, reason, person, as_json)
    elif listing or as_json or not is_interactive():
        questions = workspace.review.questions(source, limit)
        show(questions, as_json, lambda: _print_questions(questions))
    else:
        _converse(workspace.review.session(source, limit, person), workspace.run_command)


def _print_questions(questions: Sequence[bibld.Question]) -> None:
    for number, question in enumerate(questions, 1):
        print_question(question, f"{number}: ")
    if not questions:
        echo("no pair waits for review", err=True)


def _print_verdicts(rows: Sequence[bibld.VerdictRow]) -> None:
    shown = [_Printable(row) for row in rows]
    print_rows(shown, "left", "right", "decision", "relation", "person", "given", "reason")


class _Printable:
    """A struct whose texts have no control characters."""

    def __init__(self, row: object) -> None:
        self._row = row

    def __getattr__(self, name: str) -> str:
        return printable(str(getattr(self._row, name)))


def _import(review: bibld.Review, table: Path, person: str | None, as_json: bool) -> None:
    done = review.import_csv(table, person)
    for line in done.dormant:
        echo(f"{line}: one of the two records is deleted; the verdict applies when it returns", err=True)
    show(done.new, as_json, lambda: echo(f"verdicts given: {len(done.new)}; known before: {done.known}"))


def _withdraw(review: bibld.Review, records: tuple[str, str], as_json: bool) -> None:
    withdrawn, earlier = review.withdraw(*records)
    if as_json:
        print_json({"withdrawn": withdrawn, "in_force": earlier})
        return
    echo(f"withdrawn: {printable(str(withdrawn))}")
    if earlier is not None:
        echo(f"in force again: {printable(str(earlier))}")


def _decide_entities(
    workspace: bibld.Workspace, entity: tuple[str, str, str], reason: str, person: str | None, as_json: bool
) -> None:
    left, right, decision = entity
    if decision == "withdraw":
        row = workspace.review.withdraw_entities(left, right)
        show(row, as_json, lambda: echo(f"withdrawn: {printable(str(row))}"))
    elif decision in _DECISIONS_ABOUT_ENTITIES:
        chosen: Any = decision
        given = workspace.review.decide_entities(left, right, chosen, reason=reason, person=person)
        stored = f"The verdict is stored. The next `{workspace.run_command}` publishes this."
        text = stored if given else "The same verdict is in force already; nothing changed."
        show(given, as_json, lambda: echo(text))
    else:
        allowed = ", ".join(_DECISIONS_ABOUT_ENTITIES)
        raise click.UsageError(f"--entity: unknown decision {decision!r}; allowed are {allowed} and withdraw")


# -- the conversation ------------------------------------------------------------------------------------------------


def _converse(session: bibld.ReviewSession, run_command: str) -> None:
    if session.question is None:
        echo("no pair waits for review")
        return
    while session.question is not None:
        print_question(session.question, f"{session.place} of {session.total}: ")
        number = session.place
        try:
            while session.place == number and session.question is not None:
                if not _answer(session, session.question, ask(_ASKED)):
                    session.skip_all()
        except (EOFError, click.Abort):
            click.echo()
            break
    counts = ", ".join(f"{count} {decision}" for decision, count in sorted(session.answered.items())) or "none"
    echo(f"verdicts given: {counts}. The next `{run_command}` uses them.")


def _answer(session: bibld.ReviewSession, question: bibld.Question, line: str) -> bool:
    """Carry out an answer; return False to leave. A line that cannot be used is reported, and the session stays."""
    word, _, rest = line.strip().partition(" ")
    letter = word.lower()[:1]
    try:
        if not word:
            session.skip()
        elif word.lower() in ("q", "quit"):
            return False
        elif word.lower() in ("u", "undo"):
            undone = session.undo()
            echo(f"undone: {undone}" if undone else "there is nothing to undo", err=undone is None)
        elif letter in _DECISIONS and word.lower() in (letter, _DECISIONS[letter]):
            relation = ""
            if letter == "r":
                relation, rest = _relation(question, rest)
            session.answer(_DECISIONS[letter], relation=relation, reason=rest)
        else:
            echo(f"unknown answer {word!r}", err=True)
    except (ConfigError, CatalogError) as error:
        echo(f"not stored: {error}", err=True)
    return True


def _relation(question: bibld.Question, rest: str) -> tuple[str, str]:
    """Return the relation that the answer names, or that is asked for, and the rest of the answer."""
    word, _, others = rest.strip().partition(" ")
    if word in bibld.RELATIONS:
        return word, others
    numbered = "  ".join(f"{number} {name}" for number, name in enumerate(bibld.RELATIONS, 1))
    answer = ask(f"how? {numbered}  [enter] {question.relation or 'none'}").strip()
    if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(bibld.RELATIONS):
        answer = bibld.RELATIONS[int(answer) - 1]
    return answer or question.relation, rest


def ask(text: str) -> str:
    """Ask a person at the terminal for a line."""
    answer: str = click.prompt(text, default="", show_default=False, prompt_suffix="\n> ")
    return answer


# -- split and join --------------------------------------------------------------------------------------------------


@click.command()
@config_argument
@click.argument("records", nargs=-1, required=True, metavar="ID [ID]...")
@click.option("--withdraw", is_flag=True, help="Withdraw the verdicts of earlier splits of these records.")
@reason_option
@person_option
@run_option
@quiet_option
def split(
    config: Path, records: tuple[str, ...], withdraw: bool, reason: str, person: str | None, run_now: bool, quiet: bool
) -> None:
    """Take the records ID out of the cluster that they do not belong to.

    Stores a verdict for each of them and each member that stays: the two are different. Records that are named together
    stay together. The next run splits the cluster and publishes it. A run may be in progress meanwhile.
    """
    workspace = bibld.Workspace(config)
    if withdraw:
        taken = workspace.review.withdraw_split(records)
        echo(f"verdicts of splits withdrawn: {len(taken)}; the next matching decides again.")
    else:
        given = workspace.review.split(records, reason=reason, person=person)
        undo = f"bibld split {shlex.quote(str(config))} --withdraw {shlex.join(records)}"
        echo(f"verdicts given: {len(given)}; `{undo}` withdraws them.")
        _print_expected(workspace, records)
    _publish(workspace, run_now, quiet)


@click.command()
@config_argument
@click.argument("one")
@click.argument("other")
@reason_option
@person_option
@run_option
@quiet_option
def join(config: Path, one: str, other: str, reason: str, person: str | None, run_now: bool, quiet: bool) -> None:
    """State that the records ONE and OTHER describe the same publication.

    The next run puts them into one cluster, whatever their scores, and publishes it. This may be stated during a run;
    `bibld review CONFIG --withdraw ONE OTHER` withdraws the verdict.
    """
    workspace = bibld.Workspace(config)
    given = workspace.review.join(one, other, reason=reason, person=person)
    echo("The verdict is stored." if given else "The same verdict is in force already; nothing changed.")
    _print_expected(workspace, (one, other))
    _publish(workspace, run_now, quiet)


def _print_expected(workspace: bibld.Workspace, records: Iterable[str]) -> None:
    echo("Expected clusters after the next run, as far as the stored pairs show:")
    for members in workspace.review.expected_clusters(records):
        click.echo(f"  {printable(', '.join(members))}")


def _publish(workspace: bibld.Workspace, run_now: bool, quiet: bool) -> None:
    """Run all stages, or report that the next run publishes the verdicts."""
    if not run_now:
        echo(f"The next `{workspace.run_command}` publishes this.")
        return
    from bibld.cli.run import print_summary

    with opened(workspace.path, quiet=quiet) as running:
        print_summary(running.run(), workspace.path)
