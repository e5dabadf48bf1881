"""What cannot be recomputed: ordinals, redirects, history, verdicts of people, suppressions."""
