"""``bibld evaluate`` and ``bibld train``: measure matching, and train its model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

import bibld
from bibld.cli._language import echo
from bibld.cli._options import (
    config_argument,
    count_of,
    json_option,
    keep_tables_option,
    opened,
    print_table,
    quiet_option,
    show,
)
from bibld.cli.run import write_tables
from bibld.errors import ConfigError

_MIN_PAIRS = 5
"""The share of fewer pairs is not drawn."""

_SKIPPED_SHOWN = 5
_OBSERVED, _GREY = 3, 7

if TYPE_CHECKING:
    from bibld.dedup.evaluate import Evaluation, MaterialResult


@click.command()
@config_argument
@click.option("--pairs", type=click.Path(path_type=Path), required=True, help="CSV of labelled pairs.")
@click.option(
    "--mode",
    type=click.Choice(["auto", "full", "pairs"]),
    default="auto",
    show_default=True,
    help="full: what the pipeline joins against all true pairs; auto: the same, but joined pairs without a label do not"
    " count if some labels are of different records; pairs: score the labelled pairs alone.",
)
@click.option("--block", multiple=True, help="Use this blocker, not those of CONFIG; may be given several times.")
@click.option("--score", help="Use this scorer, not that of CONFIG.")
@click.option("--blockers", is_flag=True, help="Also measure each blocker, and each of its kinds of keys.")
@click.option("--sweep", is_flag=True, help="Also measure at other thresholds, and whether scores are probabilities.")
@click.option("--across", is_flag=True, help="Count only pairs of records of different sources.")
@click.option("--methods", help="Compare these methods instead: all, or such as composite,composite+minhash:model.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the sweep or the methods: FILE.svg or FILE.html.")
@keep_tables_option
@click.option("--wrong", is_flag=True, help="List the pairs that were decided otherwise than labelled, and by what.")
@json_option
@quiet_option
def evaluate(
    config: Path,
    pairs: Path,
    methods: str | None,
    plot: Path | None,
    as_json: bool,
    quiet: bool,
    **options: Any,  # noqa: ANN401
) -> None:
    """Measure matching against labelled pairs: precision, recall, and which pairs were lost by which rule.

    With --methods, several methods side by side: what each finds, and its time, memory and bytes on disk.

    The records must have been loaded by `bibld run` before; they are matched again with the settings of CONFIG, and
    nothing is stored. Labelled pairs with an unknown or deleted record are skipped and counted.
    """
    if plot is not None and not plot.parent.is_dir():
        raise ConfigError([f"--plot {plot}: there is no folder {plot.parent}"])
    excluded = [name for name in ("block", "score", "blockers", "sweep", "wrong", "keep_tables") if options[name]]
    if methods is not None and excluded:
        raise click.UsageError(f"--methods excludes --{excluded[0].replace('_', '-')}")
    if methods is not None:
        _compare_methods(config, pairs, methods, plot, as_json, quiet, options)
    else:
        _evaluate(config, pairs, plot, as_json, quiet, options)


def _compare_methods(
    config: Path, pairs: Path, methods: str, plot: Path | None, as_json: bool, quiet: bool, options: dict[str, Any]
) -> None:

    with opened(config, quiet=quiet) as workspace:
        mode: Any = "pairs" if options["mode"] == "pairs" else "full"
        compared = workspace.compare_methods(pairs, methods, mode=mode, across=options["across"])
    if plot is not None:
        write_plot(plot, "Methods of matching", method_panels(compared))
    _report_skipped(compared.skipped)
    show(compared, as_json, lambda: _print_methods(compared))


def _evaluate(
    config: Path, pairs: Path, plot: Path | None, as_json: bool, quiet: bool, options: dict[str, Any]
) -> None:

    wrong, folder = options.pop("wrong"), options.pop("keep_tables")
    options["sweep"] |= plot is not None
    with opened(config, quiet=quiet) as workspace:
        result = workspace.evaluate(pairs, **options)
    if folder is not None:
        write_tables(config, folder, quiet, block=options["block"], score=options["score"])
    if plot is not None:
        write_plot(plot, "Matching by threshold", [_sweep_panel(result), _calibration_panel(result)])
    _report_skipped(result.skipped)
    show(result, as_json, lambda: _print(result, wrong))


def _report_skipped(skipped: Sequence[str]) -> None:
    """Report labelled pairs that were skipped on standard error, the first of them one by one."""
    for message in skipped[:_SKIPPED_SHOWN]:
        echo(f"skipped: {message}", err=True)
    if len(skipped) > _SKIPPED_SHOWN:
        echo(f"skipped: {count_of(len(skipped) - _SKIPPED_SHOWN, 'more pair')}", err=True)


def write_plot(file: Path, title: str, panels: Sequence[Panel]) -> None:
    """Write a drawing as SVG, or as a page if the file is called so; raises ``ConfigError``."""
    drawn = svg(title, panels)
    if file.suffix.lower() in (".html", ".htm"):
        head = f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        drawn = f"<!DOCTYPE html>\n{head}\n<body>{drawn}</body></html>\n"
    try:
        file.write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise ConfigError([f"--plot {file}: cannot be written: {error.strerror}"]) from error


def _sweep_panel(result: Evaluation) -> Panel:
    lines = [
        Series(name, [(point.threshold, getattr(point, name.lower())) for point in result.sweep], colour)
        for colour, name in enumerate(("Precision", "Recall", "F1"))
    ]
    return Panel("Matching by threshold", "threshold (same)", lines)


def _calibration_panel(result: Evaluation) -> Panel:
    found = [(one.score, one.share) for one in result.calibration if one.pairs >= _MIN_PAIRS]
    lines = [
        Series("calibrated", [(0, 0), (1, 1)], _GREY, "dashed"),
        Series("true pairs", found, _OBSERVED),
        Series("true pairs", found, _OBSERVED, "point"),
    ]
    return Panel("Calibration", "mean score", lines, "share of true pairs")


def method_panels(compared: bibld.MethodComparison) -> list[Panel]:
    """Return the panels of compared methods: candidate recall and cost, precision and recall, similarity."""
    measured = [(colour, one) for colour, one in enumerate(one for one in compared.methods if one.candidates)]

    def points(across: str, up: str) -> list[Series]:
        return [
            Series(one.method, [(getattr(one, across), getattr(one, up))], colour, "point") for colour, one in measured
        ]

    curves = []
    for colour, one in measured:
        found = [(bin_.similarity, bin_.found) for bin_ in one.curve if bin_.pairs >= _MIN_PAIRS]
        curves.append(Series(one.method, found, colour))
        if one.expected:
            expected = [(bin_.similarity, share) for bin_, share in zip(one.curve, one.expected, strict=True)]
            curves.append(Series(f"{one.method}: S-curve", expected, colour, "dashed"))
    return [
        Panel(
            "Candidate recall and its cost",
            "candidates per record",
            points("candidates_per_record", "candidate_recall"),
            "candidate recall",
            is_log=True,
        ),
        Panel("Precision and recall", "recall", points("recall", "precision"), "precision"),
        Panel("Candidates by similarity", "similarity", curves, "share of pairs that are candidates"),
    ]


def _print_methods(compared: bibld.MethodComparison) -> None:
    echo(
        f"{compared.true_pairs} true pairs among {compared.pairs} labelled ones; {compared.records} records\n"
        f"{compared.similar:,} pairs with similar titles: {compared.similarity}\n"
    )
    header = ("method", "scorer", "candidate recall", "similar found", "a record", "precision", "recall", "F1")
    rows = []
    for one in compared.methods:
        similar = "-" if one.similar_recall is None else f"{one.similar_recall:.4f}"
        figures = (
            f"{one.candidate_recall:.4f}",
            similar,
            f"{one.candidates_per_record:.2f}",
            f"{one.precision:.4f}",
            f"{one.recall:.4f}",
            f"{one.f1:.4f}",
            f"{one.seconds:.2f}",
            f"{one.memory / 1e6:.0f}",
            f"{one.disk / 1e6:.1f}",
        )
        rows.append((one.method, one.score, *(figures if one.candidates else ["-"] * len(figures))))
    print_table((*header, "seconds", "memory MB", "disk MB"), rows)
    for one in compared.methods:
        if one.note:
            echo(f"{one.method}: {one.note}")


def _print(result: Evaluation, wrong: bool) -> None:
    left_out = f", {result.within} of one source left out" if result.within else ""
    left_out += f", {len(result.skipped)} skipped" if result.skipped else ""
    echo(
        f"{result.true_pairs} true pairs among {result.pairs} labelled ones{left_out}; {result.records} records\n"
        f"precision         {result.precision:.4f}\n"
        f"recall            {result.recall:.4f}\n"
        f"F1                {result.f1:.4f}\n"
        f"candidate recall  {result.candidate_recall:.4f} at {result.candidates_per_record:.2f} candidates per record"
        f" ({result.records:,} records)\n"
        f"for review        {result.review:,} pairs, {result.review_true:,} of them true\n"
    )
    if result.unlabelled:
        click.echo(
            f"The labels are incomplete: {count_of(result.unlabelled, 'joined pair')} without a label"
            f" {'does' if result.unlabelled == 1 else 'do'} not count. With `--mode full` they count as wrong.\n"
        )
    rows = [
        ("duplicate" if kind.is_duplicate else "different", kind.kind or "-", kind.pairs, kind.right)
        for kind in result.kinds
    ]
    print_table(("label", "kind", "pairs", "correct"), rows)
    click.echo()
    _print_materials("material", result.materials)
    for name, materials in (("carrier", result.carriers), ("level", result.levels)):
        if len(materials) > 1:
            click.echo()
            _print_materials(name, materials)
    if result.losses:
        click.echo()
        losses = [(loss.by, loss.step, len(loss.pairs)) for loss in result.losses]
        print_table(("true pairs lost by", "step", "pairs"), losses)
    _print_measured(result)
    if wrong:
        _print_wrong(result)


def _print_materials(name: str, materials: Sequence[MaterialResult]) -> None:
    rows = [(one.material, one.joined, one.lost, one.wrongly_joined, one.rightly_separate) for one in materials]
    print_table((name, "joined", "lost", "wrongly joined", "rightly apart"), rows)


def _print_measured(result: Evaluation) -> None:
    if result.blockers:
        click.echo()
        print_table(
            ("blocker", "candidate recall", "candidates", "a record", "refined keys", "cut keys"),
            [
                (
                    one.blocker,
                    f"{one.candidate_recall:.4f}",
                    one.candidates,
                    f"{one.candidates_per_record:.2f}",
                    one.refined,
                    one.cut,
                )
                for one in result.blockers
            ],
        )
    if result.sweep:
        click.echo()
        print_table(
            ("threshold", "precision", "recall", "F1"),
            [
                (f"{one.threshold:.3f}", f"{one.precision:.4f}", f"{one.recall:.4f}", f"{one.f1:.4f}")
                for one in result.sweep
            ],
        )
    if result.calibration:
        rows = [
            (f"{one.least:.2f}", one.pairs, f"{one.score:.4f}", f"{one.share:.4f}", f"{one.share - one.score:+.4f}")
            for one in result.calibration
        ]
        click.echo()
        print_table(("score from", "pairs", "mean score", "share true", "difference"), rows)


def _print_wrong(result: Evaluation) -> None:
    click.echo()
    for one in result.wrong:
        echo(f"{'wrongly joined' if one.is_joined else 'not joined'}: {one.left} {one.right} ({one.by})")


@click.command()
@config_argument
@click.option("--pairs", type=click.Path(path_type=Path), help="CSV of labelled pairs, beside the verdicts.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file that the model is written to.")
@click.option(
    "--vary",
    multiple=True,
    metavar="SOURCE",
    help="Also learn from synthetic pairs: changed copies of the records of this source. May be given several times.",
)
@click.option("--data", default="", help="What the labels are; stored in the file as provenance.")
@click.option("--licence", default="", help="The licence of the labels and records; stored likewise.")
@click.option("--seed", type=int, default=1, show_default=True, help="For the synthetic pairs and the trees.")
@json_option
def train(
    config: Path,
    pairs: Path | None,
    out: Path,
    vary: tuple[str, ...],
    data: str,
    licence: str,
    seed: int,
    as_json: bool,
) -> None:
    """Train a model for the scorer `model` from verdicts and labelled pairs.

    It learns from what people decided with `bibld review` (same, or not), and from the pairs of --pairs. A pair of both
    counts once; if they contradict each other, nothing is trained. The records must have been loaded by `bibld run`
    before. The figures are those on labelled pairs whose clusters were
    held out of the training. To use the model, name its file under `[dedup.model]`. Needs `pip install
    'bibld[train]'`.
    """
    figures = bibld.Workspace(config).train(pairs, out, vary=vary, data=data, licence=licence, seed=seed)
    rows = [(name, f"{value:.4f}") for name, value in figures.items()]
    show(figures, as_json, lambda: print_table(("figure", "value"), rows))


Style = Literal["line", "dashed", "point"]

_WIDTH, _HEIGHT = 640, 420
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 40, 120, 48
_COLOURS = (
    "#1b6ca8", "#b5482a", "#2f7d4f", "#6b4c9a", "#b8860b", "#c2457f", "#3c8d93", "#5a5a5a", "#7a5230", "#8fae1b",
    "#e0702d", "#1f9ed1", "#8c1d2f", "#3a3f8f", "#a3a04a",
)  # fmt: skip
_LETTER = 7
"""The width of most letters."""
_STEPS = 5


class Series(NamedTuple):
    """Points (x, y) with a name, drawn in the ``colour`` of this number as a line or as points."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: int
    style: Style = "line"


