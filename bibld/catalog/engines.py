"""Which engine has run a workspace last.

The results of a run on Spark are tables, perhaps in a storage that only Spark reaches. So a small file beside the
databases states whether they are newer than these, and commands that use the databases explain what to do.
"""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from bibld.errors import CatalogError

FILE = "engines.json"


class EngineState(msgspec.Struct, frozen=True):
    """What both engines know about a workspace.

    ``spark_run`` is the number of the last run that Spark committed. ``is_newer_on_spark``: that was after the last
    conversion. ``identity`` are the last numbers in the register of this machine when the workspace was converted.
    """

    spark_run: int = 0
    is_newer_on_spark: bool = False
    identity: tuple[int, ...] = ()


def engine_state(workspace: Path) -> EngineState:
    """Return the state of a workspace; the default where Spark has never run."""
    file = workspace / FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=EngineState)
    except (FileNotFoundError, NotADirectoryError):  # what opens the databases explains the latter
        return EngineState()
    except (OSError, msgspec.MsgspecError) as error:
        raise CatalogError(
            f"{file}: cannot be read: {error}; delete it if the last run was on this machine, or run"
            " `bibld workspace convert` with --to local again"
        ) from error


def note_run_on_spark(workspace: Path, run: int) -> None:
    """Note that Spark is about to commit a run, so that the databases of this machine are older."""
    state = engine_state(workspace)
    _write(workspace, msgspec.structs.replace(state, spark_run=run, is_newer_on_spark=True))


def note_conversion(workspace: Path, spark_run: int) -> None:
    """Note that the databases and the tables of a run on Spark have the same rows."""
    _write(workspace, EngineState(spark_run, is_newer_on_spark=False, identity=_identity(workspace)))


def check_newest_is_local(workspace: Path, config_file: Path) -> None:
    """Raise ``CatalogError`` if Spark has run since the last conversion: a run here would give other IRIs."""
    state = engine_state(workspace)
    if state.is_newer_on_spark:
        raise CatalogError(
            f"{workspace}: run {state.spark_run} was on Spark, and this machine does not have its results; run"
            f" `{_command(config_file, 'local')}` first, which keeps all IRIs, or run on Spark with"
            f" `bibld run {_quoted(config_file)} --engine spark`"
        )


def check_newest_is_on_spark(workspace: Path, config_file: Path) -> None:
    """Raise ``CatalogError`` if this machine gave ordinals or moved IRIs since the last conversion."""
    state = engine_state(workspace)
    found = _identity(workspace)
    if state.identity and found and found != state.identity:
        raise CatalogError(
            f"{workspace}: records or IRIs changed on this machine since the last conversion; run"
            f" `{_command(config_file, 'spark')}` first, which keeps all IRIs"
        )


def missing_results(workspace: Path, config_file: Path | None, what: str = "run") -> CatalogError:
    """Return the error of a command that needs results which this machine does not have.

    ``what`` should have happened: the workspace should have been run, or published.
    """
    command = f"bibld run {_quoted(config_file)}" if config_file else "bibld run"
    if engine_state(workspace).is_newer_on_spark:
        return CatalogError(
            f"{workspace}: nothing has been {what} on this machine, only on Spark; run"
            f" `{_command(config_file, 'local')}`, then `{command} --engine local`"
        )
    return CatalogError(f"{workspace}: nothing has been {what} yet; run `{command}` first")


def check_has_results(workspace: Path, config_file: Path) -> None:
    """Raise ``CatalogError`` if there is no database, or no catalog because only Spark has run."""
    is_on_spark = engine_state(workspace).is_newer_on_spark
    has_register, has_catalog = ((workspace / name).is_file() for name in ("register.db", "catalog.db"))
    if not has_catalog and (is_on_spark or not has_register):
        raise missing_results(workspace, config_file)


def _command(config_file: Path | None, to: str) -> str:
    return f"bibld workspace convert {_quoted(config_file)} --to {to}"


def _quoted(config_file: Path | None) -> str:
    return shlex.quote(str(config_file)) if config_file else "CONFIG"


def _identity(workspace: Path) -> tuple[int, ...]:
    """Return the numbers of the last record and of the last event in the register; empty without a register."""
    file = workspace / "register.db"
    if not file.is_file():
        return ()
    queries = ("SELECT coalesce(max(ordinal), 0) FROM ordinal", "SELECT coalesce(max(event), 0) FROM event")
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as register:
        return tuple(register.execute(query).fetchone()[0] for query in queries)


def _write(workspace: Path, state: EngineState) -> None:
    new = workspace / f"{FILE}.new"
    try:
        workspace.mkdir(parents=True, exist_ok=True)
        new.write_bytes(msgspec.json.format(msgspec.json.encode(state)) + b"\n")
        new.replace(workspace / FILE)
    except OSError as error:
        raise CatalogError(f"{workspace / FILE}: cannot be written: {error.strerror}; check the folder") from error
