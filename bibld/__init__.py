"""bibld turns the catalogues of libraries into Linked Open Data.

The stages, in the order in which a record passes them:

harvest → read → crosswalk → (catalog) → dedup → merge → triplify → store → publish → serve

Each stage is a package of this name, a command of this name and a table of this name in the configuration.
``bibld.pipeline.run`` runs them all; ``bibld.explain`` tells the way of one record.
"""

__version__ = "0.1.0"
