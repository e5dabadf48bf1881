"""Has Settings and nothing else."""

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """No settings."""