class Panel(NamedTuple):
    """Series in a frame. ``across`` and ``up`` name the axes; y runs from 0 to 1, and x too unless ``is_log``."""

    title: str
    across: str
    series: Sequence[Series]
    up: str = ""
    is_log: bool = False


def svg(title: str, panels: Sequence[Panel]) -> str:
    """Draw panels side by side; the legend beside the last one names each colour once."""
    width = (_WIDTH - _RIGHT) * len(panels) + _RIGHT
    names = {(one.colour, one.style == "dashed"): one.name for panel in panels for one in panel.series}
    beside = width - _RIGHT + 12
    legend = "".join(
        _text(beside, _TOP + 16 + 20 * row, name, f' fill="{_colour(colour)}"')
        for row, ((colour, _), name) in enumerate(sorted(names.items()))
    )
    width += max(0, _LETTER * max(map(len, names.values()), default=0) + 12 - _RIGHT)
    height = max(_HEIGHT, _TOP + 16 + 20 * len(names))
    drawn = (_panel(panel, number * (_WIDTH - _RIGHT)) for number, panel in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" font-family="sans-serif"'
        f' font-size="12">\n<title>{escape(title)}</title>\n<rect width="100%" height="100%" fill="white"/>\n'
        f"{''.join(drawn)}{legend}</svg>\n"
    )


