"""Adapters of bibld for a catalogue of cards: one of every kind."""
