"""Values only: what flows between the stages. No input or output happens here."""
