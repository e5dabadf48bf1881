"""What cannot be recomputed: ordinals, heirs, history, and what people said."""
