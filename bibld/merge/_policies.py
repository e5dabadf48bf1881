"""Which policy holds for which element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from bibld.config import Config, MergeConfig
from bibld.protocols import Statement, adapters


class Policy:
    """A policy with its settings; ``single`` is the policy for what a publication has once."""

    def __init__(self, name: str, settings: Any, single: Policy | None = None) -> None:  # noqa: ANN401
        self._adapter = adapters.load_adapter("merge", name)
        self._settings = settings
        self.single = single or self

    def choose(self, statements: Sequence[Statement]) -> Sequence[Statement]:
        """Return the statements of the records whose values are shown, in the order in which they are."""
        if len(statements) < 2:
            return statements
        return [statements[number] for number in self._adapter.choose(statements, self._settings)]


class Policies:
    """The policies of all elements of MODS, and the trust in each source (1 unless stated)."""

    def __init__(
        self,
        names: MergeConfig,
        trust: Mapping[str, int] | None = None,
        settings: Mapping[tuple[str, str], Any] | None = None,
    ) -> None:
        self._names = names
        self._trust = dict(trust or {})
        self._settings = settings or {}
        self._policies: dict[str, Policy] = {}
        self.of_element = {element: self._policy(name) for element, name in msgspec.structs.asdict(names).items()}

    def __reduce__(self) -> tuple[type[Policies], tuple[object, ...]]:
        """Send the settings to another process, which finds the adapters itself."""
        return Policies, (self._names, self._trust, self._settings)

    @classmethod
    def from_config(cls, config: Config) -> Policies:
        """Return the policies of a configuration."""
        trust = {source.id: source.config.trust for source in config.sources if source.config.trust != 1}
        settings = {key: value for key, value in config.adapter_settings.items() if key[0] == "merge"}
        return cls(config.merge, trust, settings)

    def trust(self, source: str) -> int:
        """Return the trust in a source."""
        return self._trust.get(source, 1)

    def inputs(self) -> list[object]:
        """Return all settings that the result of merging depends on, for a hash of them."""
        settings = [(name, self._settings_of(name)) for name in sorted(self._policies)]
        return [self._names, settings, sorted(self._trust.items())]

    def _policy(self, name: str) -> Policy:
        if name not in self._policies:
            single = getattr(adapters.load_adapter("merge", name), "SINGLE", None)
            other = self._policy(single) if single not in (None, name) else None
            self._policies[name] = Policy(name, self._settings_of(name), other)
        return self._policies[name]

    def _settings_of(self, name: str) -> Any:  # noqa: ANN401
        found = self._settings.get(("merge", name))
        return adapters.settings_type("merge", name)() if found is None else found


@cache
def default_policies() -> Policies:
    """Return the paper's rule: what repeats is united, what is simple is filled."""
    return Policies(MergeConfig())
