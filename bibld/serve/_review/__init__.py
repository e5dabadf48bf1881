"""The review page: cataloguers decide about pairs that matching left undecided.

It is off unless ``[serve] review_token`` names a token. Whoever knows the token signs in with a name, and is offered
one pair after the other: of records, of entities that may be the same, or of an entity and a record of an authority
file. A pair is offered to one person at a time. Verdicts are stored as those of ``bibld review`` and ``bibld link``.
"""
