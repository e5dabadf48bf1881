"""What matching asks of a configuration, and a small one for matching in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from bibld.catalog import digest
from bibld.config import DedupConfig, Source, SourceConfig
from bibld.errors import ConfigError
from bibld.protocols import adapters

VERSION = 11
"""Raise it when the same features give other edges or clusters."""

INDEX_VERSION = 11
"""Raise it when the same records give other features or keys."""

_DEFAULT = DedupConfig()


class Method(Protocol):
    """As much of a configuration as matching reads: ``Config`` and ``MethodOptions`` have it."""

    @property
    def dedup(self) -> DedupConfig:
        """Return the names of blockers and scorer, and the rules for clusters."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources; of each the id and whether a cluster may hold two of its records."""

    @property
    def workers(self) -> int:
        """Return the number of threads; 0 for one per core."""

    def settings(self, stage: str, name: str) -> Any:  # noqa: ANN401
        """Return the settings of an adapter."""


class MethodOptions(msgspec.Struct, frozen=True):
    """How records are matched where there is no configuration file; the defaults are those of a configuration.

    ``block`` names the blockers and ``score`` the scorer; ``same`` and ``review`` replace the thresholds of the scorer.
    ``exceptions`` are the differences that send a pair to review, ``largest_cluster`` is the size above which linked
    records are cut at a higher score. A cluster may hold two records of the sources in ``sources_with_duplicates``.
    ``adapter_settings`` are the settings of blockers and scorer by the adapter's name, as in a configuration:
    ``{"composite": {"largest_bucket": 100}}``.

    Raises ``ConfigError`` for an unknown adapter and for settings that it does not have.
    """

    block: tuple[str, ...] = _DEFAULT.block
    score: str = _DEFAULT.score
    same: float | None = None
    review: float | None = None
    exceptions: tuple[str, ...] = _DEFAULT.exceptions
    largest_cluster: int = _DEFAULT.largest_cluster
    sources_with_duplicates: frozenset[str] = frozenset()
    adapter_settings: Mapping[str, Mapping[str, Any]] = {}
    workers: int = 0

    def __post_init__(self) -> None:
        """Check every setting, so that nothing is computed with a wrong one."""
        if isinstance(self.block, str):
            raise ConfigError([f'block: must be a tuple of names, such as ("{self.block}",)'])
        unknown = self.adapter_settings.keys() - {*self.block, self.score}
        if not self.block:
            raise ConfigError(["block: name at least one blocker"])
        if unknown:
            raise ConfigError([f"adapter_settings: {name} is not among the adapters used" for name in sorted(unknown)])
        self.dedup  # noqa: B018 - checks
        for stage, names in (("dedup.block", self.block), ("dedup.score", (self.score,))):
            for name in names:
                self.settings(stage, name)

    @property
    def dedup(self) -> DedupConfig:
        """Return the names of blockers and scorer, and the rules for clusters."""
        values = {name: getattr(self, name) for name in DedupConfig.__struct_fields__ if name != "cache"}
        try:
            return msgspec.convert(values, DedupConfig)
        except msgspec.ValidationError as error:
            raise ConfigError([str(error)]) from error

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources of which a cluster may hold two records; others need not be known."""
        return tuple(
            Source(SourceConfig(id=name, duplicates=True), None, None) for name in sorted(self.sources_with_duplicates)
        )

    def settings(self, stage: str, name: str) -> Any:  # noqa: ANN401
        """Return the settings of an adapter; raises ``ConfigError`` for settings that it does not have."""
        type_ = adapters.settings_type(stage, name)
        values = dict(self.adapter_settings.get(name, {}))
        if stage == "dedup.score":
            thresholds = {"same": self.same, "review": self.review}
            values |= {key: value for key, value in thresholds.items() if value is not None}
        if unknown := sorted(values.keys() - set(type_.__struct_fields__)):
            raise ConfigError(
                [
                    adapters.unknown_name_message(key, list(type_.__struct_fields__), f"setting of {name}")
                    for key in unknown
                ]
            )
        try:
            return msgspec.convert(values, type_)
        except msgspec.ValidationError as error:
            raise ConfigError([f"{name}: {error}"]) from error


def scorer_warning(config: Method) -> str:
    """Return what a person should know about the files of the scorer, such as a model of another version.

    Empty if there is nothing. Raises ``ConfigError`` for a file that cannot be used.
    """
    check = getattr(adapters.load_adapter("dedup.score", config.dedup.score), "check", None)
    return str(check(config.settings("dedup.score", config.dedup.score))) if check is not None else ""


def columns_read(config: Method, stage: str, name: str) -> tuple[str, ...] | None:
    """Return the names of the columns that a blocker or scorer reads; None: any but ``text``, since it states none."""
    adapter = adapters.load_adapter(stage, name)
    if hasattr(adapter, "chosen_columns"):
        return tuple(adapter.chosen_columns(config.settings(stage, name)))
    names = getattr(adapter, "COLUMNS", None)
    return None if names is None else tuple(names)


def blocking_digest(config: Method) -> str:
    """Return a hash of the blockers and their settings, for which statistics are counted."""
    return digest([[name, digest(config.settings("dedup.block", name))] for name in config.dedup.block])


def settings_digest(config: Method) -> str:
    """Return a hash of the versions and of all settings that the result depends on."""
    settings = config.settings("dedup.score", config.dedup.score)
    identity = getattr(adapters.load_adapter("dedup.score", config.dedup.score), "identity", None)
    model = identity(settings) if identity else ""
    if hasattr(settings, "file"):  # the content of the file counts, not its name
        settings = msgspec.structs.replace(settings, file="")
    scorer = [config.dedup.score, digest(settings), model]
    blockers = [[name, digest(config.settings("dedup.block", name))] for name in config.dedup.block]
    with_duplicates = sorted(source.id for source in config.sources if source.config.duplicates)
    rules = msgspec.structs.replace(config.dedup, cache="")
    return digest(VERSION, INDEX_VERSION, blockers, scorer, with_duplicates, rules)
