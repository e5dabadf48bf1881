"""Results of the stages: edges, clusters, descriptions, statements, entities, patches, matching."""