def _panel(panel: Panel, left: int) -> str:
    begin, end, ticks = _across(panel)

    def position(x: float, y: float) -> tuple[float, float]:
        value = math.log10(max(x, 10**begin)) if panel.is_log else x
        share = (value - begin) / (end - begin)
        return left + _LEFT + share * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - y * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_text(left + _LEFT, 24, panel.title, ' font-size="15"')]
    (west, south), (east, north) = (
        position(10**begin if panel.is_log else begin, 0),
        position(10**end if panel.is_log else 1, 1),
    )
    for step in range(_STEPS + 1):
        _, y = position(1, step / _STEPS)
        parts.append(f'<line x1="{west:.1f}" y1="{y:.1f}" x2="{east:.1f}" y2="{y:.1f}" stroke="#ddd"/>\n')
        parts.append(_text(f"{west - 8:.1f}", f"{y + 4:.1f}", f"{step / _STEPS:.1f}", ' text-anchor="end"'))
    for tick in ticks:
        x, _ = position(tick, 0)
        parts.append(f'<line x1="{x:.1f}" y1="{north:.1f}" x2="{x:.1f}" y2="{south:.1f}" stroke="#ddd"/>\n')
        label = f"{tick:g}" if panel.is_log else f"{tick:.1f}"
        parts.append(_text(f"{x:.1f}", f"{south + 18:.1f}", label, ' text-anchor="middle"'))
    parts.append(_text(f"{(west + east) / 2:.1f}", _HEIGHT - 8, panel.across, ' text-anchor="middle"'))
    if panel.up:
        middle = f"{left + 16} {(south + north) / 2:.1f}"
        parts.append(
            f'<text transform="translate({middle}) rotate(-90)" text-anchor="middle">{escape(panel.up)}</text>\n'
        )
    for one in panel.series:
        colour, points = _colour(one.colour), [position(x, y) for x, y in one.points]
        if one.style == "point":
            parts += (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" fill-opacity="0.8">'
                f"<title>{escape(one.name)}</title></circle>\n"
                for x, y in points
            )
        else:
            dashes = ' stroke-dasharray="6 4"' if one.style == "dashed" else ""
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>\n')
    return "".join(parts)


def _across(panel: Panel) -> tuple[float, float, list[float]]:
    """Return the beginning and the end of the x axis (of its logarithm) and the values with a tick."""
    if not panel.is_log:
        return 0, 1, [step / _STEPS for step in range(_STEPS + 1)]
    values = [x for one in panel.series for x, _ in one.points if x > 0] or [1]
    begin, end = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    end = max(end, begin + 1)
    return begin, end, [10.0**power for power in range(begin, end + 1)]


def _text(x: object, y: object, text: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}"{more}>{escape(text)}</text>\n'


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
