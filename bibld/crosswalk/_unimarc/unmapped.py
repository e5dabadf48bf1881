"""Why no rule reads some subfields of UNIMARC and RUSMARC that records contain."""

from __future__ import annotations

_REASONS = (
    ("00[4678]", "about the record in the union catalogue of France: its numbers, dates and status"),
    ("110$z 200$[oxy5] 300$b 305$l 607$[b4] 700$k 712$1 856$5", "not in the format: errors of cataloguers"),
    ("8[0-3]?$*", "about the record, or the number of a note of one library"),
)  # fmt: skip

REASONS = {pattern: reason for patterns, reason in _REASONS for pattern in patterns.split()}
"""Patterns of subfields (``*``: anything) → why no rule reads them."""
